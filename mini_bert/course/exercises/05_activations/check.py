from math import erf, pi, sqrt

import numpy as np

from mini_bert.core.array import Array
from mini_bert.course import judging as judge
from mini_bert.course.learner import Learner

X = np.array([[-3.0, -0.75, -0.1], [0.0, 0.5, 2.0]])


def check(learner: Learner) -> None:
    learner.begin("relu: shape and dtype")
    judge.shape(
        learner.relu(X),
        X.shape,
        mistakes={
            "the largest number of all was taken; np.maximum compares place by place": (),
            "np.max(x, 0) takes the largest along axis 0; np.maximum(x, 0) compares place by place": (3,),
        },
    )
    judge.same_dtype(learner.relu(X.astype(np.float32)), X.astype(np.float32))
    learner.begin("relu: numbers")
    judge.close(
        learner.relu(X),
        [[0, 0, 0], [0, 0.5, 2]],
        mistakes={
            "the negative numbers are kept, and the positive ones cut off": np.minimum(X, 0),
            "the sign is taken away; negative numbers become 0": abs(X),
            "this tells where x is positive; it must be x itself there": (X > 0).astype(float),
        },
    )
    judge.close(learner.relu(judge.not_contiguous(X)), np.where(X > 0, X, 0))

    learner.begin("gelu: shape and dtype")
    judge.shape(learner.gelu(X), X.shape)
    judge.same_dtype(learner.gelu(X.astype(np.float32)), X.astype(np.float32))
    learner.begin("gelu: numbers")
    cdf = np.vectorize(lambda x: (1 + erf(x / sqrt(2))) / 2)(X)
    judge.close(
        learner.gelu(X),
        X * cdf,
        mistakes={
            "this is Φ(x); GELU is x Φ(x)": cdf,
            "the √2 is missing inside erf": np.vectorize(lambda x: x * (1 + erf(x)) / 2)(X),
            "the half is missing: Φ is between 0 and 1": 2 * X * cdf,
            "the 1 is missing: Φ(0) is one half": X * (cdf - 0.5),
            "this is the formula with tanh, which only comes close; use erf": tanh_formula(X),
            "this is x σ(1.702 x), which only comes close; use erf": X / (1 + np.exp(-1.702 * X)),
            "this is ReLU": np.maximum(X, 0),
        },
    )
    learner.begin("gelu: far out it is x, or 0")
    far = np.array([-40.0, 40.0])
    judge.close(learner.gelu(far), [0.0, 40.0])
    learner.begin("gelu: gelu(x) − gelu(−x) = x")
    x = judge.example(2, 3, 4, seed=1)
    judge.close(learner.gelu(x) - learner.gelu(-x), x, "gelu(x) − gelu(−x)", {"x": x})


def tanh_formula(x: Array) -> Array:
    y: Array = x / 2 * (1 + np.tanh(sqrt(2 / pi) * (x + 0.044715 * x**3)))
    return y
