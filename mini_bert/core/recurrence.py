"""Recurrence over segments: a layer sees what it read in the segment before (Transformer-XL, Dai et al. 2019)."""

from dataclasses import dataclass

import numpy as np

from mini_bert.core.array import Array
from mini_bert.core.layer import Attending
from mini_bert.core.trace import Trace


@dataclass(frozen=True)
class Recurrent(Attending):
    """y = attend(x, [m; x]): x asks, and the memory m (B, M, H) of this layer answers beside it

    The memory is a constant: no gradient goes into it, but W_K and W_V get theirs from what they make of it.
    """

    body: Attending

    def forward(self, x: Array, t: Trace) -> Array:
        return self.attend(t.asked(x), t.sources(x), t)

    def backward(self, dy: Array, t: Trace) -> Array:
        dx, dsource = self.attend_backward(dy, t)
        dsource = t.sources_backward(dsource)
        return t.asked_backward(dx, dsource.shape[1]) + dsource

    def attend(self, x: Array, source: Array, t: Trace) -> Array:
        if t.memory is not None:
            t.seen[t.path] = source
        memory = remembered_here(t)
        known = source if memory is None else np.concatenate([memory, source], axis=1)
        return self.body.attend(x, known, behind_memory(t))

    def attend_backward(self, dy: Array, t: Trace) -> tuple[Array, Array]:
        dx, dknown = self.body.attend_backward(dy, behind_memory(t))
        return dx, dknown[:, memory_length(t) :]


def remembered_here(t: Trace) -> Array | None:
    """m (B, M, H), what was read at this place before; None in the first segment"""
    if not t.memory:
        return None
    if t.path not in t.memory:
        raise ValueError(f"{t.path.rstrip('.')}: the memory has nothing for it; it is that of another model")
    return t.memory[t.path]


def memory_length(t: Trace) -> int:
    memory = remembered_here(t)
    return 0 if memory is None else memory.shape[1]


def behind_memory(t: Trace) -> Trace:
    """This trace, whose tokens stand behind those of the memory."""
    return t.but(offset=t.offset + memory_length(t))


def remembered(t: Trace, length: int) -> dict[str, Array]:
    """The memory for the next segment: of each layer the last `length` of what it remembered and what it read.

    Only of a pass that was given a memory; the first segment's is an empty one: `Trace(..., memory={})`.
    """
    if t.memory is None:
        raise ValueError("this pass was to remember nothing; give it a memory, {} for the first segment")
    known = {
        path: np.concatenate([t.memory[path], x], axis=1) if path in t.memory else x
        for path, x in t.seen.items()
    }
    return {path: states[:, max(states.shape[1] - length, 0) :].copy() for path, states in known.items()}
