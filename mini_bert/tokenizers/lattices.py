"""The lattices of many words at once: every way to cut each word into pieces, as arrays.

A word of n letters has nodes 0 … n, the places between its letters; a piece that fits from i to j is an edge i → j
with the score log p(piece); a path from 0 to n is a way to cut the word. Summed over all paths:

    α(j) = log Σ exp(α(i) + score)    over edges i → j        log-probability of all that leads to j;  α(0) = 0
    β(i) = log Σ exp(score + β(j))    over edges i → j        and of all that leads from i to the end; β(n) = 0
    log p(word) = α(n) = β(0)

    p(edge | word) = exp(α(i) + score + β(j) − α(n))

The sum of the last over all edges of a piece, times how often their words occur, is how often the piece is expected.
With max in place of log Σ exp, α leads to the best way alone (Viterbi).

All edges that end at the j-th place of any word are worked out together, as one array operation.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int32]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Sweep:
    """Edges in the order in which they are passed when all words are swept from one end to the other.

    Edge e leads from node `near[e]` to node `far[e]`. Edges with the same far node stand together, as do those whose
    far nodes are equally far from where the sweep begins.
    """

    near: Ints
    far: Ints
    piece: Ints
    depth: Ints

    @classmethod
    def ordered(cls, near: Ints, far: Ints, piece: Ints, depth: Ints) -> Sweep:
        order = np.lexsort((far, depth))
        return cls(near[order], far[order], piece[order], depth[order])

    def restricted(self, new_ids: Ints, word_of: Ints) -> Sweep:
        """Without the edges of pieces, or of words, whose new number is negative."""
        piece = new_ids[self.piece]
        kept = (piece >= 0) & (word_of[self.near] >= 0)
        return Sweep(self.near[kept], self.far[kept], piece[kept], self.depth[kept])

    def totals(self, nodes: int, scores: Floats, combine: Callable[[Floats, Ints], Floats]) -> Floats:
        """α or β of each node: `combine` takes the values of edges, and where those of the next node begin."""
        total = np.zeros(nodes)
        groups = _starts(self.far)
        levels = np.searchsorted(groups, _starts(self.depth))
        for first, stop in zip(levels, [*levels[1:], len(groups)], strict=True):
            begin, end = groups[first], groups[stop] if stop < len(groups) else len(self.far)
            values = total[self.near[begin:end]] + scores[self.piece[begin:end]]
            total[self.far[groups[first:stop]]] = combine(values, groups[first:stop] - begin)
        return total


class Lattices:
    """The lattices of words over numbered pieces.

    Every letter must be a piece. `proper`: a word must not be cut into itself alone, unless it is one letter.
    """

    def __init__(self, words: Sequence[str], pieces: Mapping[str, int], *, proper: bool = False) -> None:
        lengths = np.array([len(word) for word in words], np.int32)
        ends = np.cumsum(lengths + 1, dtype=np.int32) - 1
        self.nodes = int(ends[-1]) + 1 if len(words) else 0
        self.first, self.last = ends - lengths, ends
        longest = max(map(len, pieces), default=0)
        sources, targets, found = array("i"), array("i"), array("i")
        for word, node in zip(words, self.first.tolist(), strict=True):
            size = len(word)
            for start in range(size):
                for end in range(start + 1, min(size, start + longest) + 1):
                    piece = pieces.get(word[start:end])
                    if piece is not None and not (proper and end - start == size > 1):
                        sources.append(node + start)
                        targets.append(node + end)
                        found.append(piece)
        source, target, pieces_of = (np.frombuffer(part, np.int32) for part in (sources, targets, found))
        self.word_of = np.repeat(np.arange(len(words), dtype=np.int32), lengths + 1)
        owner = self.word_of[source]
        self.forward = Sweep.ordered(source, target, pieces_of, target - self.first[owner])
        self.backward = Sweep.ordered(target, source, pieces_of, self.last[owner] - source)

    def restrict(self, new_ids: Ints, new_words: Ints | None = None) -> None:
        """Forget pieces, and words if they are given, too: new numbers of those that stay, -1 for the others."""
        if new_words is not None:
            self.word_of = new_words[self.word_of]
            self.first, self.last = self.first[new_words >= 0], self.last[new_words >= 0]
        self.forward = self.forward.restricted(new_ids, self.word_of)
        self.backward = self.backward.restricted(new_ids, self.word_of)

    def expected_counts(self, scores: Floats, word_counts: Floats) -> tuple[Floats, float]:
        """How often each piece is expected, and the log-likelihood of all words."""
        alpha = self.forward.totals(self.nodes, scores, _log_sums)
        beta = self.backward.totals(self.nodes, scores, _log_sums)
        source, target, piece = self.forward.near, self.forward.far, self.forward.piece
        word, of_word = self.word_of[source], alpha[self.last]
        posterior = np.exp(alpha[source] + scores[piece] + beta[target] - of_word[word])
        expected: Floats = np.bincount(piece, posterior * word_counts[word], len(scores)).astype(np.float64)
        return expected, float(of_word @ word_counts)

    def best_cuts(self, scores: Floats) -> tuple[Ints, Ints]:
        """The pieces of the best way to cut each word, all in a row, and the number of the word of each."""
        best = self.forward.totals(self.nodes, scores, np.maximum.reduceat)
        source, target, piece = self.forward.near, self.forward.far, self.forward.piece
        on_best_way = np.flatnonzero(best[source] + scores[piece] == best[target])
        last_edge = np.full(self.nodes, -1, np.int64)
        last_edge[target[on_best_way[::-1]]] = on_best_way[::-1]
        words, node = np.arange(len(self.first), dtype=np.int32), self.last
        pieces: list[Ints] = []
        owners: list[Ints] = []
        while len(words := words[(moving := node > self.first[words])]):
            edge = last_edge[node[moving]]
            node = source[edge]
            pieces.append(piece[edge])
            owners.append(words)
        nothing = np.zeros(0, np.int32)
        return np.concatenate([nothing, *pieces]), np.concatenate([nothing, *owners])


def _starts(sorted_values: Ints) -> NDArray[np.intp]:
    """Where runs of equal values begin."""
    changes = np.flatnonzero(np.diff(sorted_values)) + 1
    return np.concatenate([np.zeros(min(1, len(sorted_values)), np.intp), changes])


def _log_sums(values: Floats, starts: Ints) -> Floats:
    """log Σ exp of each group."""
    sizes = np.diff(np.append(starts, len(values)))
    highest = np.maximum.reduceat(values, starts)
    shifted = np.exp(values - np.repeat(highest, sizes))
    sums: Floats = highest + np.log(np.add.reduceat(shifted, starts))
    return sums
