"""Unigram: normalization that keeps places, the best cut, learning by EM, and files."""

import doctest
import importlib
import json
from collections import Counter
from itertools import combinations, pairwise
from math import exp, inf, isclose, log
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mini_bert.data.world import texts as stories
from mini_bert.tokenizers.files import load_tokenizer
from mini_bert.tokenizers.lattices import Lattices
from mini_bert.tokenizers.normal_steps import Nmt, Strip, UnicodeForm, aligned, plain
from mini_bert.tokenizers.segmentation import Segmenter
from mini_bert.tokenizers.sentencepiece_text import ALBERT, SentencePieceStyle
from mini_bert.tokenizers.sentencepiece_text import SENTENCEPIECE_STYLES as STYLES
from mini_bert.tokenizers.space_marks import SpaceMarks
from mini_bert.tokenizers.unigram import UnigramTokenizer, as_read_elsewhere, specials
from mini_bert.tokenizers.unigram_training import Model, covering_alphabet, learn_unigrams, seed_pieces

ANY_TEXT = st.text(st.characters())  # surrogates too, which st.text() alone leaves out
TRICKY_TEXT = st.lists(
    st.sampled_from([*"aé▁ \n\t\u00a0\u0301\u0345ΣﬁＡ각\x1c\x17", "``", "''", "[MASK]"])
).map("".join)
TRAINED = {name: UnigramTokenizer.train(list(stories(200)), 256, style=name) for name in STYLES}
HENS = {"▁hen": 5, "▁hens": 1, "▁ten": 4, "▁tens": 3}
MODULES = (
    "aligned unicode_forms normal_steps step_readers space_marks sentencepiece_text segmentation"
    " unigram_training unigram"
)

small_vocabularies = st.dictionaries(
    st.text("abc", min_size=1, max_size=4),
    st.integers(-40, -1).map(lambda score: score / 4),
    min_size=1,
    max_size=12,
)


@pytest.mark.parametrize("module", MODULES.split())
def test_docstring_examples(module: str) -> None:
    result = doctest.testmod(importlib.import_module(f"mini_bert.tokenizers.{module}"))
    assert result.attempted
    assert not result.failed


def all_cuts(word: str) -> list[list[str]]:
    """Every way to cut a word, by brute force."""
    places = range(1, len(word))
    borders = [(0, *inner, len(word)) for size in range(len(word)) for inner in combinations(places, size)]
    return [[word[i:j] for i, j in pairwise(cut)] for cut in borders]


def scored_cuts(word: str, pieces: dict[str, float]) -> list[tuple[float, list[str]]]:
    """Every way that the pieces allow; letters that are no pieces are unknown."""
    unknown = {letter: min(0.0, *pieces.values()) - 10 for letter in word if letter not in pieces}
    known = {**unknown, **pieces}
    cuts = [cut for cut in all_cuts(word) if all(piece in known for piece in cut)]
    return [(sum(known[piece] for piece in cut), cut) for cut in cuts]


def segmenter(pieces: dict[str, float]) -> Segmenter:
    return Segmenter([("<unk>", 0.0), *pieces.items()], 0)


@given(small_vocabularies, st.text("abcd", min_size=1, max_size=7))
def test_the_best_cuts_are_those_of_brute_force(pieces: dict[str, float], word: str) -> None:
    expected = sorted((score for score, _ in scored_cuts(word, pieces)), reverse=True)[:5]
    found = segmenter(pieces).best(word, 5)
    assert [score for _, score in found] == pytest.approx(expected)
    assert all("".join(cut) == word for cut, _ in found)
    assert len({tuple(cut) for cut, _ in found}) == len(found)


@given(small_vocabularies, st.text("abcd", min_size=1, max_size=7))
def test_the_cut_is_the_first_of_the_best_with_unknown_letters_fused(
    pieces: dict[str, float], word: str
) -> None:
    ways = segmenter(pieces)
    ends = np.cumsum([len(piece) for piece in ways.best(word)[0][0]]).tolist()
    cut = ways.cut(word)
    assert [start for _, start, _ in cut] == [0, *(end for _, _, end in cut[:-1])]
    assert cut[-1][2] == len(word)
    assert {end for _, _, end in cut} <= set(ends)
    assert not any(left[0] == right[0] == 0 for left, right in pairwise(cut))
    for index, start, end in cut:
        if index:
            assert [*pieces][index - 1] == word[start:end]
        else:
            assert not set(word[start:end]) & set(pieces)


