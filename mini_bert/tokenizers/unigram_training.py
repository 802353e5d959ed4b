"""Unigram learning: start from far too many pieces, and drop those that are missed least.

    L = Σ over words of count(word) · log p(word),      p(word) = Σ over ways to cut it of Π p(piece)

1. The seeds are the characters and the frequent substrings of words.
2. EM raises L. E: how often is each piece expected, when every word is cut in every way according to its
   probability (`lattices.py`)? M: p(piece) ∝ its expected count.
3. A quarter of the pieces goes: those without which L falls least. A character never goes, so that every word can be
   cut. Back to 2, until few enough are left.

Kudo 2018.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from math import log

import numpy as np

from mini_bert.reports import Report, silent
from mini_bert.tokenizers.lattices import Floats, Ints, Lattices
from mini_bert.tokenizers.learning import NO_WORD, letter_counts
from mini_bert.tokenizers.notices import warn_of_few

COVERAGE = 0.9995
LONGEST_PIECE = 16
LONGEST_WORD = 100
SEEDS = 1_000_000
EM_STEPS = 2
KEPT = 0.75
SELDOM = 0.5
"""A piece that is expected less often than this is dropped at once."""


def learn_unigrams(
    word_counts: Mapping[str, int],
    vocab_size: int,
    *,
    coverage: float = COVERAGE,
    special_tokens: Collection[str] = (),
    report: Report = silent,
) -> list[tuple[str, float]]:
    """Pieces and their log-probabilities, the most probable first: `vocab_size` with the special tokens, or less.

    >>> counts = {"▁hen": 5, "▁hens": 1, "▁ten": 4, "▁tens": 3}
    >>> [piece for piece, _ in learn_unigrams(counts, 8)]
    ['▁ten', '▁hen', 's', 'e', 'h', 'n', 't', '▁']

    Of the characters, the most frequent are kept until they make up the share `coverage` of the text; words are cut
    at the others, which will be unknown. `special_tokens` are not learned. `report` is told now and then the share
    that is done, and a note.
    """
    alphabet = [char for char in covering_alphabet(word_counts, coverage) if char not in special_tokens]
    room = vocab_size - len(special_tokens)
    _check_room_for(alphabet, vocab_size, len(special_tokens))
    words = _within(word_counts, set(alphabet))
    if not words:
        raise ValueError(NO_WORD)
    seeds = [piece for piece in seed_pieces(words) if piece not in special_tokens]
    model = Model(alphabet, seeds, words)
    begin = model.size
    while True:
        for _ in range(EM_STEPS):
            model.improve(room)
        if model.size <= room:
            break
        model.prune(max(room, int(model.size * KEPT)))
        done = log(begin / model.size) / log(begin / room)
        per_word = model.likelihood / model.word_counts.sum()
        report(min(1.0, done), f"{model.size:,} pieces left, log-likelihood {per_word:.2f} per word")
    if model.size < room:
        warn_of_few(model.size + len(special_tokens), vocab_size)
    return model.ranked()


def covering_alphabet(word_counts: Mapping[str, int], coverage: float) -> list[str]:
    """The most frequent characters that together make up the share `coverage` of all text."""
    if not 0 < coverage <= 1:
        raise ValueError(
            f"coverage={coverage}: it is a share of the text; choose one above 0, and 1 for every character"
        )
    seen = letter_counts(word_counts)
    wanted, covered = coverage * sum(seen.values()), 0
    for size, count in enumerate(seen.values(), start=1):
        covered += count
        if covered >= wanted:
            return [*seen][:size]
    return [*seen]


def seed_pieces(word_counts: Mapping[str, int], most: int = SEEDS) -> list[str]:
    """Substrings of 2 to 16 letters that occur at least twice, those of the most text first: count · length.

    Left out is what only ever occurs within the same longer substring, which says as much and more.

    >>> seed_pieces({"▁hen": 5, "▁hens": 1, "▁ten": 4})
    ['▁hen', 'en', '▁ten']
    """
    scores: dict[str, int] = {}
    shorter: Counter[str] = Counter()
    places: list[tuple[str, int, Sequence[int]]] = [
        (word, count, range(len(word) - 1)) for word, count in word_counts.items()
    ]
    for length in range(2, LONGEST_PIECE + 2):
        counts: Counter[str] = Counter()
        for word, count, starts in places:
            for start in starts:
                counts[word[start : start + length]] += count
        longer = {piece: count for piece, count in counts.items() if count > 1}
        absorbed = {
            part for piece, n in longer.items() for part in (piece[1:], piece[:-1]) if shorter[part] == n
        }
        scores.update((piece, n * (length - 1)) for piece, n in shorter.items() if piece not in absorbed)
        shorter = Counter(longer)
        places = [
            (word, count, kept)
            for word, count, starts in places
            if (kept := [s for s in starts if s + length < len(word) and word[s : s + length] in longer])
        ]
    return sorted(scores, key=lambda piece: (-scores[piece], piece))[:most]


class Model:
    """Pieces with scores, and the words they are learned from."""

    def __init__(self, alphabet: list[str], seeds: list[str], word_counts: Mapping[str, int]) -> None:
        self.pieces = [*alphabet, *seeds]
        self.letters = len(alphabet)
        numbered = {piece: index for index, piece in enumerate(self.pieces)}
        self.word_counts = np.array(list(word_counts.values()), np.float64)
        self.words = Lattices(list(word_counts), numbered)
        self.parts = Lattices(self.pieces, numbered, proper=True)
        self.scores = np.full(len(self.pieces), -log(len(self.pieces)))
        self.likelihood = -np.inf

    @property
    def size(self) -> int:
        return len(self.pieces)

    def improve(self, at_least: int) -> None:
        """One step of EM. Pieces that are hardly expected go, letters excepted, as long as so many are left."""
        expected, self.likelihood = self.words.expected_counts(self.scores, self.word_counts)
        self.scores = log_shares(np.maximum(expected, SELDOM))
        expected[: self.letters] = np.inf
        self.keep_best(expected, max(at_least, int((expected >= SELDOM).sum())))

    def prune(self, size: int) -> None:
        """Keep the letters, and of the other pieces those whose loss would be greatest, `size` in all."""
        loss = self.losses()
        loss[: self.letters] = np.inf
        self.keep_best(loss, size)

    def losses(self) -> Floats:
        """How much L would fall without each piece.

        Where the piece stands in the best cut of a word, its letters would be cut in the next best way, whose pieces
        would become more frequent by that.
        """
        used, word = self.words.best_cuts(self.scores)
        count = np.bincount(used, self.word_counts[word], self.size)
        total = count.sum()
        part, owner = self.parts.best_cuts(self.scores)
        parts = np.bincount(owner, minlength=self.size)
        new_total = total + count * (parts - 1)
        with np.errstate(divide="ignore", invalid="ignore"):
            instead = np.bincount(owner, np.log(count[part] + count[owner]), self.size) - parts * np.log(
                new_total
            )
            loss: Floats = np.where(count > 0, count * (np.log(count / total) - instead), 0.0)
        return loss

    def keep_best(self, worth: Floats, size: int) -> None:
        """Forget all pieces but those that are worth most."""
        if size >= self.size:
            return
        kept = np.zeros(self.size, bool)
        kept[np.argsort(-worth, kind="stable")[:size]] = True
        new_ids: Ints = np.where(kept, np.cumsum(kept) - 1, -1).astype(np.int32)
        self.pieces = [piece for piece, stays in zip(self.pieces, kept, strict=True) if stays]
        self.scores = self.scores[kept]
        self.words.restrict(new_ids)
        self.parts.restrict(new_ids, new_ids)

    def ranked(self) -> list[tuple[str, float]]:
        """The pieces and their scores, the best first."""
        scored = zip(self.pieces, self.scores.tolist(), strict=True)
        return sorted(scored, key=lambda entry: (-entry[1], entry[0]))


def log_shares(counts: Floats) -> Floats:
    shares: Floats = np.log(counts) - np.log(counts.sum())
    return shares


def _within(word_counts: Mapping[str, int], alphabet: set[str]) -> Counter[str]:
    """The words, cut at letters outside the alphabet, and endless ones every 100 letters.

    The same, whatever their order was.
    """
    kept: Counter[str] = Counter()
    for word, count in sorted(word_counts.items()):
        parts = [word]
        if not alphabet.issuperset(word):
            parts = "".join(char if char in alphabet else "\n" for char in word).split("\n")
        for part in parts:
            for start in range(0, len(part), LONGEST_WORD):
                kept[part[start : start + LONGEST_WORD]] += count
    return kept


def _check_room_for(alphabet: list[str], vocab_size: int, special: int) -> None:
    needed = special + len(alphabet)
    if vocab_size < needed:
        raise ValueError(
            f"vocab_size={vocab_size} is too small for the {special} special tokens and an alphabet of"
            f" {len(alphabet)}; choose {needed} or more, keep fewer characters (coverage, --coverage), or train on"
            " text that has fewer"
        )
