from collections.abc import Callable

import numpy as np

from mini_bert.core.array import Array
from mini_bert.core.functions.norm import layer_norm
from mini_bert.course import judging as judge
from mini_bert.course.learner import Learner

H = 4
GAMMA, BETA = np.array([1.0, 2.0, 0.5, -1.0]), np.array([0.0, 1.0, -1.0, 0.5])
MIXING = judge.example(H, H, seed=5)


class Sublayer:
    """f(x) = tanh(x M), which remembers what it was called with."""

    def __init__(self) -> None:
        self.read: list[Array] = []

    def __call__(self, x: Array) -> Array:
        self.read.append(x)
        return np.tanh(x @ MIXING.astype(x.dtype))

    def __repr__(self) -> str:
        return "a function: tanh(x M)"


def check(learner: Learner) -> None:
    for name in ("post_norm", "pre_norm"):
        block = getattr(learner, name)
        x, f = judge.example(2, 3, H, seed=1), Sublayer()
        learner.begin(f"{name}: shape and dtype")
        judge.shape(block(x, f, GAMMA, BETA), x.shape)
        single = [array.astype(np.float32) for array in (x, GAMMA, BETA)]
        judge.same_dtype(block(single[0], Sublayer(), *single[1:]), single[0])
        learner.begin(f"{name}: f is called once")
        judge.holds(
            len(f.read) == 1,
            f"{name}(x, f, gamma, beta) called f {len(f.read)} times, expected once.",
            mistake="the result of f is needed once: keep it under a name"
            if f.read
            else "what the block finds is f(…)",
        )

        learner.begin(f"{name}: numbers")
        x = judge.example(1, 2, H, seed=2)
        right = POST if name == "post_norm" else PRE
        answers = {told: order(x, Sublayer()) for told, order in ORDERS.items()}
        want = answers.pop(right)
        judge.close(
            block(x, Sublayer(), GAMMA, BETA),
            want,
            f"{name}(x, f, gamma, beta)",
            {"x": x, "f(x)": Sublayer()(x), "gamma": GAMMA, "beta": BETA},
            answers,
        )
        judge.close(block(judge.not_contiguous(x), Sublayer(), GAMMA, BETA), want)

    learner.begin("post_norm: every token comes out with mean 0 and variance 1")
    x, ones, zeros = 100 * judge.example(2, 3, H, seed=3), np.ones(H), np.zeros(H)
    y = judge.array(learner.post_norm(x, Sublayer(), ones, zeros))
    judge.close(y.var(-1), np.ones((2, 3)), "the variance of post_norm(x, f, 1, 0)")
    judge.holds(abs(y.mean(-1)).max() < 1e-9, "the mean of each token of post_norm(x, f, 1, 0) is not 0.")
    learner.begin("pre_norm: a layer that finds nothing leaves x as it is")
    judge.close(
        learner.pre_norm(x, np.zeros_like, GAMMA, BETA), x, "pre_norm(x, f, gamma, beta) with f(x) = 0"
    )


def norm(x: Array) -> Array:
    return layer_norm(x, GAMMA, BETA)[0]


POST = "this is post-norm, norm(x + f(x)); pre-norm is x + f(norm(x))"
PRE = "this is pre-norm, x + f(norm(x)); post-norm is norm(x + f(x))"
Order = Callable[[Array, Sublayer], Array]
ORDERS: dict[str, Order] = {
    POST: lambda x, f: norm(x + f(x)),
    PRE: lambda x, f: x + f(norm(x)),
    "the residual is missing: x itself has to be added": lambda x, f: norm(f(x)),
    "the residual is missing: x itself has to be added to what f makes of the norm": lambda x, f: f(norm(x)),
    "the norm is missing": lambda x, f: x + f(x),
    "only what f found is normalized: this is x + norm(f(x))": lambda x, f: x + norm(f(x)),
    "only x is normalized, and f reads x without a norm: this is norm(x) + f(x)": lambda x, f: norm(x) + f(x),
    "the residual path is normalized too: this is norm(x) + f(norm(x)), but x itself has to be added": lambda x, f: (
        norm(x) + f(norm(x))
    ),
    "f reads the norm of x, and the sum is normalized too: there is one norm": lambda x, f: norm(
        x + f(norm(x))
    ),
    "x is multiplied by f(x); add": lambda x, f: norm(x * f(x)),
    "f(x) is subtracted; add": lambda x, f: norm(x - f(x)),
}
