"""The ways to cut a word into pieces that have probabilities: the best, the n best, or one drawn at random.

    p(cut) = Π p(piece)        log p(cut) = Σ score(piece)

>>> ways = Segmenter([("<unk>", 0.0), ("▁", -2.0), ("un", -3.0), ("do", -3.0), ("▁un", -4.0), ("▁undo", -8.0)], 0)
>>> for pieces, score in ways.best("▁undo", 3):
...     print(score, *pieces)
-7.0 ▁un do
-8.0 ▁undo
-8.0 ▁ un do

Kudo 2018.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import exp, inf, log
from typing import NamedTuple

import numpy as np

UNKNOWN_PENALTY = 10.0


class Edge(NamedTuple):
    """A piece that fits into a word from `start` to `end`."""

    start: int
    end: int
    id: int
    score: float


class Segmenter:
    """Pieces with their scores, log-probabilities, in the order of ids; `unk_id` stands for unknown letters.

    A letter that is no piece by itself is unknown, and scores 10 less than the rarest piece.
    """

    def __init__(self, pieces: Sequence[tuple[str, float]], unk_id: int) -> None:
        self.unk_id = unk_id
        self.known = {piece: (index, score) for index, (piece, score) in enumerate(pieces)}
        self.unknown_score = min(score for _, score in pieces) - UNKNOWN_PENALTY
        self.beginnings = {piece[:size] for piece, _ in pieces for size in range(1, len(piece))}

    def edges(self, word: str) -> Iterator[Edge]:
        """Every piece at every place where it fits, from left to right, short ones first."""
        for start in range(len(word)):
            if word[start] not in self.known:
                yield Edge(start, start + 1, self.unk_id, self.unknown_score)
            for end in range(start + 1, len(word) + 1):
                found = self.known.get(word[start:end])
                if found is not None:
                    yield Edge(start, end, *found)
                elif word[start:end] not in self.beginnings:
                    break

    def cut(self, word: str) -> list[tuple[int, int, int]]:
        """The best cut: id, start and end of each piece; unknown letters side by side are one piece.

        Viterbi: best(end) = max over pieces of best(start) + score. Among equals, the longest last piece is taken.
        `edges` is written out here, as every new word of a text passes through this loop.
        """
        known, beginnings, unk_id, size = self.known, self.beginnings, self.unk_id, len(word)
        best = [0.0] + [-inf] * size
        last: list[tuple[int, int]] = [(unk_id, start - 1) for start in range(size + 1)]
        for start in range(size):
            here = best[start]
            if word[start] not in known and here + self.unknown_score > best[start + 1]:
                best[start + 1], last[start + 1] = here + self.unknown_score, (unk_id, start)
            for end in range(start + 1, size + 1):
                part = word[start:end]
                found = known.get(part)
                if found is not None:
                    score = here + found[1]
                    if score > best[end]:
                        best[end], last[end] = score, (found[0], start)
                elif part not in beginnings:
                    break
        found_pieces: list[tuple[int, int, int]] = []
        end = size
        while end:
            index, start = last[end]
            if index == unk_id and found_pieces and found_pieces[-1][0] == unk_id:
                end = found_pieces.pop()[2]
            found_pieces.append((index, start, end))
            end = start
        found_pieces.reverse()
        return found_pieces

    def best(self, word: str, n: int = 1) -> list[tuple[list[str], float]]:
        """The n best cuts and their log-probabilities, best first."""
        ways: list[list[tuple[float, tuple[int, ...]]]] = [[(0.0, (0,))], *([] for _ in word)]
        for edge in self.edges(word):
            # All edges that end here start before, and edges come from left to right: ways[start] is complete.
            if len(ways[edge.start]) > n:
                ways[edge.start] = _first(n, ways[edge.start])
            ways[edge.end] += [(edge.score + score, (*cut, edge.end)) for score, cut in ways[edge.start]]
        return [(_parts(word, cut), score) for score, cut in _first(n, ways[-1])]

    def sample(self, word: str, rng: np.random.Generator, alpha: float = 1.0) -> list[str]:
        """A cut drawn with probability ∝ p(cut)^α: any is as likely as another at 0, the best one at infinity.

        Forward: total(end) = log Σ exp(total(start) + α·score). Then pieces are drawn from the end backwards.
        """
        arriving: list[list[tuple[int, float]]] = [[] for _ in range(len(word) + 1)]
        total = [0.0] * (len(word) + 1)
        for edge in self.edges(word):
            if arriving[edge.start]:
                total[edge.start] = _log_sum(arriving[edge.start])
            arriving[edge.end].append((edge.start, total[edge.start] + alpha * edge.score))
        cut = [len(word)]
        while cut[-1]:
            starts, scores = zip(*arriving[cut[-1]], strict=True)
            weights = np.exp(np.array(scores) - max(scores))
            drawn = int(np.searchsorted(weights.cumsum(), rng.random() * weights.sum(), side="right"))
            cut.append(starts[min(drawn, len(starts) - 1)])
        return _parts(word, tuple(reversed(cut)))


def _first(n: int, ways: list[tuple[float, tuple[int, ...]]]) -> list[tuple[float, tuple[int, ...]]]:
    return sorted(ways, key=lambda way: -way[0])[:n]


def _parts(word: str, cut: tuple[int, ...]) -> list[str]:
    return [word[start:end] for start, end in pairwise(cut)]


def _log_sum(arriving: list[tuple[int, float]]) -> float:
    highest = max(score for _, score in arriving)
    return highest + log(sum(exp(score - highest) for _, score in arriving))
