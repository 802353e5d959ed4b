"""Labelled sentences: tables with tabs, and the trees of SST."""

import pytest

from mini_bert.data.tasks import SST2, Labelled, read_cola, read_sst2, read_sst_trees, read_tsv
from tests.unit.task_readers.complaints import Written, complaint
from tests.unit.task_readers.samples import TREE


def test_tsv_by_name_and_by_number(written: Written) -> None:
    path = written('id\tone\ttwo\tlabel\n7\tIt rains.\tIt is "wet".\tyes\n')
    expected = [Labelled("It rains.", "yes", 'It is "wet".')]
    assert read_tsv(path, text="one", pair="two", label="label", labels=("yes", "no")) == expected
    assert read_tsv(path, text=1, pair=2, label=-1, header=True) == expected


def test_tsv_without_header(written: Written) -> None:
    path = written("a\t1\nb\t0")
    expected = [Labelled("a", "1"), Labelled("b", "0")]
    assert read_tsv(path, text=0, label=1, header=False) == expected
    assert read_tsv(path, text=0, label=1) == expected
    assert read_tsv(path, text=0, label=1, header=True) == expected[1:]


@pytest.mark.parametrize("text", ["label\tcontent\r\n1\tfine film \r\n", "sentence\tlabel\nfine film\t1\n"])
def test_sst2_with_the_label_on_either_side(written: Written, text: str) -> None:
    assert read_sst2(written(text)) == [Labelled("fine film", "1")]


def test_cola(written: Written) -> None:
    assert read_cola(written("gj04\t0\t*\tHim ran.\n")) == [Labelled("Him ran.", "0")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("label\tt\n1\ta\n2\tb", "3: label '2' is outside the set; choose from 0, 1"),
        ("label\tt\n1\ta\tb", "2: 3 columns where the first line has 2; put tabs between columns only"),
        ("label\tt\n1\t ", "2: an empty text or label; fill it in or leave the line out"),
        ("lable\tt\n1\ta", "1: unknown column 'label'; did you mean 'lable'?"),
        ("label\n1", "1: no column 1; the columns are 0 to 0"),
        ("label\tt\n", "1: a header and nothing after it; fetch the file again or pass another"),
    ],
)
def test_malformed_sst2(written: Written, text: str, expected: str) -> None:
    assert complaint(read_sst2, written(text)) == expected


def test_a_column_name_needs_a_header(written: Written) -> None:
    said = complaint(lambda path: read_tsv(path, text="t", label=0, header=False), written("1\ta"))
    assert said == "1: column 't' in a file without header; give the column's number"


def test_sst_sentences(written: Written) -> None:
    assert read_sst_trees(written(TREE + "(2 so)")) == [Labelled("It ( shines 1/2", "3"), Labelled("so", "2")]


def test_sst_phrases_without_the_neutral(written: Written) -> None:
    assert read_sst_trees(written(TREE), phrases=True, classes=SST2) == [
        Labelled("It ( shines 1/2", "1"),
        Labelled("( shines 1/2", "1"),
        Labelled("shines 1/2", "1"),
        Labelled("shines", "1"),
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(3 (2 It)", "1: 1 bracket is not closed"),
        ("(2 a)\n(5 b)", "2: neither a mark from 0 to 4 nor a word at '(5 b)'"),
        ("(12 b)", "1: neither a mark from 0 to 4 nor a word at '(12 b)'"),
        ("(2 a) b", "1: 'b' outside of a tree"),
        ("(2 a))", "1: ')' outside of a tree"),
        ("(2 a) (2 b)", "1: text after the tree's end"),
        ("(2 )", "1: a phrase without words"),
    ],
)
def test_malformed_trees(written: Written, text: str, expected: str) -> None:
    assert complaint(read_sst_trees, written(text)).startswith(expected)
