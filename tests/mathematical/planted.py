"""Bugs to plant, and the checks that must then fail.

A check that nothing can fail proves nothing: each passes before the bug is planted, and fails after.
Some bugs also name a check that is blind to them, and so does not suffice.
"""

from collections.abc import Callable
from functools import cache, partial

import pytest

from tests.mathematical import promises
from tests.mathematical.promises import TINY
from tests.mathematical.specimens import SPECIMENS

Check = Callable[[], None]
Plant = Callable[[object, str, object], None]
Bug = Callable[[Plant], None]

some_gradients = partial(promises.check_gradients_of, samples=3)


@cache
def part(check: Callable[..., None], specimen: str, *more: object) -> Check:
    return partial(check, SPECIMENS[specimen], *more)


@cache
def model(check: Callable[..., None], **settings: object) -> Check:
    return partial(check, TINY.changed(**settings))


class Bugs(list):
    """Bugs of one kind, as parameters of `check_caught`."""

    def caught_by(self, *checks: Check, blind: tuple[Check, ...] = ()) -> Callable[[Bug], None]:
        def register(bug: Bug) -> None:
            self.append(pytest.param(bug, checks, blind, id=bug.__name__))

        return register


def check_caught(bug: Bug, checks: tuple[Check, ...], blind: tuple[Check, ...], plant: Plant) -> None:
    for check in (*checks, *blind):
        check_sound_code(check)
    bug(plant)
    for check in checks:
        with pytest.raises(AssertionError):
            check()
    for check in blind:
        check()


@cache
def check_sound_code(check: Check) -> None:
    """Before a bug is planted; once suffices, however many bugs are caught by the check."""
    check()
