"""The words of the world, over thousands of stories: many, Zipfian, and those that its minimal pairs are made of."""

import re
from collections import Counter

import pytest

from mini_bert.data.world import PHENOMENA, minimal_pairs, story


def words(text: str) -> list[str]:
    return re.findall(r"[A-Za-z']+|[^\sA-Za-z]", text)


def sentences(number: int, seed: int) -> list[str]:
    return [sentence.text for index in range(number) for sentence in story(index, seed=seed).sentences]


@pytest.fixture(scope="module")
def known() -> set[str]:
    return {word.lower() for text in sentences(10_000, seed=4) for word in words(text)}


@pytest.fixture(scope="module")
def told() -> list[str]:
    return sentences(3_000, seed=2)


@pytest.mark.parametrize("phenomenon", PHENOMENA)
def test_good_sentences_use_the_words_of_the_stories(phenomenon: str, known: set[str]) -> None:
    used = [word.lower() for good, _ in minimal_pairs(phenomenon, 200, seed=3) for word in words(good)]
    assert sum(word in known for word in used) >= 0.99 * len(used)


@pytest.mark.parametrize("phenomenon", PHENOMENA)
def test_wrong_words_are_words(phenomenon: str, known: set[str]) -> None:
    """A model must not be able to tell the bad sentence by a word that it never saw."""
    wrong = {
        other.lower()
        for good, bad in minimal_pairs(phenomenon, 200, seed=3)
        for one, other in zip(words(good), words(bad), strict=True)
        if one != other
    }
    assert sum(word in known for word in wrong) >= 0.85 * len(wrong), sorted(wrong - known)


def test_word_forms_are_many_and_zipfian(told: list[str]) -> None:
    forms = Counter(form for text in told for form in re.findall(r"[a-z]+", text.lower()))
    assert len(forms) >= 3_000
    ranked = [count for _, count in forms.most_common()]
    total = sum(ranked)
    assert 0.3 < sum(ranked[:20]) / total < 0.6
    assert sum(ranked[2_000:]) / total < 0.1
    derived = words(
        "unhappy repainted kindness careless unlocked gardener mice children taller quickly useful"
    )
    assert all(forms[form] for form in derived)


def test_sentences_are_rarely_repeated(told: list[str]) -> None:
    some = told[:20_000]
    assert len(some) == 20_000
    assert len(set(some)) >= 0.95 * len(some)
