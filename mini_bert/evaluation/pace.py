"""How fast this machine is with this model: a second or two of trying, so that long exams can be foretold."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter

import numpy as np

from mini_bert.core.trace import Trace
from mini_bert.evaluation.exam import Pace
from mini_bert.evaluation.subject import Subject

MOST_ROWS, LONGEST, ENOUGH_WORK = 64, 64, 2e10
"""Of a try: so many rows of so many tokens, or fewer where that many multiply-adds are done sooner."""
EXAMPLES, CLASSES = 4096, 32
"""Of the matrix product: a batch of states, and about as many classes as a probe tells apart."""
SECONDS_EACH = 0.5


def pace_of(subject: Subject, seconds_each: float = SECONDS_EACH) -> Pace:
    """The median of as many tries as there is time for; the first one, which warms up, does not count."""
    config = subject.model.config
    T, workers = min(config.max_seq_length, LONGEST), subject.predictor.team.size
    rows = int(np.clip(ENOUGH_WORK / (subject.model.num_parameters * T), workers, MOST_ROWS))
    ids = np.random.default_rng(0).integers(0, config.vocab_size, (rows, T))
    states = np.ones((EXAMPLES, config.hidden_size), subject.model.dtype)
    weights = np.ones((config.hidden_size, CLASSES), subject.model.dtype)
    return Pace(
        forward_tokens=ids.size / median_seconds(lambda: subject.predictor.hidden_states(ids), seconds_each),
        training_tokens=ids.size / median_seconds(training_pass(subject, ids), seconds_each),
        multiplications=states.size * CLASSES / median_seconds(lambda: states @ weights, seconds_each / 2),
    )


def training_pass(subject: Subject, ids: np.ndarray) -> Callable[[], object]:
    """Forward and backward through the encoder, each worker with rows and gradients of its own."""
    model, team = subject.model, subject.predictor.team
    arenas = [model.arena.zeros_like() for _ in range(team.size)]
    hands = np.array_split(ids, team.size)

    def learn(worker: int) -> None:
        t = Trace(model.arena, arenas[worker])
        states = model.network.encode(hands[worker], t)
        model.network.encode_backward(states, t)

    return lambda: team.each(learn)


def median_seconds(work: Callable[[], object], seconds: float) -> float:
    work()
    taken: list[float] = []
    while not taken or sum(taken) < seconds:
        start = perf_counter()
        work()
        taken.append(perf_counter() - start)
    return float(np.median(taken))
