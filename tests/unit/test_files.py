"""Files that are there whole or not at all, locks, and the folder of the cache."""

import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from mini_bert.files import cache_folder, if_nobody_is_in, only_one, write_atomically


def test_threads_write_the_same_file_without_meeting(tmp_path):
    """The name beside it must not be the same for two of them."""
    path = tmp_path / "a"
    contents = [bytes([i]) * 100_000 for i in range(8)]
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(lambda content: write_atomically(path, content), contents * 10))
    assert path.read_bytes() in contents
    assert os.listdir(tmp_path) == ["a"]


def test_what_cannot_be_written_is_told_by_its_own_name(tmp_path):
    path = tmp_path / "nowhere" / "a"
    with pytest.raises(FileNotFoundError) as caught:
        write_atomically(path, b"")
    assert (caught.value.filename, caught.value.filename2) == (str(path), None)


def test_a_folder_in_its_place_is_told_and_not_the_file_beside_it(tmp_path):
    path = tmp_path / "a"
    path.mkdir()
    with pytest.raises(OSError) as caught:  # noqa: PT011  which one depends on the system
        write_atomically(path, b"")
    assert (caught.value.filename, caught.value.filename2) == (str(path), None)


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
