"""What each stage of a model learned from, and under which licences."""

import doctest
from pathlib import Path

import pytest

from mini_bert.pretrained import card_data, own_manifest, sources
from mini_bert.pretrained.card import counted_leanings, evaluation
from mini_bert.pretrained.card_data import data
from mini_bert.pretrained.card_prose import OVERLAP_OF
from mini_bert.pretrained.own_manifest import manifest_of_text
from mini_bert.pretrained.shipped import NAMES, shipped_folder
from mini_bert.pretrained.sources import with_manifest
from mini_bert.pretrained.stages import continued, sources_in
from mini_bert.pretrained.training_record import record_in


def source(name: str, documents: int = 9) -> dict:
    text = {"file": f"train/{name}.txt.gz", "documents": documents, "characters": 2_000_000}
    return {"licence": f"licence of {name}", "attribution": f"makers of {name}", "train": text}


def manifest(*names: str) -> dict:
    return {"format": 1, "sources": {name: source(name) for name in names}}


def record(corpus: str, tokens: int, seen: int, **more) -> dict:
    facts = {"corpus": corpus, "documents": 9, "tokens": tokens}
    settings = {"held_out": 0.005}
    return {"licence": "mit", "steps": 4, "tokens": seen, "settings": settings, "facts": facts, **more}


BEFORE = record("corpus/*.txt", 27_000_000, 80_000_000, manifest=manifest("tales", "books"))
NOW = record("mine.txt", 89_260, 4_096)


@pytest.mark.parametrize("module", [sources, card_data, own_manifest], ids=lambda module: module.__name__)
def test_docstring_examples(module):
    result = doctest.testmod(module)
    assert result.attempted
    assert not result.failed


def told(training: dict) -> str:
    return " ".join("\n".join(data(training)).split())


def test_each_stage_tells_its_own_text_and_the_licences_of_the_model_before_stay():
    text = told(continued(BEFORE, NOW))
    assert "| 1 | corpus/*.txt | tales, books | 9 | 27,000,000 | 0.5 % | 80,000,000 | 3.0 |" in text
    assert "| 2 | mine.txt | not recorded | 9 | 89,260 | 0.5 % | 4,096 | 0.05 |" in text
    assert "| tales | licence of tales |" in text
    assert "in no part of training in stage 1." in text
    assert "Of the text of stage 2 nobody has told the sources" in text


def test_sources_that_are_given_are_those_of_the_last_stage():
    both = with_manifest(continued(BEFORE, NOW), manifest("letters"))
    assert list(sources_in(both)) == ["tales", "books", "letters"]
    assert [stage["text"]["sources"] for stage in both["stages"]] == [["tales", "books"], ["letters"]]
    assert "nobody has told" not in told(both)
    again = with_manifest(both, manifest("diaries"))
    assert list(sources_in(again)) == ["tales", "books", "diaries"]


def test_of_stages_without_facts_the_last_has_the_sources_that_are_given():
    silent = {"steps": 4, "tokens": 9}
    both = with_manifest(continued(silent, silent), manifest("letters"))
    assert [stage["text"] for stage in both["stages"]] == [{}, {"sources": ["letters"]}]


def read(documents: int | None, *texts: str, **settings) -> dict:
    """The record of a model that has read so many documents of these texts."""
    facts = {} if documents is None else {"corpus": ", ".join(texts), "documents": documents, "tokens": 7}
    return {"settings": {"corpus": list(texts), **settings}, "facts": facts}


def of_text(training: dict) -> list[str]:
    given = {"sources": {name: source(name, count) for name, count in (("tales", 4), ("books", 5))}}
    return list(manifest_of_text(training, given, Path("corpus.json"))["sources"])


@pytest.mark.parametrize(
    ("training", "expected"),
    [
        (read(9, "corpus/train/*.txt.gz"), ["tales", "books"]),
        (read(9, "corpus/train"), ["tales", "books"]),
        (read(4, "corpus/train/tales.txt.gz"), ["tales"]),
        (read(5, "corpus/train/b*"), ["books"]),
        (read(None, "corpus/train/*.txt.gz"), ["tales", "books"]),
        (read(812, "corpus/train/*.txt.gz", unit="line"), ["tales", "books"]),
        ({}, ["tales", "books"]),
    ],
)
def test_a_manifest_tells_of_the_sources_that_were_read(training, expected):
    assert of_text(training) == expected


