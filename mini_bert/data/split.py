"""Split: hold documents back, to see how well a model reads what it has not seen.

    training, held_out = split(cache, 0.05)    # numbers of documents

A hash of its words decides about a document: equal ones are always on the same side, so that nothing held back has
been seen. Neither order nor chance has a part in it, nor the tokenizer.
"""

from typing import NamedTuple

import numpy as np

from mini_bert.core.array import Array
from mini_bert.data.token_cache import TokenCache


class Split(NamedTuple):
    """The numbers of the documents to learn from, and of those held back, both in order."""

    training: Array
    held_out: Array


def split(cache: TokenCache, held_out: float = 0.05) -> Split:
    """Hold back that share of the documents: those whose hashes are lowest."""
    documents = len(cache)
    if not 0 <= held_out < 1:
        raise ValueError(f"held_out={held_out}; choose a share from 0 to less than 1, like 0.05")
    if held_out == 0:
        return Split(np.arange(documents), np.arange(0))
    count = round(held_out * documents)
    if not 0 < count < documents:
        raise ValueError(
            f"{cache.contents.source_name}: {documents} documents cannot be split with held_out={held_out}; "
            'cut the text into more of them (unit="line"), add text, or choose another share'
        )
    first_kept = np.partition(cache.hashes, count)[count]
    held = cache.hashes < first_kept
    if not held.any():  # the lowest document is there more often than that
        held = cache.hashes == first_kept
    if held.all():
        raise ValueError(
            f"{cache.contents.source_name}: all {documents} documents are equal; add other text, or held_out=0"
        )
    return Split(np.flatnonzero(~held), np.flatnonzero(held))
