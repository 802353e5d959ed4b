"""An exam of a model: what it is told, and how it says that it does not apply.

Every exam is a module with

    class Settings(Checked): ...                                        # how much, how often; defaults are full size
    def examine(subject, tasks, settings, report) -> list[Section]      # what was found
    def seconds(subject, tasks, settings, pace) -> float                # about how long it will take

`tasks` is a folder of labelled sets, or None: then the embedded world is asked.
"""

from __future__ import annotations

from typing import NamedTuple


class DoesNotApply(ValueError):
    """This model, or this data, cannot be examined so; the message says why, and what could be."""


class Pace(NamedTuple):
    """How fast this machine is with this model, in a second: tokens read, tokens learned from, multiply-adds."""

    forward_tokens: float
    training_tokens: float
    multiplications: float
