from collections.abc import Callable

import numpy as np

from mini_bert.core.array import Array
from mini_bert.course import judging as judge
from mini_bert.course.learner import Learner

H = np.array([[2.0, 1.0, 0.0], [1.0, 3.0, -1.0], [0.0, -1.0, 1.0]])
START = np.array([1.0, 2.0, 2.0])
DOWN = np.diag([-5.0, 3.0, 1.0])
"""The eigenvalue farthest from 0 is −5, the largest is 3."""


def check(learner: Learner) -> None:
    products(learner)
    iteration(learner)
    largest(learner)


def quadratic(w: Array) -> Array:
    """The gradient of ½ wᵀ H w"""
    g: Array = H @ w
    return g


def quartic(w: Array) -> Array:
    """The gradient of Σ w⁴, whose Hessian is 12 w² on the diagonal"""
    g: Array = 4 * w**3
    return g


def products(learner: Learner) -> None:
    w, v = np.array([1.0, -1.0, 2.0]), np.array([3.0, 0.0, 4.0])
    learner.begin("hessian_vector: shape")
    judge.shape(learner.hessian_vector(quadratic, w, v), (3,))
    learner.begin("hessian_vector: of ½ wᵀ H w it is H v")
    judge.close(
        learner.hessian_vector(quadratic, w, v),
        H @ v,
        input={"H": H, "w": w, "v": v},
        mistakes={
            "the 2 of 2ε is missing": 2 * H @ v,
            "it is not divided by 2ε": 2e-5 * H @ v,
            "`/ 2 * eps` divides by 2 and multiplies by ε; write `/ (2 * eps)`": 1e-10 * H @ v,
            "the length of v is forgotten: H u was computed, with u = v / ‖v‖": H @ v / 5,
            "it is multiplied by the length once too often, or v was not brought to length 1": 5 * H @ v,
            "this is the gradient; the difference of two is asked for": H @ w,
            "the two gradients are added; subtract them": H @ w * 5 / 1e-5,
        },
        rtol=1e-6,
    )
    learner.begin("hessian_vector: from both sides, with steps of length 0.1")
    given = {"w": w, "v": v, "eps": 0.1, "gradient(w)": "4 w**3"}
    u, h = v / 5, 0.1 * v / 5
    judge.close(
        learner.hessian_vector(quartic, w, v, 0.1),
        (12 * w**2 + 4 * h**2) * v,
        input=given,
        mistakes={
            "only one side is used, forwards: the error is then of order ε": (quartic(w + h) - quartic(w))
            / 0.1
            * 5,
            "only one side is used, backwards: the error is then of order ε": (quartic(w) - quartic(w - h))
            / 0.1
            * 5,
            "eps is not used": 12 * w**2 * v,
            "v is not brought to length 1: the step is ε times as long as v": (
                quartic(w + 0.1 * v) - quartic(w - 0.1 * v)
            )
            / 0.2,
            "the length of v is forgotten: H u was computed, with u = v / ‖v‖": (12 * w**2 + 4 * h**2) * u,
        },
        rtol=1e-6,
    )
    learner.begin("hessian_vector: v very long, very short, and zero")
    for scale in (1e9, 1e-9):
        judge.close(
            learner.hessian_vector(quartic, w, scale * v),
            12 * w**2 * scale * v,
            input={"w": w, "v": scale * v},
            rtol=1e-6,
            mistakes={
                "v is not brought to length 1: the step is ε times as long as v": lambda scale=scale: (
                    (quartic(w + 1e-5 * scale * v) - quartic(w - 1e-5 * scale * v)) / 2e-5
                )
            },
        )
    found = judge.array(learner.hessian_vector(quartic, w, 0 * v))
    judge.holds(
        not found.any(),
        "H v of a v of zeros should be zeros.",
        found,
        {"w": w, "v": 0 * v},
        "v is divided by its length, which is 0",
    )
    learner.begin("hessian_vector: a loss that is no polynomial, and u · H v = v · H u")
    X, u = judge.example(6, 3, seed=1), np.array([1.0, 2.0, -1.0])
    p = 1 / (1 + np.exp(-X @ w))
    logistic = logistic_gradient(X)
    judge.close(
        learner.hessian_vector(logistic, w, v),
        X.T @ (p * (1 - p) * (X @ v)),
        input={"X": X, "w": w, "v": v},
        rtol=1e-6,
    )
    there, back = (
        learner.hessian_vector(logistic, w, v) @ u,
        learner.hessian_vector(logistic, w, u) @ v,
    )
    judge.close(there, back, "u · H v, expected to be v · H u,", {"u": u, "v": v}, rtol=1e-6)


