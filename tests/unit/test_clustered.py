"""Intervals of answers that come in rows: neighbours are not independent."""

import numpy as np
import pytest

from mini_bert.evaluation.estimate import share, wilson
from mini_bert.evaluation.intrinsic.clustered import (
    clustered_mean,
    clustered_share,
    equal_rows,
    kept_of_few,
    ratio,
    share_of_few,
    worth,
)
from mini_bert.run_reports.student import CONFIDENCE, t_quantile


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


def test_intervals_of_a_few_rows_are_wide_enough():
    rng, covered, trials = np.random.default_rng(0), 0, 400
    counts = np.full(3, 10)
    for _ in range(trials):
        found = ratio(counts * rng.normal(2.0, 1.0, 3), counts)
        covered += found.low <= 2.0 <= found.high
    assert 0.92 < covered / trials < 0.98  # by the normal distribution it would be four fifths


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


def test_unequal_rows_are_worth_fewer_equal_ones():
    assert equal_rows(np.full(7, 30)) == 7
    assert equal_rows(np.array([90, 5, 5])) == pytest.approx(1 / (0.9**2 + 2 * 0.05**2))
    for right in (0, 1):
        counts = np.array([90, 5, 5, 100])
        assert share_of_few(right * counts, counts) == wilson(right, equal_rows(counts))


def test_degrees_of_freedom_may_lie_between_whole_ones():
    three, four = ((1.959963984540054 / t_quantile(CONFIDENCE, freedom)) ** 2 for freedom in (3, 4))
    assert kept_of_few(4) == pytest.approx(three)
    assert kept_of_few(4.25) == pytest.approx(0.75 * three + 0.25 * four)
    assert kept_of_few(1.0) == kept_of_few(1 - 1e-16) == 0


def test_intervals_cover_where_those_that_count_unequal_rows_alike_do_not():
    rng, counts = np.random.default_rng(0), np.array([200, 100, 50] + [3] * 30)
    R, covered, covered_alike = len(counts), 0, 0
    for _ in range(300):
        sums = rng.binomial(counts, rng.beta(1.2, 1.2, R))
        found = share_of_few(sums, counts)
        alike = wilson(found.value, kept_of_few(R) * worth(sums, counts, R))
        covered += found.low <= 0.5 <= found.high
        covered_alike += alike.low <= 0.5 <= alike.high
    assert covered / 300 > 0.9
    assert covered_alike / 300 < 0.8
