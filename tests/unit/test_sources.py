"""Sources: every way to name text, every way it can be broken."""

import gzip
import io
import json
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mini_bert.data import standard_input, text_lines
from mini_bert.data.sources import UNITS, TextSource, documents
from mini_bert.data.standard_input import kept_input
from mini_bert.data.text_lines import assembled, pieces

TALE = "Anna walks\nto the lake.\n\n\nTom stays.\r\n  \nThe end."


@pytest.fixture
def folder(tmp_path):
    """b.txt, a/c.txt.gz, a/d.jsonl, and a picture."""
    (tmp_path / "a").mkdir()
    (tmp_path / "b.txt").write_bytes(TALE.encode())
    (tmp_path / "a" / "c.txt.gz").write_bytes(gzip.compress(b"Packed."))
    (tmp_path / "a" / "d.jsonl").write_text(
        '{"text": " One. ", "id": 1}\n\n{"text": ""}\n{"text": "Two\\r\\nlines."}\n'
    )
    (tmp_path / "e.png").write_bytes(b"\x89PNG")
    return tmp_path


@pytest.fixture
def written(tmp_path):
    """Write bytes to a file of the given name."""

    def write(name, content):
        (tmp_path / name).write_bytes(content)
        return tmp_path / name

    return write


@pytest.fixture
def stdin(monkeypatch):
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(b"From afar.\n\nAnd near.")))


@pytest.mark.parametrize(
    ("unit", "expected"),
    [
        ("paragraph", ["Anna walks\nto the lake.", "Tom stays.", "The end."]),
        ("line", ["Anna walks", "to the lake.", "Tom stays.", "The end."]),
        ("file", ["Anna walks\nto the lake.\n\n\nTom stays.\n  \nThe end."]),
    ],
)
def test_units(folder, unit, expected):
    assert list(documents(folder / "b.txt", unit=unit)) == expected


def test_a_folder_is_read_with_its_subfolders_by_name(folder):
    assert list(documents(folder, unit="line"))[:3] == ["Packed.", "One.", "Two\nlines."]
    assert [path.name for path in TextSource(folder).paths] == ["c.txt.gz", "d.jsonl", "b.txt"]


def test_globs_and_order(folder):
    assert [path.name for path in TextSource(f"{folder}/**/*.txt*").paths] == ["c.txt.gz", "b.txt"]
    assert [path.name for path in TextSource(folder / "b.txt", str(folder)).paths] == [
        "b.txt",
        "c.txt.gz",
        "d.jsonl",
    ]


def test_a_file_is_read_once_however_it_is_named(folder, monkeypatch):
    monkeypatch.chdir(folder)
    assert [str(path) for path in TextSource("b.txt", folder / "b.txt", "a/../b.txt").paths] == ["b.txt"]


def test_brackets_in_a_name(tmp_path):
    home = tmp_path / "books [1]"
    home.mkdir()
    (home / "a.txt").write_text("One.")
    assert list(documents(home)) == list(documents(f"{home}/a.txt")) == ["One."]
    with pytest.raises(ValueError, match=r"it matches no .*; a \[ that is part of a name is written \[\[\]"):
        TextSource(f"{home}/*.txt")
    assert list(documents(f"{tmp_path}/books [[]1]/*.txt")) == ["One."]


def test_lines_of_old_macs_end_too(written):
    path = written("a.txt", b"One\rand two.\r\rThree.\r\nFour.\n\r\nFive.")
    assert list(documents(path)) == ["One\nand two.", "Three.\nFour.", "Five."]
    assert list(documents(path, unit="line")) == ["One", "and two.", "Three.", "Four.", "Five."]
    assert list(documents(path, unit="file")) == ["One\nand two.\n\nThree.\nFour.\n\nFive."]


def test_endings_in_capitals_and_bare_gz(written):
    loud, soft = written("A.TXT", b"Loud."), written("soft.gz", gzip.compress(b"Soft."))
    assert list(documents(loud, soft)) == ["Loud.", "Soft."]


@pytest.mark.usefixtures("stdin")
def test_standard_input_once():
    source = TextSource("-")
    assert list(source) == ["From afar.", "And near."]
    with pytest.raises(ValueError, match="only once; save it to a file"):
        list(source)
    with pytest.raises(ValueError, match="no fingerprint"):
        source.fingerprint()


