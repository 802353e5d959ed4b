from collections.abc import Callable

import numpy as np

from mini_bert.core.array import Array
from mini_bert.course import judging as judge
from mini_bert.course.learner import Learner

Function = Callable[[Array], Array]
NEARLY = 1e-5  # what the floor adds to sizes of about 1, if it is added, is judged later, and apart
X = np.array([[1.0, 2.0, -1.0], [0.5, -2.0, 3.0]])


def cubes(x: Array) -> Array:
    found: Array = np.sum(x**3)
    return found


def square_of_sum(x: Array) -> Array:
    found: Array = np.sum(x) ** 2
    return found


def check(learner: Learner) -> None:
    central(learner)
    complex_steps(learner)
    errors(learner)
    wrong(learner)


def central(learner: Learner) -> None:
    learner.begin("central_difference: shape and dtype")
    got = learner.central_difference(cubes, X)
    judge.shape(got, X.shape)
    judge.dtype(got, np.float64)
    learner.begin(
        "central_difference: f(x) = Σ x³ with a large step, h = 1, where the mistakes are large, too"
    )
    judge.close(
        learner.central_difference(cubes, X, 1.0),
        3 * X**2 + 1,
        input={"x": X, "h": 1.0},
        mistakes={
            "this is the difference to one side, [f(x + h) − f(x)] / h": 3 * X**2 + 3 * X + 1,
            "this is the difference to the left, [f(x) − f(x − h)] / h": 3 * X**2 - 3 * X + 1,
            "it is divided by h; the two points are 2h apart": 2 * (3 * X**2 + 1),
            "all entries are moved at once; one at a time": np.full(X.shape, np.sum(3 * X**2 + 1)),
            "f(x − h) − f(x + h) has the sign the other way round": -(3 * X**2 + 1),
            "the difference to one side is divided by 2h": (3 * X**2 + 3 * X + 1) / 2,
        },
    )
    learner.begin("central_difference: h is used")
    judge.close(learner.central_difference(cubes, X, 0.5), 3 * X**2 + 0.25, input={"x": X, "h": 0.5})
    learner.begin("central_difference: each entry is put back before the next is moved; f(x) = (Σ x)²")
    entries = np.arange(X.size).reshape(X.shape)
    judge.close(
        learner.central_difference(square_of_sum, X, 1.0),
        np.full(X.shape, 2 * X.sum()),
        input={"x": X, "h": 1.0},
        mistakes={
            "an entry that was moved is left below its place (x − h) when the next one is tried": (
                2 * (X.sum() - entries)
            ),
            "an entry that was moved is left above its place (x + h) when the next one is tried": (
                2 * (X.sum() + entries)
            ),
        },
    )
    learner.begin("central_difference: float32 and whole numbers are made float64 first")
    for told, given in (("float32", X.astype(np.float32)), ("whole", np.array([1, 2, -3]))):
        judge.close(
            learner.central_difference(cubes, given),
            3 * given.astype(float) ** 2,
            f"central_difference(f, x) of {told} numbers",
            {"x": given},
            {"the steps are lost in rounding: make a float64 copy of x first": lambda x=given: coarse(x)},
            rtol=1e-6,
        )
    learner.begin("central_difference: a number alone, and one axis")
    judge.close(learner.central_difference(cubes, np.array(2.0), 1.0), np.array(13.0))
    judge.close(learner.central_difference(cubes, np.array([2.0, -1.0]), 1.0), [13.0, 4.0])


