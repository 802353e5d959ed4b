"""Unigram: learning by EM, with pieces left out where they are least missed."""

from collections import Counter
from math import exp, inf, isclose, log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mini_bert.data.world import texts as stories
from mini_bert.tokenizers.lattices import Lattices
from mini_bert.tokenizers.sentencepiece_text import SENTENCEPIECE_STYLES as STYLES
from mini_bert.tokenizers.unigram import UnigramTokenizer, specials
from mini_bert.tokenizers.unigram_training import Model, covering_alphabet, learn_unigrams, seed_pieces
from tests.unit.unigrams_by_hand import scored_cuts, segmenter, small_vocabularies, tokenizer_of

HENS = {"▁hen": 5, "▁hens": 1, "▁ten": 4, "▁tens": 3}


@given(
    small_vocabularies,
    st.lists(st.tuples(st.text("abc", min_size=1, max_size=6), st.integers(1, 9)), min_size=1),
)
def test_expected_counts_are_those_of_enumeration(
    pieces: dict[str, float], words: list[tuple[str, int]]
) -> None:
    pieces = {"a": -1.0, "b": -2.0, "c": -3.0} | pieces
    numbered = {piece: index for index, piece in enumerate(pieces)}
    expected, likelihood = dict.fromkeys(pieces, 0.0), 0.0
    for word, count in words:
        cuts = scored_cuts(word, pieces)
        total = sum(exp(score) for score, _ in cuts)
        likelihood += count * log(total)
        for score, cut in cuts:
            for piece in cut:
                expected[piece] += count * exp(score) / total
    lattices = Lattices([word for word, _ in words], numbered)
    counts = np.array([count for _, count in words], float)
    found, found_likelihood = lattices.expected_counts(np.array([*pieces.values()]), counts)
    assert found.tolist() == pytest.approx([*expected.values()])
    assert found_likelihood == pytest.approx(likelihood)


@given(small_vocabularies, st.lists(st.text("abc", min_size=1, max_size=6), min_size=1))
def test_many_best_cuts_at_once_are_those_one_by_one(pieces: dict[str, float], words: list[str]) -> None:
    pieces = {"a": -1.0, "b": -2.0, "c": -3.0} | pieces
    lattices = Lattices(words, {piece: index for index, piece in enumerate(pieces)})
    used, owner = lattices.best_cuts(np.array([*pieces.values()]))
    for number, word in enumerate(words):
        cut = [[*pieces][index] for index in used[owner == number][::-1]]
        assert cut == segmenter(pieces).best(word)[0][0]


def test_em_never_lowers_the_likelihood() -> None:
    counts = Counter(f"▁{word}" for tale in list(stories(20)) for word in tale.split())
    model = Model(covering_alphabet(counts, 1.0), seed_pieces(counts), counts)
    before = -inf
    for _ in range(12):
        expected, likelihood = model.words.expected_counts(model.scores, model.word_counts)
        assert likelihood >= before or isclose(likelihood, before)
        before = likelihood
        with np.errstate(divide="ignore"):
            model.scores = np.maximum(np.log(expected / expected.sum()), -700.0)


def test_the_loss_of_a_piece_is_what_its_parts_cost() -> None:
    model = Model(["a", "b"], ["ab"], {"ab": 6, "a": 2, "b": 1})
    model.scores = np.log([0.3, 0.2, 0.5])
    with_it = 6 * log(6 / 9)
    without = 6 * (log(8 / 15) + log(7 / 15))
    assert model.losses()[2] == pytest.approx(with_it - without)


def test_seeds_leave_out_what_only_occurs_within_a_longer_one() -> None:
    assert seed_pieces({"abcd": 2, "xbcd": 1}) == ["bcd", "abcd"]
    assert seed_pieces({"abcd": 1}) == []
    assert max(map(len, seed_pieces({"x" * 40: 2}))) == 16


