"""What an exam says in one line: the model's score, the best of its rivals, and whether it beats them."""

from __future__ import annotations

from dataclasses import dataclass
from math import hypot, isfinite
from typing import Any, Literal, NamedTuple

from mini_bert.evaluation.estimate import Estimate
from mini_bert.evaluation.section import Column, Row, Section

Verdict = Literal["yes", "within noise", "no"]
WORST_LAST: tuple[Verdict, ...] = ("yes", "within noise", "no")
CHOSEN, EMBEDDINGS = "chosen", "embeddings"
"""Where a table has a row for each layer, the one that was chosen says so, and layer 0 says that it is these."""

RivalKind = Literal["baseline", "control"]


class Rival(NamedTuple):
    """A baseline or a control, and what it reaches."""

    name: str
    score: Estimate
    kind: RivalKind


@dataclass(frozen=True)
class Ability:
    """A share of right answers, or a correlation, beside those of all rivals; the most there can be is 1.

    `row` is the name of the model's own row: of several it has, the one that speaks for it.
    """

    section: str
    title: str
    measure: Column
    row: str
    score: Estimate
    rivals: tuple[Rival, ...]

    @property
    def best_rival(self) -> Rival:
        return max(self.rivals, key=lambda rival: rival.score.value)

    @property
    def verdict(self) -> Verdict:
        """Yes if the model beats every rival by more than noise, no if one of them beats it by more than noise."""
        found = [judged(self.score, rival.score) for rival in self.rivals]
        return max(found, key=WORST_LAST.index)

    def as_dict(self) -> dict[str, Any]:
        return {
            "section": self.section,
            "title": self.title,
            "measure": self.measure.name,
            "row": self.row,
            "is_share": self.measure.is_share,
            "score": self.score._asdict(),
            "rivals": [
                {"name": rival.name, "kind": rival.kind, **rival.score._asdict()} for rival in self.rivals
            ],
            "beats_its_baselines": self.verdict,
        }


def judged(score: Estimate, rival: Estimate) -> Verdict:
    """Whether the 95 % interval of score − rival lies above 0, below it, or holds it; a rival without one is a point.

    low = d − √((score − score.low)² + (rival.high − rival)²), and high alike (Zou & Donner 2008), as if the two had
    answered different questions: where they answered the same ones, the difference is surer than that.

    >>> judged(Estimate(0.9, 0.88, 0.92), Estimate(0.86)), judged(Estimate(0.9, 0.88, 0.92), Estimate(0.89))
    ('yes', 'within noise')
    >>> judged(Estimate(0.5, 0.4, 0.6), Estimate(0.7, 0.65, 0.75))
    'no'
    >>> judged(Estimate(0.793, 0.775, 0.81), Estimate(0.821, 0.804, 0.837))    # the intervals meet, and yet
    'no'
    """
    difference = score.value - rival.value
    if difference - hypot(score.value - low_end(score), high_end(rival) - rival.value) > 0:
        return "yes"
    is_beaten = difference + hypot(high_end(score) - score.value, rival.value - low_end(rival)) < 0
    return "no" if is_beaten else "within noise"


def low_end(estimate: Estimate) -> float:
    return estimate.value if estimate.low is None else estimate.low


def high_end(estimate: Estimate) -> float:
    return estimate.value if estimate.high is None else estimate.high


def ability_of(section: Section) -> Ability | None:
    """What the headline of a section names: the score of the model there, or of its layer that was chosen.

    None if there is no headline, or no rival, or if the score has no interval: nobody could tell what it beats.
    """
    if section.headline is None or section.headline.table >= len(section.tables):
        return None
    table = section.tables[section.headline.table]
    of_model = [row for row in table.rows if row.kind == "model"]
    if not of_model:
        return None
    model = next((row for row in of_model if CHOSEN in name_of(row)), of_model[0])
    for number, column in enumerate(table.columns):
        if not (column.name == section.headline.column if section.headline.column else column.is_share):
            continue
        score = score_at(model, number)
        rivals = tuple(
            Rival(name_of(row), found, kind)
            for row in table.rows
            if (kind := rival_kind(row, model)) and (found := score_at(row, number))
        )
        if score is not None and score.low is not None and rivals:
            return Ability(section.name, section.title, column, name_of(model), score, rivals)
    return None


def rival_kind(row: Row, model: Row) -> RivalKind | None:
    """Baselines, controls, and what goes into the first layer, if it is not that which was chosen."""
    if row.kind == "baseline" or row.kind == "control":
        return row.kind
    is_chosen_from_layers = CHOSEN in name_of(model) and row is not model
    return "control" if is_chosen_from_layers and EMBEDDINGS in name_of(row) else None


def name_of(row: Row) -> str:
    return str(row.cells[0])


def score_at(row: Row, number: int) -> Estimate | None:
    cell = row.cells[number]
    if cell is None or isinstance(cell, str):
        return None
    found = cell if isinstance(cell, Estimate) else Estimate(float(cell))
    return found if isfinite(found.value) else None
