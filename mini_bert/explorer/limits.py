"""How much the explorer takes on at once."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """`text` in characters. `body` of a request in bytes; one that is larger is listened to up to `heard`, so that the
    other side hears the answer. `patience` in seconds until a body has arrived. `rate` of requests in a second, and
    `burst` at once. `waiting` requests for `threads` that compute. `kept` bytes of readings, and `models` beside the
    first. `preset`: the most weights of a model that is made up to look at its structure."""

    text: int = 2_000
    body: int = 256 * 1024
    heard: int = 16 * 1024**2
    patience: float = 10.0
    rate: float = 100.0
    burst: int = 300
    threads: int = 2
    waiting: int = 400
    kept: int = 384 * 1024**2
    models: int = 4
    preset: int = 30_000_000


class TooLong(ValueError):
    """A text that is longer than the explorer reads."""
