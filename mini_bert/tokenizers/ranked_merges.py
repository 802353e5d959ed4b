"""Byte-pair encoding of one word: of all adjacent pairs that are in the list of merges, the one that was learned
first is joined, the leftmost of equals; again and again, until no pair is in the list.

>>> h, e, n, en, hen, he = range(6)
>>> merges = RankedMerges({(e, n): 0, (h, en): 1, (h, e): 2}, results=[en, hen, he])
>>> merges.applied([h, e, n, h, e]) == [hen, he]
True

Sennrich, Haddow & Birch 2016.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from heapq import heapify, heappop, heappush
from itertools import pairwise

GONE = -1
NEVER = 1 << 62
SHORT = 64
"""Up to so many letters, looking through all pairs for each merge is faster than keeping them in order."""


class RankedMerges:
    """`ranks` says when each pair of ids was learned, `results` which id a pair of each rank becomes."""

    def __init__(self, ranks: Mapping[tuple[int, int], int], results: Sequence[int]) -> None:
        self.ranks, self.results = ranks, results

    @classmethod
    def of_pieces(
        cls, merges: Sequence[tuple[str, str]], ids: Mapping[str, int], origin: str
    ) -> RankedMerges:
        """From pairs of pieces, first learned first. Of a pair that is listed twice, the later place counts."""
        for number, (left, right) in enumerate(merges, start=1):
            for piece in (left, right, left + right):
                if piece not in ids:
                    raise ValueError(
                        f"{origin}: merge {number}, {left!r} with {right!r}, needs {piece!r}, which is not in the"
                        " vocabulary; fetch vocabulary and merges again, from one place"
                    )
        ranks = {(ids[left], ids[right]): rank for rank, (left, right) in enumerate(merges)}
        return cls(ranks, [ids[left + right] for left, right in merges])

    def applied(self, ids: Sequence[int]) -> list[int]:
        """The ids of a word's letters, merged as far as they go."""
        return self.by_search(ids) if len(ids) <= SHORT else self.by_heap(ids)

    def by_search(self, ids: Sequence[int]) -> list[int]:
        """The definition, in O(n²)."""
        rank_of = self.ranks.get
        merged = list(ids)
        found = [rank_of(pair, NEVER) for pair in pairwise(merged)]
        while found and (best := min(found)) != NEVER:
            place = found.index(best)
            merged[place] = self.results[best]
            del merged[place + 1], found[place]
            if place:
                found[place - 1] = rank_of((merged[place - 1], merged[place]), NEVER)
            if place < len(found):
                found[place] = rank_of((merged[place], merged[place + 1]), NEVER)
        return merged

    def by_heap(self, ids: Sequence[int]) -> list[int]:
        """The same in O(n log n).

        Pairs wait in a heap by rank and place. One that has changed since is found out by its rank, and passed
        over. The id of a merged pair stands where its left part stood; the right part is GONE.
        """
        ranks = self.ranks
        waiting = [
            (rank, place) for place, pair in enumerate(pairwise(ids)) if (rank := ranks.get(pair)) is not None
        ]
        heapify(waiting)
        merged = [*ids, GONE]  # the last one is the end of the word
        left_of, right_of = list(range(-1, len(ids))), list(range(1, len(ids) + 2))
        while waiting:
            rank, place = heappop(waiting)
            right = right_of[place]
            if ranks.get((merged[place], merged[right])) != rank:
                continue
            merged[place] = self.results[rank]
            merged[right] = GONE
            after = right_of[place] = right_of[right]
            left_of[after] = place
            before = left_of[place]
            for first, second in ((before, place), (place, after)):
                if first >= 0 and (new := ranks.get((merged[first], merged[second]))) is not None:
                    heappush(waiting, (new, first))
        return [index for index in merged if index != GONE]
