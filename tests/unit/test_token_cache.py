"""The token cache: what it holds, when it is built, how damage is found; and the split of documents."""

import json
import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mini_bert.data import token_cache, tokenizing
from mini_bert.data.corpus import Corpus, corpus
from mini_bert.data.sources import TextSource
from mini_bert.data.split import fitting, split
from mini_bert.data.token_cache import TokenCache, tokenized
from mini_bert.data.tokenizing import BREAKS, CONTENTS, ENDS, HASHES, IDS
from mini_bert.data.vocabularies import learned_vocabulary
from mini_bert.data.world import texts
from mini_bert.files import cache_folder, if_nobody_is_in, only_one, write_atomically
from mini_bert.tokenizers import WordPieceTokenizer


@pytest.fixture(scope="module")
def tokenizer():
    return WordPieceTokenizer.train(list(texts(200)), 1000)


@pytest.fixture(scope="module")
def stories():
    return list(texts(120))


@pytest.fixture
def builds(monkeypatch):
    """Counts how often a corpus is tokenized."""
    count = []
    build = tokenizing.build

    def counting(*arguments):
        count.append(1)
        return build(*arguments)

    monkeypatch.setattr("mini_bert.data.token_cache.build", counting)
    return count


def lines(path, documents):
    path.write_text("\n".join(documents), encoding="utf-8")
    return corpus(path, unit="line")


def test_holds_the_ids_of_every_document(tokenizer, stories, tmp_path, monkeypatch):
    monkeypatch.setattr(tokenizing, "BLOCK", 2000)  # several blocks
    cache = tokenized(corpus("world:120"), tokenizer, tmp_path)
    assert len(cache) == 120
    for index, story in enumerate(stories):
        assert cache.document(index).tolist() == tokenizer.encode(story, add_special_tokens=False)
    assert cache.ids.dtype == np.uint16
    assert cache.ends[-1] == len(cache.ids) == cache.contents.tokens == cache.lengths.sum()
    assert cache.contents.words == sum(len(story.split()) for story in stories)
    assert cache.contents.characters == sum(map(len, stories))
    with pytest.raises(ValueError, match="document 120 of 120"):
        cache.document(120)


def test_contents_tell_people_what_it_is(tokenizer, tmp_path):
    (tmp_path / "bad.txt").write_bytes(b"The dog \xff barks.\n\n\xe2\x80\x8b")
    cache = tokenized(corpus(tmp_path / "bad.txt"), tokenizer, tmp_path)
    contents = json.loads((cache.folder / CONTENTS).read_text())
    assert contents["source_name"] == str(tmp_path / "bad.txt")
    assert contents["tokenizer_name"] == repr(tokenizer)
    assert (contents["replaced_bytes"], contents["documents"], contents["empty_documents"]) == (1, 1, 1)


def test_wide_ids_for_large_vocabularies():
    assert [tokenizing.id_type(size) for size in (1000, 65_536, 65_537)] == ["<u2", "<u2", "<u4"]


def test_a_large_vocabulary_keeps_its_ids(tmp_path):
    words = [f"w{i}" for i in range(66_000)]
    large = WordPieceTokenizer(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *words])
    cache = tokenized(lines(tmp_path / "a.txt", ["w1 w65999", "w7"]), large, tmp_path)
    assert cache.ids.dtype == np.uint32
    assert cache.document(0).tolist() == [6, 66_004]


def test_built_once_and_found_again_wherever_the_text_lies(tokenizer, stories, tmp_path, builds):
    reports = []
    first = tokenized(lines(tmp_path / "a.txt", stories), tokenizer, tmp_path, lambda *r: reports.append(r))
    second = tokenized(lines(tmp_path / "moved.txt", stories), tokenizer, tmp_path)
    assert len(builds) == 1
    assert first.folder == second.folder
    shares = [share for share, _ in reports]
    assert shares == sorted(shares)
    assert (shares[0], shares[-1]) == (0, 1)
    assert "a.txt" in reports[-1][1]


def test_other_text_or_tokenizer_is_another_cache(tokenizer, stories, tmp_path, builds):
    tokenized(lines(tmp_path / "a.txt", stories), tokenizer, tmp_path)
    tokenized(lines(tmp_path / "a.txt", stories[1:]), tokenizer, tmp_path)
    tokenized(lines(tmp_path / "a.txt", stories), WordPieceTokenizer.train(stories, 500), tmp_path)
    assert len(builds) == 3


def flip(path):
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 4
    path.write_bytes(content)


