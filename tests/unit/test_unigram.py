"""Unigram: normalization that keeps places, the best cut, and files."""

import json
from collections import Counter
from itertools import pairwise
from math import exp, log
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mini_bert.data.world import texts as stories
from mini_bert.tokenizers.files import load_tokenizer
from mini_bert.tokenizers.normal_steps import Nmt, Strip, UnicodeForm, aligned, plain
from mini_bert.tokenizers.sentencepiece_text import ALBERT, SentencePieceStyle
from mini_bert.tokenizers.sentencepiece_text import SENTENCEPIECE_STYLES as STYLES
from mini_bert.tokenizers.space_marks import SpaceMarks
from mini_bert.tokenizers.unigram import UnigramTokenizer, as_read_elsewhere, specials
from tests.unit.unigrams_by_hand import scored_cuts, segmenter, small_vocabularies, tokenizer_of

ANY_TEXT = st.text(st.characters())  # surrogates too, which st.text() alone leaves out
TRICKY_TEXT = st.lists(
    st.sampled_from([*"aé▁ \n\t\u00a0\u0301\u0345ΣﬁＡ각\x1c\x17", "``", "''", "[MASK]"])
).map("".join)
MODULES = (
    "aligned unicode_forms normal_steps step_readers space_marks sentencepiece_text segmentation"
    " unigram_training unigram"
)


@pytest.fixture(scope="module", params=STYLES)
def tokenizer(request: pytest.FixtureRequest) -> UnigramTokenizer:
    return tokenizer_of(request.param)


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
    tokenizer, rng = tokenizer_of("albert"), np.random.default_rng(1)
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


@given(text=ANY_TEXT | TRICKY_TEXT)
@example(text="İ한국 ﬁ [MASK]x[MASK] ΑΣ \x1c a\u0344\u0316 ``x''")
def test_the_fast_way_and_the_aligned_way_agree(tokenizer: UnigramTokenizer, text: str) -> None:
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
    encoding = tokenizer_of("albert").encoding(text)
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


def test_saved_and_loaded_is_the_same(tmp_path: Path, tokenizer: UnigramTokenizer) -> None:
    tokenizer.save(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["tokenizer.json", "tokenizer_config.json"]
    loaded = load_tokenizer(tmp_path)
    assert isinstance(loaded, UnigramTokenizer)
    assert loaded.scored == tokenizer.scored
    assert loaded.style == tokenizer.style
    assert loaded.fingerprint() == tokenizer.fingerprint()


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
    path.write_text(json.dumps(changed(tokenizer_of("albert").to_json(), place, value)), encoding="utf-8")
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
