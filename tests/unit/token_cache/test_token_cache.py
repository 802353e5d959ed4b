"""The token cache: what it holds, when it is built, how damage is found."""

import json
from pathlib import Path

import numpy as np
import pytest

from mini_bert.data import token_cache, tokenizing
from mini_bert.data.corpus import Corpus, corpus
from mini_bert.data.sources import TextSource
from mini_bert.data.token_cache import TokenCache, tokenized
from mini_bert.data.tokenizing import BREAKS, CONTENTS, ENDS, HASHES, IDS
from mini_bert.data.vocabularies import learned_vocabulary
from mini_bert.files import only_one
from mini_bert.tokenizers import WordPieceTokenizer
from tests.unit.token_cache.text_files import age, lines


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
