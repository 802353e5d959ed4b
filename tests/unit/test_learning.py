"""What a vocabulary is learned from: texts, files, or anything that yields texts."""

import re
import subprocess
import sys
import warnings
from inspect import Parameter, signature
from pathlib import Path
from typing import Any

import pytest

from mini_bert.data.sources import TextSource
from mini_bert.reports import part, silent
from mini_bert.tokenizers import (
    ByteLevelBPETokenizer,
    Tokenizer,
    UnigramTokenizer,
    WordPieceTokenizer,
    learning,
)
from mini_bert.tokenizers.learning import FilesOrTexts, counted, texts_from


@pytest.fixture
def tale(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "books").mkdir()
    monkeypatch.chdir(tmp_path / "books")
    path = tmp_path / "books" / "tale.txt"
    path.write_text("a hen\n\nten hens\n", encoding="utf-8")
    return path


@pytest.mark.parametrize(
    "given",
    [
        "tale.txt",
        ".",
        "*.txt",
        "../*/tale.txt",
        Path("tale.txt"),
        Path(),
        ["tale.txt"],
        [Path("tale.txt"), "tale.txt"],
        {"tale.txt"},
        ["ta*.txt"],
        ["../books/"],
    ],
)
def test_files_by_name_path_folder_or_glob(tale: Path, given: FilesOrTexts) -> None:
    assert list(texts_from(given)) == ["a hen", "ten hens"]


@pytest.mark.parametrize(
    "given",
    [
        ["a text", "more"],
        ["see missing.txt"],
        ["x" * 5000 + ".txt"],
        ["a\0b.txt"],
        ["/", ".", "-"],
        ["*", "a?"],
        [],
    ],
)
def test_strings_that_name_no_file_are_texts(tale: Path, given: list[str]) -> None:
    assert list(texts_from(given)) == given


def test_files_among_texts_and_files_that_are_not_there_are_refused(tale: Path) -> None:
    with pytest.raises(ValueError, match=r"tale\.txt is a file, but 'a text' is not; pass files only, or"):
        texts_from(["a text", "tale.txt"])
    for missing in ("typo.txt", "typo.jsonl.gz", "typo-*.txt", "no/typo.TXT"):
        with pytest.raises(ValueError, match=rf"train: {re.escape(missing)}: no such file .* check the name"):
            texts_from(["tale.txt", missing])
        assert list(texts_from(iter([missing]))) == [missing]
    with pytest.raises(ValueError, match="item 1 is bytes, neither text nor a path"):
        texts_from(["a text", b"bytes"])  # type: ignore[list-item]


def test_a_corpus_and_a_generator_pass_through(tale: Path) -> None:
    source = TextSource(tale)
    assert texts_from(source) is source
    assert list(texts_from(text for text in ["tale.txt", "more"])) == ["tale.txt", "more"]
    assert list(texts_from(iter([]))) == []


def test_a_generator_of_paths_is_read(tale: Path) -> None:
    assert list(texts_from(path for path in [tale, tale])) == ["a hen", "ten hens"]


@pytest.mark.parametrize("given", ["a text", "missing.txt", "missing-*.txt", "Is it cold?", "x" * 5000, "\0"])
def test_one_string_that_is_no_file(tale: Path, given: str) -> None:
    with pytest.raises(
        ValueError, match=r"is one string and no file; pass a list of texts, train\(\[text\]\)"
    ):
        texts_from(given)


def test_a_file_of_another_kind_says_so(tale: Path) -> None:
    Path("tale.pdf").touch()
    with pytest.raises(ValueError, match=r"tale\.pdf: not a \.txt or \.jsonl file"):
        texts_from("tale.pdf")


def test_a_path_that_is_not_there(tale: Path) -> None:
    with pytest.raises(ValueError, match="no such file or folder"):
        texts_from(Path("missing.txt"))


def as_it_is(chunk: str) -> list[str]:
    return [chunk]


