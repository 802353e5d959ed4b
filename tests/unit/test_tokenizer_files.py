"""Tokenizers in files: tokenizer.json and the plain files, sound and broken."""

import json
from pathlib import Path
from typing import Any

import pytest

from mini_bert.data.world import texts
from mini_bert.tokenizers import SPECIAL_TOKENS, WordPieceTokenizer
from mini_bert.tokenizers.added import AddedToken, AddedTokens
from mini_bert.tokenizers.files import load_tokenizer
from mini_bert.tokenizers.frame import BERT, ROBERTA, XLNET, Frame
from mini_bert.tokenizers.normalize import Normalizer

CASED = WordPieceTokenizer(
    [*SPECIAL_TOKENS, "Snow", "snow", "is", "white", "##er", "é", "e", "."],
    normalizer=Normalizer(lowercase=False, strip_accents=True),
)


@pytest.mark.parametrize(
    "target", ["", "new/folder", "new/words.txt", "new/tokenizer.json", "new/other.json"]
)
def test_saved_and_loaded_is_the_same(tmp_path: Path, target: str) -> None:
    tokenizer = WordPieceTokenizer.train(texts(100), 400)
    written = tokenizer.save(tmp_path / target)
    assert written == tmp_path / target
    for path in (written, str(written)):
        loaded = WordPieceTokenizer.load(path)
        assert loaded.id_to_token == tokenizer.id_to_token
        assert loaded.fingerprint() == tokenizer.fingerprint()


def test_a_folder_holds_all_that_others_look_for(tmp_path: Path) -> None:
    CASED.save(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "tokenizer.json",
        "tokenizer_config.json",
        "vocab.txt",
    ]


def test_tokenizer_json_keeps_what_vocab_txt_cannot(tmp_path: Path) -> None:
    loaded = WordPieceTokenizer.load(CASED.save(tmp_path))
    assert loaded.normalizer == CASED.normalizer
    assert loaded.tokenize("Snow é") == ["Snow", "e"]
    assert WordPieceTokenizer.load(tmp_path / "vocab.txt").tokenize("Snow") == ["snow"]


def test_the_fingerprint_follows_whatever_decides_ids() -> None:
    vocab = CASED.id_to_token
    prints = {
        WordPieceTokenizer(vocab).fingerprint(),
        WordPieceTokenizer(vocab, normalizer=Normalizer(lowercase=False)).fingerprint(),
        WordPieceTokenizer([*vocab, "ice"]).fingerprint(),
        WordPieceTokenizer(vocab, frame=Frame.written("[CLS] $A", "[CLS] $A $B")).fingerprint(),
        WordPieceTokenizer(
            vocab, added=[AddedToken(token, lstrip=True) for token in SPECIAL_TOKENS]
        ).fingerprint(),
    }
    assert len(prints) == 5


def broken(change: dict[str, Any], tmp_path: Path) -> Path:
    """A sound tokenizer.json in which some places, named by their paths, are changed (... removes)."""
    content = CASED.to_json()
    for place, value in change.items():
        *way, last = place.split(".")
        inner = content
        for name in way:
            inner = inner[name]
        if value is ...:
            del inner[last]
        else:
            inner[last] = value
    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"model": ...}, "tokenizer.json, model: missing"),
        ({"model": []}, "model: expected an object, found list"),
        (
            {"model.type": "WordLevel"},
            "model.type: WordLevel is not supported here; only WordPiece or BPE or Unigram",
        ),
        ({"model.vocab": ...}, "model.vocab: missing"),
        ({"model.vocab": 3}, "model.vocab: expected an object, found int"),
        ({"model.vocab": {"a": "b"}}, "model.vocab: 'a' has id 'b', not a whole number"),
        ({"model.vocab": {"a": 0, "b": 0}}, "'b' and 'a' have the same id 0"),
        ({"model.vocab": {"a": 1000}}, "no piece has id 5, though there are 6 pieces"),
        ({"model.continuing_subword_prefix": "@@"}, "continuing_subword_prefix: @@ is not supported"),
        ({"normalizer": None}, "normalizer: missing"),
        ({"normalizer.type": "NFKC"}, "normalizer.type: NFKC is not supported here; only BertNormalizer"),
        ({"normalizer.lowercase": "yes"}, "normalizer.lowercase: expected true or false, found str"),
        ({"pre_tokenizer.type": "Whitespace"}, "pre_tokenizer.type: Whitespace is not supported"),
        ({"post_processor.type": "Odd"}, "post_processor.type: Odd is not supported"),
        ({"post_processor.single": [{}]}, r"post_processor.single\[0\].SpecialToken: missing"),
        (
            {"post_processor": {"type": "BertProcessing", "cls": ["<s>", 0], "sep": ["[SEP]", 3]}},
            "tokenizer.json: special token <s> is not in the vocabulary",
        ),
        ({"post_processor.single": []}, r"post_processor: a template must hold \$A once"),
        ({"added_tokens": {}}, "added_tokens: expected a list, found dict"),
        ({"added_tokens": [{"content": 3, "id": 4}]}, r"added_tokens\[0\].content: expected text, found int"),
    ],
)
def test_broken_files_say_what_and_where(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        load_tokenizer(broken(change, tmp_path))


@pytest.mark.parametrize("content", ["", "{", "[" * 100_000, '"text"', "null"])
def test_a_file_that_is_no_object(tmp_path: Path, content: str) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(ValueError, match=r"tokenizer\.json: (not JSON|expected an object)"):
        load_tokenizer(path)


def test_another_kind_than_asked_for(tmp_path: Path) -> None:
    class Other(WordPieceTokenizer):
        pass

    CASED.save(tmp_path)
    with pytest.raises(ValueError, match="holds a WordPieceTokenizer, not a Other; load it with"):
        Other.load(tmp_path)


@pytest.mark.parametrize("frame", [BERT, ROBERTA, XLNET])
def test_a_frame_survives_its_json(frame: Frame) -> None:
    from mini_bert.tokenizers.description import Description

    ids = {token: index for index, token in enumerate(frame.tokens())}
    assert Frame.from_json(Description(frame.to_json(ids), "file")) == frame


def test_added_tokens_take_white_space_along_but_not_each_others() -> None:
    added = AddedTokens([AddedToken("<a>", lstrip=True, rstrip=True), AddedToken("<ab>"), AddedToken("<a>b")])
    found = [(part.text, part.start, part.token) for part in added.split("x  <a>\t <a> y<a>b<ab>")]
    assert found == [
        ("x", 0, None),
        ("  <a>\t ", 1, "<a>"),
        ("<a> ", 8, "<a>"),
        ("y", 12, None),
        ("<a>b", 13, "<a>b"),
        ("<ab>", 17, "<ab>"),
    ]
    assert "".join(text for text, _, _ in found) == "x  <a>\t <a> y<a>b<ab>"


def test_no_added_tokens() -> None:
    assert not AddedTokens([]).found_in("<a>")
    assert [part.text for part in AddedTokens([]).split("<a>")] == ["<a>"]
