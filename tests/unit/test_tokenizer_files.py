"""Tokenizers in files: tokenizer.json and the plain files, sound and broken."""

import json
from pathlib import Path
from typing import Any

import pytest

from mini_bert.data.world import texts
from mini_bert.tokenizers import SPECIAL_TOKENS, ByteLevelBPETokenizer, UnigramTokenizer, WordPieceTokenizer
from mini_bert.tokenizers.added import AddedToken, AddedTokens
from mini_bert.tokenizers.files import load_tokenizer
from mini_bert.tokenizers.frame import BERT, ROBERTA, XLNET, Frame
from mini_bert.tokenizers.normalize import Normalizer
from mini_bert.tokenizers.tokenizer import Tokenizer

CASED = WordPieceTokenizer(
    [*SPECIAL_TOKENS, "Snow", "snow", "is", "white", "##er", "é", "e", "."],
    normalizer=Normalizer(lowercase=False, strip_accents=True, clean_text=False),
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
    (tmp_path / "tokenizer_config.json").unlink()
    assert WordPieceTokenizer.load(tmp_path / "vocab.txt").tokenize("Snow") == ["snow"]


def test_vocab_txt_with_its_config_is_the_whole_tokenizer(tmp_path: Path) -> None:
    (CASED.save(tmp_path) / "tokenizer.json").unlink()
    for path in (tmp_path, tmp_path / "vocab.txt"):
        loaded = WordPieceTokenizer.load(path)
        assert loaded.normalizer == CASED.normalizer
        assert loaded.fingerprint() == CASED.fingerprint()


def test_vocab_txt_alone_is_written_with_a_warning_if_it_tells_less(tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match="not what is done with case") as told:
        CASED.save(tmp_path / "vocab.txt")
    assert told[0].filename == __file__
    assert WordPieceTokenizer.load(tmp_path / "vocab.txt").tokenize("Snow") == ["snow"]
    cased = WordPieceTokenizer.load(tmp_path / "vocab.txt", lowercase=False)
    assert cased.tokenize("Snow é") == ["Snow", "é"]
    assert WordPieceTokenizer.load(tmp_path / "vocab.txt", lowercase=True).tokenize("Snow") == ["snow"]


def test_a_config_of_another_file_is_left_alone(tmp_path: Path) -> None:
    CASED.save(tmp_path)
    (tmp_path / "other.vocab.txt").write_bytes(CASED.plain_files()["vocab.txt"])
    assert WordPieceTokenizer.load(tmp_path / "other.vocab.txt").normalizer == Normalizer()


def test_the_config_tells_the_side_of_padding(tmp_path: Path) -> None:
    CASED.save(tmp_path)
    config = tmp_path / "tokenizer_config.json"
    content = json.loads(config.read_text())
    config.write_text(json.dumps({**content, "padding_side": "left", "pad_token_type_id": 2}))
    encoding = WordPieceTokenizer.load(tmp_path).encoding("Snow", pad_to=5)
    assert encoding.tokens == ["[PAD]", "[PAD]", "[CLS]", "Snow", "[SEP]"]
    assert encoding.type_ids == [2, 2, 0, 0, 0]
    assert encoding.attention_mask == [0, 0, 1, 1, 1]
    config.write_text(json.dumps({"padding_side": "top"}))
    with pytest.raises(ValueError, match="padding_side: top is not supported here; only left or right"):
        load_tokenizer(tmp_path)


@pytest.mark.parametrize("target", ["folder", "folder/tokenizer.json"])
def test_xlnet_pads_on_the_left(tmp_path: Path, target: str) -> None:
    trained = UnigramTokenizer.train(texts(50), 100, style="xlnet")
    for tokenizer in (trained, load_tokenizer(trained.save(tmp_path / target))):
        encoding = tokenizer.encoding("the", pad_to=30)
        assert encoding.tokens[0] == "<pad>"
        assert encoding.tokens[-1] == "<cls>"
        assert encoding.type_ids[0] == 3
        assert encoding.special_tokens_mask[0] == 1


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
        (
            {"model.vocab": {"a": 1000}},
            r"model\.vocab: a gap in the ids \(5, 6, 7 and 992 more missing\) is not supported",
        ),
        (
            {"model.vocab": {"a": 6}},
            r"a gap in the ids \(5 missing\) .*; only ids from 0 up, one after the other",
        ),
        ({"model.continuing_subword_prefix": "@@"}, "continuing_subword_prefix: @@ is not supported"),
        ({"normalizer": None}, "normalizer: null is not supported here; only BertNormalizer"),
        ({"pre_tokenizer": None}, "pre_tokenizer: null is not supported here; only BertPreTokenizer"),
        (
            {"model.type": ..., "model.continuing_subword_prefix": ...},
            "model.type: a model without a type is not supported here; only WordPiece or BPE or Unigram",
        ),
        ({"model.type": ["BPE"]}, "model.type: expected text, found list"),
        ({"normalizer.type": "NFKC"}, "normalizer.type: NFKC is not supported here; only BertNormalizer"),
        ({"normalizer.lowercase": "yes"}, "normalizer.lowercase: expected true or false, found str"),
        ({"pre_tokenizer.type": "Whitespace"}, "pre_tokenizer.type: Whitespace is not supported"),
        ({"post_processor.type": "Odd"}, "post_processor.type: Odd is not supported"),
        ({"post_processor.single": [{}]}, r"post_processor.single\[0\].SpecialToken: missing"),
        (
            {"post_processor": {"type": "BertProcessing", "cls": ["<s>", 0], "sep": ["[SEP]", 3]}},
            "tokenizer.json: special token <s> is not in the vocabulary",
        ),
        (
            {"post_processor": {"type": "BertProcessing", "cls": [], "sep": ["[SEP]", 3]}},
            "post_processor.cls: expected a token and its id",
        ),
        (
            {"post_processor": {"type": "BertProcessing", "cls": ["[C:LS]", 2], "sep": ["[SEP]", 3]}},
            r"special token \[C:LS\] is not in the vocabulary",
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


def one_of_each_kind() -> list[Tokenizer]:
    told = list(texts(30))
    return [
        WordPieceTokenizer.train(told, 200),
        ByteLevelBPETokenizer.train(told, 300),
        UnigramTokenizer.train(told, 200),
    ]


def test_a_model_from_before_types_were_written_is_known_by_what_it_has(tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    for tokenizer in one_of_each_kind():
        content = tokenizer.to_json()
        del content["model"]["type"]
        path.write_text(json.dumps(content), encoding="utf-8")
        assert load_tokenizer(path).fingerprint() == tokenizer.fingerprint()


def test_a_byte_order_mark_is_no_part_of_the_first_piece(tmp_path: Path) -> None:
    for number, tokenizer in enumerate(one_of_each_kind()):
        folder = tokenizer.save(tmp_path / str(number))
        for file in folder.iterdir():
            file.write_bytes(b"\xef\xbb\xbf" + file.read_bytes())
        assert load_tokenizer(folder).fingerprint() == tokenizer.fingerprint()
        if plain := tokenizer.plain_files():
            (folder / "tokenizer.json").unlink()
            assert load_tokenizer(folder / next(iter(plain))).id_to_token == tokenizer.id_to_token


def test_saving_over_another_kind_leaves_nothing_of_it(tmp_path: Path) -> None:
    always = {"tokenizer.json", "tokenizer_config.json"}
    for tokenizer in [*one_of_each_kind(), CASED]:
        tokenizer.save(tmp_path)
        assert {file.name for file in tmp_path.iterdir()} == always | tokenizer.plain_files().keys()
        assert load_tokenizer(tmp_path).fingerprint() == tokenizer.fingerprint()


def test_saving_removes_no_file_that_may_be_no_tokenizers(tmp_path: Path) -> None:
    (tmp_path / "merges.txt").write_text("my notes", encoding="utf-8")
    with pytest.raises(ValueError, match=r"merges\.txt: belongs to a tokenizer of another kind"):
        CASED.save(tmp_path)
    assert [file.name for file in tmp_path.iterdir()] == ["merges.txt"]


@pytest.mark.parametrize("name", ["words.csv", "words.bin"])
def test_a_file_of_another_kind_is_not_made_into_a_folder(tmp_path: Path, name: str) -> None:
    with pytest.raises(ValueError, match=rf"not written as a \{name[5:]} file; save it to a folder"):
        CASED.save(tmp_path / name)
    assert not any(tmp_path.iterdir())
    (tmp_path / name).mkdir()
    assert load_tokenizer(CASED.save(tmp_path / name)).fingerprint() == CASED.fingerprint()


@pytest.mark.parametrize("name", ["bert.v2", "my.vocabulary", "vocab-1.5"])
def test_a_folder_may_have_a_dot_in_its_name(tmp_path: Path, name: str) -> None:
    assert load_tokenizer(CASED.save(tmp_path / name)).fingerprint() == CASED.fingerprint()


def test_a_place_within_a_file_and_no_place_at_all(tmp_path: Path) -> None:
    (tmp_path / "tale").write_text("a hen", encoding="utf-8")
    for place in ("tale", "tale/words", "tale/words/tokenizer.json"):
        with pytest.raises(ValueError, match="tale is a file, not a folder; choose another place"):
            CASED.save(tmp_path / place)
    with pytest.raises(ValueError, match="the path is empty"):
        CASED.save("")