@pytest.mark.parametrize("kind", ["files", "list", "generator"])
def test_counting_tells_how_far_it_is(tale: Path, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(learning, "REPORT_EVERY", 10)
    tale.write_text("\n\n".join(["a hen", "ten hens"] * 5000), encoding="utf-8")
    source = TextSource(tale)
    texts = {"files": source, "list": list(source), "generator": (text for text in source)}[kind]
    told: list[tuple[float, str]] = []
    counts = counted(texts, str.split, as_it_is, lambda done, note: told.append((done, note)))
    assert counts == dict.fromkeys(["a", "hen", "ten", "hens"], 5000)
    shares = [share for share, _ in told]
    assert shares == sorted(shares)
    assert len(told) == 5001  # for every other text, of 5 and 8 characters, and at the end
    assert told[-1] == (1.0, "4 different words")
    if kind != "generator":
        assert 0 < shares[0] < shares[2500] < 0.9
        assert len(set(shares)) >= 8  # files are read in blocks


@pytest.mark.parametrize("kind", [WordPieceTokenizer, ByteLevelBPETokenizer, UnigramTokenizer])
def test_training_from_files_reports_how_far_it_is(
    tale: Path, kind: type[Tokenizer], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(learning, "REPORT_EVERY", 10_000)
    tale.write_text("a hen and ten hens\n\n" * 5000, encoding="utf-8")
    told: list[float] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        kind.train("tale.txt", 300, report=lambda done, note: told.append(done))
    assert told == sorted(told)
    assert 0 < told[0] < told[3] < told[6] <= 0.5


@pytest.mark.parametrize("kind", [WordPieceTokenizer, ByteLevelBPETokenizer, UnigramTokenizer])
def test_all_kinds_are_trained_alike(kind: type[Tokenizer]) -> None:
    texts, vocab_size, *others = signature(kind.train).parameters.values()
    assert (texts.name, vocab_size.name, vocab_size.default) == ("files_or_texts", "vocab_size", 8192)
    by_name = {one.name: one.default for one in others if one.kind is Parameter.KEYWORD_ONLY}
    assert {one.name for one in others} - by_name.keys() <= {"criterion"}
    assert by_name["special_tokens"] == ()
    assert by_name.get("min_frequency", 1) == 1


def test_long_chunks_are_counted_but_not_kept() -> None:
    texts = ["hen " + "ten" * 50, "hen " + "ten" * 60]
    seen: list[str] = []

    def words(chunk: str) -> list[str]:
        seen.append(chunk)
        return re.findall("...", chunk)

    assert counted(texts, str.split, words) == {"hen": 2, "ten": 110}
    assert seen == ["ten" * 50, "ten" * 60, "hen"]


def test_tokenizers_do_not_load_the_data_package() -> None:
    program = (
        "import sys; from mini_bert.tokenizers import *; "
        "print([n for n in sys.modules if n.startswith('mini_bert.data')])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_part_of_the_work() -> None:
    told: list[float] = []
    report = part(lambda done, note: told.append(done), 0.5, 1.0)
    assert report is not None
    report(0.0, "")
    report(1.0, "")
    assert told == [0.5, 1.0]
    part(silent, 0, 1)(0.5, "")


@pytest.mark.parametrize("kind", [WordPieceTokenizer, ByteLevelBPETokenizer, UnigramTokenizer])
@pytest.mark.parametrize(
    ("texts", "vocab_size", "message"),
    [
        (None, 300, "train: expected several texts, found one NoneType"),
        (b"a hen", 300, "train: "),
        ([b"a hen"], 300, "train: item 0 is bytes, neither text nor a path"),
        (["a hen"], 300.5, r"vocab_size=300\.5: expected a whole number"),
        (["a hen"], "300", "vocab_size='300': expected a whole number"),
        (["a hen"], True, "vocab_size=True: expected a whole number"),
        ([""], 300, "^the texts hold no word"),
        (["a hen"], 2, "^vocab_size=2 is too small"),
    ],
)
def test_training_refuses_other_things_clearly(
    kind: type[Tokenizer], texts: Any, vocab_size: Any, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        kind.train(texts, vocab_size)


@pytest.mark.parametrize("kind", [WordPieceTokenizer, ByteLevelBPETokenizer, UnigramTokenizer])
def test_training_refuses_other_things_among_texts(kind: type[Tokenizer]) -> None:
    texts: Any = ("a hen", b"ten hens")
    with pytest.raises(ValueError, match="train, text 2: expected a text, a str, found bytes"):
        kind.train(iter(texts), 300)
