"""Split: hold documents back, to see how well a model reads what it has not seen.

    training, held_out = split(cache, 0.05)    # numbers of documents

A hash of its words decides about a document: equal ones are always on the same side, so that nothing held back has
been seen. Neither order nor chance has a part in it, nor the tokenizer. How many are held back depends on how many
there are, so that text which grows moves a few documents from one side to the other: split once, or evaluate a model
on the split it was trained with.
"""

from typing import NamedTuple

import numpy as np

from mini_bert.core.array import Array
from mini_bert.data.token_cache import TokenCache
from mini_bert.errors import counted

HELD_OUT = 0.05


class Split(NamedTuple):
    """The numbers of the documents to learn from, and of those held back, both in order."""

    training: Array
    held_out: Array


def split(cache: TokenCache, held_out: float = HELD_OUT) -> Split:
    """Hold back that share of the documents: those whose hashes are lowest.

    A document that is there so often that its copies would be more than the share is not held back.
    """
    documents = len(cache)
    if not 0 <= held_out < 1:
        raise ValueError(f"held_out={held_out}; choose a share from 0 to less than 1, like {HELD_OUT}")
    if held_out == 0:
        return Split(np.arange(documents), np.arange(0))
    count = round(held_out * documents)
    if not 0 < count < documents:
        raise ValueError(
            f"{cache.contents.source_name}: {counted(documents, 'document')} cannot be split with held_out={held_out}; "
            'cut the text into more of them (unit="line"), add text, or choose another share'
        )
    hashes, copies = np.unique(cache.hashes, return_counts=True)
    chosen = fitting(copies, count)
    if not len(chosen):
        raise ValueError(
            f"{cache.contents.source_name}: of {documents} documents {count} are to be held out, but each is there "
            f"{copies.min()} times or more; add other text, or hold out a greater share (held_out)"
        )
    held = np.isin(cache.hashes, hashes[chosen])
    return Split(np.flatnonzero(~held), np.flatnonzero(held))


def fitting(sizes: Array, room: int) -> Array:
    """Which of some groups are taken, if one after the other is as long as it fits into the room that is left."""
    left = np.arange(len(sizes))
    taken: list[Array] = []
    while len(left := left[sizes[left] <= room]):
        totals = np.cumsum(sizes[left])
        fit = int(np.searchsorted(totals, room, side="right"))
        taken.append(left[:fit])
        room -= int(totals[fit - 1])
        left = left[fit:]
    return np.concatenate(taken) if taken else np.arange(0)
