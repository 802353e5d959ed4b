"""Intervals of answers that come in rows: neighbours are not independent."""

import numpy as np
import pytest

from mini_bert.evaluation.estimate import share
from mini_bert.evaluation.intrinsic.clustered import clustered_mean, clustered_share


def test_answers_on_rows_of_their_own_are_independent():
    right = np.arange(200) < 120
    found, plain = clustered_share(right, np.arange(200)), share(120, 200)
    assert found == pytest.approx(plain, rel=5e-3)


def test_ten_copies_of_an_answer_are_worth_one():
    right = np.arange(200) < 120
    once = clustered_mean(right.astype(float), np.arange(200))
    copied = clustered_mean(np.repeat(right, 10).astype(float), np.repeat(np.arange(200), 10))
    assert copied == pytest.approx(once)


@pytest.mark.parametrize("all_right", [False, True])
def test_where_all_or_none_are_found_a_row_is_worth_one_answer(all_right):
    found = clustered_share(np.full(20, all_right), np.repeat(np.arange(4), 5))
    assert found == pytest.approx(share(4 * all_right, 4))


def test_of_one_row_nothing_can_be_said():
    assert clustered_share(np.ones(5, bool), np.zeros(5)).low is None


def test_intervals_cover_where_those_for_independent_answers_do_not():
    rng, covered, covered_plain = np.random.default_rng(0), 0, 0
    row = np.repeat(np.arange(60), 10)
    for _ in range(300):
        right = rng.random(600) < np.repeat(rng.beta(1.2, 1.2, 60), 10)  # a row is easy or hard
        found, plain = clustered_share(right, row), share(int(right.sum()), 600)
        covered += found.low <= 0.5 <= found.high
        covered_plain += plain.low <= 0.5 <= plain.high
    assert 0.91 < covered / 300 < 0.98
    assert covered_plain / 300 < 0.75
