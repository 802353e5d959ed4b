"""Where does this gradient come from, and is it right?

story = explain_gradient(reading, "W_Q_0", (5, 17))
story.value, story.numeric        # by the chain rule, and by moving the number a little
story.parts[0].equation           # "Σ over tokens of embeddings · d Q_0"
story.terms[0]                    # the token that pulls most
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from mini_bert.analysis.cell_story import TOLD, checked_index, stored_index, terms_figure
from mini_bert.analysis.graph.graph import Graph
from mini_bert.analysis.graph.operation import Equation, joined, partial
from mini_bert.analysis.numeric_slope import NumericSlope, numeric_slope
from mini_bert.analysis.reading import Reading
from mini_bert.analysis.shown import Shown
from mini_bert.analysis.sums import Aside, Index, Sum, Term, called, cell_label
from mini_bert.errors import unknown
from mini_bert.models.names import dotted, short

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Part(NamedTuple):
    """What comes back through one operation that read the number: its output, its derivative, and how much."""

    through: str
    equation: str
    latex: str
    value: float


@dataclass(frozen=True)
class GradientStory(Shown):
    """dLoss/d(one number of a weight or an activation), in float64.

    `value` is the sum of `terms`, largest first, and of `rest`, the sum of `others`; `parts` sum the same terms up by
    the operations they came through. No parts: what reads this number is not told step by step, or nothing does.
    `check` is the same slope by finite differences, if it was asked for.
    """

    name: str
    dotted: str
    index: Index
    value: float
    equation: str
    latex: str
    parts: tuple[Part, ...]
    terms: tuple[Term, ...]
    others: int
    rest: float
    asides: tuple[Aside, ...]
    check: NumericSlope | None

    @property
    def label(self) -> str:
        return cell_label(self.dotted, self.index, is_gradient=True)

    @property
    def numeric(self) -> float:
        if self.check is None:
            raise ValueError(f"{self.label}: it was told without a check; leave `check` at True")
        return self.check.value

    @property
    def agrees(self) -> bool:
        """Whether both have the same four digits, as far as the numeric one can be known."""
        return self.check is not None and self.check.agrees_with(self.value)

    def figure(self) -> Figure:
        return terms_figure(self.terms, self.others, self.rest, self.label)


def explain_gradient(
    reading: Reading, name: str, index: Sequence[int], *, most: int | None = TOLD, check: bool = True
) -> GradientStory:
    """The gradient of one number of a weight or an activation, by dotted or short name.

    All numbers are of the same pass in float64, so that they can be compared; the first call for a text makes it.
    """
    exact = reading.exact
    graph, full = exact.graph, dotted(name)
    is_weight = full in graph.numbers.params
    gradients = exact.passed.gradients if is_weight else exact.passed.activation_gradients
    if full not in gradients.arrays:
        raise ValueError(without_gradient(graph, name, gradients.arrays))
    array = gradients.arrays[full]
    place = stored_index(name, index, array.shape) if is_weight else checked_index(name, index, array.shape)
    value = float(array[place])
    readers = graph.used[full]
    sums = [one.slope(full, place, graph.numbers) for one in readers]
    told = [one.derivative(full) for one in readers]
    parts = tuple(
        Part(one.output, *equation.whole, total.value)
        for one, equation, total in zip(readers, told, sums, strict=True)
    )
    whole = sum(sums, Sum([]))
    largest = whole.largest(most)
    return GradientStory(
        short(full),
        full,
        place,
        value,
        *derivative(full, told),
        parts,
        largest.terms,
        largest.others,
        largest.rest if parts else value,
        tuple(whole.asides),
        numeric_slope(exact.passed, full, place) if check else None,
    )


def derivative(name: str, parts: Sequence[Equation]) -> tuple[str, str]:
    """The whole derivative, in letters and in LaTeX."""
    if not parts:
        return f"d {called(name)}: not told step by step", rf"{partial(name)} = \text{{…}}"
    text = joined((part.text for part in parts), (part.where for part in parts), ", ")
    latex = joined((part.latex for part in parts), (part.where_latex for part in parts), r",\quad ")
    return f"d {called(name)} = {text}", f"{partial(name)} = {latex}"


def without_gradient(graph: Graph, name: str, known: Iterable[str]) -> str:
    full = dotted(name)
    if full in graph.made:
        return (
            f"{name}: the backward pass leaves no gradient of it; ask for that of what it is made of: "
            f"{', '.join(short(one) for one in graph.made[full].inputs) or 'its weights'}"
        )
    return unknown("weight or activation", name, [*map(short, known), *known])
