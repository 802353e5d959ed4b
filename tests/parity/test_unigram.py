"""The same ids, offsets and words as HuggingFace's Unigram tokenizers, with the same pieces."""

import gzip
import json
import os
import random
from pathlib import Path

import pytest
import tokenizers
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, trainers
from transformers import (
    AlbertTokenizer,
    AutoTokenizer,
    DebertaV2Tokenizer,
    PreTrainedTokenizerFast,
    XLNetTokenizer,
)

from mini_bert.data.world import texts as stories
from mini_bert.tokenizers.description import Description
from mini_bert.tokenizers.files import load_tokenizer
from mini_bert.tokenizers.normal_steps import Nmt, UnicodeForm, aligned, plain
from mini_bert.tokenizers.sentencepiece_text import SENTENCEPIECE_STYLES as STYLES
from mini_bert.tokenizers.sentencepiece_text import SentencePieceStyle
from mini_bert.tokenizers.space_marks import SCHEMES, SpaceMarks
from mini_bert.tokenizers.step_readers import steps_from_json
from mini_bert.tokenizers.unigram import UnigramTokenizer, specials

ANYWHERE = [(32, 127), (0, 0x250), (0x300, 0x370), (0x300, 0x3400), (0x3400, 0xD800), (0xE000, 0x20000)]
ANYWHERE += [(0x1100, 0x1200), (0xAC00, 0xD7A4), (0x20000, 0x110000)]
MORE = [
    "",
    "",
    " [MASK]",
    "[SEP]x",
    "  <mask> y",
    "``a''",
    " \n\r\t ",
    "\u00a0",
    "   ",
    "▁",
    "a▁▁ b",
    "'''",
    "```",
]
EVERY_CHARACTER = [chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000]
ASSIGNED = [char for char in EVERY_CHARACTER if char < "\U00034000" or "\U000e0000" <= char < "\U000e1000"]
"""All, and more, that Unicode has given a meaning."""
THEIR_CLASSES = {"albert": AlbertTokenizer, "xlnet": XLNetTokenizer, "deberta-v2": DebertaV2Tokenizer}


def random_text(rng: random.Random) -> str:
    chars = [chr(rng.randrange(*rng.choice(ANYWHERE))) for _ in range(rng.randint(0, 12))]
    chars.insert(rng.randint(0, len(chars)), rng.choice(MORE))
    return rng.choice(MORE) + "".join(chars) + rng.choice(MORE)


def some_pieces(style: SentencePieceStyle) -> list[tuple[str, float]]:
    """Pieces of many scripts whose scores often tie; most characters are known, not all."""
    rng = random.Random(7)
    found = dict(specials(style))
    for text in [*stories(100), *(random_text(rng) for _ in range(3000))]:
        for word in style.marks.words(style.aligned(text), 0):
            for _ in range(3):
                start = rng.randrange(len(word.text))
                piece = word.text[start : start + rng.randint(1, 6)]
                found.setdefault(piece, -rng.randint(4, 40) / 4)
    return list(found.items())


def theirs_for(ours: UnigramTokenizer) -> Tokenizer:
    return Tokenizer.from_str(json.dumps(ours.to_json()))


def assert_same(ours: UnigramTokenizer, theirs: Tokenizer, text: str) -> None:
    expected, found = theirs.encode(text), ours.encoding(text)
    assert found.ids == expected.ids, repr(text)
    assert found.offsets == expected.offsets, repr(text)
    assert found.word_ids == expected.word_ids, repr(text)
    assert ours.encode(text) == expected.ids, repr(text)
    assert ours.decode(found.ids) == theirs.decode(expected.ids, skip_special_tokens=False), repr(text)
    assert ours.decode(found.ids, skip_special_tokens=True) == theirs.decode(expected.ids), repr(text)


@pytest.fixture(scope="module", params=STYLES)
def pair(request: pytest.FixtureRequest) -> tuple[UnigramTokenizer, Tokenizer]:
    style = STYLES[request.param]
    ours = UnigramTokenizer(some_pieces(style), style=style)
    return ours, theirs_for(ours)


def test_ten_thousand_random_texts(pair):
    rng = random.Random(0)
    for _ in range(10_000):
        assert_same(*pair, random_text(rng))


def in_rows(context: str, characters: list[str]) -> list[str]:
    """Every character in context, a few hundred in each text."""
    rows = (characters[start : start + 256] for start in range(0, len(characters), 256))
    return ["".join(map(context.format, row)) for row in rows]


def test_every_character(pair):
    ours, theirs = pair
    for text in in_rows("e{}\u0301b ", [*ASSIGNED, *EVERY_CHARACTER[::16]]):
        assert ours.encode(text) == theirs.encode(text).ids, repr(text)


@pytest.mark.parametrize("prepend", SCHEMES)
@pytest.mark.parametrize("split", [True, False])
@pytest.mark.parametrize("at_white_space", [True, False])
def test_space_marks(prepend, split, at_white_space):
    albert = STYLES["albert"]
    marks = SpaceMarks(prepend, split, at_white_space)
    style = SentencePieceStyle((UnicodeForm("NFKC"), Nmt()), marks, albert.unk, albert.added, albert.frame)
    ours = UnigramTokenizer(some_pieces(style), style=style)
    theirs, rng = theirs_for(ours), random.Random(1)
    for _ in range(1000):
        assert_same(ours, theirs, random_text(rng))