def test_drawn_cuts_follow_their_probabilities() -> None:
    pieces, rng = {"a": -1.0, "b": -1.5, "ab": -2.0, "ba": -3.0, "aba": -4.0}, np.random.default_rng(0)
    for alpha in (0.0, 0.5, 1.0):
        weights = {tuple(cut): exp(alpha * score) for score, cut in scored_cuts("abab", pieces)}
        drawn = Counter(tuple(segmenter(pieces).sample("abab", rng, alpha)) for _ in range(1500))
        assert set(drawn) <= set(weights)
        for cut, weight in weights.items():
            assert drawn[cut] / 1500 == pytest.approx(weight / sum(weights.values()), abs=0.05)
    assert segmenter(pieces).sample("abab", rng, alpha=100) == segmenter(pieces).best("abab")[0][0]


def test_ways_to_cut_a_word_of_a_text() -> None:
    tokenizer, rng = TRAINED["albert"], np.random.default_rng(1)
    text = next(stories(1, seed=9)) + " [MASK] 漢字"
    assert tokenizer.sampled_ids(text, rng, alpha=1000.0) == tokenizer.piece_ids(text)
    drawn = {tuple(tokenizer.sampled_ids(text, rng, alpha=0.0)) for _ in range(5)}
    assert len(drawn) == 5
    assert {tokenizer.decode(ids) for ids in drawn} == {tokenizer.decode(tokenizer.piece_ids(text))}
    word = next(piece[1:] for piece in tokenizer.id_to_token if piece.startswith("▁") and len(piece) > 4)
    (first, score), (_, second) = tokenizer.best_cuts(word.upper(), 2)
    assert first == tokenizer.tokenize(word) == [f"▁{word}"]
    assert score >= second
    with pytest.raises(ValueError, match="'two words' is 2 words; ask for one"):
        tokenizer.best_cuts("two words")


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
    trained = TRAINED[name]
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


@pytest.mark.parametrize("name", STYLES)
@given(ANY_TEXT | TRICKY_TEXT)
@example("İ한국 ﬁ [MASK]x[MASK] ΑΣ \x1c a\u0344\u0316 ``x''")
def test_the_fast_way_and_the_aligned_way_agree(name: str, text: str) -> None:
    tokenizer = TRAINED[name]
    encoding = tokenizer.encoding(text, add_special_tokens=False)
    assert encoding.ids == tokenizer.encode(text, add_special_tokens=False)
    assert all(0 <= start <= end <= len(text) for start, end in encoding.offsets)
    assert [word for word in encoding.word_ids if word is not None] == sorted(map(int, encoding.word_ids))  # type: ignore[arg-type]
    tokenizer.decode(encoding.ids)


@pytest.mark.parametrize("steps", [(UnicodeForm("NFKC"), Nmt()), (UnicodeForm("NFD"),), (Nmt(), Strip())])
@given(text=ANY_TEXT | TRICKY_TEXT)
def test_plain_and_aligned_steps_agree(steps: Any, text: str) -> None:
    found = aligned(steps, text)
    assert found.text == plain(steps, text)
    assert len(found.spans) == len(found.text)


@given(ANY_TEXT.filter(str.isascii) | st.text("aé\u0301ﬁ "))
def test_places_grow_where_marks_are_in_order(text: str) -> None:
    starts = [start for start, _ in aligned(ALBERT.steps, text).spans]
    assert starts == sorted(starts)


def test_offsets_lead_back_to_the_text() -> None:
    text = "The ``Ｃow''  saw [MASK] fishes"
    encoding = TRAINED["albert"].encoding(text)
    whole: dict[int, str] = {}
    for (start, end), word in zip(encoding.offsets[1:-1], encoding.word_ids[1:-1], strict=True):
        assert word is not None
        whole[word] = whole.get(word, "") + text[start:end]
    # The mark before a quote stands for the quote too; its places are those of the last backtick.
    assert whole[0] == "The"
    assert whole[1].strip("`'") == "Ｃow"
    assert whole[3] == "[MASK]"
    assert whole[4] == "fishes"


def test_space_marks_at_the_beginning() -> None:
    def words(marks: SpaceMarks, text: str) -> list[str]:
        style = SentencePieceStyle((), marks, "<unk>", ALBERT.added, ALBERT.frame)
        return [word.text for word in marks.words(style.aligned(text), 0)]

    assert words(SpaceMarks("always", at_white_space=False), "a b") == ["▁a", "▁b"]
    assert words(SpaceMarks("never", at_white_space=False), "a b") == ["a", "▁b"]
    assert words(SpaceMarks("first"), "a b") == ["▁a", "b"]
    assert words(SpaceMarks("first"), " a b") == ["a", "b"]
    assert words(SpaceMarks(split=False, at_white_space=False), "a b") == ["▁a▁b"]


