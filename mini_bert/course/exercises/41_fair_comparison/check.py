from math import sqrt

import numpy as np

from mini_bert.core.array import Array
from mini_bert.course import judging as judge
from mini_bert.course.learner import Learner

VALUES = np.array([1.0, 3.0, 5.0, 7.0])
"""Mean 4; squared distances 9, 1, 1, 9"""
A = np.array([4.7, 4.5, 4.6, 4.9])
B = np.array([4.6, 4.1, 4.4, 4.8])


def check(learner: Learner) -> None:
    learner.begin("mean_and_error: two numbers")
    got = learner.mean_and_error(VALUES)
    judge.several(got, 2)
    judge.shape(got[0], ())
    judge.shape(got[1], (), mistakes={"these are the distances of all values; take their mean square": (4,)})
    learner.begin("mean_and_error: the mean")
    judge.close(got[0], 4.0, mistakes={"this is the sum": 16.0, "the sum is divided by n − 1": 16 / 3})
    learner.begin("mean_and_error: its error")
    judge.close(
        got[1],
        sqrt(20 / 3) / 2,
        mistakes={
            "this is the spread of single runs; the mean's error is smaller by √n": sqrt(20 / 3),
            "the spread divides by n; take n − 1": sqrt(20 / 4) / 2,
            "this is the variance: a root is missing": 20 / 3,
            "the spread is divided by n; take its root": sqrt(20 / 3) / 4,
            "the root of the variance is missing": 20 / 3 / 2,
            "distances are not squared": 8 / 3 / 2,
        },
    )
    learner.begin("mean_and_error: equal values, two values, and far from 0")
    judge.close(learner.mean_and_error(np.full(3, 2.5))[1], 0.0)
    judge.close(learner.mean_and_error(np.array([1.0, 3.0]))[1], 1.0)
    judge.close(
        learner.mean_and_error(VALUES + 1e8)[1],
        sqrt(20 / 3) / 2,
        mistakes={
            "the spread is mean(x²) − mean(x)², two large numbers whose difference is lost": lambda: lost(
                VALUES + 1e8
            )
        },
    )

    learner.begin("paired_difference: run by run")
    got = learner.paired_difference(A, B)
    judge.several(got, 2)
    judge.close(got[0], -0.2, mistakes={"the other way round: b − a, so that a lower loss is negative": 0.2})
    apart = sqrt(A.var(ddof=1) / 4 + B.var(ddof=1) / 4)
    judge.close(
        got[1],
        sqrt(0.06 / 3) / 2,
        mistakes={
            "the errors of a and b are put together, as if the runs had nothing in common; take b − a first": apart,
            "the errors of a and b are added; take b − a first": (A.std(ddof=1) + B.std(ddof=1)) / 2,
            "the errors of a and b are subtracted; take b − a first": (B.std(ddof=1) - A.std(ddof=1)) / 2,
        },
    )

    learner.begin("chance: one number")
    judge.shape(
        learner.chance(A, B),
        (),
        mistakes={"there is an answer for each choice of signs; take the share of those that count": (16,)},
    )
    learner.begin("chance: all choices of signs")
    judge.close(
        learner.chance(A, B),
        2 / 16,
        mistakes={
            "only choices on the same side count; compare sizes, without the sign": 1 / 16,
            "your own choice does not count: ≥, not >": 0.0,
            "this is the share of choices that come less far": 14 / 16,
            "this counts the choices; take their share": 2.0,
        },
    )
    learner.begin("chance: differences of both signs")
    a, b = np.zeros(3), np.array([3.0, -1.0, 1.0])
    judge.close(
        learner.chance(a, b),
        6 / 8,
        mistakes={
            "the sizes of the differences are summed up for comparison; take their sum as it is": 2 / 8,
            "only choices on the same side count; compare sizes, without the sign": 3 / 8,
            "your own choice does not count: ≥, not >": 2 / 8,
        },
    )
    learner.begin("chance: sums that are equal but for their rounding")
    b = np.array([0.1, 0.2, -0.3, 0.3])
    got, want = learner.chance(np.zeros(4), b), share_as_far(b)
    judge.holds(
        got > want - 1 / 32,
        f"chance(a, b) is {got:.4f}, expected {want:.4f}, where differences are {b}.",
        mistake="a sum that is equal but for its last digit is not counted: ≥ (1 − 1e-9) |Σ d|",
    )
    judge.close(got, want)
    learner.begin("chance: nothing differs, one seed, and many")
    judge.close(learner.chance(A, A), 1.0)
    judge.close(learner.chance(A[:1], B[:1]), 1.0)
    many = np.full(10, 0.5)
    judge.close(learner.chance(many, 0 * many), 2 / 2**10)


def share_as_far(d: Array) -> float:
    """All choices of signs, by counting in twos, and sums rounded so that equal ones are equal."""
    sums = [sum(-x if choice >> i & 1 else x for i, x in enumerate(d)) for choice in range(2 ** len(d))]
    return float(np.mean([round(abs(one), 9) >= round(abs(d.sum()), 9) for one in sums]))


def lost(x: Array) -> float:
    return float(np.sqrt(abs((x * x).mean() - x.mean() ** 2) * 4 / 3) / 2)
