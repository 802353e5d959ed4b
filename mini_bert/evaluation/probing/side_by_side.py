"""Many probes to train: one for each layer and seed, a core for each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from mini_bert.core.array import Array
from mini_bert.evaluation.subject import Subject
from mini_bert.evaluation.word_states import Pooling, word_states
from mini_bert.reports import Report, part
from mini_bert.training.parallel import Team

R = TypeVar("R")
MOST_BYTES = 2 << 30
SHARE_OF_READING = 0.4
"""Of the time that a subject takes, about."""


def side_by_side(team: Team, jobs: Sequence[Callable[[], R]], report: Report, note: str) -> list[R]:
    """What each job returns, in their order. As many at a time as the team has workers, each on one BLAS thread."""
    done: list[R] = []
    for first in range(0, len(jobs), team.size):
        now = jobs[first : first + team.size]
        found = team.each(lambda worker, now=now: now[worker]() if worker < len(now) else None)  # type: ignore[misc]
        done.extend(found[: len(now)])  # type: ignore[arg-type]
        report(len(done) / len(jobs), f"{note}: {len(done)} of {len(jobs)}")
    return done


def layers_in_turn(
    subject: Subject, sentences: Sequence[Sequence[str]], pooling: Pooling, report: Report
) -> Iterator[tuple[dict[int, Array], Report]]:
    """Vectors (W, H) of all words by layer, as many layers at a time as fit into memory, and the report of the rest.

    What does not fit is read again later on.
    """
    config, words = subject.model.config, sum(map(len, sentences))
    layers = list(range(config.num_layers + 1))
    size = subject.model.dtype.itemsize * config.hidden_size * max(1, words)
    at_once = max(1, min(len(layers), MOST_BYTES // size))
    for first in range(0, len(layers), at_once):
        now = layers[first : first + at_once]
        start, end = first / len(layers), (first + len(now)) / len(layers)
        middle = start + SHARE_OF_READING * (end - start)
        states = word_states(subject, sentences, pooling, now, part(report, start, middle)).layers
        yield dict(zip(now, states, strict=True)), part(report, middle, end)
