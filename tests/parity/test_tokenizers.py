"""The same ids, offsets and words as HuggingFace's fast BERT tokenizer, with the same vocabulary."""

import gzip
import json
import os
import random
from pathlib import Path

import pytest
from tokenizers import Tokenizer
from transformers import AutoTokenizer, BertTokenizerFast, PreTrainedTokenizerFast

from mini_bert import WordPieceTokenizer
from mini_bert.data.world import texts as stories

ANYWHERE = [(32, 127), (0, 0x250), (0x300, 0x3400), (0x3400, 0xD800), (0xE000, 0x20000), (0x20000, 0x110000)]


def random_text(rng: random.Random) -> str:
    chars = [chr(rng.randrange(*rng.choice(ANYWHERE))) for _ in range(rng.randint(1, 12))]
    return "".join(chars) + rng.choice(["", " [MASK]", "[SEP]x"])


@pytest.fixture(scope="module")
def tokenizers(tmp_path_factory):
    """A vocabulary with letters of many scripts, in which random text is cut into pieces and not only unknown."""
    rng = random.Random(7)
    ours = WordPieceTokenizer.train(
        [*stories(100), *(random_text(rng) for _ in range(3000))], vocab_size=22_000, limit_alphabet=None
    )
    folder = tmp_path_factory.mktemp("vocabulary")
    ours.save(folder)
    return ours, BertTokenizerFast(vocab=str(folder / "vocab.txt"))


def assert_same(ours: WordPieceTokenizer, theirs: BertTokenizerFast, text: str) -> None:
    expected, found = theirs.backend_tokenizer.encode(text), ours.encoding(text)
    assert found.ids == expected.ids, text
    assert found.offsets == expected.offsets, text
    assert found.word_ids == expected.word_ids, text
    assert ours.encode(text) == expected.ids, text


def test_ten_thousand_random_texts(tokenizers):
    rng = random.Random(0)
    for _ in range(10_000):
        assert_same(*tokenizers, random_text(rng))


def test_every_character(tokenizers):
    everything = (chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000)
    ours, theirs = tokenizers
    texts = [f"a{char}b" for char in everything]
    expected = theirs.backend_tokenizer.encode_batch(texts)
    assert ours.encode_batch(texts) == [encoding.ids for encoding in expected]


def test_pairs_and_truncation(tokenizers):
    ours, theirs = tokenizers
    one, two = stories(2)
    pairs = [(*pair, length) for pair in ((one, two), (two, one)) for length in range(3, 90)]
    for first, second, length in pairs:
        expected = theirs(first, second, max_length=length, truncation=True, return_offsets_mapping=True)
        found = ours.encoding(first, second, max_length=length)
        assert found.ids == expected["input_ids"]
        assert found.type_ids == expected["token_type_ids"]
        assert found.offsets == [tuple(offset) for offset in expected["offset_mapping"]]


REAL = pytest.mark.skipif(
    "MINI_BERT_DATA" not in os.environ, reason="MINI_BERT_DATA is not set: no real text"
)


def real_texts() -> list[str]:
    """Every 20th line of all text and all tasks there are, or as many as MINI_BERT_EVERY says."""
    every = int(os.environ.get("MINI_BERT_EVERY", "20"))
    data = Path(os.environ["MINI_BERT_DATA"])
    paths = [
        path for name in ("text", "tasks") for path in sorted((data / name).rglob("*")) if path.is_file()
    ]
    lines: list[str] = []
    for path in paths:
        with (gzip.open if path.suffix == ".gz" else open)(path, "rt", encoding="utf-8") as file:
            lines += file.readlines()[::every]
    return lines


@REAL
def test_bert_base_on_real_text():
    vocab = Path(os.environ["MINI_BERT_DATA"]) / "vocabs" / "bert-base-uncased.vocab.txt"
    assert_all_same(WordPieceTokenizer.load(vocab), BertTokenizerFast(vocab=str(vocab)).backend_tokenizer)


@REAL
def test_a_cased_vocabulary_from_its_tokenizer_json_on_real_text():
    path = Path(os.environ["MINI_BERT_DATA"]) / "vocabs" / "distilbert-base-cased.tokenizer.json"
    theirs = Tokenizer.from_file(str(path))
    theirs.no_truncation()
    assert_all_same(WordPieceTokenizer.load(path), theirs)