def cut(path):
    path.write_bytes(path.read_bytes()[:-3])


def age(path, seconds=10):
    """Let a file have been changed a while ago."""
    changed = time.time() - seconds
    os.utime(path, (changed, changed))


@pytest.mark.parametrize("harm", [flip, cut, Path.unlink])
@pytest.mark.parametrize("name", [IDS, ENDS, BREAKS, HASHES, CONTENTS])
def test_damage_is_found_and_mended(tokenizer, tmp_path, builds, name, harm):
    source = corpus("world:20")
    folder = tokenized(source, tokenizer, tmp_path).folder
    whole = {path.name: path.read_bytes() for path in folder.iterdir()}
    harm(folder / name)
    if name == CONTENTS and harm is flip:
        (folder / name).write_text(
            (folder / name).read_text(errors="replace").replace('"tokens"', '"takens"')
        )
    with pytest.raises(ValueError, match=f"{name}.*(damaged|missing|were written)"):
        TokenCache(folder)
    reports = []
    again = tokenized(source, tokenizer, tmp_path, lambda *r: reports.append(r[1]))
    assert len(builds) == 2
    assert any("building it again" in note for note in reports)
    assert {path.name: path.read_bytes() for path in again.folder.iterdir()} == whole


def test_bytes_are_checked_once_and_again_when_a_date_is_another(tokenizer, tmp_path, monkeypatch):
    checks = []
    checksum = token_cache.checksum
    monkeypatch.setattr(token_cache, "checksum", lambda path: checks.append(path.name) or checksum(path))
    folder = tokenized(corpus("world:5"), tokenizer, tmp_path).folder
    assert len(checks) == 4
    TokenCache(folder)
    tokenized(corpus("world:5"), tokenizer, tmp_path)
    assert len(checks) == 4
    age(folder / ENDS)
    TokenCache(folder)
    TokenCache(folder)
    assert len(checks) == 8
    folder.with_name(f"{folder.name}.checked").write_text("[")
    TokenCache(folder)
    assert len(checks) == 12


def test_to_open_a_cache_nobody_waits_and_nothing_is_written(tokenizer, tmp_path, monkeypatch):
    folder = tokenized(corpus("world:5"), tokenizer, tmp_path).folder
    folder.with_name(f"{folder.name}.checked").unlink()

    def read_only(*arguments):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "mkdir", read_only)
    monkeypatch.setattr("mini_bert.data.token_cache.write_atomically", read_only)
    assert tokenized(corpus("world:5"), tokenizer, tmp_path).folder == folder


def test_a_cache_is_opened_without_its_lock(tokenizer, tmp_path, monkeypatch):
    folder = tokenized(corpus("world:5"), tokenizer, tmp_path).folder
    monkeypatch.setattr(token_cache, "only_one", lambda *_: pytest.fail("waits for others"))
    assert tokenized(corpus("world:5"), tokenizer, tmp_path).folder == folder


class TestFingerprintsOfFiles:
    @pytest.fixture
    def reads(self, monkeypatch):
        """Counts how often all bytes of a file are read for its fingerprint."""
        count = []
        fingerprint = TextSource.fingerprint
        monkeypatch.setattr(TextSource, "fingerprint", lambda self: count.append(1) or fingerprint(self))
        return count

    @pytest.fixture
    def path(self, tmp_path):
        path = tmp_path / "a.txt"
        path.write_text("The dog barks.")
        age(path)
        return path

    def test_are_remembered(self, path, reads, tmp_path):
        found = {corpus(path).known_fingerprint(tmp_path / "cache") for _ in range(3)}
        assert found == {corpus(path).fingerprint()}
        assert len(reads) == 2

    def test_follow_sizes_dates_and_settings(self, path, reads, tmp_path):
        first = corpus(path).known_fingerprint(tmp_path)
        assert corpus(path, unit="line").known_fingerprint(tmp_path) != first
        path.write_text("The hen barks.")
        age(path, 9)
        second = corpus(path).known_fingerprint(tmp_path)
        assert second == corpus(path).fingerprint() != first

    def test_of_files_that_have_just_changed_are_not(self, path, reads, tmp_path):
        age(path, 0)
        corpus(path).known_fingerprint(tmp_path)
        corpus(path).known_fingerprint(tmp_path)
        assert len(reads) == 2

    def test_are_found_where_nothing_can_be_written(self, path, tmp_path):
        (tmp_path / "file").write_text("")
        assert corpus(path).known_fingerprint(tmp_path / "file") == corpus(path).fingerprint()

    def test_of_several_are_joined(self, path, reads, tmp_path):
        both = corpus("world:5", path)
        assert both.known_fingerprint(tmp_path) == both.fingerprint()
        both.known_fingerprint(tmp_path)
        assert len(reads) == 2