def iteration(learner: Learner) -> None:
    values, vectors = np.linalg.eigh(H)
    learner.begin("power_iteration: two results, a number and a vector")
    judge.several(learner.power_iteration(times(H), START, 3), 2)
    value, vector = learner.power_iteration(times(H), START, 3)
    judge.shape(value, ())
    judge.shape(vector, (3,))
    given = {"H": H, "start": START, "steps": 3}
    learner.begin("power_iteration: v has length 1")
    judge.close(
        np.linalg.norm(vector),
        1.0,
        "the length of v",
        given,
        {
            "v is not brought to length 1 again in each step": np.linalg.norm(power(H, 3)) / 3,
            "v is never brought to length 1": np.linalg.norm(power(H, 3)),
            "v is divided by its largest number; take its length": np.linalg.norm(power(H, 3))
            / abs(power(H, 3)).max(),
        },
    )
    learner.begin("power_iteration: after three steps")
    unit = power(H, 3) / np.linalg.norm(power(H, 3))
    judge.close(
        vector,
        unit,
        input=given,
        mistakes={
            "one step too few": lambda: power(H, 2) / np.linalg.norm(power(H, 2)),
            "one step too many": lambda: power(H, 4) / np.linalg.norm(power(H, 4)),
            "this is the start": START / 3,
            "v is divided by its largest number; take its length": lambda: (
                power(H, 3) / abs(power(H, 3)).max()
            ),
        },
    )
    judge.close(
        value,
        unit @ H @ unit,
        input=given,
        mistakes={
            "this is the length of H v, whose sign is lost; take v · H v": lambda: np.linalg.norm(H @ unit),
            "this is the length of the last step's H v; take v · H v with the last v": lambda: (
                np.linalg.norm(H @ power(H, 2)) / np.linalg.norm(power(H, 2))
            ),
            "λ belongs to the v before the last step": lambda: rayleigh(power(H, 2)),
        },
    )
    learner.begin("power_iteration: many steps lead to the eigenvalue")
    value, vector = learner.power_iteration(times(H), START, 200)
    judge.close(value, values[-1], "λ", given | {"steps": 200})
    judge.close(abs(vector), abs(vectors[:, -1]), "|v|", given | {"steps": 200})
    judge.holds(
        np.isfinite(learner.power_iteration(times(1e5 * H), START, 200)[0]),
        "λ is not finite after 200 steps with a matrix of large numbers.",
        mistake="v grows with every step; bring it to length 1 each time",
    )
    learner.begin("power_iteration: an eigenvalue below 0")
    value, _ = learner.power_iteration(times(DOWN), START, 200)
    judge.close(
        value,
        -5.0,
        input={"H": DOWN, "start": START, "steps": 200},
        mistakes={"this is the length of H v, whose sign is lost; take v · H v": 5.0},
    )
    learner.begin("power_iteration: a matrix of zeros, and no step at all")
    value, vector = learner.power_iteration(times(0 * H), START, 5)
    judge.holds(
        value == 0, "of a matrix of zeros λ should be 0.", value, mistake="H v was divided by its length, 0"
    )
    judge.close(learner.power_iteration(times(H), START, 0)[1], START / 3)


def largest(learner: Learner) -> None:
    learner.begin("sharpness: one number")
    judge.shape(learner.sharpness(times(H), START, 5), ())
    learner.begin("sharpness: where the farthest eigenvalue is the largest")
    judge.close(
        learner.sharpness(times(H), START, 200), np.linalg.eigvalsh(H)[-1], input={"H": H, "start": START}
    )
    learner.begin("sharpness: where the farthest eigenvalue is below 0")
    judge.close(
        learner.sharpness(times(DOWN), START, 300),
        3.0,
        input={"H": DOWN, "start": START, "steps": 300},
        mistakes={
            "this is the eigenvalue farthest from 0; the largest is asked for": -5.0,
            "this is the size of the one farthest from 0; the largest is asked for": 5.0,
            "the shift is not taken back: add μ at the end": 8.0,
            "the shift is subtracted once more; add μ at the end": 13.0,
            "it is shifted the wrong way, by H + μ I: the lowest is farther still": -15.0,
        },
    )
    below = -np.diag([1.0, 4.0, 2.0])
    judge.close(learner.sharpness(times(below), START, 300), -1.0, input={"H": below, "start": START})


def times(matrix: Array) -> Callable[[Array], Array]:
    return lambda v: matrix @ v


def power(matrix: Array, n: int) -> Array:
    found: Array = np.linalg.matrix_power(matrix, n) @ START
    return found


def rayleigh(v: Array) -> Array:
    value: Array = v @ H @ v / (v @ v)
    return value


def logistic_gradient(X: Array) -> Callable[[Array], Array]:
    """Of Σ ln(1 + exp(x · w)), the loss of a classifier for which every label is 0"""
    return lambda w: X.T @ (1 / (1 + np.exp(-X @ w)))
