from typing import Any

import numpy as np

from mini_bert.core.array import Array
from mini_bert.course import judging as judge
from mini_bert.course.learner import Learner

GRADS = {"W": np.array([[2.0, -4.0], [4.0, 0.0]]), "b": np.array([-8.0, 0.0])}
"""‖W‖ = 6, ‖b‖ = 8, together 10"""


def check(learner: Learner) -> None:
    learner.begin("global_norm: one number")
    judge.shape(learner.global_norm(GRADS), ())
    judge.close(
        learner.global_norm(GRADS),
        10.0,
        mistakes={
            "this is the sum of the norms; add the squares of all, and take one root": 14.0,
            "the root is missing": 100.0,
            "the numbers are added without squares": -6.0,
            "sizes are added; square them, and take a root at the end": 18.0,
            "this is the norm of the first gradient alone; go on to the others": 6.0,
            "this is the norm of one gradient alone": 8.0,
            "this is a mean of squares; nothing is divided": float(np.sqrt(100 / 6)),
        },
    )
    learner.begin("global_norm: one weight, no gradient at all, float32")
    judge.close(learner.global_norm({"w": np.array([-3.0])}), 3.0)
    judge.close(learner.global_norm({"w": np.zeros((2, 3, 2))}), 0.0)
    single = {name: g.astype(np.float32) for name, g in GRADS.items()}
    judge.close(learner.global_norm(single), 10.0)

    learner.begin("clip: the gradients by name, and the norm")
    got = learner.clip(GRADS, 2.5)
    judge.several(got, 2)
    clipped = by_name(got[0])
    for name, g in GRADS.items():
        judge.shape(clipped[name], g.shape, f"the clipped {name}")
    learner.begin("clip: a gradient that is too long")
    for name, g in GRADS.items():
        own = 2.5 / np.sqrt((g**2).sum())
        judge.close(
            clipped[name],
            g / 4,
            f"the clipped {name}",
            GRADS | {"max_norm": 2.5},
            {
                "nothing is clipped": g,
                "every gradient is clipped by its own norm, so the direction changes; take the norm of all": g
                * own,
                "every number is cut off at max_norm, so the direction changes; shorten all by one factor": (
                    lambda g=g: np.clip(g, -2.5, 2.5)
                ),
                "the factor is upside down: c / ‖g‖": 4 * g,
                "the result has length 1: c is missing in c / ‖g‖": g / 10,
                "it is divided by max_norm; divide by the norm": g / 2.5,
            },
        )
    judge.close(
        got[1],
        10.0,
        mistakes={
            "this is the norm after clipping; return what it was before": 2.5,
            "this is the factor; return the norm": 0.25,
        },
    )
    learner.begin("clip: a gradient that is short enough stays as it is")
    short = by_name(learner.clip(GRADS, 20.0)[0])
    for name, g in GRADS.items():
        judge.close(
            short[name],
            g,
            f"the clipped {name}",
            GRADS | {"max_norm": 20.0},
            {"a short gradient is made longer: the factor is 1 at most": 2 * g},
        )
    learner.begin("clip: no gradient at all")
    nothing = by_name(learner.clip({"w": np.zeros(3)}, 1.0)[0])["w"]
    judge.close(
        nothing,
        np.zeros(3),
        "the clipped w",
        {"w": np.zeros(3)},
        {"0 divided by 0: look whether the norm is too large before you divide": np.full(3, np.nan)},
    )
    learner.begin("clip: float32 stays float32")
    for name, g in by_name(learner.clip(single, 5.0)[0]).items():
        judge.same_dtype(g, single[name], f"the clipped {name}")
    learner.begin("clip: the new norm is max_norm, and the direction is the old one")
    many = {f"w{i}": judge.example(i + 1, 3, seed=i) for i in range(5)}
    got, norm = learner.clip(many, 0.25)
    before, after = (np.concatenate([g.ravel() for g in grads.values()]) for grads in (many, by_name(got)))
    judge.close(np.sqrt(after @ after), 0.25, "the norm of the clipped gradients", {"max_norm": 0.25})
    judge.close(after @ before, 0.25 * float(norm), "the dot product of the gradients before and after", {})


def by_name(got: Any) -> dict[str, Array]:
    judge.holds(
        isinstance(got, dict),
        f"the first result of clip(grads, max_norm) is a {type(got).__name__}, expected a dict: name → array.",
    )
    for g in got.values():
        judge.array(g, "a clipped gradient")
    return dict(got)
