"""The same text of ids as HuggingFace, with its clean-up of spaces and without; and the same numbers of texts."""

import json
import random

import pytest
from tokenizers import Tokenizer

from mini_bert.data.world import texts as stories
from mini_bert.tokenizers import SPECIAL_TOKENS, ByteLevelBPETokenizer, WordPieceTokenizer

SIGNS = [
    ".",
    ",",
    "!",
    "?",
    "'",
    "s",
    "'s",
    "'m",
    "'ve",
    "'re",
    "n't",
    "do",
    "not",
    "##.",
    "##'s",
    "##n't",
    "##",
]


@pytest.mark.parametrize("cleanup", [True, False])
def test_any_ids_become_the_same_text(tmp_path, cleanup):
    ours = WordPieceTokenizer([*SPECIAL_TOKENS, *SIGNS, "hello", "##lo", "it", "me"], clean_up=cleanup)
    theirs = Tokenizer.from_file(str(ours.save(tmp_path / "tokenizer.json")))
    rng = random.Random(0)
    for _ in range(3000):
        ids = [rng.randrange(ours.vocab_size) for _ in range(rng.randint(0, 8))]
        assert ours.decode(ids) == theirs.decode(ids, skip_special_tokens=False)
        assert ours.decode(ids, skip_special_tokens=True) == theirs.decode(ids)


def test_a_loaded_file_keeps_its_clean_up(tmp_path):
    ours = WordPieceTokenizer.train(stories(50), 500)
    content = ours.to_json()
    content["decoder"]["cleanup"] = True
    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    loaded, theirs = WordPieceTokenizer.load(path), Tokenizer.from_file(str(path))
    written = Tokenizer.from_file(str(loaded.save(tmp_path / "again.json")))
    for text in stories(50, seed=1):
        ids = loaded.encode(text)
        assert loaded.decode(ids, True) == theirs.decode(ids) == written.decode(ids)
        assert loaded.decode(ids, True) != ours.decode(ids, True)


@pytest.mark.parametrize("kind", [WordPieceTokenizer, ByteLevelBPETokenizer])
def test_tokens_belong_to_the_same_texts(tmp_path, kind):
    ours = kind.train(stories(50), 600)
    theirs = Tokenizer.from_file(str(ours.save(tmp_path / "tokenizer.json")))
    first, *others = stories(20, seed=1)
    for second in others:
        expected, found = theirs.encode(first, second), ours.encoding(first, second)
        assert found.sequence_ids == expected.sequence_ids
        expected.pad(len(expected.ids) + 3)
        assert ours.padded(found, len(found) + 3).sequence_ids == expected.sequence_ids
