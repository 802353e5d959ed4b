from collections.abc import Callable
from math import pi

import numpy as np

from mini_bert.core.array import Array
from mini_bert.course import judging as judge
from mini_bert.course.learner import Learner
from mini_bert.training.schedules import Schedule

N, WARMUP, HIGHEST = 10, 0.2, 0.8


def check(learner: Learner) -> None:
    learner.begin("a number comes out")
    judge.shape(learner.learning_rate(1, N, HIGHEST, WARMUP), ())

    learner.begin("the way up")
    found = rates_of(learner, "linear")
    all_shares = np.arange(1, N + 1) / N
    wrongly = {
        "the share done is n/N, that at the end of the step; take its middle, (n − ½)/N": with_done(
            all_shares
        ),
        "the share done is (n − 1)/N, so that the first step has the rate 0 and learns nothing; take (n − ½)/N": (
            with_done(all_shares - 1 / N)
        ),
        "half a step is added; the middle of step n is at n − ½": with_done(all_shares + 0.5 / N),
    }
    judge.close(
        found[:2],
        [0.2, 0.6],
        "the rates of steps 1 and 2",
        told(warmup=WARMUP),
        {known: wrong[:2] for known, wrong in wrongly.items()}
        | {
            "the warm-up is missing": with_done(all_shares - 0.5 / N, rise=lambda s: 1 - s)[:2],
            "it is not divided by the warm-up, so the line does not reach the highest rate": (
                with_done(all_shares - 0.5 / N, rise=lambda s: s)[:2]
            ),
            "`highest` is not used: these are shares of it": np.array([0.25, 0.75]),
            "the rates are the highest from the beginning": np.array([0.8, 0.8]),
        },
    )
    learner.begin("the way down, linear")
    middles = all_shares - 0.5 / N
    judge.close(
        found[2:],
        scheduled("linear")[2:],
        "the rates of steps 3 to 10",
        told(warmup=WARMUP),
        {
            "the way down begins at the start of training: the rate jumps down after the warm-up; count from its end": (
                HIGHEST * (1 - middles)[2:]
            ),
            "s − w is not divided by 1 − w, so the rate does not come down to 0": (
                HIGHEST * (1 - (middles - WARMUP))[2:]
            ),
            "it is divided by w; what is left after the warm-up is 1 − w": (
                HIGHEST * (1 - (middles - WARMUP) / WARMUP)[2:]
            ),
            "the rate stays at the highest after the warm-up": np.full(8, HIGHEST),
            "the rate rises again: this is r, take 1 − r": (HIGHEST * (middles - WARMUP) / (1 - WARMUP))[2:],
        },
    )
    learner.begin("the way down, cosine")
    found = rates_of(learner, "cosine")
    r = ((middles - WARMUP) / (1 - WARMUP))[2:]
    judge.close(
        found[2:],
        scheduled("cosine")[2:],
        "the rates of steps 3 to 10 with kind='cosine'",
        told(warmup=WARMUP, kind="cosine"),
        {
            "`kind` is not used: this is the straight line": scheduled("linear")[2:],
            "it is not divided by 2: 1 + cos begins at 2": HIGHEST * (1 + np.cos(pi * r)),
            "the 1 is missing: the cosine alone ends at −1": HIGHEST * np.cos(pi * r),
            "π is missing: this is not half a turn": HIGHEST * (1 + np.cos(r)) / 2,
            "this is a quarter of a turn; half a cosine is (1 + cos πr)/2": HIGHEST * np.cos(pi / 2 * r),
            "this is a whole turn: the rate comes up again": HIGHEST * (1 + np.cos(2 * pi * r)) / 2,
            "the angle is counted from the start of training; count from the end of the warm-up": (
                HIGHEST * (1 + np.cos(pi * middles[2:])) / 2
            ),
        },
    )
    judge.close(found[:2], [0.2, 0.6], "the rates of steps 1 and 2 with kind='cosine'", told(kind="cosine"))

    learner.begin("no warm-up")
    found = rates_of(learner, "linear", warmup=0.0)
    judge.close(found, scheduled("linear", 0.0), "the rates of steps 1 to 10", told(warmup=0.0))
    learner.begin("one step alone")
    judge.close(learner.learning_rate(1, 1, 2.0, 0.0), 1.0)
    learner.begin("every step learns, and the rates go up once and down once")
    for kind in ("linear", "cosine"):
        found = np.array([float(learner.learning_rate(n, 1000, 1e-3, kind=kind)) for n in range(1, 1001)])
        judge.holds(
            (found > 0).all() and (found <= 1e-3).all(),
            "a rate of 1000 steps is 0, or below, or above the highest.",
            found,
        )
        rising = np.diff(found) > 0
        judge.holds(
            rising[:99].all() and not rising[100:].any(),
            "the rates of 1000 steps with warmup = 0.1 should rise for 100 steps, and then fall.",
            input={"steps 99 to 102": found[98:102]},
        )


def rates_of(learner: Learner, kind: str, warmup: float = WARMUP) -> Array:
    found = [learner.learning_rate(n, N, HIGHEST, warmup, kind) for n in range(1, N + 1)]
    for rate in found:
        judge.shape(rate, ())
    return np.array([float(rate) for rate in found])


def scheduled(kind: str, warmup: float = WARMUP) -> Array:
    schedule = Schedule("cosine" if kind == "cosine" else "linear", warmup)
    return np.array([HIGHEST * schedule((n - 0.5) / N) for n in range(1, N + 1)])


def with_done(done: Array, rise: Callable[[Array], Array] | None = None) -> Array:
    """The straight line, as the shares that are done would have it."""
    up = (rise or (lambda s: s / WARMUP))(done)
    found: Array = HIGHEST * np.where(done < WARMUP, up, (1 - done) / (1 - WARMUP))
    return found


def told(**settings: float | str) -> dict[str, float | str]:
    return {"steps": N, "highest": HIGHEST, **settings}
