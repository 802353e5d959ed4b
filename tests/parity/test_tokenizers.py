"""The same ids, offsets and words as HuggingFace's fast BERT tokenizer, with the same vocabulary."""

import os
import random
from pathlib import Path

import pytest
from transformers import BertTokenizerFast

from mini_bert import WordPieceTokenizer
from mini_bert.data.tales import tales

ANYWHERE = [(32, 127), (0, 0x250), (0x300, 0x3400), (0x3400, 0xD800), (0xE000, 0x20000), (0x20000, 0x110000)]


def random_text(rng: random.Random) -> str:
    chars = [chr(rng.randrange(*rng.choice(ANYWHERE))) for _ in range(rng.randint(1, 12))]
    return "".join(chars) + rng.choice(["", " [MASK]", "[SEP]x"])


@pytest.fixture(scope="module")
def tokenizers(tmp_path_factory):
    """A vocabulary with letters of many scripts, in which random text is cut into pieces and not only unknown."""
    rng = random.Random(7)
    ours = WordPieceTokenizer.train(
        [*tales(500), *(random_text(rng) for _ in range(3000))], vocab_size=30_000
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
    first, second = tales(1)[0], tales(1, seed=1)[0]
    for length in range(3, 60):
        expected = theirs(first, second, max_length=length, truncation=True, return_offsets_mapping=True)
        found = ours.encoding(first, second, max_length=length)
        assert found.ids == expected["input_ids"]
        assert found.type_ids == expected["token_type_ids"]
        assert found.offsets == [tuple(offset) for offset in expected["offset_mapping"]]


@pytest.mark.skipif("MINI_BERT_DATA" not in os.environ, reason="MINI_BERT_DATA is not set: no real text here")
def test_bert_base_on_real_text():
    import gzip

    data = Path(os.environ["MINI_BERT_DATA"])
    vocab = data / "vocabs" / "bert-base-uncased.vocab.txt"
    ours, theirs = WordPieceTokenizer.load(vocab), BertTokenizerFast(vocab=str(vocab))
    for path in sorted((data / "text").glob("*.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as file:
            texts = file.readlines()[::20]
        expected = theirs.backend_tokenizer.encode_batch(texts)
        for text, encoding in zip(texts, expected, strict=True):
            assert ours.encode(text) == encoding.ids, text