@pytest.mark.parametrize("name", [*UnicodeForm.NAMES, "Nmt", "Lowercase", "StripAccents"])
def test_each_step_on_every_character_among_marks(name):
    steps = steps_from_json(Description({"type": name}, "here"))
    judge = getattr(normalizers, name)()
    for text in in_rows("x\u0345{0}\u0334a\u0316{0}", ASSIGNED):
        expected = judge.normalize_str(text)
        assert plain(steps, text) == expected, repr(text)
        assert aligned(steps, text).text == expected, repr(text)
    assert steps[0].to_json() == {"type": name}


@pytest.mark.parametrize("name", STYLES)
def test_their_own_classes_have_our_normalizer_and_frame(name, tmp_path):
    """Tokens stand elsewhere in their vocabularies; what is done with text is the same, entry for entry."""
    ours = UnigramTokenizer(some_pieces(STYLES[name]), style=STYLES[name])
    theirs = THEIR_CLASSES[name](vocab=[tuple(piece) for piece in ours.scored], unk_id=ours.segmenter.unk_id)
    theirs.save_pretrained(tmp_path)
    their_json, our_json = json.loads((tmp_path / "tokenizer.json").read_text()), ours.to_json()
    assert their_json["normalizer"] == our_json["normalizer"]
    assert their_json["post_processor"]["pair"] == our_json["post_processor"]["pair"]
    assert their_json["decoder"] == our_json["decoder"]
    loaded = load_tokenizer(tmp_path)
    rng = random.Random(2)
    for _ in range(500):
        assert_same(loaded, theirs.backend_tokenizer, random_text(rng))


@pytest.mark.parametrize("name", STYLES)
def test_padding_stands_on_their_side(name, tmp_path):
    """XLNet's: on the left, in a segment of its own."""
    ours = UnigramTokenizer(some_pieces(STYLES[name]), style=STYLES[name])
    theirs = THEIR_CLASSES[name](vocab=[tuple(piece) for piece in ours.scored], unk_id=ours.segmenter.unk_id)
    if name == "xlnet":  # it says so itself before its base class starts anew from 0
        theirs._pad_token_type_id = 3
    theirs.save_pretrained(tmp_path)
    texts = ["snow", next(stories(1)), ""]
    expected = theirs(texts, padding=True, return_token_type_ids=True)
    found = load_tokenizer(tmp_path).encodings(texts, pad=True)
    assert [one.ids for one in found] == expected["input_ids"]
    assert [one.type_ids for one in found] == expected["token_type_ids"]
    assert [one.attention_mask for one in found] == expected["attention_mask"]
    assert ours.frame.padding == load_tokenizer(tmp_path / "tokenizer.json").frame.padding
    back = AutoTokenizer.from_pretrained(ours.save(tmp_path / "ours"))
    assert back.padding_side == theirs.padding_side == ours.frame.padding.side
    expected = back(texts, padding=True)["input_ids"]
    assert [one.ids for one in ours.encodings(texts, pad=True)] == expected


def test_what_they_train_loads_here(tmp_path):
    theirs = Tokenizer(models.Unigram())
    theirs.normalizer = normalizers.Sequence([normalizers.Nmt(), normalizers.NFKC()])
    theirs.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="first")
    theirs.decoder = tokenizers.decoders.Metaspace(prepend_scheme="first")
    trainer = trainers.UnigramTrainer(
        vocab_size=400, special_tokens=["<unk>", "[MASK]"], unk_token="<unk>", show_progress=False
    )
    theirs.train_from_iterator(list(stories(300)), trainer)
    theirs.save(str(tmp_path / "tokenizer.json"))
    ours, rng = load_tokenizer(tmp_path), random.Random(3)
    for text in [*stories(50, seed=1), *(random_text(rng) for _ in range(1000))]:
        assert_same(ours, theirs, text)


@pytest.mark.parametrize("name", STYLES)
def test_what_we_save_loads_there(name, tmp_path):
    ours = UnigramTokenizer.train(list(stories(300)), 300, style=name)
    ours.save(tmp_path)
    backends = [
        Tokenizer.from_file(str(tmp_path / "tokenizer.json")),
        PreTrainedTokenizerFast(tokenizer_file=str(tmp_path / "tokenizer.json")).backend_tokenizer,
        AutoTokenizer.from_pretrained(tmp_path).backend_tokenizer,
    ]
    rng = random.Random(4)
    for text in [*stories(20, seed=1), *(random_text(rng) for _ in range(200))]:
        for theirs in backends:
            assert_same(ours, theirs, text)
    loaded = load_tokenizer(tmp_path)
    assert loaded.fingerprint() == ours.fingerprint()


def test_scores_of_many_digits_are_read_alike():
    """Two cuts are often equally good but for the last bit: 9 + 99, or 99 + 9."""
    rng = random.Random(6)
    letters = [
        ("▁", -2.0),
        *((letter * size, rng.uniform(-12, -2)) for letter in "ab9" for size in (1, 2, 3)),
    ]
    ours = UnigramTokenizer([*specials(STYLES["albert"]), *letters])
    theirs = theirs_for(ours)
    read = json.loads(theirs.to_str())["model"]["vocab"]
    assert [score for _, score in read] == [score for _, score in ours.segmenter.known.values()]
    for _ in range(2000):
        assert_same(ours, theirs, "".join(rng.choice("ab9") * rng.randint(1, 7) for _ in range(4)))


@pytest.mark.skipif("MINI_BERT_DATA" not in os.environ, reason="MINI_BERT_DATA is not set: no real text here")
def test_real_text(pair):
    ours, theirs = pair
    for path in sorted((Path(os.environ["MINI_BERT_DATA"]) / "text").glob("*.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as file:
            texts = file.readlines()[::20]
        expected = theirs.encode_batch(texts)
        for text, encoding in zip(texts, expected, strict=True):
            assert ours.encode(text) == encoding.ids, text
