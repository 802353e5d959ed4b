"""The end of the pass: how far the logits are from what was to be told."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from mini_bert.analysis.graph.operation import Equation, FromOne, Numbers, symbol
from mini_bert.analysis.sums import Aside, Factors, Index, Sum, constant, product
from mini_bert.core.array import Array
from mini_bert.core.functions.activations import sigmoid
from mini_bert.models.passes import IGNORED

LOSS = "loss"


@dataclass(frozen=True)
class CrossEntropy(FromOne):
    """L = −Σ w ln p[label],  p = softmax(logits),  w = 1/N at each of N places that are asked"""

    kind = "loss"

    labels: Array

    @property
    def asked(self) -> Array:
        asked: Array = self.labels != IGNORED
        return asked

    @property
    def share(self) -> float:
        """w"""
        return 1 / max(int(self.asked.sum()), 1)

    @property
    def weight(self) -> Factors:
        return constant(self.share, f"1/{max(int(self.asked.sum()), 1)}")

    @property
    def equation(self) -> Equation:
        return Equation(
            "loss = −mean ln p[label] over the places asked",
            r"L = -\frac{1}{N} \sum_t \ln p_{t,\,\text{label}_t}",
            "p = softmax(logits)",
            rf"p = \operatorname{{softmax}}({symbol(self.source)})",
        )

    def cell(self, index: Index, numbers: Numbers) -> Sum:
        places = np.nonzero(self.asked)
        rows = np.asarray(numbers[self.source][places], np.float64)
        labels = self.labels[places]
        top = rows.max(-1, keepdims=True)
        log_p = rows[np.arange(len(rows)), labels] - (top[:, 0] + np.log(np.exp(rows - top).sum(-1)))
        each = Factors(log_p, "ln p({})", self.source, (*places, labels))
        return Sum([product(constant(-1, "−1"), self.weight, each)] if len(rows) else [])

    def derivative(self, name: str) -> Equation:
        return Equation(
            "w (p − [label])",
            r"\frac{1}{N}\bigl(p_t - \mathbf 1_{\text{label}_t}\bigr)",
            "w = 1/N at the places asked",
        )

    def slope(self, name: str, index: Index, numbers: Numbers) -> Sum:
        *row, v = index
        place = tuple(row)
        if not self.asked[place]:
            return Sum([])
        every = numbers.at(self.source, *row, np.arange(numbers[self.source].shape[-1]), text="exp({} − max)")
        exp = np.exp(every.values - every.values.max())
        total = Aside("Σ exp", "Σ", float(exp.sum()), product(replace(every, values=exp)))
        guess = Factors(np.asarray(exp[v] / exp.sum()), "p({})", self.source, index)
        groups = [product(self.weight, guess)]
        if v == self.labels[place]:
            groups.append(product(constant(-1, "−1"), self.weight))
        return Sum(groups, [total])


@dataclass(frozen=True)
class YesOrNo(CrossEntropy):
    """L = −Σ w [y ln σ(l) + (1 − y) ln(1 − σ(l))]: a logit for each token, and a label 0 or 1"""

    @property
    def equation(self) -> Equation:
        return Equation(
            "loss = −mean [y ln σ(logit) + (1 − y) ln(1 − σ(logit))]",
            r"L = -\frac{1}{N} \sum_t \bigl(y_t \ln \sigma(l_t) + (1 - y_t) \ln(1 - \sigma(l_t))\bigr)",
            where_latex=f"l = {symbol(self.source)}",
        )

    def cell(self, index: Index, numbers: Numbers) -> Sum:
        places = np.nonzero(self.asked)
        logits = np.asarray(numbers[self.source][places], np.float64)
        signed = np.where(self.labels[places] == 1, logits, -logits)
        each = Factors(-np.logaddexp(0, -signed), "ln p({})", self.source, places)
        return Sum([product(constant(-1, "−1"), self.weight, each)] if len(logits) else [])

    def derivative(self, name: str) -> Equation:
        return Equation("(σ(logit) − y)/N", r"\frac{1}{N}\bigl(\sigma(l_t) - y_t\bigr)")

    def slope(self, name: str, index: Index, numbers: Numbers) -> Sum:
        if not self.asked[index]:
            return Sum([])
        guess = numbers.at(self.source, *index, text="σ({})").mapped(sigmoid)
        groups = [product(self.weight, guess)]
        if self.labels[index] == 1:
            groups.append(product(constant(-1, "−1"), self.weight))
        return Sum(groups)
