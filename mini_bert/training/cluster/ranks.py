"""The processes that train one model together: what they must be able to tell each other.

    ranks = launched_ranks()               # those that mpiexec started; without it, this process alone
    ranks.number, ranks.size               # this one, of so many; number 0 leads
    ranks.sum(gradients)                   # in place, the same bits on all
    ranks.first(value)                     # what the leader says

A process that trains alone is the trivial case: its sums are done, and it agrees with itself.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from math import inf
from typing import Any, Protocol, TypeVar

import numpy as np

from mini_bert.core.array import Array

R = TypeVar("R")


class OtherRankFailed(Exception):
    """Raised where nothing is wrong, because of what the message says: the leader tells the user."""


class Sum(Protocol):
    """A sum that goes on."""

    def is_done(self) -> bool:
        """Whether it is there; asked now and then, it gets on."""

    def wait(self) -> None: ...


class Done:
    """A sum that is there."""

    def is_done(self) -> bool:
        return True

    def wait(self) -> None:
        pass


class Ranks(ABC):
    """One of `size` processes. All must make the same calls in the same order.

    The leader alone reads and writes the folder of the run. What can go wrong on one rank goes through `agreed` or
    `lead`, which fail on all or on none; any other exception that leaves `together` ends all of them.
    """

    number = 0
    size = 1
    leaving = False
    """Whether all ranks know that the run is over: none waits for another."""
    patience = inf
    """Seconds; see `patient`."""
    can_sum_early = True
    """Whether a sum may be started by a thread other than the first."""

    @property
    def leads(self) -> bool:
        return self.number == 0

    def as_typed(self, command: str) -> str:
        """A command as it is typed for as many ranks."""
        return f"mpiexec -n {self.size} {command}" if self.size > 1 else command

    @abstractmethod
    def sum(self, array: Array) -> None:
        """array ← Σ over ranks, in place; the same bits everywhere."""

    @abstractmethod
    def start_sum(self, array: Array) -> Sum:
        """Begin such a sum; the array must not be touched before it is done."""

    @abstractmethod
    def gather(self, content: bytes) -> list[bytes]:
        """What every rank gave, in their order."""

    @abstractmethod
    def spread(self, array: Array) -> None:
        """array ← the leader's, in place."""

    @abstractmethod
    def complete(self, array: Array, stretches: Sequence[slice]) -> None:
        """Every rank holds its own stretch of the array; after this, all of them."""

    @abstractmethod
    def collect(self, stretch: Array, sizes: Sequence[int]) -> Array | None:
        """The stretches of all ranks, of these sizes, one behind the other: for the leader, None for the others."""

    @abstractmethod
    def end_all(self, error: BaseException) -> None:
        """Say what happened here, and end every rank at once."""

    def tell(self, value: Any) -> list[Any]:
        """What every rank says, in their order: plain values, as in JSON."""
        return [json.loads(content) for content in self.gather(json.dumps(value).encode())]

    def first(self, value: R) -> R:
        """What the leader says; the others' value does not matter."""
        found: R = self.tell(value if self.leads else None)[0]
        return found

    def totals(self, *numbers: float) -> list[float]:
        """Σ over ranks of some numbers."""
        summed = np.array(numbers, np.float64)
        self.sum(summed)
        return [float(number) for number in summed]

    def of_leader(self, *numbers: float) -> list[float]:
        """The leader's numbers: of times, above all, which no two ranks measure alike."""
        return self.totals(*(numbers if self.leads else (0.0,) * len(numbers)))

    def any(self, is_so: bool) -> bool:
        """Whether it is so on any rank."""
        return self.totals(float(is_so))[0] > 0

    def agreed(self, action: Callable[[], R]) -> R:
        """action() on every rank. If it fails on any it fails on all, with the message of the first of those."""
        error, found = None, None
        try:
            found = action()
        except (ValueError, OSError) as caught:
            error = caught
        faults = self.tell(None if error is None else str(error))
        failed = [number for number, fault in enumerate(faults) if fault is not None]
        if failed:
            self.leaving = True
            fault = faults[failed[0]]
            if not self.leads:
                raise OtherRankFailed(fault)
            raise error or ValueError(f"rank {failed[0]}: {fault}")
        return found  # type: ignore[return-value]

    def lead(self, action: Callable[[], R]) -> R | None:
        """action() on the leader alone, and None on the others. If it fails there, it fails on all."""
        return self.agreed(lambda: action() if self.leads else None)

    def refuse_different(self, told: Callable[[], dict[str, str]], remedy: str) -> None:
        """ValueError if what ranks tell of themselves is not the same, with the first that differs and in what."""
        of_leader, *of_others = self.tell(told())
        for number, of_other in enumerate(of_others, 1):
            for name in of_leader | of_other:
                mine, other = of_leader.get(name), of_other.get(name)
                if mine != other:
                    self.leaving = True
                    fault = f"rank {number} has another {name} than rank 0 ({other}, not {mine}); {remedy}"
                    raise ValueError(fault) if self.leads else OtherRankFailed(fault)

    @contextmanager
    def together(self) -> Iterator[None]:
        """Inside, an exception that only this rank knows of ends the others too: they would wait for it forever."""
        self.leaving = False
        try:
            yield
        except BaseException as error:
            is_good = isinstance(error, GeneratorExit) or (isinstance(error, SystemExit) and not error.code)
            if not self.leaving and not is_good:
                self.end_all(error)
            raise

    @contextmanager
    def patient(self, seconds: float) -> Iterator[None]:
        """Inside, a rank that is waited for longer than this is taken to be lost."""
        self.patience = seconds
        try:
            yield
        finally:
            self.patience = inf


class Alone(Ranks):
    """The one process there is."""

    def sum(self, array: Array) -> None:
        pass

    def start_sum(self, array: Array) -> Sum:
        return Done()

    def gather(self, content: bytes) -> list[bytes]:
        return [content]

    def spread(self, array: Array) -> None:
        pass

    def complete(self, array: Array, stretches: Sequence[slice]) -> None:
        pass

    def collect(self, stretch: Array, sizes: Sequence[int]) -> Array:
        return stretch

    def end_all(self, error: BaseException) -> None:
        pass

    def tell(self, value: Any) -> list[Any]:
        return [value]

    def agreed(self, action: Callable[[], R]) -> R:
        return action()

    def refuse_different(self, told: Callable[[], dict[str, str]], remedy: str) -> None:
        pass