def assert_all_same(ours: WordPieceTokenizer, theirs: Tokenizer) -> None:
    texts = real_texts()
    for start in range(0, len(texts), 10_000):
        some = texts[start : start + 10_000]
        for text, expected in zip(some, theirs.encode_batch(some), strict=True):
            found = ours.encoding(text)
            assert found.ids == expected.ids, text
            assert found.offsets == expected.offsets, text
            assert found.word_ids == expected.word_ids, text
            assert ours.encode(text) == expected.ids, text


def test_files_we_save_load_there(tokenizers, tmp_path):
    ours, _ = tokenizers
    ours.save(tmp_path)
    rng = random.Random(1)
    texts = [random_text(rng) for _ in range(500)]
    for theirs in (
        Tokenizer.from_file(str(tmp_path / "tokenizer.json")),
        PreTrainedTokenizerFast(tokenizer_file=str(tmp_path / "tokenizer.json")).backend_tokenizer,
        AutoTokenizer.from_pretrained(tmp_path).backend_tokenizer,
        BertTokenizerFast.from_pretrained(tmp_path).backend_tokenizer,
    ):
        assert [found.ids for found in theirs.encode_batch(texts)] == ours.encode_batch(texts)
    named = AutoTokenizer.from_pretrained(tmp_path)
    assert named.special_tokens_map == {
        "pad_token": "[PAD]",
        "unk_token": "[UNK]",
        "cls_token": "[CLS]",
        "sep_token": "[SEP]",
        "mask_token": "[MASK]",
    }
    first, second = texts[:2]
    expected, found = named(first, second), ours.encoding(first, second)
    assert expected["token_type_ids"] == found.type_ids
    assert expected["attention_mask"] == found.attention_mask


@pytest.mark.parametrize("lowercase", [True, False])
def test_files_they_save_load_here(tokenizers, tmp_path, lowercase):
    ours, _ = tokenizers
    ours.save(tmp_path / "vocab.txt")
    theirs = BertTokenizerFast(vocab=str(tmp_path / "vocab.txt"), do_lower_case=lowercase)
    theirs.save_pretrained(tmp_path / "theirs")
    loaded = WordPieceTokenizer.load(tmp_path / "theirs")
    rng = random.Random(2)
    for _ in range(500):
        assert_same(loaded, theirs, random_text(rng))
    assert loaded.fingerprint() == WordPieceTokenizer.load(loaded.save(tmp_path / "again")).fingerprint()


def test_a_cased_vocab_txt_is_read_alike_there_and_here(tmp_path):
    """From vocab.txt and tokenizer_config.json, without tokenizer.json."""
    ours = WordPieceTokenizer.train(stories(100), 500, lowercase=False, special_tokens=["[X]"])
    (ours.save(tmp_path) / "tokenizer.json").unlink()
    settings = json.loads((tmp_path / "tokenizer_config.json").read_text())
    theirs = BertTokenizerFast(
        vocab=str(tmp_path / "vocab.txt"),
        do_lower_case=settings["do_lower_case"],
        strip_accents=settings["strip_accents"],
        tokenize_chinese_chars=settings["tokenize_chinese_chars"],
    )
    theirs.add_special_tokens({"additional_special_tokens": ["[X]"]})
    loaded = WordPieceTokenizer.load(tmp_path)
    assert loaded.fingerprint() == ours.fingerprint()
    for text in [*stories(20, seed=1), "[X]The É"]:
        assert_same(loaded, theirs, text)


def test_decoding_and_padding_are_theirs(tokenizers, tmp_path):
    ours, theirs = tokenizers
    without_clean_up = Tokenizer.from_file(str(ours.save(tmp_path / "tokenizer.json")))
    texts = [next(stories(1)), "The cow says moo ."]
    expected = theirs(texts, padding=True)["input_ids"]
    assert [encoding.ids for encoding in ours.encodings(texts, pad=True)] == expected
    for ids in expected:
        assert ours.decode(ids) == without_clean_up.decode(ids, skip_special_tokens=False)
