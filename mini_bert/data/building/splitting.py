"""Which documents are copies of others, and which are held out: their words decide, not chance nor their order.

    key(d) = blake2b(the words of d, in lower case), 64 bits

The documents with the lowest keys are held out. A document that is there again is a copy, and left out. Copies count
when the share is taken, on either side: of 1,000 documents that were read, 1 % are those up to the tenth key, however
many of these are there twice. The corpus of the shipped models was split so, and its hashes hold to it. At least
one is held out, though its copies be more than the share.
"""

import re
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np

from mini_bert.core.array import Array
from mini_bert.data.building.documents import Document
from mini_bert.errors import counted

WORDS = re.compile(r"\w+")
KEY_BYTES = 8


def key(document: Document) -> int:
    """Equal for documents that differ only in case, punctuation and where their lines end.

    >>> key(("Who is it?", "It is I.")) == key(("Who is it, it is I!",))
    True
    """
    words = " ".join(WORDS.findall(" ".join(document).lower()))
    return int.from_bytes(blake2b(words.encode(), digest_size=KEY_BYTES).digest(), "big")


@dataclass(frozen=True)
class Sides:
    """For each document that was read: whether it is written at all, and whether it is held out."""

    written: Array
    held_out: Array


def sides(keys: Array, share: float, limit: int | None, name: str) -> Sides:
    """Hold out `share` of the documents that were read; of more than `limit` distinct ones, keep those with the lowest
    keys, and hold out that share of them and their copies."""
    distinct, firsts = np.unique(keys, return_index=True)
    written = np.zeros(len(keys), dtype=bool)
    written[firsts[:limit]] = True
    kept = np.sort(keys[keys <= distinct[:limit][-1]])
    held_out = keys < first_trained(kept, share, name) if share else np.zeros(len(keys), dtype=bool)
    return Sides(written, held_out)


def first_trained(kept: Array, share: float, name: str) -> int:
    """The lowest of the sorted keys that is not held out."""
    count = round(share * len(kept))
    if not 0 < count < len(kept):
        raise ValueError(
            f"{name}: {share:g} of {counted(len(kept), 'document')} is {counted(count, 'document')}; choose another "
            f"share (--held-out {name}=0.2), hold nothing out ({name}=0), or add text"
        )
    others = kept[kept > kept[0]]
    if not len(others):
        raise ValueError(
            f"{name}: all of {counted(len(kept), 'document')} are copies of one, and there is no other to train on; "
            f"hold nothing out (--held-out {name}=0), or add text"
        )
    return int(max(kept[count], others[0]))
