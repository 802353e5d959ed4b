"""The learning-rate sweep on losses whose best rate is known."""

import math

import numpy as np
import pytest

from mini_bert.training.rate_finder import find_learning_rate
from tests.tolerances import assert_close


def gradient_descent(curvature):
    """step(rate) on ½ c w²: it falls for rates below 2/c and bursts above."""
    w = 1.0

    def step(rate):
        nonlocal w
        loss = 1 + curvature * w * w / 2
        w -= rate * curvature * w
        return loss

    return step


@pytest.mark.parametrize("curvature", [1.0, 100.0])
def test_the_suggestion_descends_and_is_safe(curvature):
    curve = find_learning_rate(
        gradient_descent(curvature), low=1e-6 / curvature, high=1e3 / curvature, steps=200
    )
    assert 2 / curvature < curve.diverged_at < 20 / curvature
    assert 0.001 / curvature < curve.suggestion < 2 / curvature
    assert curve.suggestion <= curve.diverged_at / 10
    assert curve.rates[-1] == curve.diverged_at
    assert len(curve.rates) == len(curve.losses) == len(curve.smoothed) < 200


def test_rates_are_evenly_spaced_in_factors():
    asked = []
    find_learning_rate(lambda rate: asked.append(rate) or 1.0, low=1e-4, high=1.0, steps=5)
    assert_close(np.array(asked), np.array([1e-4, 1e-3, 1e-2, 1e-1, 1.0]))


def test_the_steepest_point_of_a_step_that_comes_down_is_found():
    curve = find_learning_rate(lambda rate: 5 - 3 / (1 + (1e-3 / rate) ** 4), steps=200)
    assert curve.diverged_at is None
    assert 7e-4 < curve.suggestion == curve.steepest < 1.5e-3


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_a_loss_that_is_not_finite_ends_the_sweep(bad):
    curve = find_learning_rate(lambda rate: bad if rate > 1e-2 else 3.0, steps=61)
    assert curve.diverged_at == pytest.approx(10**-1.9)
    assert np.isfinite(curve.losses).all()
    assert curve.steepest is None
    assert curve.suggestion == curve.diverged_at / 10


def test_a_loss_that_climbs_back_to_its_start_has_burst():
    """As masked words do: a broken model guesses all words alike, and its loss is no more than ln V again."""
    curve = find_learning_rate(lambda rate: 7.0 if 1e-4 < rate < 1e-2 else 9.0 + rate, steps=200)
    assert 1e-2 < curve.diverged_at < 1
    assert curve.suggestion < 1e-3


def test_a_flat_loss_suggests_nothing():
    assert find_learning_rate(lambda rate: 2.0, steps=10).suggestion is None


@pytest.mark.parametrize(
    ("settings", "message"),
    [({"low": 0}, "low=0"), ({"low": 1, "high": 0.1}, "low < high"), ({"steps": 1}, "steps=1")],
)
def test_impossible_sweeps_are_refused(settings, message):
    with pytest.raises(ValueError, match=message):
        find_learning_rate(lambda rate: 1.0, **settings)


def test_a_model_that_is_broken_from_the_start_is_refused():
    with pytest.raises(ValueError, match="not finite at the lowest rate"):
        find_learning_rate(lambda rate: math.nan)


def test_a_late_burst_is_noticed_at_once_and_does_not_outweigh_what_came_before():
    curve = find_learning_rate(lambda rate: 6.0 if rate < 0.1 else 1e6, low=1e-6, high=1.0, steps=100)
    bursting = curve.rates >= 0.1
    assert bursting.sum() <= 2
    assert curve.rates[-1] == curve.diverged_at
    assert curve.smoothed[:50].max() < 6.001
    assert curve.smoothed.max() <= 9.0


def test_one_odd_loss_is_no_burst():
    losses = iter([6.0] * 50 + [60.0] + [6.0] * 49)
    assert find_learning_rate(lambda rate: next(losses), steps=100).diverged_at is None
