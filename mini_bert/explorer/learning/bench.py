"""Weights after some optimizer steps on one sentence, found again when the same steps are asked for.

Every request tells all its steps, so the bench keeps nothing that two pages could disagree about: what it remembers
only saves the steps from being taken again. The same steps lead to the same bits.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from functools import cached_property
from threading import Lock
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from pydantic import Field

from mini_bert.analysis.lessons import as_lesson, twin_of
from mini_bert.core.array import Array
from mini_bert.evaluation.intrinsic.one_batch import Lesson
from mini_bert.explorer.desk import Desk
from mini_bert.explorer.learning.optimizers import KINDS, OptimizerName
from mini_bert.explorer.question import Question, Request
from mini_bert.models.mini import MiniBERT
from mini_bert.training.blocks import cut
from mini_bert.training.optimizers import Optimizer

KEPT_BYTES = 384 * 1024**2
KEPT_SIGHTS = 4096
TOP = 10


class Step(Request):
    """One step of an optimizer. A step with another optimizer than the one before begins without memory."""

    optimizer: OptimizerName = "adamw"
    rate: float = Field(1e-3, gt=0, le=10)


Steps = tuple[Step, ...]


class Sight(NamedTuple):
    """What the model says after some steps: the loss, and at the k places asked for p(answer) (k,) and the best words.

    `best` and `best_p` are (k, TOP).
    """

    loss: float
    answer_p: Array
    best: Array
    best_p: Array

    @property
    def is_finite(self) -> bool:
        return bool(np.isfinite(self.loss))


class State(NamedTuple):
    """The weights after some steps, what the last optimizer remembers, the gradient here, and p (k, V) of all words.

    Never changed once it is made.
    """

    weights: Array
    moments: dict[str, Array]
    memory: dict[str, int | float]
    gradient: Array
    probs: Array

    @property
    def nbytes(self) -> int:
        arrays = (self.weights, self.gradient, self.probs, *self.moments.values())
        return sum(one.nbytes for one in arrays)


class Walked(NamedTuple):
    """The sights of all states, 0 … n; the last state; and the weights before the last step, None without one.

    `steps` is shorter than what was asked if the loss burst on the way.
    """

    steps: Steps
    sights: list[Sight]
    last: State
    before: Array | None


class Bench:
    """States by question and steps, bounded in bytes; those used longest ago are forgotten."""

    def __init__(self, kept_bytes: int = KEPT_BYTES) -> None:
        self.kept_bytes = kept_bytes
        self.states: OrderedDict[Hashable, State] = OrderedDict()
        self.sights: OrderedDict[Hashable, Sight] = OrderedDict()
        self.last_direction: tuple[Hashable, Array] | None = None
        self.lock = Lock()

    def walk(self, desk: Desk, question: Question, steps: Steps, *, sees_last: bool = False) -> Walked:
        """All states of these steps, beginning with the longest way that is remembered.

        With `sees_last` the last step is taken in any case, so that the weights before it are known.
        """
        hand = Hand.at(desk, question)
        longest = max(len(steps) - sees_last, 0)
        sights, state = self.remembered(question, steps, longest) or self.begun(hand, question)
        before = None
        for number in range(len(sights) - 1, len(steps)):
            if not sights[-1].is_finite:
                break
            desk.go_on()
            before = state.weights
            sight, state = hand.step(state, steps[: number + 1])
            sights.append(sight)
            self.put(question, steps[: number + 1], state, sight, keeps_state=number + 1 == len(steps))
        return Walked(steps[: len(sights) - 1], sights, state, before)

    def remembered(self, question: Question, steps: Steps, longest: int) -> tuple[list[Sight], State] | None:
        """The longest way from which to go on."""
        with self.lock:
            for length in range(longest, -1, -1):
                key = question.key, steps[:length]
                known = [self.sights.get((question.key, steps[:n])) for n in range(length + 1)]
                sights = [sight for sight in known if sight is not None]
                if key in self.states and len(sights) == length + 1:
                    self.states.move_to_end(key)
                    return sights, self.states[key]
        return None

    def begun(self, hand: Hand, question: Question) -> tuple[list[Sight], State]:
        sight, state = hand.start()
        self.put(question, (), state, sight)
        return [sight], state

    def direction(self, hand: Hand, question: Question, state: State, steps: Steps) -> Array:
        """u of w ← w − η u, if the last of these steps were taken from this state, with the rate η."""
        key = question.key, steps
        known = self.last_direction
        if known is None or known[0] != key:
            known = self.last_direction = key, hand.direction(state, steps)
        return known[1]

    def put(
        self, question: Question, steps: Steps, state: State, sight: Sight, keeps_state: bool = True
    ) -> None:
        key = question.key, steps
        with self.lock:
            self.sights[key] = sight
            self.sights.move_to_end(key)
            while len(self.sights) > KEPT_SIGHTS:
                self.sights.popitem(last=False)
            if keeps_state:
                self.states[key] = state
                self.states.move_to_end(key)
            while sum(one.nbytes for one in self.states.values()) > self.kept_bytes:
                self.states.popitem(last=False)


class Hand:
    """Takes the steps, on a twin of the model."""

    def __init__(self, model: MiniBERT, lesson: Lesson) -> None:
        self.model, self.lesson = model, lesson

    @cached_property
    def twin(self) -> MiniBERT:
        return twin_of(self.model)

    @classmethod
    def at(cls, desk: Desk, question: Question) -> Hand:
        model = desk.model(question.model)
        return cls(model, as_lesson(model, desk.reading(question)))

    def start(self) -> tuple[Sight, State]:
        sight, gradient, probs = self.look(self.model)
        return sight, State(self.model.arena.flat, {}, {}, gradient, probs)

    def step(self, state: State, steps: Steps) -> tuple[Sight, State]:
        """The last of these steps, from the state after those before it."""
        optimizer = self.optimizer(state, steps)
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            optimizer.step(self.twin.arena.over(state.gradient))
        sight, gradient, probs = self.look(self.twin)
        moments = {name: arena.flat for name, arena in optimizer.moments().items()}
        return sight, State(self.twin.arena.flat.copy(), moments, optimizer.state(), gradient, probs)

    def optimizer(self, state: State, steps: Steps) -> Optimizer:
        """The optimizer of the last of these steps, with its memory if it took the one before too."""
        self.twin.arena.flat[:] = state.weights
        made = KINDS[steps[-1].optimizer].make(self.twin.arena)
        if len(steps) > 1 and steps[-2].optimizer == steps[-1].optimizer:
            for name, arena in made.moments().items():
                arena.flat[:] = state.moments[name]
            made.load_state(state.memory)
        made.learning_rate = steps[-1].rate
        return made

    def direction(self, state: State, steps: Steps) -> Array:
        """None of these optimizers turns with the rate: a step with the rate 1 tells where it would go."""
        optimizer = self.optimizer(state, (*steps[:-1], steps[-1].model_copy(update={"rate": 1.0})))
        optimizer.step(self.twin.arena.over(state.gradient))
        direction: Array = state.weights - self.twin.arena.flat
        return direction

    def loss_at(self, state: State, direction: Array, rate: float) -> float:
        """The loss with the weights w − η u."""
        flat = self.twin.arena.flat
        for at in cut(0, flat.size):
            np.multiply(direction[at], -rate, out=flat[at])
            flat[at] += state.weights[at]
        return self.loss()

    def look(self, model: MiniBERT) -> tuple[Sight, Array, Array]:
        """One forward and one backward pass with the weights as they are."""
        batch, objective = self.lesson
        gradient = model.arena.zeros_like()
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            losses, t = objective.loss(model.network, model.arena, batch)
            probs = t["word_probs"][0].copy()
            objective.backward(model.network, batch, t, gradient)
        best = np.argsort(-probs, axis=-1, kind="stable")[:, :TOP]
        answer_p = np.take_along_axis(probs, batch.labels[0][:, None], -1)[:, 0]
        best_p = np.take_along_axis(probs, best, -1)
        return Sight(float(objective.total(losses, batch)), answer_p, best, best_p), gradient.flat, probs

    def loss(self) -> float:
        batch, objective = self.lesson
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            losses, _ = objective.loss(self.twin.network, self.twin.arena, batch, keeps=False)
            return float(objective.total(losses, batch))


BENCHES: WeakKeyDictionary[Desk, Bench] = WeakKeyDictionary()
"""One for each desk: it goes when the desk goes."""


def bench_of(desk: Desk) -> Bench:
    return BENCHES.setdefault(desk, Bench())
