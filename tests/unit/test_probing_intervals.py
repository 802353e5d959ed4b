"""How sure a share is, when its cases come in groups and its probes in seeds."""

import numpy as np
import pytest

from mini_bert.evaluation.estimate import over_seeds
from mini_bert.evaluation.probing.intervals import ratio


def width(over, under=None):
    _, low, high = ratio(over, np.ones_like(over) if under is None else under).estimate
    return high - low


def test_as_wide_as_the_normal_approximation_says():
    right = np.random.default_rng(0).integers(0, 2, (1, 400)).astype(float)
    assert ratio(right, np.ones((1, 400))).estimate.value == right.mean()
    assert width(right) == pytest.approx(2 * 1.96 * np.sqrt(0.25 / 400), rel=0.1)


def test_wider_where_the_cases_of_a_group_are_alike():
    """The same number of right words, spread over sentences or in whole sentences."""
    cases = np.full((1, 100), 10.0)
    spread, alike = (
        np.where(np.arange(100) % 2, 6.0, 4.0)[None],
        np.where(np.arange(100) % 2, 10.0, 0.0)[None],
    )
    assert width(spread, cases) < width(alike, cases) / 3


@pytest.mark.parametrize("n", [2, 3, 10])
def test_seeds_alone_are_as_wide_as_students_interval(n):
    """All sentences alike, so that only seeds differ; drawn again as they are, three would be 2.7 times too sure."""
    shares = 0.5 + 0.02 * np.random.default_rng(n).standard_normal(n)
    over = np.repeat(shares[:, None], 50, axis=1)
    _, low, high = over_seeds(shares.tolist())
    assert width(over) == pytest.approx(
        high - low, rel=0.4
    )  # n numbers drawn again have a coarse distribution
    assert width(over[:1]) < 1e-9


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_all_or_none_right_leaves_some_doubt(share):
    cases = np.full((1, 5), 3.0)
    found = ratio(share * cases, cases).estimate
    assert found.value == share
    assert found.high - found.low == pytest.approx(1 - 0.025 ** (1 / 6), abs=0.05)
    many = ratio(share * np.ones((2, 900)), np.ones((2, 900))).estimate
    assert 0.002 < many.high - many.low < 0.006


def test_a_difference_of_two_such_shares_too():
    all_right = ratio(np.ones((1, 30)), np.ones((1, 30)))
    same = all_right.minus(all_right).estimate
    assert same.value == 0
    assert same.low < -0.05
    assert same.high > 0.05
    half = ratio(np.arange(30)[None] % 2 * 1.0, np.ones((1, 30)))
    low, high = half.minus(all_right).estimate[1:]
    assert low < -0.5 < high


def test_a_difference_over_the_same_groups_is_surer_than_each_side():
    hard = np.random.default_rng(1).random((1, 500))
    one, other = (ratio((hard < cut).astype(float), np.ones((1, 500))) for cut in (0.5, 0.55))
    low, high = other.minus(one).estimate[1:]
    assert high - low < 0.6 * width((hard < 0.5).astype(float))


def test_one_group_tells_nothing():
    assert ratio(np.ones((1, 1)), np.full((1, 1), 2.0)).estimate == (0.5, None, None)
