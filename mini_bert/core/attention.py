"""Multi-head attention (Vaswani et al. 2017).

Derived in docs/mathematical_background/attention.md.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from mini_bert.core.array import Array
from mini_bert.core.functions.activations import sigmoid, sigmoid_backward
from mini_bert.core.functions.heads import merge_heads, multiply_heads, split_heads
from mini_bert.core.functions.softmax import softmax, softmax_backward
from mini_bert.core.layer import Attending, Identity, Layer, Part
from mini_bert.core.terms import Content, Padding, Term
from mini_bert.core.trace import Trace


@dataclass(frozen=True)
class Attention(Attending):
    """y = output(softmax(Σ terms(q, k)) v)  with  q = query(x),  k = key(x),  v = value(x), in A heads"""

    A: int
    query: Layer
    key: Layer
    value: Layer
    output: Layer
    terms: tuple[Term, ...] = (Content(), Padding())
    probs_dropout: Layer = Identity()

    def forward(self, x: Array, t: Trace) -> Array:
        return self.attend(t.asked(x), t.sources(x), t)

    def backward(self, dy: Array, t: Trace) -> Array:
        dx, dsource = self.attend_backward(dy, t)
        dsource = t.sources_backward(dsource)
        return t.asked_backward(dx, dsource.shape[1]) + dsource

    def attend(self, x: Array, source: Array, t: Trace) -> Array:
        """x (B, Tq, H) asks, source (B, Tk, H) answers."""
        q = t.keep("q", split_heads(self.query.forward(x, t / "query"), self.A))
        k = t.keep("k", t.after_past("k", split_heads(self.key.forward(source, t / "key"), self.A)))
        v = t.keep("v", t.after_past("v", split_heads(self.value.forward(source, t / "value"), self.A)))
        p = softmax(t.show("scores", self.scores(q, k, t)))  # (B, A, Tq, Tk)
        t.remember("softmax", p)
        mixed = t.keep("mixed", self.probs_dropout.forward(t.show("probs", p), t / "probs_dropout"))
        context = t.show("context", merge_heads(multiply_heads(mixed, v)))
        return t.show("out", self.output.forward(self.opened(context, x, t), t / "output"))

    def attend_backward(self, dy: Array, t: Trace) -> tuple[Array, Array]:
        """dy (B, Tq, H) → dx (B, Tq, H), dsource (B, Tk, H)"""
        q, k, v, mixed = t["q"], t["k"], t["v"], t["mixed"]
        dopened = self.output.backward(t.show_grad("out", dy), t / "output")
        dcontext, dgate = self.opened_backward(dopened, t)
        dheads = split_heads(t.show_grad("context", dcontext), self.A)
        dv = t.show_grad("v", multiply_heads(mixed.swapaxes(-1, -2), dheads))
        dmixed = t.show_grad("mixed", dheads @ v.swapaxes(-1, -2))
        dprobs = t.show_grad("probs", self.probs_dropout.backward(dmixed, t / "probs_dropout"))
        dscores = t.show_grad("scores", softmax_backward(dprobs, t["softmax"]))
        dq, dk = self.scores_backward(dscores, q, k, t)
        dx = self.query.backward(merge_heads(t.show_grad("q", dq)), t / "query")
        dsource = self.key.backward(merge_heads(t.show_grad("k", dk)), t / "key")
        dx = dx if dgate is None else dx + dgate
        return dx, dsource + self.value.backward(merge_heads(dv), t / "value")

    def scores(self, q: Array, k: Array, t: Trace) -> Array:
        """Σ terms(q, k), (B, A, Tq, Tk)"""
        found = [term.forward(q, k, t / term.scope) for term in self.terms]
        first, *others = (scores for scores in found if scores is not None)
        return sum(others, first)

    def scores_backward(self, dscores: Array, q: Array, k: Array, t: Trace) -> tuple[Array, Array]:
        """dq, dk: every term receives the whole dscores, for they are summed"""
        dq = dk = None
        for term in self.terms:
            more_dq, more_dk = term.backward(dscores, q, k, t / term.scope) or (None, None)
            dq, dk = plus(dq, more_dq), plus(dk, more_dk)
        return np.zeros_like(q) if dq is None else dq, np.zeros_like(k) if dk is None else dk

    def opened(self, context: Array, x: Array, t: Trace) -> Array:
        """How much of the context passes: all of it, here."""
        return context

    def opened_backward(self, dopened: Array, t: Trace) -> tuple[Array, Array | None]:
        """dcontext, and what x gets of it"""
        return dopened, None

    def parts(self) -> Iterator[tuple[str, Part]]:
        """A term's scope is its own name, so that adding one renames no other's weights."""
        yield from ((scope, part) for scope, part in super().parts() if not isinstance(part, Term))
        yield from ((f"{term.scope}.", term) for term in self.terms)


@dataclass(frozen=True, kw_only=True)
class GatedAttention(Attention):
    """y = output(σ(gate(x)) · context): each token opens or closes what it has gathered, number by number"""

    gate: Layer

    def opened(self, context: Array, x: Array, t: Trace) -> Array:
        opening = t.keep("opening", sigmoid(self.gate.forward(x, t / "gate")))
        return t.keep("gathered", context) * opening

    def opened_backward(self, dopened: Array, t: Trace) -> tuple[Array, Array | None]:
        opening = t["opening"]
        dopening = t.show_grad("opening", dopened * t["gathered"])
        dx = self.gate.backward(sigmoid_backward(dopening, opening), t / "gate")
        return dopened * opening, dx


def plus(a: Array | None, b: Array | None) -> Array | None:
    """a + b, where None is zero"""
    if a is None or b is None:
        return b if a is None else a
    return a + b
