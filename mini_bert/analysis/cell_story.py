"""Which sum made this number?

story = explain_cell(reading, "Q_0", (0, 3, 2, 17))
story.equation                    # "Q_0 = embeddings W_Q_0 + b_Q_0"
story.terms[0]                    # the largest of the products that were added up, with its factors
story.value                       # all terms, and `rest`, add up to it
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from mini_bert.analysis.graph.graph import Graph
from mini_bert.analysis.graph.loss import LOSS
from mini_bert.analysis.reading import Reading
from mini_bert.analysis.shown import Shown
from mini_bert.analysis.sums import Aside, Index, Sum, Term, cell_label, constant, product
from mini_bert.errors import unknown
from mini_bert.models.names import as_short, dotted, find, short

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TOLD = 20
"""Terms that are told one by one, unless more are asked for."""


@dataclass(frozen=True)
class CellStory(Shown):
    """A cell of an activation: its equation in letters and LaTeX, and the terms whose sum it is, the largest first.

    Beside `terms` there are `others`, which add up to `rest`. `asides` are numbers that terms share: a mean, a sum of
    exponentials. `kind` names the operation.
    """

    name: str
    dotted: str
    index: Index
    value: float
    kind: str
    equation: str
    latex: str
    terms: tuple[Term, ...]
    others: int
    rest: float
    asides: tuple[Aside, ...]

    @property
    def label(self) -> str:
        return cell_label(self.dotted, self.index) if self.index else self.name

    def figure(self) -> Figure:
        return terms_figure(self.terms, self.others, self.rest, self.label)


def explain_cell(
    reading: Reading, name: str, index: Sequence[int] = (), *, most: int | None = TOLD
) -> CellStory:
    """The sum that made one number of an activation, by dotted or short name; `most` terms are told, None for all.

    "loss" has no index. A hook that replaced the activation is told as a term of its own.
    """
    graph = reading.graph
    full = made_name(graph, name)
    made = graph.made[full]
    place = () if full == LOSS else checked_index(short(full), index, graph.numbers[full].shape)
    value = reading.passed.loss if full == LOSS else float(graph.numbers[full][place])
    told = made.cell(place, graph.numbers)
    if full in reading.passed.trace.hooks:
        told += Sum([product(constant(value - told.value, "changed by a hook"))])
    largest = told.largest(most)
    return CellStory(
        short(full),
        full,
        place,
        value,
        made.kind,
        *made.equation.whole,
        largest.terms,
        largest.others,
        largest.rest,
        tuple(told.asides),
    )


def made_name(graph: Graph, name: str) -> str:
    """The dotted name of an activation that the graph can tell."""
    full = dotted(name)
    if full in graph.made:
        return full
    if full in graph.numbers.params:
        raise ValueError(f"{name}: a weight is made by training, not by the pass; ask for its gradient")
    if full in graph.numbers.acts:
        raise ValueError(
            f"{name}: this is given, or told as a whole in what is made of it; ask for the scores of its layer"
        )
    raise ValueError(unknown("activation", name, [*map(short, graph.made), *graph.made]))


def checked_index(name: str, index: Sequence[int], shape: tuple[int, ...]) -> Index:
    """An index that is within the shape."""
    place = tuple(int(one) for one in index)
    if len(place) != len(shape) or not all(0 <= one < size for one, size in zip(place, shape, strict=True)):
        last = ", ".join(str(size - 1) for size in shape)
        raise ValueError(
            f"{name}{list(place)}: there is no such number; choose from [{zeros(shape)}] to [{last}]"
        )
    return place


def zeros(shape: tuple[int, ...]) -> str:
    return ", ".join("0" for _ in shape)


def stored_index(name: str, index: Sequence[int], shape: tuple[int, ...]) -> Index:
    """The index of a weight as it is stored; a short name sees linear weights the other way round."""
    is_short = find(name, "short") is not None
    full = dotted(name)
    place = checked_index(name, index, as_short(full, shape) if is_short else shape)
    return as_short(full, place) if is_short else place


def terms_figure(terms: Sequence[Term], others: int, rest: float, unit: str) -> Figure:
    from mini_bert.plots.terms import term_bars

    names = [term.label for term in terms] + ([f"{others:,} others together"] if others else [])
    values = [term.value for term in terms] + ([rest] if others else [])
    return term_bars(names, np.array(values), unit)
