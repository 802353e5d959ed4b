"""The checkpoints of a run, one after the other, on the sentence of the page: how it was learned."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from threading import Lock

from mini_bert.analysis.history import History, history_of
from mini_bert.errors import counted
from mini_bert.evaluation.across_training import FEWEST
from mini_bert.explorer import work
from mini_bert.explorer.runs.found import Found
from mini_bert.explorer.runs.log import KEPT_LOGS, Stamp, stamp_of
from mini_bert.models.mini import MiniBERT
from mini_bert.training.checkpoints import SUMS, UNKNOWN_STEP, Checkpoints
from mini_bert.training.run_folder import RunFolder

MOST_CHECKPOINTS = 12
KEPT_BYTES = 256 * 1024**2


class Shelf:
    """Models of checkpoints that were looked at lately. It may be used by several threads."""

    def __init__(self, most_bytes: int) -> None:
        self.most_bytes = most_bytes
        self.models: OrderedDict[tuple[Path, Stamp, int], MiniBERT] = OrderedDict()
        self.lock = Lock()

    def model(self, path: Path, stamp: Stamp, number: int) -> MiniBERT:
        """The `number`th model of a run's course."""
        key = path, stamp, number
        with self.lock:
            if key in self.models:
                self.models.move_to_end(key)
                return self.models[key]
        model = course_at(path, stamp).readers[number]()
        with self.lock:
            self.models[key] = model
            while sum(one.arena.flat.nbytes for one in self.models.values()) > self.most_bytes:
                self.models.popitem(last=False)
        return model


SHELF = Shelf(KEPT_BYTES)


def saved_steps(found: Found) -> list[int]:
    """The steps of the checkpoints that lie in a run's folder, sound or not."""
    if found.is_record:
        return []
    steps = {step for step, _ in Checkpoints(RunFolder(found.path).checkpoints).candidates()}
    return sorted(steps - {UNKNOWN_STEP})


def why_none(found: Found) -> str | None:
    """Why a run has no course, as far as that is known without opening its checkpoints; None if it may have one."""
    if found.is_record:
        return (
            "the checkpoints of this run did not come with the model; train one of your own: mini-bert demo"
        )
    saved = len(saved_steps(found))
    if saved < FEWEST:
        return (
            f"{counted(saved, 'checkpoint')} so far, and to see a model learn takes {FEWEST} at least; wait, or "
            "train with more of them: mini-bert train ... --set saving.keep=20"
        )
    return None


class Course:
    """The models of a run over time: step 0 is the model before its first step."""

    def __init__(self, found: Found) -> None:
        if reason := why_none(found):
            raise ValueError(reason)
        self.path = found.path
        checkpoints = Checkpoints(RunFolder(found.path).checkpoints)
        self.stamp = stamp_of(*(place / SUMS for _, place in sorted(checkpoints.candidates())))
        self.history = course_at(self.path, self.stamp)

    @property
    def steps(self) -> tuple[int, ...]:
        return self.history.steps

    def model(self, step: int) -> MiniBERT:
        if step not in self.steps:
            raise ValueError(
                f"step {step}: no checkpoint of that step is shown; choose from {', '.join(map(str, self.steps))}"
            )
        return SHELF.model(self.path, self.stamp, self.steps.index(step))

    def last(self) -> MiniBERT:
        return self.model(self.steps[-1])

    def __iter__(self) -> Iterator[tuple[int, MiniBERT]]:
        return ((step, self.model(step)) for step in self.steps)


@lru_cache(KEPT_LOGS)
def course_at(path: Path, stamp: Stamp) -> History:
    """ValueError if it has too few sound checkpoints. To see that they are sound, all of them are read: once."""
    try:
        return history_of(path, go_on=work.go_on).thinned(MOST_CHECKPOINTS)
    except ValueError as error:
        raise ValueError(str(error).replace(str(path), path.name)) from None
