"""What an exam says in one line: the model's score, the best of its rivals, and whether it beats them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import isfinite
from typing import Any, Literal, NamedTuple

from mini_bert.evaluation.estimate import Estimate
from mini_bert.evaluation.section import Column, Row, Section, Table

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
    """A share of right answers beside those of all rivals; the most there can be is 1."""

    section: str
    title: str
    measure: str
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
            "measure": self.measure,
            "score": self.score._asdict(),
            "rivals": [
                {"name": rival.name, "kind": rival.kind, **rival.score._asdict()} for rival in self.rivals
            ],
            "beats_its_baselines": self.verdict,
        }


def judged(score: Estimate, rival: Estimate) -> Verdict:
    """Whether 95 % intervals keep apart; a rival without one is a point.

    >>> judged(Estimate(0.9, 0.88, 0.92), Estimate(0.86)), judged(Estimate(0.9, 0.88, 0.92), Estimate(0.89))
    ('yes', 'within noise')
    >>> judged(Estimate(0.5, 0.4, 0.6), Estimate(0.7, 0.65, 0.75))
    'no'
    """
    if low_end(score) > high_end(rival):
        return "yes"
    return "no" if high_end(score) < low_end(rival) else "within noise"


def low_end(estimate: Estimate) -> float:
    return estimate.value if estimate.low is None else estimate.low


def high_end(estimate: Estimate) -> float:
    return estimate.value if estimate.high is None else estimate.high


def ability_of(section: Section) -> Ability | None:
    """From the first table in which a share of the model stands over one of a rival, in the first column that has both.

    None if there is no such table, or if the share has no interval: nobody could tell whether it beats anything.
    """
    return next((found for table in section.tables for found in abilities_in(table, section)), None)


def abilities_in(table: Table, section: Section) -> Iterator[Ability]:
    of_model = [row for row in table.rows if row.kind == "model"]
    if not of_model:
        return
    model = next((row for row in of_model if CHOSEN in name_of(row)), of_model[0])
    for number, column in enumerate(table.columns):
        score = share_at(model, number, column)
        rivals = tuple(
            Rival(name_of(row), found, kind)
            for row in table.rows
            if (kind := rival_kind(row, model)) and (found := share_at(row, number, column))
        )
        if score is not None and score.low is not None and rivals:
            yield Ability(section.name, section.title, column.name, name_of(model), score, rivals)


def rival_kind(row: Row, model: Row) -> RivalKind | None:
    """Baselines, controls, and what goes into the first layer, if it is not that which was chosen."""
    if row.kind == "baseline" or row.kind == "control":
        return row.kind
    is_chosen_from_layers = CHOSEN in name_of(model) and row is not model
    return "control" if is_chosen_from_layers and EMBEDDINGS in name_of(row) else None


def name_of(row: Row) -> str:
    return str(row.cells[0])


def share_at(row: Row, number: int, column: Column) -> Estimate | None:
    cell = row.cells[number]
    if not column.is_share or cell is None or isinstance(cell, str):
        return None
    found = cell if isinstance(cell, Estimate) else Estimate(float(cell))
    return found if isfinite(found.value) else None