def test_an_older_format_is_not_read(tokenizer, tmp_path):
    folder = tokenized(corpus("world:5"), tokenizer, tmp_path).folder
    contents = json.loads((folder / CONTENTS).read_text())
    (folder / CONTENTS).write_text(json.dumps({**contents, "format": 0}))
    with pytest.raises(ValueError, match="format 0"):
        TokenCache(folder)


class BreaksOff(Corpus):
    """A corpus that is interrupted in the middle."""

    replaced, progress = 0, 0.0

    def __init__(self, error):
        self.name, self.error = "broken", error

    def __iter__(self):
        yield "The dog barks. " * 10
        raise self.error

    def fingerprint(self):
        return "0"


@pytest.mark.parametrize("error", [KeyboardInterrupt(), ValueError("broken"), OSError(5, "unreadable")])
def test_an_interrupted_build_leaves_nothing(tokenizer, tmp_path, error):
    with pytest.raises(type(error)):
        tokenized(BreaksOff(error), tokenizer, tmp_path)
    assert {path.suffix for path in (tmp_path / "tokens").iterdir()} == {".lock"}


@pytest.mark.parametrize("call", ["fsync", "rename"])
def test_a_full_disk_leaves_nothing_and_says_what_to_do(tokenizer, tmp_path, monkeypatch, call):
    def full(*arguments):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(f"os.{call}", full)
    with pytest.raises(ValueError, match=r"No space left.*make room, or choose another folder"):
        tokenized(corpus("world:5"), tokenizer, tmp_path)
    assert {path.suffix for path in (tmp_path / "tokens").iterdir()} == {".lock"}


def test_what_dead_builders_left_is_removed_and_what_living_ones_build_is_not(tokenizer, tmp_path):
    home = tmp_path / "tokens"
    for name in ("dead", "alive"):
        (home / f"{name}.unfinished").mkdir(parents=True)
        (home / f"{name}.unfinished" / IDS).write_bytes(b"12345678")
    with only_one(home / "alive.lock"):
        tokenized(corpus("world:5"), tokenizer, tmp_path)
    assert [path.name for path in home.glob("*.unfinished")] == ["alive.unfinished"]


def test_text_that_changes_while_it_is_read_is_refused(tokenizer, tmp_path):
    path = tmp_path / "growing.txt"
    path.write_text("The dog barks.")

    def grow(share, note):
        with path.open("a") as file:
            file.write(" And barks.")

    with pytest.raises(ValueError, match="changed while it was read"):
        tokenized(corpus(path), tokenizer, tmp_path / "cache", grow)


def test_what_is_no_corpus_is_named(tokenizer, tmp_path):
    (tmp_path / "a.txt").write_text("One.")
    for text, kind in ((TextSource(tmp_path / "a.txt"), "TextSource"), (["One."], "list")):
        with pytest.raises(TypeError, match=rf"{kind} is not a corpus; pass one: corpus\("):
            tokenized(text, tokenizer, tmp_path)
        with pytest.raises(TypeError, match=rf"{kind} is not a corpus; pass one: corpus\("):
            learned_vocabulary(text, 100, folder=tmp_path)


def test_text_without_tokens_is_refused(tokenizer, tmp_path):
    (tmp_path / "a.txt").write_text("\u200b", encoding="utf-8")
    with pytest.raises(ValueError, match="no token in 1 document;"):
        tokenized(corpus(tmp_path / "a.txt"), tokenizer, tmp_path)


def test_a_folder_that_cannot_be_written(tokenizer, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(ValueError, match="MINI_BERT_CACHE"):
        tokenized(corpus("world:5"), tokenizer, tmp_path / "file")


def test_threads_write_the_same_file_without_meeting(tmp_path):
    """The name beside it must not be the same for two of them."""
    path = tmp_path / "a"
    contents = [bytes([i]) * 100_000 for i in range(8)]
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(lambda content: write_atomically(path, content), contents * 10))
    assert path.read_bytes() in contents
    assert os.listdir(tmp_path) == ["a"]