def complex_steps(learner: Learner) -> None:
    learner.begin("complex_step: shape and dtype")
    got = learner.complex_step(cubes, X)
    judge.shape(got, X.shape)
    judge.holds(
        judge.array(got).dtype != complex,
        "complex_step(f, x) is complex, expected float64.",
        mistake="take .imag of what f returns",
    )
    judge.dtype(got, np.float64)
    learner.begin("complex_step: f(x) = Σ x³")
    judge.close(
        learner.complex_step(cubes, X),
        3 * X**2,
        input={"x": X},
        mistakes={
            "the imaginary part is not divided by h": 3e-30 * X**2,
            "the real part was taken; the slope is in the imaginary one": np.full(X.shape, cubes(X) / 1e-30),
            "the real part was taken, and not divided by h": np.full(X.shape, cubes(X)),
            "all entries are moved at once; one at a time": np.full(X.shape, np.sum(3 * X**2)),
            "it is divided by 2h; there is one step only": 1.5 * X**2,
            "what was moved stays moved when the next entry is tried; put it back": (
                np.cumsum(3 * X**2).reshape(X.shape)
            ),
            "no imaginary part is left: x must be made complex first, and moved along the imaginary axis": np.zeros(
                X.shape
            ),
        },
    )
    learner.begin("complex_step: as exact as float64 itself")
    x = np.array([0.7, 1.1, 1.4])
    want = np.exp(x) * np.cos(x) - np.exp(x) * np.sin(x)
    judge.close(
        learner.complex_step(lambda x: np.sum(np.exp(x) * np.cos(x)), x),
        want,
        "complex_step of Σ eˣ cos x",
        {"x": x},
        rtol=1e-13,
        mistakes={},
    )
    judge.close(
        learner.complex_step(cubes, X.astype(np.float32)), 3 * X**2, input={"x": X.astype(np.float32)}
    )


def errors(learner: Learner) -> None:
    learner.begin("relative_error: a number")
    a, b = np.array([[1.0, -2.0], [10.0, 0.5]]), np.array([[1.0, -1.8], [10.5, 0.5]])
    judge.shape(
        learner.relative_error(a, b),
        (),
        mistakes={"there is one error for each entry; take the largest": (2, 2)},
    )
    parts = np.abs(a - b) / (np.abs(a) + np.abs(b))
    judge.close(
        learner.relative_error(a, b),
        np.array(0.2 / 3.8),
        mistakes={
            "this is the largest difference; divide by the size of the two": np.array(0.5),
            "this is the mean; one wrong entry among many must not be hidden": parts.mean(),
            "this is the sum over all entries; take the largest": parts.sum(),
            "the difference is divided by |a| only, or by the larger of the two; take |a| + |b|": np.array(
                0.1
            ),
            "the difference is divided by |b| only; take |a| + |b|": np.array(0.2 / 1.8),
            "the difference has no sign here: take its absolute value": np.max((a - b) / (abs(a) + abs(b))),
            "the largest difference is divided by the largest size; divide entry by entry": np.array(
                0.5 / 20.5
            ),
        },
        rtol=NEARLY,
    )
    learner.begin("relative_error: opposite numbers, and differences of either sign")
    judge.close(
        learner.relative_error(np.array([3.0, -1.0]), np.array([-3.0, -1.0])),
        np.array(1.0),
        mistakes={"it is divided by |a + b|, which is 0 for opposite numbers": np.array(6e6)},
        rtol=NEARLY,
    )
    judge.close(
        learner.relative_error(np.array([1.0, 2.0]), np.array([3.0, 2.0])),
        np.array(0.5),
        mistakes={"a difference below 0 is taken for none: take its absolute value": np.array(0.0)},
        rtol=NEARLY,
    )
    learner.begin("relative_error: zeros, and the floor")
    zero = judge.array(learner.relative_error(np.zeros(2), np.zeros(2)))
    judge.holds(
        zero == 0,
        "relative_error of two zeros is not 0.",
        zero,
        mistake="0 is divided by 0: the floor is missing",
    )
    judge.close(
        learner.relative_error(np.array([0.0, 1.0]), np.array([1e-9, 1.0])),
        np.array(1e-3),
        mistakes={
            "the floor is not used: rounding beside 0 looks like a wrong gradient": np.array(1.0),
            "the floor is added; it is the least that one divides by": np.array(1e-9 / (1e-9 + 1e-6)),
        },
    )
    judge.close(learner.relative_error(np.array([0.0]), np.array([0.1]), 1.0), np.array(0.1))


