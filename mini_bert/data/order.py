"""Orders: how documents and rows follow each other in an epoch.

    PackedRows(cache, documents, T, layout, order=Shuffled(seed))    # another order in each epoch
    PackedRows(cache, documents, T, layout, order=InOrder())         # as they come, in every epoch

An order is a value, and its repr says all of it: rows put it into their identity. One that goes from easy to hard is
another class with these two methods.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from mini_bert.core.array import Array
from mini_bert.core.chance import permutation


class Order(ABC):
    """A pure function of the epoch. Each method gives a permutation: which one comes first, second, ..."""

    @abstractmethod
    def documents(self, lengths: Array, epoch: int) -> Array:
        """The order of documents that have so many tokens (D,)."""

    @abstractmethod
    def rows(self, count: int, epoch: int) -> Array:
        """The order of the rows that are cut from them (count,)."""


@dataclass(frozen=True)
class InOrder(Order):
    """As they come."""

    def documents(self, lengths: Array, epoch: int) -> Array:
        return np.arange(len(lengths))

    def rows(self, count: int, epoch: int) -> Array:
        return np.arange(count)


@dataclass(frozen=True)
class Shuffled(Order):
    """At random, and otherwise in each epoch."""

    seed: int

    def documents(self, lengths: Array, epoch: int) -> Array:
        return permutation("order of documents", len(lengths), self.seed, epoch)

    def rows(self, count: int, epoch: int) -> Array:
        return permutation("order of rows", count, self.seed, epoch)
