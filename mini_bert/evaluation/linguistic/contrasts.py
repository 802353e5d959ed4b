"""In which words the two sentences of a minimal pair differ: pairs that differ in the same ones are not independent.

Pairs are made from templates: thousands of sentences ask whether "laughs" or "laugh" stands at their end, and who finds
one of the two likelier in most places has most of them right, or wrong, at once.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import zip_longest

from mini_bert.data.tasks.examples import MinimalPair

WORD = re.compile(r"[\w'’-]+")
Contrast = tuple[tuple[str, ...], tuple[str, ...]]
INTERVALS_OVER = "words that differ"


def contrast(good: str, bad: str) -> Contrast:
    """The words that only the good sentence has, and those that only the bad one has, wherever they stand.

    Where both have the same words in another order, those that stand at another place, as either sentence has them.
    A word that only one of them has counts first, for it tells them apart by how frequent it is alone: "the cup that
    he took" and "what he took the cup" differ in "that" and "what", whichever words have moved. Case and punctuation
    are no difference. The order that is wrong is often the same in all pairs of a paradigm: how likely a model finds it
    with any words, no interval over words tells.

    >>> contrast("The author laughs.", "The author laugh.")
    (('laughs',), ('laugh',))
    >>> contrast("Who did he see after he left?", "Who did he see he left after?")
    (('after', 'he', 'left'), ('he', 'left', 'after'))
    """
    words = zip_longest(WORD.findall(good.lower()), WORD.findall(bad.lower()), fillvalue="")
    moved = [two for two in words if two[0] != two[1]]
    of_good, of_bad = (tuple(two[side] for two in moved if two[side]) for side in (0, 1))
    if sorted(of_good) == sorted(of_bad):
        return of_good, of_bad
    return only_in(of_good, of_bad), only_in(of_bad, of_good)


def only_in(one: Sequence[str], other: Sequence[str]) -> tuple[str, ...]:
    left = list(one)
    for word in other:
        if word in left:
            left.remove(word)
    return tuple(sorted(left))


def contrasts(pairs: Sequence[MinimalPair]) -> list[Contrast]:
    return [contrast(pair.good, pair.bad) for pair in pairs]