@pytest.mark.parametrize("name", ["a.txt", "a.jsonl", "a.txt.gz", "-"])
def test_what_is_binary_is_refused_before_anything_is_read(written, monkeypatch, name):
    content = b"A line.\n\nAnother.\n" + b"\xff" * 5000 + b"\0\n"
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(content)))
    source = "-"
    if name != "-":
        source = written(name, gzip.compress(content) if name.endswith(".gz") else content)
    with pytest.raises(ValueError, match="not UTF-8 text, it has zero bytes"):
        next(documents(source))


def test_standard_input_stays_open_and_whole(monkeypatch):
    text = "".join(f"Line {number}.\n" for number in range(5000))
    buffer = io.BytesIO(text.encode())
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=buffer))
    assert list(documents("-", unit="line")) == text.splitlines()
    assert not buffer.closed


class TestKeptInput:
    @pytest.fixture
    def piped(self, monkeypatch):
        def pipe(content):
            monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(content)))

        return pipe

    def test_is_a_file_that_is_called_like_its_content(self, piped, tmp_path, monkeypatch):
        monkeypatch.setattr(standard_input, "READ_AT_ONCE", 7)
        text = b"One.\n\nTwo \xe9.\n" * 50
        piped(text)
        first = kept_input(tmp_path)
        piped(text)
        assert kept_input(tmp_path) == first
        assert first.read_bytes() == text
        piped(b"Other.")
        second = kept_input(tmp_path)
        assert sorted(path.name for path in first.parent.iterdir()) == sorted([first.name, second.name])

    @pytest.mark.parametrize(("content", "message"), [(b" \n", "no text in it"), (b"PK\0\1", "zero bytes")])
    def test_what_is_no_text_leaves_nothing_behind(self, piped, tmp_path, content, message):
        piped(content)
        with pytest.raises(ValueError, match=f"standard input: .*{message}"):
            kept_input(tmp_path)
        assert not list((tmp_path / "stdin").iterdir())

    def test_an_interruption_leaves_nothing_behind(self, tmp_path, monkeypatch):
        blocks = iter([b"One."])

        def read(size):
            for block in blocks:
                return block
            raise KeyboardInterrupt

        monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=SimpleNamespace(read=read)))
        with pytest.raises(KeyboardInterrupt):
            kept_input(tmp_path)
        assert not list((tmp_path / "stdin").iterdir())

    def test_a_folder_that_cannot_be_written_is_explained(self, piped, tmp_path):
        (tmp_path / "file").touch()
        piped(b"One.")
        with pytest.raises(ValueError, match=r"cannot be written.*MINI_BERT_CACHE"):
            kept_input(tmp_path / "file")


def test_bytes_that_are_not_utf8_are_counted_anew_in_each_pass(written):
    path = written("a.txt", b"\xef\xbb\xbfCaf\xe9 \xef\xbf\xbd\n\xff\xff end")
    source = TextSource(path)
    for _ in range(2):
        assert list(source) == ["Caf\ufffd \ufffd\n\ufffd\ufffd end"]
        assert source.replaced == 3


def test_strict_names_file_and_byte(written):
    path = written("a.txt", b"\xef\xbb\xbfone\ntw\xff")
    with pytest.raises(
        ValueError, match=r"a\.txt: byte 9 \(0xff\) is not UTF-8.*encoding_errors='replace', no --strict"
    ):
        list(documents(path, encoding_errors="strict"))
    assert list(documents(written("b.txt", b"\xef\xbb\xbffine"), encoding_errors="strict")) == ["fine"]


def test_half_a_character_in_json(written):
    path = written("a.jsonl", rb'{"text": "\ud83d\ude00 and \ud83d."}')
    source = TextSource(path)
    assert list(source) == ["\U0001f600 and \ufffd."]
    assert source.replaced == 1
    with pytest.raises(ValueError, match=r"a\.jsonl:1: half a surrogate pair"):
        list(documents(path, encoding_errors="strict"))


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"{oops", r"a\.jsonl:2: not JSON .*each line must be one object"),
        (b"[" * 100_000, r"a\.jsonl:2: not JSON"),
        (b"[1]", r"a\.jsonl:2: not an object"),
        (
            b'{"test": "x"}',
            r"a\.jsonl:2: unknown field 'text'; did you mean 'test'\?.* text_field, or --text-field",
        ),
        (b'{"text": 3}', r"a\.jsonl:2: 'text' is int, not text; .*--text-field"),
    ],
)
def test_bad_records_name_file_and_line(written, line, message):
    path = written("a.jsonl", b'{"text": "fine"}\n' + line)
    with pytest.raises(ValueError, match=message):
        list(documents(path))