def test_rare_characters_are_not_covered() -> None:
    assert covering_alphabet({"aaaa": 100, "ab": 1, "ac": 1}, 0.99) == ["a"]
    assert covering_alphabet({"aaaa": 100, "ab": 1, "ac": 1}, 1.0) == ["a", "b", "c"]
    learned = dict(learn_unigrams({"▁hen": 500, "▁hæn": 1}, 5, coverage=0.999))
    assert "æ" not in learned
    assert {"▁", "h", "e", "n"} < set(learned)
    with pytest.raises(ValueError, match=r"coverage=0: .* choose one above 0"):
        covering_alphabet({"a": 1}, 0)


def test_learning_does_not_depend_on_the_order_of_words() -> None:
    assert learn_unigrams(HENS, 9) == learn_unigrams(dict(reversed(HENS.items())), 9)


def test_learning_stops_where_the_text_has_no_more_pieces() -> None:
    with pytest.warns(
        UserWarning,
        match=r"pieces for only 12 of vocab_size=1,000; train on more text, or choose vocab_size=12",
    ):
        learned = learn_unigrams(HENS, 1000, special_tokens=["<unk>", "▁ten"])
    pieces = {piece for piece, _ in learned}
    assert {"▁hen", "▁", "h", "e", "n", "s", "t"} <= pieces
    assert len(pieces) == 10
    assert "▁ten" not in pieces


def test_vocab_size_below_the_alphabet() -> None:
    with pytest.raises(ValueError, match=r"2 special tokens and an alphabet of 6; choose 8 or more"):
        learn_unigrams(HENS, 7, special_tokens=["<unk>", "<pad>"])


@pytest.mark.parametrize("name", STYLES)
def test_train_gives_the_size_asked_for(name: str) -> None:
    trained = tokenizer_of(name)
    assert trained.vocab_size == 256
    assert [*trained.scored[: len(STYLES[name].added)]] == specials(STYLES[name])
    text = next(stories(1)).replace("!", ".")
    assert trained.decode(trained.encode(text), skip_special_tokens=True).strip() == STYLES[name].normal(text)


def test_train_reports_progress_and_skips_special_tokens() -> None:
    shares: list[float] = []
    trained = UnigramTokenizer.train(
        [*stories(50), "[MASK]" * 99], 128, report=lambda done, note: shares.append(done)
    )
    assert shares == sorted(shares)
    assert 0 <= shares[0] < shares[-1] <= 1
    assert "[" not in trained.token_to_id


def test_train_takes_further_special_tokens() -> None:
    trained = UnigramTokenizer.train(["low [X]lower"] * 9, 14, special_tokens=["[X]", "[MASK]"])
    assert trained.id_to_token[5] == "[X]"
    assert trained.tokenize("[X]low")[0] == "[X]"
    assert "X" not in trained.token_to_id
    assert trained.decode(trained.encode("[X] low"), skip_special_tokens=True) == "low"


def test_a_poor_text_is_told_in_the_terms_of_the_caller() -> None:
    with pytest.warns(UserWarning, match=r"of vocab_size=8,192; ") as told:
        trained = UnigramTokenizer.train(["low lower lowest"] * 9, 8192)
    assert f"pieces for only {trained.vocab_size} of" in str(told[0].message)
    assert told[0].filename == __file__


def test_train_refuses_what_it_cannot_learn_from() -> None:
    with pytest.raises(ValueError, match=r"one string .* train\(\[text\]\)"):
        UnigramTokenizer.train("snow is white")
    with pytest.raises(ValueError, match="hold no word"):
        UnigramTokenizer.train(["", " \n"])
    with pytest.raises(ValueError, match="unknown style 'alberta'; did you mean 'albert'"):
        UnigramTokenizer.train(["snow"], style="alberta")


def test_endless_words_are_learned_from_in_parts() -> None:
    with pytest.warns(UserWarning, match="pieces for only"):
        tokenizer = UnigramTokenizer.train(["ab" * 50, "雪は白い" * 60], 100)
    assert any("abab" in piece for piece in tokenizer.id_to_token)
    assert any("雪は白い" in piece for piece in tokenizer.id_to_token)
    assert len(tokenizer.tokenize("ab" * 50)) < 25


def test_nothing_to_learn_from() -> None:
    for counts in ({}, {"a": 3}):
        with pytest.raises(ValueError, match="the texts hold no word"):
            learn_unigrams(counts, 100, special_tokens=["a"])
