"""The same ids, offsets, words and learned vocabularies as HuggingFace's byte-level BPE, and files both ways."""

import gzip
import json
import os
import random
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest
import tokenizers as huggingface
from transformers import AutoTokenizer, PreTrainedTokenizerFast, RobertaTokenizerFast

from mini_bert.data.world import texts
from mini_bert.tokenizers.bpe import ByteLevelBPETokenizer
from mini_bert.tokenizers.bpe_styles import ROBERTA_STYLE
from mini_bert.tokenizers.byte_symbols import symbols
from mini_bert.tokenizers.files import load_tokenizer
from mini_bert.tokenizers.gpt2_words import words
from mini_bert.tokenizers.trimming import Trimming

ROBERTA_TOKENS = [token.content for token in ROBERTA_STYLE.tokens]
ANYWHERE = [(32, 127), (0, 0x250), (0x300, 0x3400), (0x3400, 0xD800), (0xE000, 0x20000), (0x20000, 0x110000)]
FRAGMENTS = (
    *("<mask>", " <mask>", "<s>", "</s>x", "<|endoftext|>", "<mas"),
    *(" ", "  ", "     ", "\n", "\n\n", " \n", "\t", "\r\n", "\u00a0", "\u3000", "\u2003 ", "\x85", "\x1c"),
    *(
        "'s",
        "'ll",
        "'T",
        "'",
        "''re",
        " 've",
        "1",
        "23",
        " 456",
        "½",
        "٣",
        "the",
        " dog",
        "Dog",
        "!",
        " ...",
        "_",
    ),
)

needs_data = pytest.mark.skipif(
    "MINI_BERT_DATA" not in os.environ, reason="MINI_BERT_DATA is not set: no real text or vocabulary here"
)


def random_text(rng: random.Random) -> str:
    parts = (
        rng.choice(FRAGMENTS) if rng.random() < 0.4 else chr(rng.randrange(*rng.choice(ANYWHERE)))
        for _ in range(rng.randint(1, 14))
    )
    return "".join(parts)


def assert_same(ours: ByteLevelBPETokenizer, theirs: huggingface.Tokenizer, text: str) -> None:
    expected, found = theirs.encode(text), ours.encoding(text)
    assert found.ids == expected.ids, text
    assert found.offsets == expected.offsets, text
    assert found.word_ids == expected.word_ids, text
    assert found.type_ids == expected.type_ids, text
    assert ours.encode(text) == expected.ids, text
    assert ours.decode(found.ids) == theirs.decode(expected.ids, skip_special_tokens=False), text
    assert ours.decode(found.ids, skip_special_tokens=True) == theirs.decode(expected.ids), text


def theirs_from(ours: ByteLevelBPETokenizer) -> huggingface.Tokenizer:
    return huggingface.Tokenizer.from_str(json.dumps(ours.to_json()))


@pytest.fixture(scope="module")
def ours() -> ByteLevelBPETokenizer:
    """A vocabulary with pieces of many scripts, of words and of spaces."""
    rng = random.Random(7)
    return ByteLevelBPETokenizer.train(
        [*texts(300), *(random_text(rng) for _ in range(4000))],
        vocab_size=4000,
        special_tokens=["<|endoftext|>"],
    )


@pytest.fixture(scope="module")
def theirs(ours: ByteLevelBPETokenizer) -> huggingface.Tokenizer:
    return theirs_from(ours)


def test_ten_thousand_random_texts(ours: ByteLevelBPETokenizer, theirs: huggingface.Tokenizer) -> None:
    rng = random.Random(0)
    for _ in range(10_000):
        assert_same(ours, theirs, random_text(rng))


@pytest.mark.parametrize(("spaced", "trims", "keeps"), [*product([False, True], repeat=3)])
def test_prefix_and_trimming(ours: ByteLevelBPETokenizer, spaced: bool, trims: bool, keeps: bool) -> None:
    variant = ByteLevelBPETokenizer(
        ours.id_to_token,
        ours.merges,
        added=ours.added,
        add_prefix_space=spaced,
        trimming=Trimming(trims, keeps),
    )
    theirs = theirs_from(variant)
    rng = random.Random(1)
    for text in ("a", " a", "  a", "\ta", "\u3000a", "   ", *(random_text(rng) for _ in range(1000))):
        assert_same(variant, theirs, text)