def test_names_and_word_starts() -> None:
    pieces = [*specials(ALBERT), ("▁snow", -2.0), ("s", -3.0)]
    tokenizer = UnigramTokenizer(pieces)
    assert tokenizer.encode("Snows [MASK] SnowX") == [2, 5, 6, 4, 5, 1, 3]
    assert tokenizer.starts_word() == [True] * 6 + [False]
    assert tokenizer.decode([5, 6, 5]) == "snows snow"
    assert tokenizer.decode([2, 5, 3], skip_special_tokens=True) == "snow"
    assert repr(tokenizer) == "UnigramTokenizer(vocab_size=7)"


@pytest.mark.parametrize("name", STYLES)
def test_saved_and_loaded_is_the_same(tmp_path: Path, name: str) -> None:
    TRAINED[name].save(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["tokenizer.json", "tokenizer_config.json"]
    loaded = load_tokenizer(tmp_path)
    assert isinstance(loaded, UnigramTokenizer)
    assert loaded.scored == TRAINED[name].scored
    assert loaded.style == TRAINED[name].style
    assert loaded.fingerprint() == TRAINED[name].fingerprint()


def test_only_tokenizer_json_is_read(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"read from tokenizer\.json only"):
        UnigramTokenizer.from_plain_files(tmp_path / "vocab.txt")


def changed(content: dict[str, Any], place: str, value: Any) -> dict[str, Any]:
    copy = json.loads(json.dumps(content))
    *way, last = [int(step) if step.isdigit() else step for step in place.split(".")]
    inner = copy
    for step in way:
        inner = inner[step]
    inner[last] = value
    return copy


@pytest.mark.parametrize(
    ("place", "value", "message"),
    [
        (
            "model.vocab.7",
            ["x", "-1"],
            r"model\.vocab\[7\]: expected a piece and its score, found \['x', '-1'\]",
        ),
        ("model.vocab.7", ["x"], r"model\.vocab\[7\]: expected a piece"),
        ("model.vocab.7", ["x", True], r"model\.vocab\[7\]: expected a piece"),
        ("model.vocab.7", ["x", float("nan")], "piece 7, 'x', has score nan"),
        ("model.vocab.7", ["<unk>", -1.0], "pieces 1 and 7 are both '<unk>'"),
        ("model.unk_id", 256, r"model\.unk_id: 256 is none of the 256 pieces"),
        ("model.unk_id", None, r"model\.unk_id: null is not supported here; only the number of the piece"),
        ("model.byte_fallback", True, r"byte_fallback: true is not supported"),
        ("normalizer.normalizers.2.type", "NFKX", r"normalizers\[2\]\.type: NFKX is not supported"),
        ("normalizer.normalizers.0.pattern", {"Regex": "[a-z]"}, r"pattern\.Regex: \[a-z\] is not supported"),
        ("normalizer.normalizers.0.pattern", {"String": ""}, "expected text, found none"),
        (
            "normalizer",
            {"type": "Precompiled", "precompiled_charsmap": "?"},
            "charsmap: not a compiled table",
        ),
        (
            "normalizer",
            {"type": "Precompiled", "precompiled_charsmap": "CAAAAA=="},
            "8 bytes, and 0 are there",
        ),
        (
            "pre_tokenizer",
            {"type": "ByteLevel"},
            r"pre_tokenizer\.type: ByteLevel is not supported.* Metaspace",
        ),
        ("pre_tokenizer", None, "pre_tokenizer: null is not supported here; only Metaspace or Sequence"),
        ("pre_tokenizer.pretokenizers.1.prepend_scheme", "last", "prepend_scheme: last is not supported"),
        ("pre_tokenizer.pretokenizers.1.replacement", "_", "replacement: _ is not supported"),
    ],
)
def test_broken_and_foreign_files(tmp_path: Path, place: str, value: Any, message: str) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps(changed(TRAINED["albert"].to_json(), place, value)), encoding="utf-8")
    with pytest.raises(ValueError, match=rf"tokenizer\.json.*{message}"):
        load_tokenizer(path)


def test_scores_are_read_as_digits_over_a_power_of_ten() -> None:
    assert as_read_elsewhere(-5.25) == -5.25
    assert as_read_elsewhere(-1e-9) == -1e-9
    score = -9.05187328644438
    assert as_read_elsewhere(score) == pytest.approx(score, rel=1e-15)
    several = [log(number / 7919) for number in range(1, 2000)]
    assert 0 < sum(as_read_elsewhere(score) != score for score in several) < 1000


def test_an_unknown_token_that_is_not_there() -> None:
    with pytest.raises(ValueError, match="<unk> is not among the pieces"):
        UnigramTokenizer([("▁a", -1.0)])


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
