"""How often units are active, and when most: counted batch by batch, so that any amount of text can be read."""

from __future__ import annotations

import numpy as np

from mini_bert.core.array import Array


class Activity:
    """The units of a layer over all tokens that were added: counts, moments, and the tokens that excite each most."""

    def __init__(self, top: int) -> None:
        self.top, self.tokens = top, 0

    def add(self, pre: Array, hidden: Array) -> None:
        """Tokens (N, I): what goes into the units, and what comes out of them."""
        if not len(hidden):
            return
        if not self.tokens:
            I = hidden.shape[1]
            self.open = np.zeros(I, np.int64)
            self.powers = np.zeros((4, I))
            self.largest = np.zeros(I)
            self.top_values = np.empty((I, 0))
            self.top_tokens = np.empty((I, 0), np.int64)
        h = hidden.astype(np.float64)
        self.open += (pre > 0).sum(0)
        squares = h * h
        self.powers += [
            h.sum(0),
            squares.sum(0),
            np.einsum("ni,ni->i", squares, h),
            np.einsum("ni,ni->i", squares, squares),
        ]
        self.largest = np.maximum(self.largest, np.abs(h).max(0))
        self.keep_top(h)
        self.tokens += len(h)

    def keep_top(self, h: Array) -> None:
        """The tokens with the largest values, of those kept so far and these."""
        few = min(self.top, len(h))
        new = np.argpartition(h, len(h) - few, axis=0)[len(h) - few :]  # (few, I)
        values = np.concatenate([self.top_values, np.take_along_axis(h, new, 0).T], axis=1)
        tokens = np.concatenate([self.top_tokens, self.tokens + new.T], axis=1)
        best = np.argsort(-values, axis=1, kind="stable")[:, : self.top]
        self.top_values = np.take_along_axis(values, best, 1)
        self.top_tokens = np.take_along_axis(tokens, best, 1)

    @property
    def active(self) -> Array:
        found: Array = self.open / self.tokens
        return found

    @property
    def mean(self) -> Array:
        found: Array = self.powers[0] / self.tokens
        return found

    @property
    def std(self) -> Array:
        return np.sqrt(self.central(2))

    @property
    def kurtosis(self) -> Array:
        """E (h − μ)⁴ / σ⁴; nan of a unit that never moves"""
        variance = self.central(2)
        found: Array = self.central(4) / np.where(variance > 0, variance, np.nan) ** 2
        return found

    def central(self, power: int) -> Array:
        """E (h − μ)ⁿ for n = 2 or 4, from the powers that were summed up"""
        m1, m2, m3, m4 = self.powers / self.tokens
        if power == 2:
            found: Array = np.maximum(m2 - m1**2, 0)
        else:
            found = np.maximum(m4 - 4 * m1 * m3 + 6 * m1**2 * m2 - 3 * m1**4, 0)
        return found
