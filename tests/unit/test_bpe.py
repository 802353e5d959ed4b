"""Byte-level BPE: any text there and back, merging, learning, and files, sound and broken."""

import doctest
import importlib
import json
import warnings
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mini_bert.data.world import texts
from mini_bert.tokenizers.added import AddedToken
from mini_bert.tokenizers.bpe import ByteLevelBPETokenizer
from mini_bert.tokenizers.bpe_training import ALPHABET, learn_merges
from mini_bert.tokenizers.byte_symbols import BYTE_SYMBOLS, raw_bytes, symbols
from mini_bert.tokenizers.files import load_tokenizer
from mini_bert.tokenizers.frame import NO_FRAME
from mini_bert.tokenizers.gpt2_words import chunks, words
from mini_bert.tokenizers.ranked_merges import RankedMerges
from mini_bert.tokenizers.trimming import Trimming

ANY_TEXT = st.text(st.characters())  # surrogates too, which st.text() alone leaves out
TRAINED = ByteLevelBPETokenizer.train(texts(100), 600)
GPT2 = ByteLevelBPETokenizer.train(texts(300), 600, style="gpt2")
OPENING = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]


@pytest.mark.parametrize("module", ["bpe", "bpe_training", "byte_symbols", "gpt2_words", "ranked_merges"])
def test_docstring_examples(module: str) -> None:
    result = doctest.testmod(importlib.import_module(f"mini_bert.tokenizers.{module}"))
    assert result.attempted
    assert not result.failed


def test_a_printable_character_for_each_byte() -> None:
    assert len(set(BYTE_SYMBOLS)) == 256
    assert all(symbol.isprintable() and not symbol.isspace() for symbol in BYTE_SYMBOLS)
    assert raw_bytes(symbols(bytes(range(256)))) == bytes(range(256))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Don't we'll I'M", ["Don", "'t", " we", "'ll", " I", "'", "M"]),
        (" 's ''s", [" '", "s", " ''", "s"]),
        ("a  b   ", ["a", " ", " b", "   "]),
        ("a\n\n b\nc", ["a", "\n\n", " b", "\n", "c"]),
        ("x\u00a0 y\u3000z", ["x", "\u00a0", " y", "\u3000", "z"]),
        ("B2 1½ ٣٤", ["B", "2", " 1½", " ٣٤"]),
        ("naïve 東京 e\u0301", ["naïve", " 東京", " e", "\u0301"]),
        ("a\x1cb\x85c", ["a", "\x1c", "b", "\x85", "c"]),
        ("\ua7da\ua7ce", ["\ua7da", "\ua7ce"]),  # a letter since Unicode 16, and one since Unicode 17
        ("snake_case!?", ["snake", "_", "case", "!?"]),
        ("", []),
    ],
)
def test_words(text: str, expected: list[str]) -> None:
    assert words(text) == expected


@given(ANY_TEXT)
@example("a  's\n\n x")
def test_words_and_chunks_lose_nothing_and_agree(text: str) -> None:
    assert "".join(words(text)) == text
    assert [word for chunk in chunks(text) for word in words(chunk)] == words(text)
    assert all(words(word) == [word] for word in words(text))


@given(ANY_TEXT)
@example("half a pair \ud83d and \ude00")
@example("\ud83d\ude00")
def test_any_text_comes_back(text: str) -> None:
    """A lone surrogate, which no file can hold, comes back as the sign of lost text."""
    lost = "".join("\ufffd" if "\ud800" <= char <= "\udfff" else char for char in text)
    assert GPT2.decode(GPT2.encode(text)) == lost
    assert TRAINED.decode(TRAINED.encode(text), skip_special_tokens=True) == lost


