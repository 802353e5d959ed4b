"""What a step costs besides arithmetic: Python between two NumPy calls, hand-overs in a team, walks over the arena."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from time import perf_counter, thread_time

import numpy as np

from mini_bert.core.arena import Arena
from mini_bert.core.layer import Weight
from mini_bert.models.config import ModelConfig
from mini_bert.profiling.dry_run import dry_run
from mini_bert.profiling.rates import seconds_of, usual
from mini_bert.profiling.trial import Trial
from mini_bert.training.masking import masked_words
from mini_bert.training.optimizers import AdamW
from mini_bert.training.parallel import Team
from mini_bert.training.step import add_arenas

TINY_ROWS, TINY_TOKENS, TINY_HEAD = 4, 16, 8
"""Arrays of about a thousand entries: NumPy lets go of Python's lock, as it does for large ones, from 500 on."""
TINY_STEPS = 30
MOST_WEIGHTS = 1 << 22
WALKS = 5
SHARE_SECONDS = 0.2
SMALLEST_SHARE = 0.01


@dataclass(frozen=True)
class Calls:
    """Seconds for each NumPy call, with the Python around it, beyond the arithmetic.

    `alone` is what one worker takes. Between calls it holds Python's lock, and another worker that wants the lock then
    has to wait and be woken: `contended` is what that adds when calls are so short that this happens every time.
    Another worker's share of the time that it holds the lock, or is being woken to take it, is how often it happens.
    """

    alone: float
    contended: float

    def seconds(self, arithmetic: float) -> float:
        """Of one call: the longer the arithmetic, the less often two workers want the lock at once."""
        held = self.alone + self.contended
        return self.alone + self.contended * held / (held + arithmetic) if held else 0.0


def measure_calls(team: Team, config: ModelConfig) -> Calls:
    """On a tiny model made of the same parts, with one worker and with all."""
    H = TINY_HEAD * config.num_heads
    tiny = config.changed(
        vocab_size=64,
        num_layers=1,
        layer_groups=None,
        hidden_size=H,
        intermediate_size=H,
        max_seq_length=TINY_TOKENS,
    )
    trial = Trial(tiny, TINY_ROWS * team.size, TINY_ROWS, team)
    k, noisy = masked_words(TINY_TOKENS), trial.noise is not None
    calls = dry_run(trial.model.network, [TINY_ROWS], TINY_TOKENS, k, noisy=noisy).calls

    def learn(worker: int) -> None:
        hand = [(worker * TINY_ROWS, (worker + 1) * TINY_ROWS)]
        trial.work.accumulate(worker, hand, trial.batch, trial.noise, None)

    def learn_alone(worker: int) -> None:
        if worker == 0:
            learn(worker)

    handover = measure_handover(team)
    alone, together = (max(0.0, usual_seconds(team, job) - handover) / calls for job in (learn_alone, learn))
    return Calls(alone, max(0.0, together - alone))


def measure_handover(team: Team) -> float:
    """Seconds to give every worker of the team a job, and to learn that it is done."""
    return usual_seconds(team, lambda worker: None)


def usual_seconds(team: Team, job: Callable[[int], object]) -> float:
    """The median of some times. These jobs are so long that what others take of the machine is in it."""
    found = []
    team.each(job)
    for _ in range(TINY_STEPS):
        start = perf_counter()
        team.each(job)
        found.append(perf_counter() - start)
    return median(found)


@dataclass(frozen=True)
class Walks:
    """Seconds to add up the workers' gradients, and to update the weights."""

    reduction: float
    optimizer: float


def measure_walks(team: Team, weights: int) -> Walks:
    """Block by block, on not more weights than it takes to be out of every cache."""
    size = min(weights, MOST_WEIGHTS)
    params, *grads = (Arena({"w": Weight((size,), "matrix")}) for _ in range(team.size + 1))
    for arena in grads:
        arena.flat[:] = 1e-6
    optimizer = AdamW(params)
    optimizer.begin()
    blocks = len(optimizer.blocks)

    def walk(worker: int) -> list[tuple[float, float]]:
        mine = range(blocks * worker // team.size, blocks * (worker + 1) // team.size)
        return [times_of_block(number) for _ in range(WALKS) for number in mine]

    def times_of_block(number: int) -> tuple[float, float]:
        start = perf_counter()
        add_arenas(grads, number, blocks)
        added = perf_counter()
        optimizer.update(grads[0], number, blocks, scale=0.5)
        return added - start, perf_counter() - added

    times = [pair for found in team.each(walk) for pair in found]
    rounds = -(-blocks // team.size) * weights / size
    return Walks(*(rounds * usual(column) for column in zip(*times, strict=True)))


def core_share(team: Team) -> float:
    """The share of its core's time that a worker gets: less than 1 when others use the machine."""
    a = np.ones((384, 384), np.float32)

    def job(worker: int) -> float:
        start, busy = perf_counter(), thread_time()
        while perf_counter() - start < SHARE_SECONDS:
            seconds_of(lambda: a @ a)
        return (thread_time() - busy) / (perf_counter() - start)

    return min(1.0, max(SMALLEST_SHARE, min(team.each(job))))
