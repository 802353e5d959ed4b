"""Models of one training: checkpoints of a run, and the model that the run went on from.

That is known from the files, not from the settings: two runs may have the same ones and share nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from mini_bert.pretrained.places import model_folder, place_of
from mini_bert.pretrained.stages import stages_of
from mini_bert.pretrained.training_record import RECORD, record_in
from mini_bert.training.checkpoints import step_of
from mini_bert.training.run_folder import RunFolder, run_around

TELLING = ("steps", "tokens", "log")
"""What no two trainings have alike."""
OF_PACKING = ("name", "licence", "parameters", "packed_by")


@dataclass(frozen=True)
class Moment:
    """A model as somebody named it, where it lies, how it was trained, and the run that it is a checkpoint of."""

    name: str
    folder: Path
    record: dict[str, Any] | None
    run: RunFolder | None

    @classmethod
    def of(cls, name: str, folder: Path) -> Moment:
        is_packed = (folder / RECORD).is_file()
        return cls(name, folder, record_in(folder), None if is_packed else run_around(folder))

    @property
    def tokens(self) -> int | None:
        """How many it has learned from; None if nobody knows."""
        return (self.record or {}).get("tokens")

    def goes_on_from(self, other: Moment) -> bool:
        """Whether the other is an earlier checkpoint of the same run, or the model that the run began with."""
        if self.run is None:
            return False
        if other.run is not None and other.run.path.resolve() == self.run.path.resolve():
            return step_of(other.folder) < step_of(self.folder)
        kept = self.run.before() or {}
        if other.record:
            return all(kept.get(key) == other.record.get(key) for key in TELLING)
        init: str | None = self.run.settings().get("init")
        if init is None or kept or not place_of(init).exists():
            return False
        return model_folder(init).resolve() == other.folder.resolve()


def record_of_mean(moments: Sequence[Moment]) -> dict[str, Any]:
    """The record of the last, whose last stage says what the mean is of; nothing if there is no record of any.

    ValueError if one of them did not go on from the one before it.
    """
    if not any(one.record or one.run for one in moments):
        return {}
    line = sorted(moments, key=lambda one: (one.tokens or 0, step_of(one.folder) if one.run else 0))
    for before, after in pairwise(line):
        if not after.goes_on_from(before):
            raise ValueError(
                f"{after.name}: did not go on from {before.name}, as far as their files tell, and a card tells of one "
                "training; average checkpoints of one run, with the model that it went on from"
            )
    last = {key: value for key, value in (line[-1].record or {}).items() if key not in OF_PACKING}
    *earlier, final = stages_of(last)
    return {**last, "stages": [*earlier, {**final, "averaged": [one.tokens for one in line]}]}
