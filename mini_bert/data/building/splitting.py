"""Which documents are copies of others, and which are held out: their words decide, not chance nor their order.

    key(d) = blake2b(the words of d, in lower case), 64 bits

The documents with the lowest keys are held out. A document that is there again is a copy, and left out. Copies count
when the share is taken, on either side: of 1,000 documents that were read, 1 % are those up to the tenth key, however
many of these are there twice. The corpus of the shipped models was split so, and its hashes hold to it. At least
one is held out, though its copies be more than the share. What is held out of one source is left out of the training
text of all others; what two sources both train on stays in both.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
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
    """For each document that was read: whether it is written at all, and whether it is held out.

    `copies` counts those that are not written because they are there again, or are held out of another source.
    """

    written: Array
    held_out: Array
    copies: int

    @property
    def trained(self) -> Array:
        return self.written & ~self.held_out


def sides(keys: Array, share: float, limit: int | None, name: str) -> Sides:
    """Hold out `share` of the documents that were read; of more than `limit` distinct ones, keep those with the lowest
    keys, and hold out that share of them and their copies."""
    distinct, firsts = np.unique(keys, return_index=True)
    written = np.zeros(len(keys), dtype=bool)
    written[firsts[:limit]] = True
    kept = np.sort(keys[keys <= distinct[:limit][-1]])
    held_out = keys < first_trained(kept, share, name) if share else np.zeros(len(keys), dtype=bool)
    return Sides(written, held_out, len(keys) - len(distinct))


def kept_apart(keys: Mapping[str, Array], chosen: Mapping[str, Sides]) -> dict[str, Sides]:
    """The sides of each source, by its name, without training on what any of them holds out."""
    held_out = {name: np.unique(keys[name][one.held_out]) for name, one in chosen.items()}
    of_any = np.unique(np.concatenate(list(held_out.values())))
    found = {}
    for name, one in chosen.items():
        places = np.flatnonzero(one.trained)
        trained = keys[name][places]
        barred = np.isin(trained, of_any, assume_unique=True)
        if barred.all():
            others = [other for other in held_out if np.isin(trained, held_out[other]).any()]
            raise ValueError(
                f"{name}: all that there is to train on is held out of {', '.join(others)}; "
                f"hold nothing out there (--held-out {others[0]}=0), or leave {name} out"
            )
        written = one.written.copy()
        written[places[barred]] = False
        found[name] = replace(one, written=written, copies=one.copies + int(barred.sum()))
    return found


def first_trained(kept: Array, share: float, name: str) -> int:
    """The lowest of the sorted keys that is not held out."""
    count = round(share * len(kept))
    if not 0 < count < len(kept):
        one = float(f"{1 / len(kept):.2g}")
        remedy = (
            f"hold nothing out (--held-out {name}=0), or take more documents"
            if len(kept) == 1
            else f"choose another share (--held-out {name}={one if count == 0 else 1 - one:g}), "
            f"hold nothing out ({name}=0), or take more documents"
        )
        raise ValueError(
            f"{name}: {share:g} of {counted(len(kept), 'document')} is {counted(count, 'document')}; {remedy}"
        )
    others = kept[kept > kept[0]]
    if not len(others):
        raise ValueError(
            f"{name}: all of {counted(len(kept), 'document')} are copies of one, and there is no other to train on; "
            f"hold nothing out (--held-out {name}=0), or add text"
        )
    return int(max(kept[count], others[0]))