def test_every_character() -> None:
    """Beside a letter, a number, a space and a sign."""
    cutter = huggingface.pre_tokenizers.ByteLevel(add_prefix_space=False)
    everything = [chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000]
    for start in range(0, len(everything), 256):
        text = " ".join(f"a{char}1 {char}!" for char in everything[start : start + 256])
        spelled = [symbols(word.encode()) for word in words(text)]
        assert spelled == [word for word, _ in cutter.pre_tokenize_str(text)], hex(start)


def test_decoding_any_ids(ours: ByteLevelBPETokenizer, theirs: huggingface.Tokenizer) -> None:
    rng = random.Random(2)
    for _ in range(5000):
        ids = [rng.randrange(ours.vocab_size) for _ in range(rng.randint(1, 8))]
        assert ours.decode(ids) == theirs.decode(ids, skip_special_tokens=False)


@pytest.mark.parametrize("word", ["a" * 20_000, "ab" * 5000, "€" * 3000, " " * 5000, "1!" * 2000])
def test_long_words(ours: ByteLevelBPETokenizer, theirs: huggingface.Tokenizer, word: str) -> None:
    assert_same(ours, theirs, word)


def test_pairs(ours: ByteLevelBPETokenizer, theirs: huggingface.Tokenizer) -> None:
    rng = random.Random(3)
    for _ in range(500):
        first, second = random_text(rng), random_text(rng)
        expected, found = theirs.encode(first, second), ours.encoding(first, second)
        assert found.ids == expected.ids
        assert found.offsets == expected.offsets
        assert found.type_ids == expected.type_ids
        assert found.special_tokens_mask == expected.special_tokens_mask


def test_truncated_pairs_and_texts(ours: ByteLevelBPETokenizer, theirs: huggingface.Tokenizer) -> None:
    longer, shorter = " ".join(texts(5)), "A short  one."
    try:
        for length in range(4, 60):
            theirs.enable_truncation(length)
            expected, found = (
                theirs.encode(longer, shorter),
                ours.encoding(longer, shorter, max_length=length),
            )
            assert found.ids == expected.ids
            assert found.offsets == expected.offsets
            assert ours.encoding(longer, max_length=length).ids == theirs.encode(longer).ids
    finally:
        theirs.no_truncation()


@pytest.mark.parametrize("style", ["roberta", "gpt2"])
@pytest.mark.parametrize("spaced", [False, True])
def test_they_load_what_we_save(style: str, spaced: bool, tmp_path: Path) -> None:
    ours = ByteLevelBPETokenizer.train(texts(300), 600, style=style, add_prefix_space=spaced)
    ours.save(tmp_path)
    file = str(tmp_path / "tokenizer.json")
    loaded = [PreTrainedTokenizerFast(tokenizer_file=file), AutoTokenizer.from_pretrained(tmp_path)]
    if style == "roberta" and not spaced:  # this class decides about the prefix itself
        loaded.append(RobertaTokenizerFast.from_pretrained(tmp_path))
    assert {one.pad_token for one in loaded[1:]} == {ours.roles.pad}
    rng = random.Random(4)
    samples = [*texts(20), *(random_text(rng) for _ in range(300))]
    for theirs in (huggingface.Tokenizer.from_file(file), *(one.backend_tokenizer for one in loaded)):
        for text in samples:
            assert_same(ours, theirs, text)


@pytest.mark.parametrize(("prefix", "trims"), [*product([False, True], [False, True])])
def test_we_load_what_they_save(prefix: bool, trims: bool, tmp_path: Path) -> None:
    trained = huggingface.ByteLevelBPETokenizer(add_prefix_space=prefix, trim_offsets=trims)
    trained.train_from_iterator(texts(300), 600, special_tokens=ROBERTA_TOKENS, show_progress=False)
    trained.save(str(tmp_path / "tokenizer.json"))
    trained.save_model(str(tmp_path), "small.")
    theirs = huggingface.Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
    ours, plain = load_tokenizer(tmp_path), load_tokenizer(tmp_path / "small.-vocab.json")
    assert isinstance(ours, ByteLevelBPETokenizer)
    assert plain.token_to_id == ours.token_to_id == theirs.get_vocab()
    rng = random.Random(5)
    for _ in range(500):
        assert_same(ours, theirs, random_text(rng))


