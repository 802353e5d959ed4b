"""Dependency trees in CoNLL-U."""

import pytest

from mini_bert.data.tasks import read_conllu
from tests.unit.task_readers.complaints import Written, complaint
from tests.unit.task_readers.samples import SENTENCE, TREE_OF_WORDS, row


@pytest.mark.parametrize("comment", ["", "# sent_id = 1\n# text = She didn't sing.\n"])
def test_conllu_skips_spans_and_empty_nodes_but_keeps_their_text(written: Written, comment: str) -> None:
    assert read_conllu(written(f"{comment}{SENTENCE}\n{SENTENCE}")) == [TREE_OF_WORDS] * 2


def test_conllu_text_of_a_span_that_is_not_its_words_joined(written: Written) -> None:
    french = row("1-2", "du", "_", "_", "_", "SpaceAfter=No") + row("1", "de", "ADP", "0", "root")
    sentence = read_conllu(written(french + row("2", "le", "DET", "1", "det")))[0]
    assert (sentence.text, sentence.space_after) == ("du", (False, False))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (SENTENCE + "\n1\tShe\n", "9: 2 columns; CoNLL-U has 10, with tabs between them"),
        (row("1", "", "X", "0", "root"), "1: an empty column; write _ for nothing"),
        (row("one", "a", "X", "0", "root"), "1: 'one' is no id; write 3 for a word"),
        (row("2", "a", "X", "0", "root"), "1: word 2 where 1 is due; number the words 1, 2, 3..."),
        (row("1", "a", "X", "2", "dep"), "1: head '2'; give a number from 0, the root's, to 1"),
        (row("1", "a", "X", "_", "dep"), "1: head '_'"),
        (row("1", "a", "N", "0", "root"), "1: part of speech 'N' is outside the set; choose from ADJ, ADP,"),
        (row("1", "a", "X", "1", "dep"), "1: a sentence with 0 roots; give exactly one word the head 0"),
        (row("1", "a", "X", "0", "root") + row("2", "b", "X", "2", "dep"), "2: the heads run in a circle"),
        (row("2-1", "ab", "_", "_", "_") + row("1", "a", "X", "0", "root"), "1: span 2-1; write first-last"),
        ("# text = a\n\n", "1: a sentence without words; leave its comments out"),
        (row("9" * 5000, "a", "X", "0", "root"), "1: '999"),
    ],
)
def test_malformed_conllu(written: Written, text: str, expected: str) -> None:
    assert complaint(read_conllu, written(text)).startswith(expected)
