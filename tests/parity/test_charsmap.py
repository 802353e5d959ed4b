"""SentencePiece's compiled tables do to text what they do in HuggingFace's tokenizers."""

import json
import random
import struct
import unicodedata

import pytest
from tokenizers import Tokenizer, normalizers

from mini_bert.tokenizers.charsmap import Precompiled
from mini_bert.tokenizers.description import Description
from mini_bert.tokenizers.sentencepiece_text import ALBERT, SentencePieceStyle
from mini_bert.tokenizers.step_readers import steps_from_json
from mini_bert.tokenizers.unigram import UnigramTokenizer, specials

EVERY_CHARACTER = [chr(code) for code in range(1, 0x110000) if not 0xD800 <= code < 0xE000]
ASSIGNED = [char for char in EVERY_CHARACTER if char < "\U00034000" or "\U000e0000" <= char < "\U000e1000"]
"""All, and more, that Unicode has given a meaning."""
MARKS = "\u0301\u0308\u0327\u200d\ufe0f\u0903\u093c\u3099\U0001f3fd"


def double_array(values: dict[bytes, int]) -> list[int]:
    """The trie of keys and their values, each node at the first place where all its children have room."""
    trie: dict[int, object] = {}
    for key, value in values.items():
        node = trie
        for byte in key:
            node = node.setdefault(byte, {})
        node[-1] = value
    units, bases, waiting, hint = {0: 0}, set(), [(trie, 0)], 1
    while waiting:
        node, place = waiting.pop()
        labels = [max(byte, 0) for byte in node]
        base = hint
        while base in bases or any(base ^ label in units for label in labels):
            base += 1
        hint = max(hint, base - 256)
        bases.add(base)
        units[place] |= (base ^ place) << 10 | (-1 in node) << 8
        for byte, child in node.items():
            units[base ^ max(byte, 0)] = child | 1 << 31 if byte == -1 else byte
            if byte != -1:
                waiting.append((child, base ^ byte))
    return [units.get(place, 0) for place in range((max(units) | 255) + 1)]


def compiled(rules: dict[str, str]) -> bytes:
    places, replacements = {}, b""
    for found, new in rules.items():
        places[found.encode()] = len(replacements)
        replacements += new.encode() + b"\0"
    units = double_array(places)
    return struct.pack(f"<{len(units) + 1}I", 4 * len(units), *units) + replacements


def rules_like_nfkc() -> dict[str, str]:
    """As in SentencePiece's nmt_nfkc: characters and letters with marks by their NFKC, controls dropped."""
    rules = dict.fromkeys("\t\n\r\x0c\u200b\ufeff▁", " ") | {chr(code): "" for code in range(1, 9)}
    for char in EVERY_CHARACTER[:0x3400]:
        new = unicodedata.normalize("NFKC", char)
        if new != char:
            rules.setdefault(char, new)
        apart = unicodedata.normalize("NFD", char)
        if apart != char:
            rules.setdefault(apart, new)
    return rules | {"q": "Q", "\u0600": "N", "각": "gag", "b\u0301": ""}


@pytest.fixture(scope="module")
def table() -> bytes:
    return compiled(rules_like_nfkc())


@pytest.mark.parametrize("context", ["q{}", "{}q", "e{}\u0301x", "{}\u0301"])
def test_every_character(table, context):
    ours, theirs = Precompiled(table), normalizers.Precompiled(table)
    for start in range(0, len(ASSIGNED), 128):
        text = " ".join(map(context.format, ASSIGNED[start : start + 128]))
        assert ours.plain(text) == theirs.normalize_str(text), repr(text)


def random_text(rng: random.Random) -> str:
    bases = ["q", "e", "b", "ﬁ", "\r\n", "\x01", "a", "각", "\u0600", "½", " ", chr(rng.randrange(1, 0x3400))]
    return "".join(rng.choice([*bases, *MARKS]) for _ in range(rng.randint(1, 10)))


def test_random_texts_with_offsets(table):
    steps = steps_from_json(Description(Precompiled(table).to_json(), "here"))
    style = SentencePieceStyle(steps, ALBERT.marks, ALBERT.unk, ALBERT.added, ALBERT.frame)
    letters = [(char, -2.0) for char in "▁qQeéafi12⁄\u0301\u0308N"]
    ours = UnigramTokenizer([*specials(style), *letters], style=style)
    theirs, rng = Tokenizer.from_str(json.dumps(ours.to_json())), random.Random(5)
    for _ in range(5000):
        text = random_text(rng)
        expected, found = theirs.encode(text), ours.encoding(text)
        assert found.ids == expected.ids == ours.encode(text), repr(text)
        assert found.offsets == expected.offsets, repr(text)
        assert found.word_ids == expected.word_ids, repr(text)
