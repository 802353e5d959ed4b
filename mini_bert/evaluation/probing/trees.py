"""Dependency trees as distances, and back: how many edges lie between two words, and which tree a distance implies.

Sentences are rows of a batch, filled up to T words. `heads` (B, T) counts words from 0; the root and the filling have
NO_HEAD. All functions work on a whole batch, for a treebank has thousands of trees.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from mini_bert.core.array import Array
from mini_bert.core.functions.distances import squared_distances

NO_HEAD = -1
SHORTEST, LONGEST = 5, 50
"""Lengths of the sentences over which Hewitt and Manning average correlations."""


class Attachment(NamedTuple):
    """Of each sentence (B,): how many edges its tree has, and how many of these a predicted tree has too."""

    found: Array
    edges: Array


def tree_distances(heads: Array) -> Array:
    """Edges between all words, (B, T, T); those to the filling mean nothing.

    With a_i the 0/1 vector that marks word i and all words above it, ‖a_i − a_j‖² counts those that are above one of
    the two only: the path between them. So every tree has vectors whose squared distances are its distances, which is
    why a structural probe squares (Hewitt & Manning 2019).
    """
    return squared_distances(lines_up(heads))


def lines_up(heads: Array) -> Array:
    """(B, T, T): 1 at [b, i, j] if j is word i or above it"""
    B, T = heads.shape
    marks: Array = np.zeros((B, T, T), np.float32)
    marks[:, np.arange(T), np.arange(T)] = 1
    above = heads
    for _ in range(T):
        rows, words = np.nonzero(above != NO_HEAD)
        if not len(rows):
            return marks
        marks[rows, words, above[rows, words]] = 1
        above = np.where(above == NO_HEAD, NO_HEAD, np.take_along_axis(heads, above, axis=1))
    raise ValueError("the heads of a sentence run in a circle; let each word lead to the root")


def spanning_trees(distances: Array, words: Array) -> Array:
    """The tree of smallest total distance over the words that are marked (Prim 1957): neighbours (B, T).

    distances (B, T, T), words (B, T). A tree grows from the first word and takes in, again and again, the word nearest
    to it; each word's neighbour is the one that it was joined to. NO_HEAD for the first word, and for unmarked ones.
    """
    rows, first = np.arange(len(words)), words.argmax(1)
    waits = words.copy()
    waits[rows, first] = False
    nearest: Array = distances[rows, first].copy()
    joined_to = np.repeat(first[:, None], words.shape[1], axis=1)
    for _ in range(int(words.sum(1).max()) - 1):
        new = np.where(waits, nearest, np.inf).argmin(1)
        waits[rows, new] = False
        from_new = distances[rows, new]
        is_nearer = waits & (from_new < nearest)
        nearest = np.where(is_nearer, from_new, nearest)
        joined_to = np.where(is_nearer, new[:, None], joined_to)
    joined_to[~words] = NO_HEAD
    joined_to[rows, first] = NO_HEAD
    return joined_to


def linear_chains(words: Array) -> Array:
    """Each marked word joined to the marked one before it: what knows nothing but the order of words. (B, T)"""
    places = np.where(words, np.arange(words.shape[1]), NO_HEAD)
    before = np.maximum.accumulate(places, axis=1)
    chains = np.full_like(places, NO_HEAD)
    chains[:, 1:] = before[:, :-1]
    return np.where(words, chains, NO_HEAD)


def attachment(heads: Array, joined_to: Array, words: Array) -> Attachment:
    """Which edges of the trees `heads` are in the trees `joined_to`, whatever their direction.

    Only edges between two words that are marked count; the root's edge to nowhere is none.
    """
    safe = np.maximum(heads, 0)
    edges = (heads != NO_HEAD) & words & np.take_along_axis(words, safe, axis=1)
    upwards = joined_to == heads
    downwards = np.take_along_axis(joined_to, safe, axis=1) == np.arange(heads.shape[1])
    return Attachment((edges & (upwards | downwards)).sum(1), edges.sum(1))


def ranks(x: Array) -> Array:
    """The place of each value among those of the last axis, from 0; equal ones share the mean of their places."""
    smaller = (x[..., None, :] < x[..., :, None]).sum(-1)
    not_larger = (x[..., None, :] <= x[..., :, None]).sum(-1)
    places: Array = (smaller + not_larger - 1) / 2
    return places


def rank_correlations(a: Array, b: Array) -> Array:
    """Spearman's ρ along the last axis; 0 where all values of one side are equal, which tells nothing."""
    a, b = (r - r.mean(-1, keepdims=True) for r in (ranks(a), ranks(b)))
    sizes = np.sqrt((a * a).sum(-1) * (b * b).sum(-1))
    rho: Array = np.divide((a * b).sum(-1), sizes, out=np.zeros_like(sizes), where=sizes > 0)
    return rho


def correlations(distances: Array, gold: Array, lengths: Array) -> Iterator[tuple[int, Array]]:
    """(length, ρ of each word) for each length: are its distances to all words, itself included, in the right order?"""
    for length in np.unique(lengths).tolist():
        if SHORTEST <= length <= LONGEST:
            rows = lengths == length
            part, truth = (d[rows, :length, :length] for d in (distances, gold))
            yield length, rank_correlations(part, truth).ravel()


def mean_by_length(found: Mapping[int, Sequence[Array]]) -> float | None:
    """Spearman's ρ as Hewitt & Manning average it: over words in sentences of one length, then over lengths 5-50."""
    means = [float(np.mean(np.concatenate(parts))) for parts in found.values()]
    return float(np.mean(means)) if means else None
