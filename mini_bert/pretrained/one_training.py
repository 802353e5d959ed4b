"""Models of one training: checkpoints of a run, and the model that the run went on from.

That is known from what a run has written down, not from its settings: two runs may have equal ones and share nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from mini_bert.models.digest import weights_digest
from mini_bert.models.mini import MiniBERT
from mini_bert.pretrained.stages import stages_of
from mini_bert.pretrained.training_record import OF_PACKING, record_in
from mini_bert.training.checkpoints import step_of
from mini_bert.training.run_folder import RunFolder, run_of_checkpoint


@dataclass(frozen=True)
class Moment:
    """A model as somebody named it: the digest of its weights, how it was trained, {} if nobody knows; and the run and
    step that it is the checkpoint of, if it is one."""

    name: str
    weights: str
    record: dict[str, Any]
    run: RunFolder | None
    step: int

    @classmethod
    def of(cls, name: str, folder: Path, model: MiniBERT) -> Moment:
        run = run_of_checkpoint(folder)
        found = record_in(folder) or {}
        record = found if found.get("settings") else {}
        return cls(name, weights_digest(model), record, run, step_of(folder) if run else 0)

    @property
    def tokens(self) -> int | None:
        """How many it has learned from; None if nobody knows."""
        return self.record.get("tokens")

    def goes_on_from(self, other: Moment) -> bool:
        """Whether the other is an earlier checkpoint of the same run, or the model that the run began with."""
        if self.run is None:
            return False
        if other.run is not None and other.run.path.resolve() == self.run.path.resolve():
            return other.step < self.step
        return (self.run.before() or {}).get("weights") == other.weights


def record_of_mean(moments: Sequence[Moment]) -> dict[str, Any]:
    """The record of the last, whose last stage says what the mean is of; nothing if there is no record of any.

    ValueError if one of them did not go on from the one before it.
    """
    if not any(one.record or one.run for one in moments):
        return {}
    line = sorted(moments, key=lambda one: (one.tokens or 0, one.step))
    for before, after in pairwise(line):
        if not after.goes_on_from(before):
            raise ValueError(
                f"{after.name}: did not go on from {before.name}, as far as their files tell, and a card tells of one "
                "training; average checkpoints of one run, with the model that it went on from"
            )
    last = {key: value for key, value in line[-1].record.items() if key not in OF_PACKING}
    *earlier, final = stages_of(last)
    return {**last, "stages": [*earlier, {**final, "averaged": [one.tokens for one in line]}]}