@given(ANY_TEXT, st.booleans(), st.booleans(), st.booleans())
@example("  a <mask> \ud800€ <mask>b", True, True, True)
@example("", True, True, True)
def test_offsets_lie_in_the_text(text: str, spaced: bool, trims: bool, keeps: bool) -> None:
    tokenizer = ByteLevelBPETokenizer(
        TRAINED.id_to_token, TRAINED.merges, add_prefix_space=spaced, trimming=Trimming(trims, keeps)
    )
    encoding = tokenizer.encoding(text)
    assert encoding.ids == tokenizer.encode(text)
    assert all(0 <= start <= end <= len(text) for start, end in encoding.offsets)
    if not trims:
        covered = {place for start, end in encoding.offsets for place in range(start, end)}
        assert covered == set(range(len(text)))


def test_offsets_of_spaces_and_of_parts_of_characters() -> None:
    assert GPT2.encoding("a €").offsets[0] == (0, 1)
    assert set(GPT2.encoding("a €").offsets[1:]) <= {(1, 2), (1, 3), (2, 3)}  # no piece ends within the sign
    assert TRAINED.encoding("the  the").offsets[-2] == (5, 8)
    assert TRAINED.encoding("a   <mask>").offsets[-2] == (4, 10)


LETTERS = st.lists(st.integers(0, 2), max_size=40)
MERGES = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=10)


@given(LETTERS, MERGES)
@example([0, 0, 0, 0, 0], [(0, 0), (3, 3), (3, 0)])
@example([0, 1, 0, 1, 0], [(0, 1), (1, 0)])
def test_both_ways_of_merging_agree(letters: list[int], pairs: list[tuple[int, int]]) -> None:
    merges = RankedMerges(
        {pair: rank for rank, pair in enumerate(pairs)}, [3 + rank for rank in range(len(pairs))]
    )
    assert merges.by_heap(letters) == merges.by_search(letters)


def test_a_long_word_is_cut_in_reasonable_time() -> None:
    letter = ALPHABET.index("a")
    doubling = [(letter, letter), *((256 + n, 256 + n) for n in range(9))]
    merges = RankedMerges({pair: rank for rank, pair in enumerate(doubling)}, range(256, 266))
    assert merges.applied([letter] * 10_000) == [265] * 9 + [264, 263, 259]  # 10,000 in powers of two


def test_training_puts_special_tokens_and_bytes_first() -> None:
    assert list(TRAINED.id_to_token[:5]) == OPENING
    assert list(TRAINED.id_to_token[5:261]) == ALPHABET
    assert TRAINED.vocab_size == 600
    assert TRAINED.id_to_token[261:] == tuple(map("".join, TRAINED.merges))
    assert GPT2.id_to_token[0] == "<|endoftext|>"
    assert GPT2.frame == NO_FRAME
    assert TRAINED.tokenize("the cow<mask>")[-1] == "<mask>"


def test_of_equally_frequent_pairs_the_one_of_older_pieces_is_merged() -> None:
    counts = {"ab": 2, "cd": 2, "abx": 1, "zz": 3}
    assert learn_merges(counts, 3) == [("a", "b"), ("z", "z"), ("c", "d")]


def test_training_leaves_out_special_tokens_and_rare_pairs() -> None:
    with pytest.warns(UserWarning, match=r"pieces for only 263 of vocab_size=1,000; .*vocab_size=263"):
        trained = ByteLevelBPETokenizer.train(
            ["<mask>ab", "<q>ab", "xy"], 1000, special_tokens=["<q>", "<mask>"], min_frequency=2
        )
    assert trained.id_to_token[5] == "<q>"
    assert trained.id_to_token[262:] == ("ab",)
    assert trained.tokenize("<q>ab") == ["<q>", "ab"]


def test_a_poor_text_is_told_to_the_caller() -> None:
    with pytest.warns(UserWarning, match="pieces for only") as told:
        ByteLevelBPETokenizer.train(["low"], 400)
    assert told[0].filename == __file__


