"""Vocabularies that are learned once and kept: what they are kept under, and what happens to damaged ones."""

import os

import pytest

from mini_bert.data import vocabularies
from mini_bert.data.corpus import corpus
from mini_bert.data.vocabularies import learned_vocabulary
from mini_bert.tokenizers import WordPieceTokenizer
from mini_bert.tokenizers.files import JSON


@pytest.fixture
def lessons(monkeypatch):
    """Counts how often a vocabulary is learned."""
    count = []
    train = WordPieceTokenizer.train
    monkeypatch.setattr(
        WordPieceTokenizer, "train", lambda *a, **options: count.append(options) or train(*a, **options)
    )
    return count


@pytest.fixture
def text():
    return corpus("world:20")


def test_learned_once_and_kept_in_the_folder(text, lessons, tmp_path):
    first, place = learned_vocabulary(text, 300, folder=tmp_path)
    second, same = learned_vocabulary(text, 300, folder=tmp_path)
    assert place == same
    assert tmp_path in place.parents
    assert first.id_to_token == second.id_to_token
    assert len(lessons) == 1


@pytest.mark.parametrize(
    "other",
    [
        {"vocab_size": 301},
        {"criterion": "likelihood"},
        {"lowercase": False},
        {"min_frequency": 2},
        {"limit_alphabet": None},
    ],
)
def test_other_settings_are_another_vocabulary(text, lessons, tmp_path, other):
    _, place = learned_vocabulary(text, 300, folder=tmp_path)
    tokenizer, another = learned_vocabulary(text, **{"vocab_size": 300, **other}, folder=tmp_path)
    assert place != another
    assert len(lessons) == 2
    assert tokenizer.normalizer.lowercase == other.get("lowercase", True)


def test_another_format_is_another_vocabulary(text, tmp_path, monkeypatch):
    _, place = learned_vocabulary(text, 300, folder=tmp_path)
    monkeypatch.setattr(vocabularies, "FORMAT", -1)
    assert learned_vocabulary(text, 300, folder=tmp_path)[1] != place


@pytest.mark.parametrize("content", ["", "{", "{}"])
def test_a_damaged_one_is_learned_again(text, lessons, tmp_path, content):
    first, place = learned_vocabulary(text, 300, folder=tmp_path)
    (place / JSON).write_text(content)
    second, _ = learned_vocabulary(text, 300, folder=tmp_path)
    assert first.id_to_token == second.id_to_token
    assert len(lessons) == 2
    learned_vocabulary(text, 300, folder=tmp_path)
    assert len(lessons) == 2


def test_one_process_learns_and_nobody_waits_to_read(text, tmp_path, monkeypatch):
    inside = []
    train = WordPieceTokenizer.train

    def watched(*arguments, **options):
        inside.extend(name for name in os.listdir(tmp_path / "tokenizers") if name.endswith(".lock"))
        return train(*arguments, **options)

    monkeypatch.setattr(WordPieceTokenizer, "train", watched)
    _, place = learned_vocabulary(text, 300, folder=tmp_path)
    assert inside == [f"{place.name}.lock"]
    monkeypatch.setattr(vocabularies, "only_one", lambda *_: pytest.fail("waits for others"))
    learned_vocabulary(text, 300, folder=tmp_path)
