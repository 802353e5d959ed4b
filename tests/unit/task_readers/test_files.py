"""What all readers share: encodings, line ends, gzip, and files that are not there."""

import gzip
from pathlib import Path

import pytest

from mini_bert.data.tasks import Analogy, read_analogies, read_cola, read_zorro
from tests.unit.task_readers.complaints import Written, complaint


def test_byte_order_mark_and_windows_line_ends_are_no_text(written: Written) -> None:
    path = written(b"\xef\xbb\xbf: x\r\na b c d\r\n")
    assert read_analogies(path) == [Analogy("a", "b", "c", "d", "x")]


def test_a_line_ends_at_a_line_feed_only(written: Written) -> None:
    assert read_zorro(written("bad\u2028one\ngood\x85one"))[0].bad == "bad\u2028one"


def test_invalid_utf8_names_line_and_byte(written: Written) -> None:
    path = written(b"a b c d\na b \xff d\n")
    expected = "2: byte 0xff in column 5 is not UTF-8; convert the file to UTF-8"
    assert complaint(read_analogies, path) == expected


@pytest.mark.parametrize("text", ["", "\n \n", b"\xef\xbb\xbf"])
def test_empty_file(written: Written, text: str | bytes) -> None:
    assert "empty" in complaint(read_analogies, written(text))


def test_missing_file_suggests_its_neighbour(tmp_path: Path) -> None:
    (tmp_path / "train.tsv.gz").touch()
    assert complaint(read_cola, tmp_path / "train.tsv") == "no such file; did you mean train.tsv.gz?"
    assert complaint(read_cola, tmp_path / "elsewhere" / "x") == "no such file; check the path"


def test_a_folder_is_not_a_file(tmp_path: Path) -> None:
    assert "a folder, not a file" in complaint(read_cola, tmp_path)


@pytest.mark.parametrize("content", [b"plain text", gzip.compress(b"a b c d\n" * 99, mtime=0)[:-12]])
def test_broken_gzip(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "file.gz"
    path.write_bytes(content)
    assert "broken gzip file" in complaint(read_analogies, path)