@pytest.mark.parametrize("form", ["NFC", "NFKC", "NFD"])
@pytest.mark.parametrize("spaced", [False, True])
def test_text_that_is_normalized_first(
    ours: ByteLevelBPETokenizer, form: str, spaced: bool, tmp_path: Path
) -> None:
    content = {**ours.to_json(), "normalizer": {"type": form}}
    content["pre_tokenizer"]["add_prefix_space"] = spaced
    (tmp_path / "tokenizer.json").write_text(json.dumps(content), encoding="utf-8")
    loaded, theirs = load_tokenizer(tmp_path), huggingface.Tokenizer.from_str(json.dumps(content))
    assert isinstance(loaded, ByteLevelBPETokenizer)
    rng = random.Random(6)
    for text in ("e\u0301", "ﬁne cafe\u0301s ①", "a\u0301\u0316b", *(random_text(rng) for _ in range(1000))):
        assert_same(loaded, theirs, text)


def test_added_tokens_in_text_without_a_normalizer(ours: ByteLevelBPETokenizer, tmp_path: Path) -> None:
    theirs = theirs_from(ours)
    theirs.add_tokens(["wonder", "full dog"])
    theirs.save(str(tmp_path / "tokenizer.json"))
    loaded = load_tokenizer(tmp_path)
    assert isinstance(loaded, ByteLevelBPETokenizer)
    for text in ("wonderfull dog", "a  wonder", "awonder<mask> full dogs"):
        assert_same(loaded, theirs, text)


def real_lines(step: int) -> Iterator[str]:
    for path in sorted((Path(os.environ["MINI_BERT_DATA"]) / "text").glob("*.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as file:
            yield from (line for number, line in enumerate(file) if number % step == 0)


@pytest.fixture(scope="module")
def text_to_learn_from() -> list[str]:
    """The world, and about 1 MB of real text where there is some."""
    return [*texts(2000), *(real_lines(step=100) if "MINI_BERT_DATA" in os.environ else ())]


@pytest.mark.parametrize(("vocab_size", "min_frequency"), [(1000, 2), (6000, 3), (3000, 1)])
def test_the_same_vocabulary_is_learned(
    vocab_size: int, min_frequency: int, text_to_learn_from: list[str]
) -> None:
    theirs = huggingface.ByteLevelBPETokenizer()
    theirs.train_from_iterator(
        text_to_learn_from, vocab_size, min_frequency, special_tokens=ROBERTA_TOKENS, show_progress=False
    )
    vocab = theirs.get_vocab()
    ours = ByteLevelBPETokenizer.train(text_to_learn_from, len(vocab), min_frequency=min_frequency)
    assert ours.token_to_id == vocab
    merges = json.loads(theirs._tokenizer.to_str())["model"]["merges"]
    assert ours.merges == tuple(map(tuple, merges))


@needs_data
@pytest.mark.parametrize("name", ["roberta-base.tokenizer.json", "gpt2.vocab.json"])
def test_real_vocabularies_on_real_text(name: str) -> None:
    vocabs = Path(os.environ["MINI_BERT_DATA"]) / "vocabs"
    ours = load_tokenizer(vocabs / name)
    if name.startswith("gpt2"):
        files = [str(vocabs / f"gpt2.{kind}") for kind in ("vocab.json", "merges.txt")]
        theirs = huggingface.ByteLevelBPETokenizer(*files)._tokenizer
        assert load_tokenizer(files[1]).token_to_id == ours.token_to_id
    else:
        theirs = huggingface.Tokenizer.from_file(str(vocabs / name))
    lines = list(real_lines(step=20))
    for number, (text, expected) in enumerate(zip(lines, theirs.encode_batch(lines), strict=True)):
        assert ours.encode(text) == expected.ids, text
        if number % 20 == 0:
            found = ours.encoding(text)
            assert found.offsets == expected.offsets, text
            assert found.word_ids == expected.word_ids, text
            assert ours.decode(expected.ids, skip_special_tokens=True) == text
