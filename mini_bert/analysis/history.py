"""The weights of a run over its checkpoints, or of any models in an order."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from mini_bert.evaluation.across_training import sound_checkpoints, untrained
from mini_bert.models.huggingface.reading import from_pretrained
from mini_bert.models.mini import MiniBERT
from mini_bert.training.run_folder import RunFolder

Course = str | Path | Sequence[MiniBERT] | Mapping[int, MiniBERT]
"""A run's folder, models in their order, or models by step."""


@dataclass(frozen=True)
class History:
    """Models at `steps`, the first one first; each is read when its turn comes."""

    steps: tuple[int, ...]
    readers: tuple[Callable[[], MiniBERT], ...]

    def __iter__(self) -> Iterator[tuple[int, MiniBERT]]:
        first: MiniBERT | None = None
        for step, reader in zip(self.steps, self.readers, strict=True):
            model = reader()
            first = first or model
            check_same_weights(first, model)
            yield step, model

    def __len__(self) -> int:
        return len(self.steps)

    def last(self) -> MiniBERT:
        return self.readers[-1]()

    def thinned(self, most: int) -> History:
        """At most so many of them, evenly spread, the first and the last among them."""
        if most < 2:
            raise ValueError(f"{most} models of a run: choose 2 or more")
        kept = np.unique(np.linspace(0, len(self) - 1, min(most, len(self))).round().astype(int)).tolist()
        return History(tuple(self.steps[at] for at in kept), tuple(self.readers[at] for at in kept))


def history_of(
    course: Course, *, with_start: bool = True, go_on: Callable[[], None] = lambda: None
) -> History:
    """The sound checkpoints of a run, with the weights before its first step unless they are not wanted; or models.

    The model in a checkpoint of a run that averages its weights is the averaged one.
    """
    if isinstance(course, str | Path):
        run = RunFolder(Path(course))
        saved = sound_checkpoints(run, go_on)
        readers: list[Callable[[], MiniBERT]] = [partial(from_pretrained, place) for _, place in saved]
        steps = [step for step, _ in saved]
        if with_start:
            steps, readers = [0, *steps], [partial(untrained, run, saved), *readers]
        return History(tuple(steps), tuple(readers))
    given = dict(sorted(course.items())) if isinstance(course, Mapping) else dict(enumerate(course))
    if len(given) < 2:
        raise ValueError(
            f"{len(given)} models: to see weights change takes two at least, or the folder of a run"
        )
    return History(tuple(given), tuple(partial(itself, model) for model in given.values()))


def itself(model: MiniBERT) -> MiniBERT:
    return model


def check_same_weights(one: MiniBERT, other: MiniBERT) -> None:
    """Refuse models whose weights cannot be laid over one another."""
    if one.arena.weights == other.arena.weights:
        return
    differing = [
        name
        for name in {**one.arena.weights, **other.arena.weights}
        if one.arena.weights.get(name) != other.arena.weights.get(name)
    ]
    raise ValueError(
        f"{differing[0]}: only one of the models has it, or in another shape; compare models of one architecture"
    )
