"""Score terms that are told as one number: those of Transformer-XL and DeBERTa, which meet distances in other ways."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from mini_bert.analysis.graph.again import Aloof, apart
from mini_bert.analysis.graph.operation import Equation, Numbers
from mini_bert.analysis.sums import Index, Sum, called, constant, product
from mini_bert.core.array import Array
from mini_bert.core.terms import Slopes, Term
from mini_bert.core.trace import Trace


@dataclass(frozen=True)
class Whole:
    """s = term(q, k), and its gradients, each as one number: the term is run again to tell them"""

    term: Term
    query: str
    key: str
    t: Trace

    @property
    def inputs(self) -> tuple[str, ...]:
        return self.query, self.key

    @cached_property
    def weights(self) -> tuple[str, ...]:
        """Those that a gradient arrives at."""
        return tuple(self.back(np.zeros(self.added.shape, self.added.dtype))[1])

    @property
    def name(self) -> str:
        return self.term.scope.replace("_", " ")

    @property
    def equation(self) -> Equation:
        return Equation(self.name, rf"\text{{{self.name}}}")

    @cached_property
    def added(self) -> Array:
        """(B, A, Tq, Tk)"""
        q, k = self.t.acts[self.query], self.t.acts[self.key]
        found = self.term.forward(q, k, apart(self.t))
        return np.broadcast_to(q.dtype.type(0) if found is None else found, (*q.shape[:-1], k.shape[-2]))

    def cell(self, index: Index, numbers: Numbers) -> Sum:
        return Sum([product(constant(self.added[index], self.name))])

    def derivative(self, name: str, scores: str) -> Equation:
        return Equation(f"what {self.name} gives back to {called(name)}", rf"\text{{{self.name}}}")

    def slope(self, name: str, index: Index, numbers: Numbers, scores: str) -> Sum:
        (dq, dk), dweights = self.back(numbers.gradient(scores))
        found = {self.query: dq, self.key: dk, **dweights}[name]
        return Sum([] if found is None else [product(constant(found[index], self.name))])

    def back(self, dscores: Array) -> tuple[Slopes, Aloof]:
        """dq, dk, and the gradients of the term's weights"""
        again, grads = apart(self.t), Aloof(self.t.params)
        again = again.but(grads=grads)
        q, k = self.t.acts[self.query], self.t.acts[self.key]
        self.term.forward(q, k, again)
        return self.term.backward(dscores, q, k, again) or (None, None), grads
