"""Learning a vocabulary: the incremental merging against its definition, ties, limits, warnings, explanations."""

import doctest
import importlib
import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mini_bert.tokenizers.merging import (
    CRITERIA,
    Criterion,
    Merge,
    PairQueue,
    SegmentedWords,
    merges,
    pairs_of,
)
from mini_bert.tokenizers.training import explain_merges, joined, learn_wordpieces

HENS = {"hen": 5, "hens": 1, "ten": 4, "quiz": 2}
HENS_ALPHABET = ["##e", "##i", "##n", "##s", "##u", "##z", *"ehinqstuz"]

WORDS = st.dictionaries(st.text("abc", min_size=1, max_size=9), st.integers(1, 9), min_size=1, max_size=12)
REPEATS = {"aaaaa": 1, "baaab": 2, "abababa": 3}


@pytest.mark.parametrize("module", ["merging", "training"])
def test_docstring_examples(module: str) -> None:
    result = doctest.testmod(importlib.import_module(f"mini_bert.tokenizers.{module}"))
    assert result.attempted
    assert not result.failed


def by_definition(
    words: list[tuple[Sequence[str], int]], criterion: Criterion, min_count: int
) -> list[tuple[object, ...]]:
    """Count everything anew before every merge, then look at every word for the best pair."""
    cuts = [list(symbols) for symbols, _ in words]
    made = sorted({symbol for cut in cuts for symbol in cut})
    done: list[tuple[object, ...]] = []
    while True:
        symbols: Counter[str] = Counter()
        pairs: Counter[tuple[str, str]] = Counter()
        for cut, (_, count) in zip(cuts, words, strict=True):
            for symbol in cut:
                symbols[symbol] += count
            for pair in pairwise(cut):
                pairs[pair] += count
        scores = {
            (a, b): criterion(count, symbols[a], symbols[b])
            for (a, b), count in pairs.items()
            if count >= min_count
        }
        if not scores:
            return done
        a, b = best = min(scores, key=lambda pair: (-scores[pair], *map(made.index, pair)))
        for cut in cuts:
            place = 0
            while place < len(cut) - 1:
                if cut[place : place + 2] == [a, b]:
                    cut[place : place + 2] = [a + b]
                place += 1
        made.append(a + b)
        done.append((len(done) + 1, a, b, a + b, scores[best], pairs[best], symbols[a], symbols[b], ()))


@pytest.mark.parametrize("criterion", CRITERIA.values(), ids=CRITERIA)
@given(counts=WORDS, min_count=st.integers(1, 5))
@example(counts=REPEATS, min_count=1)
def test_every_merge_is_the_one_that_a_full_recount_would_choose(
    criterion: Criterion, counts: dict[str, int], min_count: int
) -> None:
    words = list(counts.items())
    assert list(merges(words, criterion, min_count=min_count)) == by_definition(words, criterion, min_count)


@pytest.mark.parametrize("criterion", CRITERIA.values(), ids=CRITERIA)
@given(counts=WORDS)
@example(counts=REPEATS)
def test_counts_are_those_of_the_words_after_every_merge(
    criterion: Criterion, counts: dict[str, int]
) -> None:
    corpus = SegmentedWords(counts.items())
    queue = PairQueue(corpus, criterion)
    assert_consistent(corpus, counts)
    while best := queue.pop():
        _, pair = best
        new = corpus.merge(pair)
        queue.update_after(pair, new)
        assert pair not in corpus.pair_counts
        assert_consistent(corpus, counts)
    assert all(len(word) == 1 for word in corpus.words)
    assert len(set(corpus.texts)) == len(corpus.texts), "a piece was made twice"


def assert_consistent(corpus: SegmentedWords, counts: Mapping[str, int]) -> None:
    symbols: Counter[str] = Counter()
    pairs: Counter[str] = Counter()
    for index, (word, text) in enumerate(zip(corpus.words, counts, strict=True)):
        assert "".join(corpus.texts_of(word)) == text
        for symbol in word:
            symbols[symbol] += counts[text]
        for pair in pairs_of(word):
            pairs[pair] += counts[text]
            assert index in corpus.holders[pair]
    assert symbols == {symbol: count for symbol, count in corpus.symbol_counts.items() if count}
    assert pairs == corpus.pair_counts
    for symbol in corpus.symbol_counts:
        assert corpus.pairs_with[symbol] == {pair for pair in pairs if symbol in pair}


def test_symbols_may_be_longer_than_a_character_and_words_may_come_from_a_stream() -> None:
    stream = ((symbols, count) for symbols, count in [(("Ġ", "th", "e"), 3), (["th", "e"], 1)])
    assert [merge.piece for merge in merges(stream)] == ["the", "Ġthe"]


def test_of_equal_scores_the_oldest_symbols_go_first_whatever_the_order_of_the_words() -> None:
    expected = ["ab", "cd", "ef"]
    assert [merge.piece for merge in merges([("ef", 2), ("cd", 2), ("ab", 2)])] == expected
    assert [merge.piece for merge in merges([("ab", 2), ("ef", 2), ("cd", 2)])] == expected
    # Once `ab` is made, it is younger than every letter, though it stands before `c` in the alphabet.
    assert [merge.piece for merge in merges([("ab", 2), ("abe", 1), ("cd", 1)])] == ["ab", "cd", "abe"]