def test_one_at_a_time(tmp_path):
    with only_one(tmp_path / "a.lock"):
        with if_nobody_is_in(tmp_path / "a.lock") as nobody:
            assert not nobody
        with if_nobody_is_in(tmp_path / "b.lock") as nobody:
            assert nobody
    with if_nobody_is_in(tmp_path / "a.lock") as nobody:
        assert nobody


@pytest.mark.parametrize(
    ("platform", "environment", "expected"),
    [
        ("linux", {"MINI_BERT_CACHE": "/elsewhere"}, "/elsewhere"),
        ("linux", {"XDG_CACHE_HOME": "/xdg"}, "/xdg/mini-bert"),
        ("linux", {}, "~/.cache/mini-bert"),
        ("darwin", {"XDG_CACHE_HOME": "/xdg"}, "~/Library/Caches/mini-bert"),
        ("win32", {"LOCALAPPDATA": "/local"}, "/local/mini-bert"),
        ("win32", {}, "~/AppData/Local/mini-bert"),
    ],
)
def test_the_customary_place(monkeypatch, platform, environment, expected):
    for name in ("MINI_BERT_CACHE", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "platform", platform)
    assert cache_folder() == Path(expected).expanduser()


def documents_of(cache, numbers):
    return [tuple(cache.document(number)) for number in numbers]


def test_split_holds_back_the_share_and_loses_nothing(tokenizer, tmp_path):
    cache = tokenized(corpus("world:120"), tokenizer, tmp_path)
    training, held_out = split(cache, 0.1)
    assert len(held_out) == 12
    assert sorted([*training, *held_out]) == list(range(120))
    assert cache.hashes[held_out].max() < cache.hashes[training].min()
    assert [len(side) for side in split(cache, 0)] == [120, 0]


def test_split_does_not_depend_on_order(tokenizer, stories, tmp_path):
    forth = tokenized(lines(tmp_path / "a.txt", stories), tokenizer, tmp_path)
    back = tokenized(lines(tmp_path / "b.txt", stories[::-1]), tokenizer, tmp_path)
    sides = [set(documents_of(cache, split(cache, 0.25).held_out)) for cache in (forth, back)]
    assert sides[0] == sides[1]


def test_split_never_parts_equal_documents(tokenizer, stories, tmp_path):
    copies = [story for index, story in enumerate(stories[:40]) for _ in range(1 + index % 5)]
    cache = tokenized(lines(tmp_path / "a.txt", copies), tokenizer, tmp_path)
    for share in np.linspace(0.05, 0.9, 12):
        training, held_out = (set(documents_of(cache, side)) for side in split(cache, share))
        assert training
        assert held_out
        assert not training & held_out


def test_split_when_most_documents_are_equal(tokenizer, tmp_path):
    cache = tokenized(lines(tmp_path / "a.txt", ["The dog barks."] * 50 + ["A cat."]), tokenizer, tmp_path)
    assert [len(side) for side in split(cache, 0.1)] == [50, 1]
    cache = tokenized(lines(tmp_path / "b.txt", ["The dog barks."] * 50), tokenizer, tmp_path)
    with pytest.raises(ValueError, match=r"5 are to be held out, but each is there 50 times"):
        split(cache, 0.1)


def test_a_header_on_every_page_is_not_the_held_out_text(tokenizer, stories, tmp_path):
    """Whichever hash is lowest: each story has its turn as the header."""
    for number, header in enumerate(stories[:12]):
        copies = [*stories[:100], *[header] * 900]
        cache = tokenized(lines(tmp_path / f"{number}.txt", copies), tokenizer, tmp_path)
        held_out = split(cache, 0.05).held_out
        assert len(held_out) == 50
        assert tuple(tokenizer.encode(header, add_special_tokens=False)) not in documents_of(cache, held_out)


@given(st.lists(st.integers(1, 12), max_size=30), st.integers(0, 60))
def test_groups_are_taken_as_long_as_they_fit(sizes, room):
    expected, left = [], room
    for number, size in enumerate(sizes):
        if size <= left:
            expected.append(number)
            left -= size
    assert fitting(np.array(sizes, int), room).tolist() == expected


@pytest.mark.parametrize(
    ("share", "message"),
    [(0.05, 'unit="line"'), (0.99, 'unit="line"'), (1.0, "held_out=1.0"), (-0.1, "like 0.05")],
)
def test_splits_that_cannot_be(tokenizer, tmp_path, share, message):
    cache = tokenized(lines(tmp_path / "a.txt", ["One dog.", "Two dogs.", "Three."]), tokenizer, tmp_path)
    with pytest.raises(ValueError, match=message):
        split(cache, share)
