from math import pi, sqrt

import numpy as np

from mini_bert.core.array import Array
from mini_bert.core.functions.activations import gelu, gelu_tanh, gelu_tanh_backward
from mini_bert.course import judging as judge
from mini_bert.course.learner import Learner

X = np.array([[-3.0, -0.75, -0.1], [0.0, 0.5, 2.0]])
DY = np.array([[1.0, -2.0, 0.5], [3.0, -1.0, 4.0]])


def check(learner: Learner) -> None:
    y = np.maximum(X, 0)
    learner.begin("relu_backward: shape and dtype")
    judge.shape(learner.relu_backward(DY, y), X.shape)
    judge.same_dtype(learner.relu_backward(DY.astype(np.float32), y.astype(np.float32)), np.float32(DY))
    learner.begin("relu_backward: numbers")
    judge.close(
        learner.relu_backward(DY, y),
        [[0, 0, 0], [0, -1, 4]],
        mistakes={
            "the gradient passes everywhere: y is 0, not negative, where x was cut off; ask for y > 0": DY,
            "dy is cut off where it is negative; it is y that tells where the gradient passes": lambda: (
                np.maximum(DY, 0)
            ),
            "dy is cut off where it is negative, too; only y tells where the gradient passes": lambda: (
                np.maximum(DY, 0) * (y > 0)
            ),
            "this is the slope alone; multiply by dy": (y > 0).astype(float),
            "dy is multiplied by y; the slope is 1 where y > 0": DY * y,
            "the slope is 1 where y is 0, and 0 where it is positive; it is the other way round": DY
            * (y == 0),
        },
    )
    learner.begin("relu_backward: measured slopes, and input with gaps in memory")
    x, dy = judge.example(2, 3, 4, seed=1) + 0.05, judge.example(2, 3, 4, seed=2)
    y = np.maximum(x, 0)
    judge.gradient(learner.relu_backward(dy, y), lambda x: np.where(x.real > 0, x, 0), x, dy)
    judge.close(
        learner.relu_backward(judge.not_contiguous(dy), judge.not_contiguous(y)), np.where(x > 0, dy, 0)
    )

    cdf = gelu(X)[1]
    learner.begin("gelu_backward: shape and dtype")
    judge.shape(learner.gelu_backward(DY, X, cdf), X.shape)
    single = [array.astype(np.float32) for array in (DY, X, cdf)]
    judge.same_dtype(learner.gelu_backward(*single), single[0])
    learner.begin("gelu_backward: numbers")
    bell = np.exp(-(X**2) / 2) / sqrt(2 * pi)
    want = judge.measured_gradient(lambda x: gelu(x)[0], X, DY)
    judge.close(
        learner.gelu_backward(DY, X, cdf),
        want,
        mistakes={
            "only Φ(x) is there; the gate moves with x too, which adds x φ(x)": DY * cdf,
            "only x φ(x) is there; Φ(x) is missing": DY * X * bell,
            "this is the slope alone; multiply by dy": cdf + X * bell,
            "φ(x) is not multiplied by x": DY * (cdf + bell),
            "dy meets only one of the two terms: a bracket is missing": lambda: DY * cdf + X * bell,
            "1/√(2π) is missing in φ": lambda: DY * (cdf + X * bell * sqrt(2 * pi)),
            "it is divided by 2π, not by its root": lambda: DY * (cdf + X * bell / sqrt(2 * pi)),
            "it is divided by √2 π: the root is of 2π": lambda: DY * (cdf + X * bell / sqrt(pi)),
            "the half is missing: φ(x) has exp(−x²/2)": lambda: (
                DY * (cdf + X * np.exp(-(X**2)) / sqrt(2 * pi))
            ),
            "the minus in exp(−x²/2) is missing": lambda: DY * (cdf + X * np.exp(X**2 / 2) / sqrt(2 * pi)),
            "x is not squared in exp(−x²/2)": lambda: DY * (cdf + X * np.exp(-X / 2) / sqrt(2 * pi)),
            "the two terms are subtracted; the product rule adds them": lambda: DY * (cdf - X * bell),
            "this is the slope of the formula with tanh, which only comes close": lambda: of_tanh(DY, X),
            "Φ was taken for the slope of Φ": lambda: DY * (cdf + X * cdf),
        },
    )
    learner.begin("gelu_backward: far out the slope is 1, or 0")
    far = np.array([-40.0, 40.0])
    judge.close(learner.gelu_backward(np.array([3.0, 3.0]), far, np.array([0.0, 1.0])), [0.0, 3.0])
    learner.begin("gelu_backward: measured slopes, three axes, input with gaps in memory")
    cdf = gelu(x)[1]
    judge.gradient(learner.gelu_backward(dy, x, cdf), lambda x: gelu(x)[0], x, dy)
    gaps = [judge.not_contiguous(array) for array in (dy, x, cdf)]
    judge.gradient(learner.gelu_backward(*gaps), lambda x: gelu(x)[0], x, dy)


def of_tanh(dy: Array, x: Array) -> Array:
    return gelu_tanh_backward(dy, x, gelu_tanh(x)[1])
