"""The loss broken down by ablation: what does each part of the model do for this answer?

found = ablation(model, "a cow says [MASK] .", answer="moo")
found.whole                               # the loss of the model as it is
found.parts[0]                            # what is missed most: its kind, layer, head, and the loss without it

A part that is taken out writes zeros, or with by="mean" what it writes on average over the text, which leaves the sizes
of what others read nearly as they were. A layer that is taken out passes on what it reads. Positions are taken out of
embeddings and of attention's scores; what may be seen (causality) stays.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

import numpy as np

from mini_bert.analysis.question import Answer, Measure, ask
from mini_bert.analysis.reading import Reading, as_reading
from mini_bert.analysis.removal import By, Removal, removals
from mini_bert.analysis.shown import Shown
from mini_bert.analysis.variants import told_after
from mini_bert.analysis.without_positions import without_positions
from mini_bert.errors import unknown
from mini_bert.models.mini import MiniBERT

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Kind = Literal["head", "attention", "feed-forward", "layer", "positions"]
KINDS: tuple[Kind, ...] = get_args(Kind)
MOST_BARS = 30


class Ablated(NamedTuple):
    """A part, the measure without it, and by how much that is more than with it."""

    kind: Kind
    layer: int | None
    head: int | None
    value: float
    change: float

    @property
    def name(self) -> str:
        where = [f"layer {self.layer}"] if self.layer is not None and self.kind != "layer" else []
        which = {"head": f"head {self.head}", "layer": f"layer {self.layer}"}.get(self.kind, self.kind)
        return ", ".join([*where, which])


@dataclass(frozen=True)
class Ablation(Shown):
    """`whole` is the measure of the whole model, `parts` what it is without each, the most missed first."""

    names: tuple[str, ...]
    measure: Measure
    by: By
    whole: float
    parts: tuple[Ablated, ...]

    def of_kind(self, kind: Kind) -> list[Ablated]:
        return [part for part in self.parts if part.kind == kind]

    def figure(self) -> Figure:
        from mini_bert.plots.bars import Bar, bars

        entries = [Bar(part.name, part.change) for part in self.parts[:MOST_BARS]]
        return bars(entries, f"change of the {self.measure} without it")


def ablation(
    model: MiniBERT | Reading | Sequence[Reading],
    text: str | None = None,
    *,
    answer: Answer | None = None,
    measure: Measure = "loss",
    by: By = "zero",
    kinds: Iterable[Kind] = KINDS,
) -> Ablation:
    """Of a reading, of several by the same model, or of a text that a model reads; the mean over all that is asked."""
    readings = [as_reading(model, text)] if isinstance(model, MiniBERT | Reading) else list(model)
    if not readings:
        raise ValueError("no reading is given; give at least one")
    chosen = list(kinds)
    if by not in get_args(By):
        raise ValueError(unknown("by", by, list(get_args(By))))
    if wrong := [kind for kind in chosen if kind not in KINDS]:
        raise ValueError(unknown("kind of part", wrong[0], list(KINDS)))
    found = removals(readings, by, chosen)
    questions = [ask(reading, answer, measure) for reading in readings]
    counts = [len(question.places) for question in questions]
    changes = [{}, *(removal.changes for removal in found)]
    values = np.average(
        [
            question.values(told_after(reading, question, changes))
            for reading, question in zip(readings, questions, strict=True)
        ],
        axis=0,
        weights=counts,
    )
    whole = float(values[0])
    parts = [part(removal, float(value), whole) for removal, value in zip(found, values[1:], strict=True)]
    if "positions" in chosen:
        placeless = without_positions(readings[0].model.network)
        unplaced = [
            question.values(told_after(reading, question, [{}], placeless))[0]
            for reading, question in zip(readings, questions, strict=True)
        ]
        value = float(np.average(unplaced, weights=counts))
        parts.append(Ablated("positions", None, None, value, value - whole))
    harm = 1 if questions[0].is_better_lower else -1
    parts.sort(key=lambda one: -harm * one.change)
    return Ablation(questions[0].names, measure, by, whole, tuple(parts))


def part(removal: Removal, value: float, whole: float) -> Ablated:
    kind: Kind = removal.kind
    return Ablated(kind, removal.layer, removal.head, value, value - whole)
