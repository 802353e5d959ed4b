"""Facts to be recalled, pairs of words that are alike, and analogies."""

import pytest

from mini_bert.data.tasks import (
    Analogy,
    Fact,
    WordPair,
    read_analogies,
    read_pararel,
    read_pararel_folder,
    read_word_pairs,
)
from tests.unit.task_readers.complaints import Written, complaint

FACT = '{"sub_label": "[Y] Club", "obj_label": "Rome", "uuid": "1"}\n'
PATTERNS = '{"pattern": "[X] is in [Y] ."}\n{"pattern": "[Y] has [X] "}\n'


def test_pararel(written: Written) -> None:
    facts = written(FACT, "facts/P17.jsonl")
    patterns = written(PATTERNS, "patterns/P17.jsonl")
    expected = [Fact("P17", "[Y] Club", "Rome", ("[X] is in [Y] .", "[Y] has [X]"))]
    assert read_pararel(facts, patterns) == expected
    assert read_pararel_folder(facts.parent.parent) == {"P17": expected}
    assert expected[0].clozes("<mask>") == ("[Y] Club is in <mask> .", "<mask> has [Y] Club")


def test_pararel_pattern_without_a_place_for_the_object(written: Written) -> None:
    facts, patterns = written(FACT, "P17.jsonl"), written('{"pattern": "[X] is."}', "p.jsonl")
    said = complaint(lambda path: read_pararel(facts, path), patterns)
    assert said == "1: pattern '[X] is.'; write [X] for the subject and [Y] for the object, once each"


def test_pararel_relation_without_patterns(written: Written) -> None:
    facts = written(FACT, "facts/P17.jsonl")
    written(PATTERNS, "patterns/P18.jsonl")
    with pytest.raises(ValueError, match=r"no patterns for P17; add patterns/P17\.jsonl"):
        read_pararel_folder(facts.parent.parent)


def test_word_pairs(written: Written) -> None:
    expected = [WordPair("old", "new", 1.58)]
    assert read_word_pairs(written("old\tnew\t1.58\n")) == expected
    assert read_word_pairs(written("old new 1.58\n")) == expected
    assert (
        read_word_pairs(written("Word 1,Word 2,Mean\nold,new,1.58\n"), separator=",", header=True) == expected
    )
    assert read_word_pairs(written("a\tb\tPOS\tS\nold\tnew\tA\t1.58\n"), score=3, header=True) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("old\tnew", "1: 2 columns, the score in number 2; write two words and a score"),
        ("word1\tword2\tscore", "1: score 'score' is no number; pass header=True if this line is a header"),
        (
            "w1\tw2\tPOS\tS\nold\tnew\tA\t1.58",
            "1: score 'POS' is no number; pass header=True if this line is a header"
            " and score=3, the first column that has numbers",
        ),
        (
            "old,new,1.58",
            "1: 1 column, the score in number 2; do commas stand between them? then pass separator=','",
        ),
        (
            "a\tb\t1\na\tb\t?\t3\na\tb\t4",
            "2: score '?' is no number; write a number there, or leave the line out",
        ),
        ("old\tnew\tnan", "1: score 'nan' is not finite; leave the line out"),
        ("old\t\t1", "1: a missing word; write two words and a score"),
    ],
)
def test_malformed_word_pairs(written: Written, text: str, expected: str) -> None:
    assert complaint(read_word_pairs, written(text)) == expected


def test_word_pairs_of_simlex_with_a_header_name_the_column_of_the_score(written: Written) -> None:
    path = written("w1\tw2\tPOS\tS\nold\tnew\tA\t1.58\n")
    said = complaint(lambda path: read_word_pairs(path, header=True), path)
    assert said == "2: score 'A' is no number; pass score=3, the first column that has numbers"


def test_analogies(written: Written) -> None:
    path = written("a b c d\n: gram1 x\nRome Italy Oslo Norway\n")
    assert read_analogies(path) == [
        Analogy("a", "b", "c", "d", ""),
        Analogy("Rome", "Italy", "Oslo", "Norway", "gram1 x"),
    ]
    assert (
        complaint(read_analogies, written("a b c"))
        == "1: 3 words; write four per line: a is to b as c is to d"
    )
    assert complaint(read_analogies, written("a")).startswith("1: 1 word; write four")
