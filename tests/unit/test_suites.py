"""Suites: what is in them, and what is refused."""

from dataclasses import replace

import pytest

from mini_bert import ModelConfig
from mini_bert.evaluation import suites
from mini_bert.evaluation.suites import SUITES, asking, suite
from mini_bert.finetuning.config import FinetuningConfig
from tests.unit.exams_by_hand import CoinSettings, OddSettings, install, write_suite


@pytest.mark.parametrize("name", SUITES)
def test_every_suite_of_the_package_names_exams_that_are_there(name):
    found = suite(name)
    assert found.entries
    for entry in found.entries:
        assert callable(entry.module.examine)
        assert callable(entry.module.seconds)
        assert entry.sizes


def test_every_exam_is_in_some_suite():
    assert {entry.exam for name in SUITES for entry in suite(name).entries} == set(suites.EXAMS) - {
        "across-training"
    }


def test_a_full_fine_tuning_chooses_among_rates_that_suit_small_and_large_models():
    (fine_tuning,) = suite("downstream").entries
    full, own = fine_tuning.settings("full"), FinetuningConfig()
    small, large = (own.rate_for(ModelConfig.preset(name)) for name in ("mini-best", "bert-base"))
    assert full.seeds == 5
    assert min(full.rates) <= large
    assert [rate for rate in full.rates if rate < small]
    assert [rate for rate in full.rates if rate > small]
    assert fine_tuning.settings("quick").rates == []


@pytest.fixture
def exams(monkeypatch):
    install(monkeypatch)


def test_a_file_of_ones_own(exams, tmp_path):
    found = suite(write_suite(tmp_path, "ours"))
    assert (found.name, found.title) == ("mine", "My own suite")
    coins, odd = found.entries
    assert coins.settings("quick") == CoinSettings(tosses=100)
    assert coins.settings("full") == CoinSettings()
    assert odd.settings("quick") == OddSettings(trouble="ours")
    assert odd.settings("full") is None
    assert coins.settings("checkpoint") is None


def test_an_exam_that_is_asked_for_is_asked_at_every_size(exams, tmp_path):
    mine = suite(write_suite(tmp_path))
    assert asking([mine], []) == [mine]
    (found,) = asking([mine], ["odd"])
    assert found.entries[0] == mine.entries[0]
    assert found.entries[1].settings("quick") == OddSettings(trouble="none")
    assert found.entries[1].settings("full") == OddSettings()
    only_coins = replace(mine, entries=mine.entries[:1])
    kept, added = asking([only_coins], ["odd"])
    assert kept == only_coins
    assert [entry.exam for entry in added.entries] == ["odd"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "expected a list with at least one"),
        ("exams: coins", "expected a list with at least one"),
        ("exams: [coins]", "exam 1: expected `exam: NAME`"),
        ("exam: [coins]", "unknown key 'exam'; did you mean 'exams'?"),
        ("exams: [{exam: coin}]", "exam 1: unknown exam 'coin'; did you mean 'coins'?"),
        ("exams: [{exam: coins, quik: {}}]", "unknown key 'quik'; did you mean 'quick'?"),
        ("exams: [{exam: coins, quick: {toses: 3}}]", "exam 1, coins, quick: unknown setting 'toses'"),
        ("exams: [{exam: coins, full: {tosses: many}}]", "exam 1, coins, full: tosses: Input should be"),
        ("exams: [{exam: coins, full: 3}]", "expected settings by name, or false"),
        ("exams: [", "not YAML"),
    ],
)
def test_a_file_that_does_not_fit_says_where(exams, tmp_path, text, told):
    path = tmp_path / "mine.yaml"
    path.write_text(text)
    with pytest.raises(ValueError, match=r"mine\.yaml: ") as refused:
        suite(str(path))
    assert told in str(refused.value)


def test_names_that_are_not_there():
    with pytest.raises(ValueError, match="unknown suite 'probin'; did you mean 'probing'"):
        suite("probin")
    with pytest.raises(ValueError, match=r"none\.yaml: .*name a YAML file, or one of intrinsic"):
        suite("none.yaml")
