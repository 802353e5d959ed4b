"""Named entities, tagged word by word."""

import pytest

from mini_bert.data.tasks import TaggedSentence, read_ner
from tests.unit.task_readers.complaints import Written, complaint
from tests.unit.task_readers.samples import ENTITIES


def test_ner_keeps_other_types_unless_renamed(written: Written) -> None:
    path = written(ENTITIES)
    words, text = ("Ann", "Lee", "'s", "Xbox", "."), "Ann Lee's Xbox."
    assert read_ner(path) == [TaggedSentence(words, ("B-PER", "I-PER", "O", "B-OTH", "O"), text)]
    plain = [TaggedSentence(words, ("B-PER", "I-PER", "O", "O", "O"), text)]
    assert read_ner(path, rename={"OTH": "O"}, types=frozenset({"PER"})) == plain


def test_ner_in_the_columns_of_conll_2003(written: Written) -> None:
    path = written("-DOCSTART- -X- -X- O\n\n# NN B-NP O\nU.N. NNP I-NP B-ORG\n")
    expected = [TaggedSentence(("#", "U.N."), ("O", "B-ORG"), "# U.N.")]
    assert read_ner(path) == read_ner(path, word=0, tag=3, comments=False) == expected


def test_ner_sees_the_columns_by_the_numbers_of_all_lines(written: Written) -> None:
    scores = "-DOCSTART- -X- -X- O\n\n1 CD B-NP O\n2 CD I-NP O\n"
    assert read_ner(written(scores)) == [TaggedSentence(("1", "2"), ("O", "O"), "1 2")]
    assert read_ner(written("Ann B-PER\n\n7 O\n"))[1].words == ("7",)
    assert read_ner(written(ENTITIES), tag=2, comments=True) == read_ner(written(ENTITIES))


def test_ner_takes_comments_among_words_if_told(written: Written) -> None:
    path = written("# id 12\nAnn\tB-PER\n")
    assert "is it a comment? then pass comments=True" in complaint(read_ner, path)
    assert read_ner(path, comments=True) == [TaggedSentence(("Ann",), ("B-PER",), "Ann")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1\tAnn\tI-PER", "1: I-PER after O continues nothing; begin the entity with B-PER"),
        (
            "1\tAnn\tB-PER\n2\tRome\tI-LOC",
            "2: I-LOC after B-PER continues nothing; begin the entity with B-LOC",
        ),
        ("1\tAnn\tPER", "1: tag 'PER' is not IOB2; write O, B-TYPE or I-TYPE"),
        ("1\tAnn", "1: 2 columns, none numbered 2; give `word` and `tag` for this file"),
        ("Ann", "1: 1 column; give `word` and `tag` for this file"),
        ("1\t\tO", "1: column 1 is empty; give each word a form and a tag"),
        ("1\tAnn\tB-GOD", "1: type 'GOD' is outside the set; choose from LOC, PER"),
    ],
)
def test_malformed_ner(written: Written, text: str, expected: str) -> None:
    assert complaint(lambda path: read_ner(path, types=frozenset({"PER", "LOC"})), written(text)) == expected