def wrong(learner: Learner) -> None:
    x = np.random.default_rng(1).normal(size=(3, 4))
    learner.begin("wrong_gradients: the five of your file")
    asked(
        learner,
        learner.CANDIDATES,
        x,
        [name for name, pair in learner.CANDIDATES.items() if not right(*pair, x)],
    )
    learner.begin("wrong_gradients: all right, and none at all")
    asked(learner, {"sin": sine(), "constant": constant(), "huge": sine(1e6), "tiny": sine(1e-5)}, x, [])
    asked(learner, {}, x, [])
    learner.begin("wrong_gradients: several are wrong, in the order of the dict")
    candidates = {"b": sine(1.0, -1.0), "right": sine(), "a": sine(1.0, 2.0)}
    asked(learner, candidates, x, ["b", "a"])
    learner.begin("wrong_gradients: wrong by little, wrong in one entry, wrong and small")
    once = np.ones(x.shape)
    once[2, 3] = 1.01
    asked(learner, {"by little": sine(1.0, 1.0001), "right": sine()}, x, ["by little"])
    asked(learner, {"right": sine(), "one entry": sine(1.0, once)}, x, ["one entry"])
    asked(learner, {"small": sine(1e-5, 1.05)}, x, ["small"])
    learner.begin("wrong_gradients: a gradient that is not a number")
    broken = np.ones(x.shape)
    broken[0, 0] = np.nan
    asked(
        learner,
        {"broken": sine(1.0, broken), "right": sine()},
        x,
        ["broken"],
        {"NaN > tolerance is false, so it passes; ask for `not error <= tolerance`": []},
    )
    learner.begin("wrong_gradients: the tolerance is the caller's")
    asked(
        learner,
        {"by little": sine(1.0, 1.0001), "by much": sine(1.0, 2.0)},
        x,
        ["by much"],
        {"the tolerance that was given is not used": ["by little", "by much"]},
        tolerance=0.01,
    )


def asked(
    learner: Learner,
    candidates: dict[str, tuple[Function, Function]],
    x: Array,
    want: list[str],
    mistakes: dict[str, list[str]] | None = None,
    **options: float,
) -> None:
    names = list(candidates)
    known = {
        "the right ones are returned; asked for are the wrong ones": [
            name for name in names if name not in want
        ],
        "every one is found wrong": names,
        "none is found wrong": [],
    }
    known = {told: answer for told, answer in known.items() if answer != want}
    given = {"names of the candidates": names, **options}
    got = learner.wrong_gradients(candidates, x, **options)
    judge.equal(got, want, "wrong_gradients(candidates, x)", given, {**(mistakes or {}), **known})


def right(f: Function, gradient: Function, x: Array) -> bool:
    """The planted mistake may have been repaired meanwhile, as the page proposes."""
    return bool(np.allclose(gradient(x), judge.measured_gradient(f, x, np.ones(())), rtol=1e-8))


def sine(size: float = 1.0, fault: Array | float = 1.0) -> tuple[Function, Function]:
    """size · Σ sin x, whose gradient is multiplied by a fault."""
    return lambda x: size * np.sum(np.sin(x)), lambda x: size * np.cos(x) * fault


def constant() -> tuple[Function, Function]:
    return lambda x: np.sum(0 * x), np.zeros_like


def coarse(x: Array) -> Array:
    """Differences in the dtype of x."""
    moved, slopes = x.copy(), np.empty(x.shape)
    for index in np.ndindex(x.shape):
        moved[index] = x[index] + 1e-5
        above = cubes(moved)
        moved[index] = x[index] - 1e-5
        slopes[index] = (above - cubes(moved)) / 2e-5
        moved[index] = x[index]
    return slopes
