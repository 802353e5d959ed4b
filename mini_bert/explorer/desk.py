"""Where answers are made: models by name, and the passes that views look into.

A reading is made once for equal questions, also if they come at the same moment, and kept as long as there is room.
"""

from __future__ import annotations

from collections import OrderedDict
from concurrent.futures import Future
from dataclasses import replace
from threading import Lock
from typing import Any

from mini_bert.analysis.reading import Reading, read
from mini_bert.explorer import work
from mini_bert.explorer.edits import hooks_of
from mini_bert.explorer.library import Library
from mini_bert.explorer.limits import Limits, TooLong
from mini_bert.explorer.question import Question
from mini_bert.explorer.wide_weights import WideWeights
from mini_bert.models.mini import MiniBERT

GRADIENTS = ("gradients", "activation_gradients")


class Desk:
    """What every answer is given from. It may be used by several threads."""

    def __init__(self, library: Library, limits: Limits | None = None) -> None:
        self.library = library
        self.limits = limits or Limits()
        self.readings: OrderedDict[tuple[Any, ...], Future[Kept]] = OrderedDict()
        self.wide_weights = WideWeights()
        self.lock = Lock()

    @classmethod
    def of(cls, model: MiniBERT, limits: Limits | None = None) -> Desk:
        """A desk around one model."""
        return cls(Library.of(model), limits)

    def model(self, name: str) -> MiniBERT:
        """By its name in a question. It is everybody's: never change it."""
        return self.library.model(name)

    def reading(self, question: Question) -> Reading:
        """The pass of a question, with every activation in it."""
        self.go_on()
        return self.shared(question)

    def shared(self, question: Question) -> Reading:
        """By the first who asks, for all who ask meanwhile: it goes on even if the first has gone."""
        with self.lock:
            found = self.readings.get(question.key)
            is_first = found is None
            if found is None:
                found = self.readings[question.key] = Future()
            self.readings.move_to_end(question.key)
        if is_first:
            self.fulfil(found, question)
        reading = found.result().reading
        self.make_room()
        return reading

    def fulfil(self, promised: Future[Kept], question: Question) -> None:
        """Read, or tell those who wait why not; what cannot be read is not remembered."""
        try:
            promised.set_result(Kept(self.read(question)))
        except BaseException as error:
            with self.lock:
                del self.readings[question.key]
            promised.set_exception(error)

    def read(self, question: Question) -> Reading:
        model = self.model(question.model)
        check_length(question.text, self.limits)
        hooks = hooks_of(question.edits, self.shared(question.unedited)) if question.edits else None
        target = question.target or None
        reading = read(model, question.text, hidden=question.hidden, target=target, hooks=hooks)
        return replace(reading, wide_weights=lambda: self.wide_weights.of(model))

    def make_room(self) -> None:
        """Forget what was looked into longest ago, until the rest fits; gradients that were asked for count too."""
        with self.lock:
            sizes = {key: one.result().size for key, one in self.readings.items() if is_kept(one)}
            total = sum(sizes.values())
            for key in list(sizes)[:-1]:
                if total <= self.limits.kept:
                    break
                total -= sizes[key]
                del self.readings[key]

    def go_on(self) -> None:
        """Raise Gone if whoever asked has gone; call it inside long loops."""
        work.go_on()


def check_length(text: str, limits: Limits) -> None:
    if len(text) > limits.text:
        raise TooLong(
            f"the text has {len(text):,} characters, and the explorer reads up to {limits.text:,}; shorten it"
        )


class Kept:
    """A reading, and how much room it takes: more, once it was asked for gradients or for its twin in float64."""

    def __init__(self, reading: Reading) -> None:
        self.reading = reading
        self.counted: tuple[str, ...] | None = None
        self.room = 0

    @property
    def size(self) -> int:
        made = made_so_far(self.reading)
        if made != self.counted:
            self.counted, self.room = made, room_of(self.reading)
        return self.room


def made_so_far(reading: Reading) -> tuple[str, ...]:
    """What of a reading is there only since it was asked for."""
    own = [name for name in GRADIENTS if name in vars(reading.passed)]
    twin: Reading | None = vars(reading).get("twin")
    return tuple(own) if twin is None else (*own, "twin", *made_so_far(twin))


def room_of(reading: Reading) -> int:
    """The bytes of its arrays, those of its twin among them; weights are the model's."""
    trace, passed = reading.passed.trace, vars(reading.passed)
    held = {id(array): array.nbytes for array in (*trace.acts.values(), *trace.kept.values())}
    gradients = [passed[name].arrays for name in GRADIENTS if name in passed]
    own: int = sum(held.values()) + sum(array.nbytes for arrays in gradients for array in arrays.values())
    twin: Reading | None = vars(reading).get("twin")
    return own if twin is None else own + room_of(twin)


def is_kept(promised: Future[Kept]) -> bool:
    return promised.done() and promised.exception() is None
