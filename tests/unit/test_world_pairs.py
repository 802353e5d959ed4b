"""Minimal pairs: one token apart, the good one right, the bad one wrong."""

import re

import pytest

from mini_bert.data.world import PHENOMENA, minimal_pairs


def words(text: str) -> list[str]:
    return re.findall(r"[A-Za-z']+|[^\sA-Za-z]", text)


def test_there_are_many_phenomena() -> None:
    assert len(PHENOMENA) >= 12
    assert len(set(PHENOMENA)) == len(PHENOMENA)


@pytest.mark.parametrize("phenomenon", PHENOMENA)
def test_pairs_differ_in_one_token(phenomenon: str) -> None:
    pairs = minimal_pairs(phenomenon, 300, seed=1)
    assert pairs == minimal_pairs(phenomenon, 300, seed=1)
    assert pairs != minimal_pairs(phenomenon, 300, seed=2)
    assert len(set(pairs)) > 150
    for good, bad in pairs:
        first, second = words(good), words(bad)
        assert len(first) == len(second)
        assert sum(one.lower() != other.lower() for one, other in zip(first, second, strict=True)) == 1, (
            good,
            bad,
        )
        assert good[0].isupper()
        assert good[-1] in ".?"


def test_both_answers_are_right_equally_often() -> None:
    """Number cannot be guessed: singular and plural verbs are good about equally often."""
    for phenomenon in ("agreement_simple", "agreement_across_pp", "agreement_question"):
        pairs = minimal_pairs(phenomenon, 600)
        plural = sum(bool(re.search(r"\b(are|were)\b", good.lower())) for good, _ in pairs)
        singular = sum(bool(re.search(r"\b(is|was)\b", good.lower())) for good, _ in pairs)
        assert 0.7 < plural / singular < 1.4


def test_a_gap_is_behind_a_verb_that_needs_an_object() -> None:
    """ "Anna knows that Ella tasted." can be said; "Anna knows that Ella carried." cannot."""
    needing = words(
        "carried fixed repaired brought wore chased filled lifted described rescued examined admired enjoyed "
        "sharpened protected solved wrapped"
    )
    assert {words(bad)[-2] for _, bad in minimal_pairs("wh_gap", 300)} <= set(needing)


def test_unknown_phenomenon_names_the_known_ones() -> None:
    with pytest.raises(ValueError, match="no phenomenon 'agreement'; choose from agreement_simple"):
        minimal_pairs("agreement", 1)
