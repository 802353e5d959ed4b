"""Byte-level BPE learning: from the 256 bytes on, the most frequent adjacent pair becomes one piece.

>>> learn_merges({"hen": 5, "hens": 1, "ten": 4}, most=3)
[('e', 'n'), ('h', 'en'), ('t', 'en')]

Sennrich, Haddow & Birch 2016; Radford et al. 2019. `merging.py` does the merging.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice

from mini_bert.reports import Report, part, silent
from mini_bert.tokenizers.added import AddedToken, AddedTokens
from mini_bert.tokenizers.arguments import check_vocab_size
from mini_bert.tokenizers.byte_symbols import BYTE_SYMBOLS, utf8
from mini_bert.tokenizers.gpt2_words import after_space, chunks, words
from mini_bert.tokenizers.learning import NO_WORD, FilesOrTexts, counted, texts_from
from mini_bert.tokenizers.merging import merges
from mini_bert.tokenizers.notices import warn_of_few

ALPHABET = sorted(BYTE_SYMBOLS)


class NumberedPieces:
    """Pieces in the order of their learning, each known to `merges` by its number, written as one character.

    Of equally frequent pairs the one that sorts first is merged. By number, that is the one of the older pieces,
    as in the reference implementation.
    """

    def __init__(self) -> None:
        self.pieces = list(ALPHABET)
        self.number_of_byte = {byte: chr(ALPHABET.index(symbol)) for byte, symbol in enumerate(BYTE_SYMBOLS)}

    def of_word(self, word: str) -> str:
        return "".join(map(self.number_of_byte.__getitem__, utf8(word)))

    def joined(self, pair: tuple[str, str]) -> str:
        """A new piece of two."""
        self.pieces.append(self[pair[0]] + self[pair[1]])
        return chr(len(self.pieces) - 1)

    def __getitem__(self, number: str) -> str:
        return self.pieces[ord(number)]


def learn_merges(
    word_counts: Mapping[str, int], most: int, *, min_frequency: int = 1, report: Report = silent
) -> list[tuple[str, str]]:
    """At most so many merges, best first. A pair seen less than `min_frequency` times is not merged."""
    if min_frequency < 1:
        raise ValueError(f"min_frequency={min_frequency}: a pair is seen at least once; choose 1 or more")
    pieces = NumberedPieces()
    numbered = ((pieces.of_word(word), count) for word, count in word_counts.items())
    learned: list[tuple[str, str]] = []
    interval = max(1, most // 100)
    for merge in islice(merges(numbered, joined=pieces.joined, min_count=min_frequency), most):
        learned.append((pieces[merge.left], pieces[merge.right]))
        if len(learned) % interval == 0:
            report(len(learned) / most, f"{len(learned):,} merges")
    report(1.0, f"{len(learned):,} merges")
    return learned


def learn_vocabulary(
    files_or_texts: FilesOrTexts,
    vocab_size: int,
    special: Sequence[AddedToken],
    *,
    add_prefix_space: bool = False,
    min_frequency: int = 1,
    report: Report = silent,
) -> tuple[list[str], list[tuple[str, str]]]:
    """The special tokens, the bytes, the pieces; and the merges that make the pieces."""
    check_vocab_size(vocab_size)
    opening = list(dict.fromkeys([*(token.content for token in special), *ALPHABET]))
    most = vocab_size - len(opening)
    if most < 0:
        raise ValueError(
            f"vocab_size={vocab_size} is too small for the {len(special)} special tokens and the 256"
            f" bytes; choose {len(opening)} or more"
        )
    counting = part(report, 0.0, 0.5)
    counts = word_counts(texts_from(files_or_texts), AddedTokens(special), add_prefix_space, counting)
    if not counts:
        raise ValueError(NO_WORD)
    learned = learn_merges(counts, most, min_frequency=min_frequency, report=part(report, 0.5, 1.0))
    vocab = list(dict.fromkeys([*opening, *map("".join, learned)]))
    if len(vocab) < vocab_size:
        warn_of_few(len(vocab), vocab_size, min_frequency)
    return vocab, learned


def word_counts(
    texts: Iterable[str], special: AddedTokens, add_prefix_space: bool = False, report: Report = silent
) -> Counter[str]:
    """How often each word occurs, special tokens left out."""

    def cut(text: str) -> Iterator[str]:
        for stretch in special.split(text):
            if stretch.token is None:
                yield from chunks(after_space(stretch.text) if add_prefix_space else stretch.text)

    return counted(texts, cut, words, report)
