"""Merging: words start as single symbols, and the best adjacent pair becomes one symbol, again and again.

>>> words = [("hen", 5), ("hens", 1), ("ten", 4)]
>>> [f"{merge.left} + {merge.right}: {merge.pair_count}" for merge in merges(words)]
['e + n: 10', 'h + en: 6', 't + en: 4', 'hen + s: 1']

WordPiece and byte-pair encoding both learn their vocabularies this way. Sennrich, Haddow & Birch 2016.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from operator import add
from typing import NamedTuple

CountedWord = tuple[Sequence[str], int]
Joined = Callable[[tuple[str, str]], str]
Criterion = Callable[[int, int, int], float]


def frequency(ab: int, a: int, b: int) -> float:
    """freq(ab): merge what is seen most often."""
    return ab


def likelihood(ab: int, a: int, b: int) -> float:
    """freq(ab) / (freq(a) · freq(b)): merge what is rarely seen apart."""
    return ab / (a * b)


CRITERIA: dict[str, Criterion] = {"frequency": frequency, "likelihood": likelihood}


class Merge(NamedTuple):
    """One step: `left` and `right` became `piece`.

    The counts are those before the merge, which the score was made of. `examples` are the most frequent of the
    words that changed, as they are cut now.
    """

    step: int
    left: str
    right: str
    piece: str
    score: float
    pair_count: int
    left_count: int
    right_count: int
    examples: tuple[tuple[str, ...], ...]


def merges(
    words: Iterable[CountedWord],
    criterion: Criterion = frequency,
    *,
    joined: Joined = "".join,
    min_count: int = 1,
    examples: int = 0,
) -> Iterator[Merge]:
    """Merge the best pair, step by step, until none is left. A word is given as its symbols and its count.

    `joined` writes the symbol that a pair becomes. A pair seen less than `min_count` times is never merged.
    Of equal scores, the pair of the oldest symbols is merged: the first symbols count as made in the order of the
    alphabet, and the left one decides.
    """
    corpus = SegmentedWords(words, joined)
    queue = PairQueue(corpus, criterion, min_count)
    step = 0
    while best := queue.pop():
        step += 1
        score, pair = best
        counts, holders = corpus.counts_of(pair), corpus.holders[pair]
        new = corpus.merge(pair)
        queue.update_after(pair, new)
        changed = corpus.most_frequent(holders, new, examples) if examples else ()
        left, right, piece = corpus.texts_of(pair + new)
        yield Merge(step, left, right, piece, score, *counts, changed)


class SegmentedWords:
    """Words cut into symbols, with the count of every symbol and adjacent pair kept up to date.

    A symbol is written as one character, chr(0) for the oldest and so on: so a word is a string, a pair is a
    string of two, and a merge is `str.replace`. `texts` tells what each symbol stands for.

    Each pair knows the words that hold it, so a merge visits those words only, never the whole corpus.
    Equal stretches between two symbol borders are at all times cut alike, as every merge treats them alike.
    So no piece is made twice, and a pair that is gone does not come back.
    """

    def __init__(self, words: Iterable[CountedWord], joined: Joined = "".join) -> None:
        self.joined = joined
        self.texts: list[str] = []
        self.words: list[str] = []
        self.word_counts: list[int] = []
        self.symbol_counts: defaultdict[str, int] = defaultdict(int)
        self.pair_counts: dict[str, int] = {}
        self.pairs_with: defaultdict[str, set[str]] = defaultdict(set)
        self.holders: defaultdict[str, list[int]] = defaultdict(list)
        self._enter(list(words))

    def texts_of(self, word: str) -> tuple[str, ...]:
        """What the symbols of a word or a pair stand for."""
        return tuple(self.texts[ord(symbol)] for symbol in word)

    def counts_of(self, pair: str) -> tuple[int, int, int]:
        """How often the pair is seen, its left symbol, and its right one."""
        return self.pair_counts[pair], self.symbol_counts[pair[0]], self.symbol_counts[pair[1]]

    def most_frequent(self, indices: Iterable[int], symbol: str, most: int) -> tuple[tuple[str, ...], ...]:
        """The most frequent of these words that hold the symbol, as they are cut now."""
        found = {index for index in indices if symbol in self.words[index]}
        ranked = ((-self.word_counts[index], self.texts_of(self.words[index])) for index in found)
        return tuple(texts for _, texts in heapq.nsmallest(most, ranked))

    def merge(self, pair: str) -> str:
        """Make the pair one symbol wherever it stands, from left to right in each word; return the symbol."""
        left, right = self.texts_of(pair)
        new = self._new_symbol(self.joined((left, right)))
        merged = 0
        change: defaultdict[str, int] = defaultdict(int)
        for index in self.holders.pop(pair):
            word, count = self.words[index], self.word_counts[index]
            start = word.find(pair)
            if start < 0:  # another merge has taken the pair apart here
                continue
            self.words[index] = word.replace(pair, new)
            # No pair has changed but those between the neighbour on the left and the one on the right.
            before = word[max(0, start - 1) : word.rfind(pair) + 3]
            after = before.replace(pair, new)
            merged += count * (len(before) - len(after))
            for seen in pairs_of(before):
                change[seen] -= count
            for seen in pairs_of(after):
                change[seen] += count
                if new in seen:
                    self.holders[seen].append(index)
        self._count_pairs(change)
        self.symbol_counts[new] = merged
        for symbol in pair:
            self.symbol_counts[symbol] -= merged
        return new

    def _enter(self, words: Sequence[CountedWord]) -> None:
        alphabet = sorted({text for symbols, _ in words for text in symbols})
        symbol_of = {text: self._new_symbol(text) for text in alphabet}
        seen: defaultdict[str, int] = defaultdict(int)
        for index, (symbols, count) in enumerate(words):
            word = "".join(map(symbol_of.__getitem__, symbols))
            self.words.append(word)
            self.word_counts.append(count)
            for symbol in word:
                self.symbol_counts[symbol] += count
            for pair in pairs_of(word):
                seen[pair] += count
                self.holders[pair].append(index)
        self._count_pairs(seen)

    def _new_symbol(self, text: str) -> str:
        self.texts.append(text)
        return chr(len(self.texts) - 1)

    def _count_pairs(self, change: Mapping[str, int]) -> None:
        """Change the counts of pairs, and forget those that are no longer seen."""
        for pair, difference in change.items():
            count = self.pair_counts.get(pair, 0) + difference
            if count:
                self.pair_counts[pair] = count
                for symbol in pair:
                    self.pairs_with[symbol].add(pair)
            elif self.pair_counts.pop(pair, 0):
                self.holders.pop(pair, None)
                for symbol in pair:
                    self.pairs_with[symbol].discard(pair)


def pairs_of(word: str) -> Iterator[str]:
    """The adjacent pairs of a word, each a string of two symbols."""
    return map(add, word, word[1:])


class PairQueue:
    """The pairs of a corpus, best score first; of equal scores, the oldest symbols first, as strings compare.

    A pair whose score has risen is entered anew. One whose score has fallen keeps its place until it comes to
    the front, and is then put where it belongs.
    """

    def __init__(self, corpus: SegmentedWords, criterion: Criterion, min_count: int = 1) -> None:
        self.corpus, self.criterion, self.min_count = corpus, criterion, min_count
        self.entered: dict[str, float] = {}
        self.heap: list[tuple[float, str]] = []
        self.enter(corpus.pair_counts)

    def enter(self, pairs: Iterable[str]) -> None:
        """Enter the pairs that are not here yet, or with a lower score."""
        for pair in pairs:
            if self.corpus.pair_counts[pair] >= self.min_count:
                score = self.criterion(*self.corpus.counts_of(pair))
                if pair not in self.entered or score > self.entered[pair]:
                    self.entered[pair] = score
                    heapq.heappush(self.heap, (-score, pair))

    def pop(self) -> tuple[float, str] | None:
        """The best score in the corpus as it is now, and its pair; None when nothing is left to merge."""
        while self.heap:
            negative_score, pair = heapq.heappop(self.heap)
            if self.entered.get(pair) != -negative_score:  # a later entry has come before
                continue
            del self.entered[pair]
            if pair in self.corpus.pair_counts:
                score = self.criterion(*self.corpus.counts_of(pair))
                if score == -negative_score and self.corpus.pair_counts[pair] >= self.min_count:
                    return score, pair
                self.enter([pair])
        return None

    def update_after(self, pair: str, new: str) -> None:
        """Enter the pairs of the new symbol, and those whose score rose as one of their parts is seen less."""
        self.enter(self.corpus.pairs_with[new])
        if self.criterion is not frequency:
            for symbol in set(pair):
                self.enter(self.corpus.pairs_with[symbol])