def test_training_reports_and_takes_a_prefix() -> None:
    told: list[float] = []
    lines = ["low low", "low"] * 5
    trained = ByteLevelBPETokenizer.train(
        lines, 264, add_prefix_space=True, report=lambda done, note: told.append(done)
    )
    assert told[-1] == 1.0
    assert told == sorted(told)
    assert trained.tokenize("low") == ["Ġlow"]
    assert trained.encoding("low").offsets[1] == (0, 3)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            (["a"], 260),
            "vocab_size=260 is too small for the 5 special tokens and the 256 bytes; choose 261 or more",
        ),
        (([""], 300), "hold no word"),
        (("one text", 300), "one string"),
    ],
)
def test_training_refuses(arguments: tuple[Any, int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ByteLevelBPETokenizer.train(*arguments)
    with pytest.raises(ValueError, match="unknown style 'robrta'; did you mean 'roberta'"):
        ByteLevelBPETokenizer.train(["a"], style="robrta")
    with pytest.raises(ValueError, match="min_frequency=0"):
        ByteLevelBPETokenizer.train(["a"], min_frequency=0)


def test_added_tokens_are_written_as_they_are() -> None:
    tokenizer = ByteLevelBPETokenizer(
        [*TRAINED.id_to_token, "<é>", "two words"],
        TRAINED.merges,
        added=[*TRAINED.added, AddedToken("<é>"), AddedToken("two words", special=False)],
    )
    ids = tokenizer.encode("a<é> two words")
    assert tokenizer.decode(ids) == "<s>a<é> two words</s>"
    assert tokenizer.decode(ids, skip_special_tokens=True) == "a two words"


def test_pieces_that_begin_a_word() -> None:
    starts = dict(zip(TRAINED.id_to_token, TRAINED.starts_word(), strict=True))
    assert all(starts[token] for token in (*OPENING, "Ġ", "Ġthe", "Ċ", ".", "'", "("))
    assert not any(starts[token] for token in ("e", "1", "Ã", "Ģ"))


def test_decode_of_cut_characters_and_of_unknown_ids() -> None:
    euro = GPT2.encode("€")
    assert GPT2.decode(euro[:-1]) == "\ufffd"
    assert GPT2.decode(euro[1:] + GPT2.encode("a")) in ("\ufffda", "\ufffd\ufffda")
    with pytest.raises(ValueError, match="id 600 is outside the vocabulary of 600 pieces"):
        GPT2.decode([600])


@pytest.mark.parametrize("tokenizer", [TRAINED, GPT2])
@pytest.mark.parametrize("target", ["folder", "tokenizer.json"])
def test_saved_and_loaded_is_the_same(tokenizer: ByteLevelBPETokenizer, target: str, tmp_path: Path) -> None:
    loaded = ByteLevelBPETokenizer.load(tokenizer.save(tmp_path / target))
    assert loaded.fingerprint() == tokenizer.fingerprint()
    assert loaded.encoding("the cow <mask>", "moo") == tokenizer.encoding("the cow <mask>", "moo")


@pytest.mark.parametrize("tokenizer", [TRAINED, GPT2])
@pytest.mark.parametrize("prefix", ["", "small.", "small-"])
def test_plain_files(tokenizer: ByteLevelBPETokenizer, prefix: str, tmp_path: Path) -> None:
    for name, content in tokenizer.plain_files().items():
        (tmp_path / f"{prefix}{name}").write_bytes(content)
    for path in [tmp_path / f"{prefix}{name}" for name in tokenizer.plain_files()]:
        assert load_tokenizer(path).fingerprint() == tokenizer.fingerprint()
    with pytest.raises(ValueError, match="save it to a folder"):
        tokenizer.save(tmp_path / "vocab.json")


@pytest.mark.parametrize("style", ["roberta", "gpt2"])
def test_plain_files_with_the_config_beside_them(style: str, tmp_path: Path) -> None:
    trained = ByteLevelBPETokenizer.train(
        texts(50), 300, style=style, add_prefix_space=True, special_tokens=["<q>"]
    )
    trained.save(tmp_path)
    (tmp_path / "tokenizer.json").unlink()
    assert load_tokenizer(tmp_path).fingerprint() == trained.fingerprint()
    (tmp_path / "tokenizer_config.json").unlink()
    assert load_tokenizer(tmp_path).fingerprint() != trained.fingerprint()


def test_a_config_may_add_tokens_behind_the_pieces(tmp_path: Path) -> None:
    GPT2.save(tmp_path)
    (tmp_path / "tokenizer.json").unlink()
    config = tmp_path / "tokenizer_config.json"
    for index, content in (("600", "<q>"), ("0", "<|endoftext|>")):
        config.write_text(
            json.dumps({"added_tokens_decoder": {index: {"content": content, "special": True}}})
        )
        assert load_tokenizer(tmp_path).id_to_token == (
            *GPT2.id_to_token,
            *(["<q>"] if content == "<q>" else []),
        )
    for index, message in (("601", "only ids from 600 up"), ("x", "expected an id")):
        config.write_text(json.dumps({"added_tokens_decoder": {index: {"content": "<q>"}}}))
        with pytest.raises(ValueError, match=message):
            load_tokenizer(tmp_path)


def test_the_space_before_a_text_decides_the_fingerprint() -> None:
    def spaced(choice: bool) -> str:
        return ByteLevelBPETokenizer(
            GPT2.id_to_token, GPT2.merges, added=GPT2.added, frame=NO_FRAME, add_prefix_space=choice
        ).fingerprint()

    assert spaced(True) != spaced(False)


def test_text_is_normalized_if_the_file_says_so(tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps({**GPT2.to_json(), "normalizer": {"type": "NFC"}}), encoding="utf-8")
    loaded = load_tokenizer(path)
    decomposed = "the cafe\u0301s <|endoftext|>e\u0301"
    assert loaded.encode(decomposed) == GPT2.encode("the cafés <|endoftext|>é")
    encoding = loaded.encoding(decomposed)
    assert encoding.ids == loaded.encode(decomposed)
    assert encoding.offsets[-1] == (
        len(decomposed) - 2,
        len(decomposed) - 1,
    )  # of the letter, as in HuggingFace
    again = ByteLevelBPETokenizer.load(loaded.save(tmp_path / "again"))
    assert again.encode(decomposed) == loaded.encode(decomposed)


def test_added_tokens_that_would_be_looked_for_in_normalized_text(tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    token = {"id": 600, "content": "<q>", "normalized": True, "special": False}
    content = {**GPT2.to_json(), "added_tokens": [token]}
    path.write_text(json.dumps(content), encoding="utf-8")
    assert load_tokenizer(path).tokenize("a<q>") == ["a", "<q>"]
    path.write_text(json.dumps({**content, "normalizer": {"type": "NFC"}}), encoding="utf-8")
    with pytest.raises(ValueError, match=r"added_tokens\[0\]\.normalized: true is not supported"):
        load_tokenizer(path)


def test_windows_line_ends_and_no_version_are_read(tmp_path: Path) -> None:
    TRAINED.save(tmp_path)
    lines = [" ".join(pair).encode() for pair in TRAINED.merges]
    (tmp_path / "merges.txt").write_bytes(b"\r\n".join(lines))
    assert ByteLevelBPETokenizer.load(tmp_path / "vocab.json").merges == TRAINED.merges


@pytest.mark.parametrize(("name", "missing"), [("vocab.json", "merges.txt"), ("merges.txt", "vocab.json")])
def test_one_file_without_the_other(name: str, missing: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(TRAINED.plain_files()[name])
    for path in (tmp_path, tmp_path / name):
        with pytest.raises(ValueError, match=rf"{missing}: no such file, but {name} needs it; put it"):
            load_tokenizer(path)


@pytest.mark.parametrize("line", ["abc", "a b c", " b", "a ", ""])
def test_a_malformed_line_of_merges_is_named(line: str, tmp_path: Path) -> None:
    TRAINED.save(tmp_path)
    (tmp_path / "merges.txt").write_text(f"#version: 0.2\na b\n{line}\nc d\n", encoding="utf-8")
    with pytest.raises(ValueError, match=rf"merges\.txt, line 3: {line!r} is no pair of pieces"):
        load_tokenizer(tmp_path / "merges.txt")


def test_merges_must_fit_the_vocabulary(tmp_path: Path) -> None:
    TRAINED.save(tmp_path)
    for pair, missing in (("zq x", "zq"), ("x zq", "zq"), ("z q", "zq")):
        (tmp_path / "merges.txt").write_text(f"{pair}\n", encoding="utf-8")
        with pytest.raises(
            ValueError, match=rf"merge 1, .* needs '{missing}', which is not in the vocabulary"
        ):
            load_tokenizer(tmp_path / "merges.txt")


def test_every_byte_must_be_a_piece() -> None:
    vocab = [token for token in TRAINED.id_to_token if token not in ("Ā", "~")]
    with pytest.raises(ValueError, match=r"here: 2 of the 256 bytes are no pieces .*~ Ā"):
        ByteLevelBPETokenizer(vocab, [], origin="here")


BYTE_LEVEL = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"pre_tokenizer": {"type": "Whitespace"}},
            r"pre_tokenizer\.type: Whitespace .*ByteLevel",
        ),
        ({"pre_tokenizer": None}, "pre_tokenizer: null is not supported here; only ByteLevel"),
        ({"pre_tokenizer": {**BYTE_LEVEL, "use_regex": False}}, r"pre_tokenizer\.use_regex"),
        ({"normalizer": {"type": "NFX"}}, r"normalizer\.type: NFX is not supported"),
        ({"post_processor": {"type": "Sequence", "processors": [{"type": "Odd"}]}}, r"processors\[0\]\.type"),
        ({"model": {"type": "BPE", "vocab": {"a": 0}, "merges": []}}, "255 of the 256 bytes"),
        (
            {"model": {"type": "BPE", "vocab": {"a": 0}, "merges": ["a b c"]}},
            r"merges\[0\]: 'a b c' is no pair",
        ),
        ({"model": {"type": "BPE", "vocab": {"a": 0}, "merges": [["a", 1]]}}, r"merges\[0\]: .* is no pair"),
        ({"model": {"type": "BPE", "vocab": {}, "merges": [], "dropout": 0.1}}, r"model\.dropout"),
        ({"model": {"type": "BPE", "vocab": {}, "merges": [], "end_of_word_suffix": "</w>"}}, "suffix"),
        ({"model": {"type": "BPE", "vocab": {}, "merges": [], "ignore_merges": True}}, "ignore_merges"),
    ],
)
def test_descriptions_of_other_kinds_are_refused(
    change: dict[str, Any], message: str, tmp_path: Path
) -> None:
    path = tmp_path / "tokenizer.json"
    content = {**GPT2.to_json(), "added_tokens": [], **change}
    path.write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(ValueError, match=rf"tokenizer\.json.*{message}"):
        load_tokenizer(path)


@pytest.mark.parametrize(
    ("processor", "trimming"),
    [
        (None, Trimming(trims=False)),
        (BYTE_LEVEL, Trimming(trims=True, keeps_first_space=False)),
        ({"type": "Sequence", "processors": [{**BYTE_LEVEL, "trim_offsets": False}]}, Trimming(trims=False)),
    ],
)
def test_what_others_write_about_offsets(processor: Any, trimming: Trimming, tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    content = {**GPT2.to_json(), "post_processor": processor}
    content["model"]["merges"] = [list(pair) for pair in GPT2.merges]
    path.write_text(json.dumps(content), encoding="utf-8")
    loaded = ByteLevelBPETokenizer.load(path)
    assert loaded.trimming == trimming
    assert loaded.frame == NO_FRAME
    assert loaded.merges == GPT2.merges


def test_enough_text_gives_no_warning() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert ByteLevelBPETokenizer.train(texts(50), 300).vocab_size == 300
