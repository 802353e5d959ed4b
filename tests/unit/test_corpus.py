"""Corpora: every name, the fingerprints, and how far a pass has come."""

import gzip
from pathlib import Path

import pytest

from mini_bert.data import corpus as module
from mini_bert.data import harvest
from mini_bert.data.corpus import STORIES, World, corpus
from mini_bert.data.world import texts


@pytest.fixture
def book(tmp_path):
    path = tmp_path / "book.txt"
    path.write_text("One.\n\nTwo.\n\nThree.", encoding="utf-8")
    return path


def test_the_world_tells_so_many_stories_again_and_again():
    world = corpus("world:30")
    assert list(world) == list(world) == list(texts(30))
    assert corpus("world").count == STORIES
    assert corpus("world:20_000").name == "world:20000"


def test_stories_beyond_those_remembered_are_told_again(monkeypatch):
    monkeypatch.setattr(module, "REMEMBERED_STORIES", 5)
    world = World(12, seed=3)
    assert list(world) == list(world) == list(texts(12, seed=3))
    assert len(world._told) == 5


def test_a_pass_that_was_given_up_does_no_harm():
    world = World(8)
    assert next(iter(world)) == next(iter(texts(1)))
    assert world.progress == 1 / 8
    assert list(world) == list(texts(8))


def test_the_fingerprint_of_the_world_is_that_of_its_text(monkeypatch):
    prints = {World(30).fingerprint(), World(31).fingerprint(), World(30, seed=1).fingerprint()}
    assert len(prints) == 3
    assert World(30).fingerprint() in prints
    monkeypatch.setattr(module, "world_version", lambda: "another world")
    assert World(30).fingerprint() not in prints


def test_paths_and_units(book):
    assert list(corpus(book)) == list(corpus(str(book.parent))) == ["One.", "Two.", "Three."]
    assert list(corpus(book, unit="file")) == ["One.\n\nTwo.\n\nThree."]
    assert corpus(book).fingerprint() != corpus(book, unit="file").fingerprint()
    assert corpus(book).name == str(book)


def test_a_folder_called_world_is_a_path_with_a_dot(book, monkeypatch):
    home = book.parent
    (home / "world").mkdir()
    book.rename(home / "world" / "book.txt")
    monkeypatch.chdir(home)
    assert list(corpus("./world")) == list(corpus(Path("world"))) == ["One.", "Two.", "Three."]
    assert list(corpus("world:2")) == list(texts(2))


def test_several_one_after_the_other(book, tmp_path):
    (tmp_path / "b.txt").write_text("Four.")
    mixed = corpus(book, tmp_path / "b.txt", "world:3", book)
    assert list(mixed) == ["One.", "Two.", "Three.", "Four.", *texts(3), "One.", "Two.", "Three."]
    assert mixed.progress == 1
    assert mixed.fingerprint() != corpus("world:3", book).fingerprint()
    assert len(mixed.parts) == 3


def test_bytes_that_are_no_text_are_counted(tmp_path):
    (tmp_path / "bad.txt").write_bytes(b"caf\xe9 \xff")
    bad = corpus(tmp_path / "bad.txt", "world:2")
    list(bad)
    assert bad.replaced == 2
    with pytest.raises(ValueError, match="not UTF-8"):
        list(corpus(tmp_path / "bad.txt", encoding_errors="strict"))


def test_progress_follows_the_bytes_of_plain_and_packed_files(tmp_path):
    paragraph = b"A word and another word.\n\n"
    (tmp_path / "a.txt").write_bytes(paragraph * 20_000)
    (tmp_path / "b.txt.gz").write_bytes(gzip.compress(paragraph * 20_000))
    both = corpus(tmp_path)
    shares = [both.progress for _ in both]
    assert shares == sorted(shares)
    plain = (tmp_path / "a.txt").stat().st_size
    assert both.source.bytes_total == plain + (tmp_path / "b.txt.gz").stat().st_size
    assert shares[10_000] == pytest.approx(0.5 * plain / both.source.bytes_total, abs=0.02)
    assert both.progress == 1


def test_python_docs_are_harvested_once(tmp_path, monkeypatch):
    harvests = []

    def gathered():
        harvests.append(1)
        return iter(["Return the root.\nIt is a float.", "Close the file."])

    monkeypatch.setattr(harvest.python_docs, "python_docs", gathered)
    monkeypatch.setattr(harvest.python_docs, "sources", lambda: [Path(__file__)])
    docs = corpus("python-docs", folder=tmp_path)
    assert not harvests
    assert list(docs) == list(docs) == ["Return the root.\nIt is a float.", "Close the file."]
    first = docs.fingerprint()
    assert corpus("python-docs", folder=tmp_path).fingerprint() == first
    assert len(harvests) == 1
    monkeypatch.setattr(harvest, "installation", lambda: "another Python")
    assert corpus("python-docs", folder=tmp_path).fingerprint() == first  # the same text
    assert len(harvests) == 2


def test_a_harvest_that_cannot_be_kept_is_explained(tmp_path, monkeypatch):
    monkeypatch.setattr(harvest.python_docs, "sources", list)
    (tmp_path / "file").touch()
    with pytest.raises(ValueError, match=r"cannot be written.*MINI_BERT_CACHE"):
        list(corpus("python-docs", folder=tmp_path / "file"))


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ((), "no corpus named"),
        (("world:many",), "world:20000 for so many stories"),
        (("world:",), "world:20000"),
        (("world:0",), "world:20000"),
        (("world:1__0",), "world:20000"),
        (("python-docs:5",), "python-docs:5: not a corpus"),
        (("wrold",), "did you mean 'world'"),
        (("python_docs",), "did you mean 'python-docs'"),
        (("nowhere/at/all.txt",), "no such file or folder; check the name"),
    ],
)
def test_names_that_mean_nothing(names, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match=message):
        corpus(*names)
