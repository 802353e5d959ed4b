"""The readers on the real sets under `$MINI_BERT_DATA/tasks`: nothing is lost, nothing is refused."""

import os
from collections import Counter
from pathlib import Path

import pytest

from mini_bert.data.tasks import (
    read_analogies,
    read_blimp_folder,
    read_cola,
    read_conllu,
    read_marvin_linzen_folder,
    read_ner,
    read_pararel_folder,
    read_sst2,
    read_word_pairs,
    read_zorro_folder,
)

ROOT = os.environ.get("MINI_BERT_DATA")
TASKS = Path(ROOT or ".") / "tasks"
pytestmark = pytest.mark.skipif(not ROOT, reason="MINI_BERT_DATA is not set: no real task files to read")


@pytest.mark.parametrize(("split", "negative", "positive"), [("train", 29_780, 37_569), ("dev", 428, 444)])
def test_sst2(split: str, negative: int, positive: int) -> None:
    found = Counter(example.label for example in read_sst2(TASKS / f"sst2/{split}.tsv"))
    assert found == {"0": negative, "1": positive}


@pytest.mark.parametrize(("split", "count"), [("train", 8_551), ("dev", 527)])
def test_cola(split: str, count: int) -> None:
    found = read_cola(TASKS / f"cola/{split}.tsv")
    assert len(found) == count
    assert 0.65 < sum(example.label == "1" for example in found) / count < 0.75


@pytest.mark.parametrize(
    ("split", "sentences", "words"), [("train", 12_544, 204_577), ("dev", 2_001, 25_147)]
)
def test_ud_ewt(split: str, sentences: int, words: int) -> None:
    found = read_conllu(TASKS / f"ud_ewt/{split}.conllu.gz")
    assert len(found) == sentences
    assert sum(len(sentence.words) for sentence in found) == words
    for sentence in found:
        spaced = zip(sentence.words, sentence.space_after, strict=True)
        assert "".join(word + " " * space for word, space in spaced).rstrip() == sentence.text


@pytest.mark.parametrize(("split", "count"), [("train", 12_543), ("dev", 2_001)])
def test_uner_ewt(split: str, count: int) -> None:
    """One training sentence of UD EWT, reviews-275919-0013, is missing from the entities."""
    types = frozenset({"LOC", "ORG", "PER"})
    found = read_ner(TASKS / f"uner_ewt/{split}.iob2.gz", rename={"OTH": "O"}, types=types)
    assert len(found) == count
    tags = {tag for sentence in found for tag in sentence.tags}
    assert tags == {"O"} | {f"{position}-{kind}" for position in "BI" for kind in types}


def test_blimp() -> None:
    found = read_blimp_folder(TASKS / "blimp")
    assert [len(pairs) for pairs in found.values()] == [1_000] * 23
    assert all({pair.paradigm for pair in pairs} == {name} for name, pairs in found.items())


def test_zorro() -> None:
    found = read_zorro_folder(TASKS / "zorro")
    assert [len(pairs) for pairs in found.values()] == [2_000] * 23
    assert found["irregular-verb"][0].good == "Michael chose the good one some time ago ."


def test_marvin_linzen() -> None:
    assert {
        name: len(pairs) for name, pairs in read_marvin_linzen_folder(TASKS / "marvin_linzen").items()
    } == {
        "long_vp_coord": 400,
        "prep_inanim": 5_040,
        "reflexive_sent_comp": 3_360,
        "sent_comp": 1_680,
        "simple_agrmt": 140,
        "simple_npi_anim": 2 * 120,  # two bad sentences for each good one
        "simple_reflexives": 280,
        "subj_rel": 11_200,
        "vp_coord": 840,
    }


def test_pararel() -> None:
    found = read_pararel_folder(TASKS / "pararel")
    facts = [fact for relation in found.values() for fact in relation]
    assert (len(found), len(facts)) == (21, 14_240)
    assert all(cloze.count("[MASK]") == 1 for fact in facts for cloze in fact.clozes())


@pytest.mark.parametrize(
    ("name", "count", "highest"),
    [("EN-SIMLEX-999", 999, 10), ("EN-WS-353-ALL", 353, 10), ("EN-MEN-TR-3k", 3_000, 50)],
)
def test_word_similarity(name: str, count: int, highest: float) -> None:
    found = read_word_pairs(TASKS / f"wordsim/{name}.txt")
    assert len(found) == count
    assert all(0 <= pair.score <= highest for pair in found)


def test_analogies() -> None:
    found = read_analogies(TASKS / "analogy/questions-words.txt")
    assert (len(found), len({analogy.section for analogy in found})) == (19_544, 14)
