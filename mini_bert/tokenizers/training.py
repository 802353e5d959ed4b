"""WordPiece learning: grow a vocabulary from single characters by merging the best adjacent pair.

    score(a, b) = freq(ab) / (freq(a) · freq(b))      likelihood: the gain in log-likelihood per merge
    score(a, b) = freq(ab)                            frequency: as in byte-pair encoding

Schuster & Nakajima 2012 (likelihood); Sennrich, Haddow & Birch 2016 (frequency).
"""

import heapq
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from itertools import pairwise

from mini_bert.errors import unknown
from mini_bert.tokenizers.special import SPECIAL_TOKENS

CONTINUATION = "##"

Pair = tuple[str, str]
Criterion = Callable[[int, int, int], float]


def frequency(ab: int, a: int, b: int) -> float:
    """freq(ab): merge what is seen most often."""
    return ab


def likelihood(ab: int, a: int, b: int) -> float:
    """freq(ab) / (freq(a) · freq(b)): merge what is rarely seen apart."""
    return ab / (a * b)


CRITERIA: dict[str, Criterion] = {"frequency": frequency, "likelihood": likelihood}


def learn_wordpieces(
    word_counts: Mapping[str, int], vocab_size: int, criterion: str = "frequency"
) -> list[str]:
    """The special tokens, the alphabet, then the merged pieces in the order of their learning.

    Four words, with their counts; `##` marks a piece that continues a word:

        h ##e ##n ×5    h ##e ##n ##s ×1    t ##e ##n ×4    q ##u ##i ##z ×2

    By frequency, `##e ##n` comes first: it is seen 10 times. Then `h ##en` (6) and `t ##en` (4).

    >>> counts = {"hen": 5, "hens": 1, "ten": 4, "quiz": 2}
    >>> learn_wordpieces(counts, vocab_size=17, criterion="frequency")[5:]
    ['##e', '##i', '##n', '##s', '##u', '##z', 'h', 'q', 't', '##en', 'hen', 'ten']

    By likelihood, `##e ##n` scores 10 / (10 · 10) = 0.1, as both parts are common. The letters of `quiz`
    are seen together only: 2 / (2 · 2) = 0.5. Among equals the alphabetically first pair is merged.

    >>> learn_wordpieces(counts, vocab_size=17, criterion="likelihood")[14:]
    ['##iz', '##uiz', 'quiz']

    Once every word is one piece, nothing is left to merge, and the vocabulary stays smaller than asked.

    >>> len(learn_wordpieces(counts, vocab_size=1000))
    21
    """
    score = _criterion_named(criterion)
    corpus = SegmentedWords(word_counts)
    alphabet = sorted(corpus.symbol_counts)
    _check_room_for(alphabet, vocab_size)
    vocab = [*SPECIAL_TOKENS, *alphabet]
    queue = PairQueue(corpus, score)
    while len(vocab) < vocab_size and (pair := queue.pop()):
        vocab.append(joined(pair))
        queue.update(corpus.merge(pair))
    return vocab


def joined(pair: Pair) -> str:
    """`h` and `##en` make `hen`; `##e` and `##n` make `##en`."""
    return pair[0] + pair[1].removeprefix(CONTINUATION)


class SegmentedWords:
    """Distinct words cut into symbols, with the count of every symbol and adjacent pair kept up to date.

    Each pair knows the words that hold it, so a merge visits those words only, never the whole corpus.
    Equal stretches between two symbol borders are at all times cut alike, as every merge treats them alike.
    So no piece is made twice, and a pair that is gone does not come back.
    """

    def __init__(self, word_counts: Mapping[str, int]) -> None:
        self.words = [_characters(word) for word in word_counts]
        self.word_counts = list(word_counts.values())
        self.symbol_counts: Counter[str] = Counter()
        self.pair_counts: Counter[Pair] = Counter()
        self.holders: defaultdict[Pair, set[int]] = defaultdict(set)
        self.pairs_with: defaultdict[str, set[Pair]] = defaultdict(set)
        for index in range(len(self.words)):
            self._enter(index)

    def merge(self, pair: Pair) -> set[Pair]:
        """Join the pair wherever it stands; return every pair whose score may have changed."""
        for index in tuple(self.holders[pair]):
            self._withdraw(index)
            self.words[index] = _merged(self.words[index], pair)
            self._enter(index)
        return set().union(*(self.pairs_with[symbol] for symbol in (*pair, joined(pair))))

    def _enter(self, index: int) -> None:
        word, count = self.words[index], self.word_counts[index]
        for symbol in word:
            self.symbol_counts[symbol] += count
        for pair in pairwise(word):
            self.pair_counts[pair] += count
            self.holders[pair].add(index)
            for symbol in pair:
                self.pairs_with[symbol].add(pair)

    def _withdraw(self, index: int) -> None:
        word, count = self.words[index], self.word_counts[index]
        for symbol in word:
            self.symbol_counts[symbol] -= count
        for pair in pairwise(word):
            self.pair_counts[pair] -= count
            self.holders[pair].discard(index)
            if not self.pair_counts[pair]:
                for symbol in pair:
                    self.pairs_with[symbol].discard(pair)


class PairQueue:
    """The pairs of a corpus, best score first; equal scores in alphabetical order.

    A changed score is pushed anew and its older entry is passed over when it surfaces.
    """

    def __init__(self, corpus: SegmentedWords, criterion: Criterion) -> None:
        self.corpus, self.criterion = corpus, criterion
        self.scores: dict[Pair, float] = {}
        self.heap: list[tuple[float, Pair]] = []
        self.update(corpus.pair_counts)

    def update(self, pairs: Iterable[Pair]) -> None:
        """Push the pairs whose score is no longer the one last pushed."""
        for pair in pairs:
            score = self._score(pair)
            if self.scores.get(pair) != score:
                self.scores[pair] = score
                heapq.heappush(self.heap, (-score, pair))

    def pop(self) -> Pair | None:
        """The best pair of the corpus as it is now, or None when every word is a single symbol."""
        while self.heap:
            negative_score, pair = heapq.heappop(self.heap)
            if self.corpus.pair_counts[pair] and self.scores[pair] == -negative_score:
                return pair
        return None

    def _score(self, pair: Pair) -> float:
        a, b = (self.corpus.symbol_counts[symbol] for symbol in pair)
        return self.criterion(self.corpus.pair_counts[pair], a, b)


def _characters(word: str) -> list[str]:
    return [word[0], *(CONTINUATION + char for char in word[1:])]


def _merged(word: list[str], pair: Pair) -> list[str]:
    """The word with each occurrence of the pair, from left to right, made one symbol."""
    merged: list[str] = []
    for symbol in word:
        if merged and (merged[-1], symbol) == pair:
            merged[-1] = joined(pair)
        else:
            merged.append(symbol)
    return merged


def _criterion_named(name: str) -> Criterion:
    if name in CRITERIA:
        return CRITERIA[name]
    raise ValueError(unknown("criterion", name, list(CRITERIA)))


def _check_room_for(alphabet: list[str], vocab_size: int) -> None:
    needed = len(SPECIAL_TOKENS) + len(alphabet)
    if vocab_size < needed:
        raise ValueError(
            f"learn_wordpieces: vocab_size={vocab_size} is too small for the {len(SPECIAL_TOKENS)} special"
            f" tokens and an alphabet of {len(alphabet)} (characters that begin a word and those that"
            f" continue one); choose vocab_size >= {needed}, or train on text with fewer distinct characters"
        )
