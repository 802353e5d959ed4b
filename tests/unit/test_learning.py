"""What a vocabulary is learned from: texts, files, or anything that yields texts."""

from pathlib import Path

import pytest

from mini_bert.data.sources import TextSource
from mini_bert.reports import part, silent
from mini_bert.tokenizers.learning import counted, texts_from


@pytest.fixture
def tale(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "tale.txt"
    path.write_text("a hen\n\nten hens\n", encoding="utf-8")
    return path


@pytest.mark.parametrize(
    "given", ["tale.txt", Path("tale.txt"), ["tale.txt"], [Path("tale.txt"), "tale.txt"], Path()]
)
def test_files_by_name_or_path(tale: Path, given: str | Path | list[str | Path]) -> None:
    assert list(texts_from(given)) == ["a hen", "ten hens"]


@pytest.mark.parametrize(
    "given", [["a text", "tale.txt"], ["missing.txt"], ["x" * 5000 + ".txt"], ["a\0b.txt"], []]
)
def test_strings_that_are_not_all_files_are_texts(tale: Path, given: list[str]) -> None:
    assert list(texts_from(given)) == given


def test_a_corpus_and_a_generator_pass_through(tale: Path) -> None:
    source = TextSource(tale)
    assert texts_from(source) is source
    assert list(texts_from(text for text in ["tale.txt"])) == ["tale.txt"]


@pytest.mark.parametrize("given", ["a text", "missing.txt"])
def test_one_string_that_is_no_file(tale: Path, given: str) -> None:
    with pytest.raises(
        ValueError, match=r"is one string and no file; pass a list of texts, train\(\[text\]\)"
    ):
        texts_from(given)


def test_a_path_that_is_not_there(tale: Path) -> None:
    with pytest.raises(ValueError, match="no such file or folder"):
        texts_from(Path("missing.txt"))


def test_counting_tells_how_far_it_is(tale: Path) -> None:
    told: list[tuple[float, str]] = []
    counts = counted(TextSource(tale), str.split, lambda done, note: told.append((done, note)))
    assert counts == {"a": 1, "hen": 1, "ten": 1, "hens": 1}
    assert told[0][1] == "2 different words"
    assert 0 <= told[0][0] <= 1


def test_a_part_of_the_work() -> None:
    told: list[float] = []
    report = part(lambda done, note: told.append(done), 0.5, 1.0)
    assert report is not None
    report(0.0, "")
    report(1.0, "")
    assert told == [0.5, 1.0]
    part(silent, 0, 1)(0.5, "")
