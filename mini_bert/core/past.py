"""What earlier passes have read: the keys and values of every attention, so that no token is read twice."""

import numpy as np

from mini_bert.core.array import Array

FIRST_ROOM = 64


class Past:
    """Keys and values (B, A, T, D) by name, in buffers with room for more: a new token copies only itself."""

    def __init__(self) -> None:
        self.buffers: dict[str, Array] = {}
        self.lengths: dict[str, int] = {}

    @property
    def length(self) -> int:
        """How many tokens have been read."""
        return max(self.lengths.values(), default=0)

    def extended(self, name: str, value: Array) -> Array:
        """value (B, A, T, D) behind what came before under its name: a view of both, (B, A, past + T, D)"""
        start = self.lengths.get(name, 0)
        end = start + value.shape[-2]
        buffer = self.buffers.get(name)
        if buffer is None or end > buffer.shape[-2]:
            B, A, _, D = value.shape
            larger = np.empty((B, A, max(2 * end, FIRST_ROOM), D), value.dtype)
            if buffer is not None:
                larger[..., :start, :] = buffer[..., :start, :]
            self.buffers[name] = buffer = larger
        buffer[..., start:end, :] = value
        self.lengths[name] = end
        return buffer[..., :end, :]

    def keep_rows(self, rows: Array) -> None:
        """Go on with some of the sequences, and forget the others."""
        self.buffers = {name: buffer[rows] for name, buffer in self.buffers.items()}
