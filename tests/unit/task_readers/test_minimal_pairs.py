"""Minimal pairs: BLiMP, Zorro, and those of Marvin and Linzen."""

from pathlib import Path

import pytest

from mini_bert.data.tasks import (
    MinimalPair,
    read_blimp,
    read_blimp_folder,
    read_marvin_linzen,
    read_marvin_linzen_folder,
    read_zorro,
    read_zorro_folder,
)
from tests.unit.task_readers.complaints import Written, complaint
from tests.unit.task_readers.samples import BLIMP


def test_blimp(written: Written) -> None:
    path = written(BLIMP, "agreement.jsonl")
    assert read_blimp(path) == [MinimalPair("He runs.", "He run.", "agreement")]
    assert read_blimp_folder(path.parent) == {"agreement": read_blimp(path)}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (BLIMP + "{", "2: not JSON (Expecting property name"),
        ("[]", "1: not a JSON object; write one object per line"),
        ('{"UID": "x"}', "1: no text in field 'sentence_good'; the object has UID"),
        ('{"sentence_good": 3}', "1: no text in field 'sentence_good'; the object has sentence_good"),
        (
            BLIMP + BLIMP.replace("He run.", "He runs."),
            "2: the good sentence is the bad one too; mend one of them or leave the line out",
        ),
        ("{}", "1: no text in field 'sentence_good'; the object has nothing"),
        ("[" * 100_000, "1: not JSON ("),
    ],
)
def test_malformed_blimp(written: Written, text: str, expected: str) -> None:
    assert complaint(read_blimp, written(text)).startswith(expected)


def test_zorro_has_the_bad_line_first(written: Written) -> None:
    path = written("he run .\nhe runs .\n", "agreement.txt")
    assert read_zorro(path) == [MinimalPair("he runs .", "he run .", "agreement")]
    assert read_zorro_folder(path.parent) == {"agreement": read_zorro(path)}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\nb\nc\n", "3: a bad sentence without its good one; write two lines per pair, the bad one first"),
        ("a\n\nb\n", "3: a blank line inside a pair; write the good sentence right after the bad one"),
    ],
)
def test_malformed_zorro(written: Written, text: str, expected: str) -> None:
    assert complaint(read_zorro, written(text)) == expected


def test_marvin_linzen_makes_a_pair_of_each_bad_sentence(written: Written) -> None:
    path = written("past\tno one ever\tthe one ever\tmost ever\n", "npi.tsv")
    expected = [MinimalPair("no one ever", bad, "npi", "past") for bad in ("the one ever", "most ever")]
    assert read_marvin_linzen(path) == expected
    assert read_marvin_linzen_folder(path.parent) == {"npi": expected}


@pytest.mark.parametrize("text", ["past\tgood", "past\tgood\t", "past good bad"])
def test_malformed_marvin_linzen(written: Written, text: str) -> None:
    expected = "1: not case, good and bad sentence; write the three with tabs between them"
    assert complaint(read_marvin_linzen, written(text)) == expected


def test_folders_are_in_the_order_of_names_and_without_hidden_files(written: Written) -> None:
    for name in ("b.txt", "a.txt", ".c.txt", "d.md"):
        folder = written("x\ny\n", name).parent
    assert list(read_zorro_folder(folder)) == ["a", "b"]


def test_a_folder_without_files_and_no_folder(tmp_path: Path) -> None:
    assert complaint(read_zorro_folder, tmp_path).startswith("no .txt or .txt.gz file in the folder")
    assert complaint(read_zorro_folder, tmp_path / "x") == "no such folder; check the path"
