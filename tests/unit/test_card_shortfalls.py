"""Limits that were measured."""

import doctest

from mini_bert.pretrained import card_shortfalls
from mini_bert.pretrained.card_shortfalls import shortfalls
from tests.unit.packing.samples import EXAM
from tests.unit.test_card_results import CONTEST


def pairs(accuracy: float, low: float, high: float, counted: float) -> dict:
    one = {
        "accuracy": accuracy,
        "low": low,
        "high": high,
        "pairs": 10,
        "baselines": {"words counted": counted},
    }
    return one | {"set": "BLiMP", "chance": 0.5, "paradigms": {"wh_island": one}}


def test_docstring_examples():
    found = doctest.testmod(card_shortfalls)
    assert found.attempted
    assert not found.failed


def test_what_is_clearly_better_than_all_beside_it_is_no_limit():
    assert list(shortfalls({"hidden": EXAM, "pairs": pairs(0.7, 0.65, 0.75, 0.6)})) == []


def test_a_rival_within_the_interval_is_told():
    [told] = shortfalls({"sst2": CONTEST | {"interval": [0.79, 0.85], "ahead_of": {}}})
    assert told == (
        "- It is not clearly better than a simpler way at fine-tuning, sst2 (accuracy) (82.5 %, bag of words 80.1 %)."
    )


def test_a_lead_counts_more_than_intervals_that_touch():
    clear = {"value": 0.02, "low": 0.001, "high": 0.04}
    touching = CONTEST | {"interval": [0.79, 0.85]}
    leads = dict.fromkeys(CONTEST["intervals"], clear)
    assert list(shortfalls({"sst2": touching | {"ahead_of": leads}})) == []
    leads = {**leads, "random_model": clear | {"low": -0.001}}
    [told] = shortfalls({"sst2": touching | {"ahead_of": leads}})
    assert "(82.5 %, same network, not pretrained 80.0 %)" in " ".join(told.split())


def test_grammar_that_is_wrong_beyond_chance_is_told():
    beaten, wrong = shortfalls({"both": {"paradigms": {}, "sets": {"BLiMP": pairs(0.2, 0.1, 0.3, 0.4)}}})
    assert "minimal pairs, BLiMP (20.0 %, chance 50.0 %)" in beaten
    assert wrong.endswith("in BLiMP: wh_island (20.0 %).")
    assert len(list(shortfalls({"blimp": pairs(0.4, 0.3, 0.5, 0.2)}))) == 1, "which may be chance"