def test_another_field(written):
    assert list(documents(written("a.jsonl", b'{"body": "Hello."}'), text_field="body")) == ["Hello."]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.txt", b"", r"a\.txt: no text in it"),
        ("a.txt", b"\n \n", r"a\.txt: no text in it"),
        ("a.jsonl", b'{"text": " "}', r"a\.jsonl: no text in it"),
        (
            "a.pdf",
            b"text",
            r"a\.pdf: not a \.txt or \.jsonl file, plain or \.gz; rename.*, or pipe it into standard input, -$",
        ),
        ("a.txt.gz", b"text", r"a\.txt\.gz: broken gzip file"),
        ("a.txt.gz", gzip.compress(b"text" * 99, mtime=0)[:-9], r"a\.txt\.gz: broken gzip file"),
    ],
)
def test_files_without_text_are_refused(written, name, content, message):
    path = written(name, content)
    with pytest.raises(ValueError, match=message):
        list(documents(path))


@pytest.mark.parametrize(
    ("name", "message"),
    [("", "the folder has no"), ("*.txt", "it matches no"), ("a.txt", "no such file or folder")],
)
def test_nothing_found(tmp_path, name, message):
    with pytest.raises(ValueError, match=message):
        TextSource(tmp_path / name)


def test_settings_are_checked(folder):
    with pytest.raises(ValueError, match="no sources"):
        TextSource()
    with pytest.raises(ValueError, match="unknown unit 'lines'; did you mean 'line'"):
        TextSource(folder, unit="lines")
    with pytest.raises(ValueError, match="unknown encoding_errors 'ignore'"):
        TextSource(folder, encoding_errors="ignore")


def test_the_fingerprint_is_that_of_the_text(folder, tmp_path_factory):
    copy = tmp_path_factory.mktemp("copy") / "other.txt"
    copy.write_bytes(TALE.encode())
    print_of = TextSource(folder / "b.txt").fingerprint()
    assert TextSource(copy).fingerprint() == print_of
    assert TextSource(copy, unit="line").fingerprint() != print_of
    copy.write_bytes(TALE.replace("Tom", "Ben").encode())
    assert TextSource(copy).fingerprint() != print_of
    assert TextSource(folder, copy).fingerprint() != TextSource(copy, folder).fingerprint()


def test_progress_rises_to_1_in_each_pass(folder):
    source = TextSource(folder, unit="line")
    assert source.progress == 0
    for _ in range(2):
        shares = [source.progress for _ in source]
        assert shares == sorted(shares)
        assert 0 < shares[0] < 0.9
        assert source.progress == 1


@given(st.text(st.sampled_from("aé漢😀 \n"), max_size=60))
def test_long_lines_are_cut_between_characters_and_nothing_is_lost(text):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text_lines, "LONGEST", 8)
        parts = list(pieces(io.BytesIO(text.encode())))
    assert b"".join(parts) == text.encode()
    assert "".join(part.decode() for part in parts) == text
    assert all(len(part) < 2 * 8 for part in parts)


@given(st.text(max_size=80), st.sampled_from(UNITS))
def test_documents_hold_all_words_in_order(text, unit):
    found = list(assembled(io.StringIO(text, newline="\n"), unit))
    assert " ".join(found).split() == text.split()
    assert all(document == document.strip() != "" for document in found)


def test_a_text_without_blank_lines_does_not_fill_the_memory(monkeypatch):
    monkeypatch.setattr(text_lines, "LONGEST", 100)
    found = list(assembled(["twelve chars\n"] * 50, "paragraph"))
    assert max(map(len, found)) < 120
    assert len(list(assembled(["twelve chars\n"] * 50, "file"))) == 1


@given(st.lists(st.text().filter(str.strip), min_size=1, max_size=5))
def test_any_text_comes_through_json(tmp_path_factory, texts):
    path = tmp_path_factory.mktemp("any") / "a.jsonl"
    path.write_text("\n".join(json.dumps({"text": text}) for text in texts))
    assert list(documents(path)) == [text.replace("\r\n", "\n").strip() for text in texts]