def test_a_run_of_one_letter_is_merged_from_the_left() -> None:
    (first, *_) = merges([("aaaaa", 1)], examples=1)
    assert first.pair_count == 4
    assert first.examples == (("aa", "aa", "a"),)


def test_likelihood_rises_when_a_part_becomes_rarer() -> None:
    words = [("ac", 6), ("ab", 2), ("db", 2), ("d", 18), ("ef", 10)]
    found = [(merge.piece, merge.score) for merge in merges(words, CRITERIA["likelihood"])]
    # At first a + b scores 2 / (8 · 4), below e + f; then ac takes six of the eight a's away.
    assert found[:3] == [("ac", 6 / (8 * 6)), ("ab", 2 / (2 * 4)), ("ef", 10 / (10 * 10))]


@pytest.mark.parametrize("criterion", CRITERIA)
def test_explained_merges_are_the_learned_ones(criterion: str) -> None:
    explained = list(explain_merges(HENS, 24, criterion))
    assert [merge.piece for merge in explained] == learn_wordpieces(HENS, 24, criterion)[20:]
    assert [merge.step for merge in explained] == [1, 2, 3, 4]
    assert all(merge.piece == joined((merge.left, merge.right)) for merge in explained)


def test_an_explanation_shows_score_counts_and_the_most_frequent_words() -> None:
    explained = explain_merges(HENS, 21, "likelihood")
    assert list(explained) == [
        Merge(1, "##i", "##z", "##iz", 2 / (2 * 2), 2, 2, 2, (("q", "##u", "##iz"),)),
    ]
    (first,) = explain_merges(HENS, 21, examples=2)
    assert first.examples == (("h", "##en"), ("t", "##en"))


def test_rare_pairs_are_left_alone() -> None:
    learned = [merge.piece for merge in explain_merges(HENS, 100, min_frequency=4)]
    assert learned == ["##en", "hen", "ten"]
    with pytest.raises(ValueError, match="min_frequency=0: a pair is seen at least once; choose 1 or more"):
        learn_wordpieces(HENS, 20, min_frequency=0)


def test_the_rarest_characters_are_cut_and_their_words_not_learned_from() -> None:
    counts = {"hen": 500, "ten": 400, "zen": 2, "東": 1}
    vocab = learn_wordpieces(counts, 14, limit_alphabet=4)
    assert vocab[5:] == ["##e", "##n", "e", "h", "n", "t", "##en", "hen", "ten"]
    assert "東" in learn_wordpieces(counts, 14, limit_alphabet=None)
    # Of equally rare characters the first in the order of Unicode stays.
    assert {"x", "##x", "y"} & set(learn_wordpieces({"aa": 900, "y": 1, "x": 1}, 8, limit_alphabet=2)) == {
        "x"
    }


def test_a_limit_that_costs_words_is_told() -> None:
    with pytest.warns(
        UserWarning, match=r"limit_alphabet=5 leaves out 4 characters, and 25\.0% of the words"
    ):
        vocab = learn_wordpieces(HENS, 11, limit_alphabet=5)
    assert not {"q", "##u", "##z"} & set(vocab)


def test_a_limit_of_no_characters() -> None:
    with pytest.raises(ValueError, match=r"limit_alphabet=0: no character is left; .* or None for no limit"):
        learn_wordpieces(HENS, 20, limit_alphabet=0)


def test_the_room_is_measured_after_the_limit() -> None:
    counts = {"hen": 500, **{chr(0x4E00 + i): 1 for i in range(5)}}
    with pytest.raises(
        ValueError, match=r"vocab_size=12 is too small .* alphabet of 10 .*limit_alphabet, --limit-alphabet"
    ):
        learn_wordpieces(counts, 12)
    assert len(learn_wordpieces(counts, 10, limit_alphabet=3)) == 10


def test_any_letter_may_begin_a_word() -> None:
    vocab = learn_wordpieces(HENS, 21)
    assert vocab[5:] == [*HENS_ALPHABET, "##en"]
    with pytest.raises(ValueError, match="alphabet of 15"):
        learn_wordpieces(HENS, 19)


def test_a_text_too_poor_for_the_vocabulary_is_told() -> None:
    with pytest.warns(UserWarning, match=r"pieces for only 27 of vocab_size=8,192; train on more text, or"):
        assert len(learn_wordpieces(HENS, 8192)) == 27
    with pytest.warns(UserWarning, match=r"only 23 of vocab_size=27; .*min_frequency, --min-frequency\), or"):
        learn_wordpieces(HENS, 27, min_frequency=4)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(learn_wordpieces(HENS, 27)) == 27


def test_progress_is_reported_now_and_then_and_at_the_end() -> None:
    told: list[tuple[float, str]] = []
    counts = {f"{first}{second}": 1 for first in "abcdefghijklmnopqrst" for second in "abcdefghijklmnopqrst"}
    learn_wordpieces(counts, 400, report=lambda done, note: told.append((done, note)))
    assert told[0] == (48 / 400, "48 pieces")
    assert told[-1] == (1.0, "400 pieces")
    assert [done for done, _ in told] == sorted(done for done, _ in told)
    assert 50 < len(told) <= 101
