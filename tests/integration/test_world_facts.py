"""The facts of the world: single-word answers, asked for in clozes and stated in the stories."""

from collections import Counter, defaultdict

import pytest

from mini_bert.data.world import FACTS, Fact, story
from mini_bert.data.world.tree import finished

MASK = "[MASK]"


def test_there_are_many_facts_and_relations() -> None:
    assert len(FACTS) >= 300
    assert len({fact.relation for fact in FACTS}) >= 20
    assert len({(fact.relation, fact.subject) for fact in FACTS}) == len(FACTS), "one answer to each question"


@pytest.mark.parametrize("relation", sorted({fact.relation for fact in FACTS}))
def test_clozes_hide_one_word(relation: str) -> None:
    for fact in FACTS:
        if fact.relation != relation:
            continue
        assert len(fact.object.split()) == 1
        assert len(set(fact.clozes)) >= 3
        for cloze, statement in zip(fact.clozes, fact.statements, strict=True):
            assert cloze.count(MASK) == 1
            answer = fact.object if not cloze.startswith(MASK) else fact.object[0].upper() + fact.object[1:]
            assert cloze.replace(MASK, answer) == finished(statement.text) + "."


def test_answers_do_not_give_themselves_away() -> None:
    """The answer is not in the rest of its cloze."""
    for fact in FACTS:
        for cloze in fact.clozes:
            assert fact.object.lower() not in cloze.lower().replace(MASK.lower(), "").split(), cloze


def stated(number: int) -> dict[Fact, Counter[int]]:
    """For each fact, which of its paraphrases so many stories use."""
    wording = {fact: [finished(statement.text).lower() for statement in fact.statements] for fact in FACTS}
    found: dict[Fact, Counter[int]] = defaultdict(Counter)
    for index in range(number):
        for sentence in story(index).sentences:
            for fact in sentence.facts:
                text = sentence.text.lower()
                ways = [way for way, words in enumerate(wording[fact]) if words in text]
                assert ways, f"{sentence.text} does not state {fact}"
                found[fact].update(ways)
    return found


def test_every_fact_is_stated_in_several_ways() -> None:
    found = stated(12_000)  # about a million words
    assert set(found) == set(FACTS)
    assert min(len(ways) for ways in found.values()) >= 2


def test_facts_are_true_of_the_world() -> None:
    answers = {(fact.relation, fact.subject): fact.object for fact in FACTS}
    assert answers["sound", "cow"] == "moo"
    assert answers["young", "dog"] == "puppy"
    assert answers["workplace", "baker"] == "bakery"
    assert answers["capital", "Velmora"] == "Tarnholm"
    assert answers["country", "Tillmere"] == "Velmora"
    assert answers["color", "banana"] == "yellow"
    assert answers["next day", "Sunday"] == "Monday"
    assert answers["opposite", "hot"] == "cold"
    assert answers["legs", "spider"] == "eight"
