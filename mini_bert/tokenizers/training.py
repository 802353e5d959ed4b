"""WordPiece learning: grow a vocabulary from single characters by merging the best adjacent pair.

    score(a, b) = freq(ab) / (freq(a) · freq(b))      likelihood: the gain in log-likelihood per merge
    score(a, b) = freq(ab)                            frequency: as in byte-pair encoding

Schuster & Nakajima 2012 (likelihood); Sennrich, Haddow & Birch 2016 (frequency). `merging.py` does the merging.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice

from mini_bert.errors import unknown
from mini_bert.reports import Report, silent
from mini_bert.tokenizers.learning import letter_counts
from mini_bert.tokenizers.merging import CRITERIA, CountedWord, Merge, merges
from mini_bert.tokenizers.notices import warn_caller, warn_of_few
from mini_bert.tokenizers.special import SPECIAL_TOKENS

CONTINUATION = "##"
LIMIT_ALPHABET = 1000
WORTH_A_WARNING = 0.01


def learn_wordpieces(
    word_counts: Mapping[str, int],
    vocab_size: int,
    criterion: str = "frequency",
    *,
    min_frequency: int = 1,
    limit_alphabet: int | None = LIMIT_ALPHABET,
    special_tokens: Sequence[str] = SPECIAL_TOKENS,
    report: Report = silent,
) -> list[str]:
    """The special tokens, the alphabet, then the merged pieces in the order of their learning.

    Four words, with their counts; `##` marks a piece that continues a word:

        h ##e ##n ×5    h ##e ##n ##s ×1    t ##e ##n ×4    q ##u ##i ##z ×2

    By frequency, `##e ##n` comes first: it is seen 10 times. Then `h ##en` (6) and `t ##en` (4).

    >>> counts = {"hen": 5, "hens": 1, "ten": 4, "quiz": 2}
    >>> vocab = learn_wordpieces(counts, vocab_size=23, criterion="frequency")
    >>> " ".join(vocab[5:20])
    '##e ##i ##n ##s ##u ##z e h i n q s t u z'
    >>> vocab[20:]
    ['##en', 'hen', 'ten']

    By likelihood, `##e ##n` scores 10 / (10 · 10) = 0.1, as both parts are common. The letters of `quiz`
    are seen together only: 2 / (2 · 2) = 0.5. Among equals the pair of the oldest symbols is merged, and the
    alphabet counts as made in its order.

    >>> learn_wordpieces(counts, vocab_size=23, criterion="likelihood")[20:]
    ['##iz', '##uiz', 'quiz']

    Once every word is one piece, nothing is left to merge: the vocabulary stays smaller than asked, and a
    warning says so. A pair seen less than `min_frequency` times is not merged; likelihood, which likes rare
    pairs best, needs that on real text.

    Only the `limit_alphabet` most frequent characters enter the alphabet (None: all). A word with another one
    will be [UNK], and is not learned from. A letter that was seen only inside words may begin one, too.
    `special_tokens` open the vocabulary.
    `report` is told now and then the share that is done, and a note.
    """
    words, alphabet = _start(word_counts, vocab_size, limit_alphabet, special_tokens)
    vocab = dict.fromkeys([*special_tokens, *alphabet])
    interval = max(1, vocab_size // 100)
    for merge in _best_merges(words, vocab_size - len(vocab), criterion, min_frequency):
        vocab[merge.piece] = None
        if len(vocab) % interval == 0:
            report(len(vocab) / vocab_size, f"{len(vocab):,} pieces")
    report(1.0, f"{len(vocab):,} pieces")
    if len(vocab) < vocab_size:
        warn_of_few(len(vocab), vocab_size, min_frequency)
    return list(vocab)


def explain_merges(
    word_counts: Mapping[str, int],
    vocab_size: int,
    criterion: str = "frequency",
    *,
    min_frequency: int = 1,
    limit_alphabet: int | None = LIMIT_ALPHABET,
    examples: int = 3,
) -> Iterator[Merge]:
    """The merges that `learn_wordpieces` does, each with its score and with words that it changed.

    >>> for merge in explain_merges({"hen": 5, "hens": 1, "ten": 4}, vocab_size=16):
    ...     print(merge.left, "+", merge.right, "=", merge.score, *map("|".join, merge.examples))
    ##e + ##n = 10 h|##en t|##en h|##en|##s
    h + ##en = 6 hen hen|##s
    t + ##en = 4 ten
    """
    words, alphabet = _start(word_counts, vocab_size, limit_alphabet)
    room = vocab_size - len(SPECIAL_TOKENS) - len(alphabet)
    return _best_merges(words, room, criterion, min_frequency, examples)


def joined(pair: tuple[str, str]) -> str:
    """`h` and `##en` make `hen`; `##e` and `##n` make `##en`."""
    return pair[0] + pair[1].removeprefix(CONTINUATION)


def _start(
    word_counts: Mapping[str, int],
    vocab_size: int,
    limit_alphabet: int | None,
    special_tokens: Sequence[str] = SPECIAL_TOKENS,
) -> tuple[list[CountedWord], list[str]]:
    """The words cut into characters, and their alphabet."""
    kept = _within_limit(word_counts, limit_alphabet)
    alphabet = alphabet_of(kept)
    _check_room_for(alphabet, vocab_size, special_tokens)
    return [(_characters(word), count) for word, count in kept.items()], alphabet


def alphabet_of(words: Iterable[str]) -> list[str]:
    """The characters, each of which may begin a word, and the ##characters that continue one.

    >>> alphabet_of(["hen", "ten"])
    ['##e', '##n', 'e', 'h', 'n', 't']
    """
    alphabet = {symbol for word in words for symbol in _characters(word)}
    return sorted(alphabet | {symbol.removeprefix(CONTINUATION) for symbol in alphabet})


def _best_merges(
    words: list[CountedWord], room: int, criterion: str, min_frequency: int, examples: int = 0
) -> Iterator[Merge]:
    if criterion not in CRITERIA:
        raise ValueError(unknown("criterion", criterion, list(CRITERIA)))
    if min_frequency < 1:
        raise ValueError(f"min_frequency={min_frequency}: a pair is seen at least once; choose 1 or more")
    found = merges(words, CRITERIA[criterion], joined=joined, min_count=min_frequency, examples=examples)
    return islice(found, room)


def _characters(word: str) -> list[str]:
    return [word[0], *(CONTINUATION + char for char in word[1:])]


def _within_limit(word_counts: Mapping[str, int], limit: int | None) -> Mapping[str, int]:
    """The words without those that hold a character beyond the limit."""
    if limit is None:
        return word_counts
    if limit < 1:
        raise ValueError(
            f"limit_alphabet={limit}: no character is left; choose 1 or more, or None for no limit"
        )
    seen = letter_counts(word_counts)
    if len(seen) <= limit:
        return word_counts
    alphabet = set(islice(seen, limit))
    kept = {word: count for word, count in word_counts.items() if alphabet.issuperset(word)}
    lost = 1 - sum(kept.values()) / sum(word_counts.values())
    if lost > WORTH_A_WARNING:
        warn_caller(
            f"limit_alphabet={limit} leaves out {len(seen) - limit:,} characters, and {lost:.1%} of the words"
            " become [UNK]; keep more characters (limit_alphabet, --limit-alphabet)"
        )
    return kept


def _check_room_for(alphabet: Sequence[str], vocab_size: int, special_tokens: Sequence[str]) -> None:
    needed = len({*special_tokens, *alphabet})
    if vocab_size < needed:
        raise ValueError(
            f"vocab_size={vocab_size} is too small for the {len(special_tokens)} special"
            f" tokens and an alphabet of {len(alphabet)} (characters that begin a word and those that"
            f" continue one); choose {needed} or more, keep fewer characters (limit_alphabet,"
            " --limit-alphabet), or train on text that has fewer"
        )