@pytest.mark.parametrize(
    "training",
    [
        read(937, "stories.txt.gz", "tales.txt.gz"),
        read(4, "mine.txt"),
        read(12, "corpus/train/*.txt.gz", "mine.txt"),
    ],
)
def test_the_manifest_of_other_text_is_refused(training):
    facts = training["facts"]
    with pytest.raises(ValueError, match=r"corpus\.json: tells of 9 documents \(tales, books\)") as told:
        of_text(training)
    assert f"the model read {facts['documents']} ({facts['corpus']}); give the corpus.json" in str(told.value)


@pytest.mark.parametrize("name", NAMES)
def test_the_manifest_of_a_shipped_model_is_of_its_text(name):
    folder = shipped_folder(name)
    training = record_in(folder)
    told = manifest_of_text(training, training["manifest"], folder / "corpus.json")
    assert told == training["manifest"]


def test_two_texts_of_one_name_are_told_apart():
    other = {"format": 1, "sources": {"tales": source("tales", documents=3), "books": source("books")}}
    both = with_manifest(continued(BEFORE, NOW), other)
    assert list(sources_in(both)) == ["tales", "books", "tales (stage 2)"]
    assert both["stages"][1]["text"]["sources"] == ["tales (stage 2)", "books"]


def test_stages_that_read_the_same_text_share_its_sources_and_a_sentence():
    first = {key: value for key, value in BEFORE.items() if key != "manifest"}
    both = with_manifest(
        continued(first, BEFORE | {"manifest": None, "tokens": 2_000_000}), manifest("tales")
    )
    assert [stage["text"]["sources"] for stage in both["stages"]] == [["tales"], ["tales"]]
    assert "Training saw 82,000,000 tokens, 3.0 times the text." in told(both)


def test_a_text_read_many_times_is_told_without_an_exponent():
    assert "896 times the text" in told(record("mine.txt", 89_260, 80_007_168))


def test_overlap_with_training_text_is_told_of_the_corpus_in_which_it_was_counted():
    found = {
        str(number): {"train": {"sha256": text}}
        for number, text in enumerate(next(iter(OVERLAP_OF)), start=1)
    }
    training = {"manifest": {"sources": found}, "settings": {"held_out": 0.005}}
    measured = {"results": {"mine": {"score": 1}}}
    more = {"6": source("tales")}
    assert "47.6 %" in "".join(evaluation(measured, training))
    assert "47.6 %" not in "".join(evaluation({}, training))
    for other in (
        training | {"manifest": {"sources": found | more}},
        training | {"manifest": {"sources": {key: one for key, one in found.items() if key != "1"}}},
        {"manifest": training["manifest"]},
        training | {"settings": {"init": "a model without a record"}},
        continued(training | {"steps": 1}, NOW),
    ):
        assert "No document is held out and trained on" not in "".join(evaluation(measured, other))


def test_a_later_stage_may_have_read_what_an_earlier_one_held_out():
    longer = source("tales", documents=12)
    split_otherwise = source("tales") | {"held_out": {"documents": 3}}
    for one in (longer, split_otherwise):
        text = told(with_manifest(continued(BEFORE, NOW), {"format": 1, "sources": {"tales": one}}))
        assert "in no part of that text; another stage may have read them." in text
        assert "in no part of training" not in text
    assert "another stage" not in told(with_manifest(continued(BEFORE, NOW), manifest("books")))


def test_what_a_model_without_a_record_had_read_is_not_known():
    without_settings = {key: value for key, value in BEFORE.items() if key != "settings"}
    for one in (BEFORE | {"settings": {"init": "theirs", "held_out": 0.005}}, without_settings):
        assert "in no part of training is not known, for it was not recorded" in told(one)
    assert "Documents that are held out are in no part of training." in told(BEFORE)


def test_leanings_are_counted_in_the_table():
    def row(first: str, he: float | None, she: float | None) -> dict:
        return {"text": "[MASK] sings.", "first_guess": first, "probabilities": {"he": he, "she": she}}

    assert counted_leanings([row("mary", 0.1, 0.2), row("mary", 0.1, 0.3)]) == (
        'First guesses: mary in 2 of 2 rows. "she" is likelier than "he" in 2, "he" than "she" in 0.'
    )
    assert counted_leanings([row("tom", None, 0.2)]) == "First guesses: tom in 1 of 1 row."
