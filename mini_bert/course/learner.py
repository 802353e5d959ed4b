"""What a learner wrote, as a check sees it."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from functools import partial
from types import ModuleType
from typing import Any

import numpy as np

from mini_bert.course.calls import Call, remember
from mini_bert.course.judging import Mismatch
from mini_bert.course.showing import named


class Learner:
    """`learner.softmax(x)` calls the learner's function, and sees to it that x is left as it was.

    `learner.begin("…")` begins a step of the check; those before it are passed. Functions that are meant to change
    an argument are called by `learner.changing("w").step(w, dw)`.
    """

    def __init__(self, module: ModuleType) -> None:
        self._module = module
        self._changed: tuple[str, ...] = ()
        self.steps_begun: list[str] = []
        self.running_calls: list[Call] = []

    def begin(self, told: str) -> None:
        self.steps_begun.append(told)

    def changing(self, *names: str) -> Learner:
        """The same learner, whose functions may change these arguments."""
        other = copy.copy(self)
        other._changed = names
        return other

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            found = getattr(self._module, name)
        except AttributeError:
            close = get_close_matches(name, vars(self._module), n=1)
            mistake = f"it was renamed to `{close[0]}`" if close else None
            raise Mismatch(
                f"your file has no `{name}`; `mini-bert course reset` brings the file back as it was.",
                mistake=mistake,
            ) from None
        if not inspect.isfunction(found):
            return found
        if found.__module__ != self._module.__name__:
            raise Mismatch(
                f"`{name}` is imported from {found.__module__}; the exercise is to write it yourself."
            )
        return partial(self._call, name, found)

    def _call(self, name: str, function: Callable[..., Any], *args: Any, **options: Any) -> Any:
        arguments = bound(name, function, args, options)
        before = {key: snapshot(value) for key, value in arguments.items()}
        call = Call(name, before)
        self.running_calls.append(call)
        result = function(*args, **options)
        self.running_calls.pop()
        for key, value in arguments.items():
            if key not in self._changed and not unchanged(value, before[key]):
                raise Mismatch(
                    f"{call} changed its argument {key}, which the caller still needs.\n"
                    f"{named('before', before[key])}\n{named(' after', value)}",
                    mistake=f"an operation in place, like `{key} -= …` or `{key}[…] = …`; write a new array",
                )
        remember(call, result)
        return result


def bound(
    name: str, function: Callable[..., Any], args: tuple[Any, ...], options: Mapping[str, Any]
) -> dict[str, Any]:
    signature = inspect.signature(function)
    try:
        found = signature.bind(*args, **options)
    except TypeError as error:
        raise Mismatch(
            f"{name}{signature} cannot be called with {len(args) + len(options)} arguments ({error}); "
            "leave the line with `def` as it was."
        ) from None
    return dict(found.arguments)


def snapshot(value: Any) -> Any:
    """A copy of arrays and of what holds them; other things are not copied."""
    if isinstance(value, np.ndarray):
        return value.copy()
    if isinstance(value, list | tuple) and type(value) in (list, tuple):
        return type(value)(snapshot(one) for one in value)
    if type(value) is dict:
        return {key: snapshot(one) for key, one in value.items()}
    return value


def unchanged(value: Any, before: Any) -> bool:
    if isinstance(value, np.ndarray):
        return np.array_equal(value, before, equal_nan=value.dtype.kind in "fc")
    if type(value) in (list, tuple):
        return len(value) == len(before) and all(map(unchanged, value, before))
    if type(value) is dict:
        return value.keys() == before.keys() and all(unchanged(value[key], before[key]) for key in value)
    return True
