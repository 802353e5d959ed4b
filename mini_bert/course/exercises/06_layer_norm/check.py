import numpy as np

from mini_bert.core.array import Array
from mini_bert.course import judging as judge
from mini_bert.course.learner import Learner


def check(learner: Learner) -> None:
    x, ones, zeros = judge.example(2, 3, 4, seed=1), np.ones(4), np.zeros(4)
    gamma, beta = np.array([1.0, 2.0, 0.5, -1.0]), np.array([0.0, 1.0, -1.0, 0.5])
    learner.begin("shape and dtype")
    judge.shape(learner.layer_norm(x, gamma, beta), x.shape)
    single = [array.astype(np.float32) for array in (x, gamma, beta)]
    judge.same_dtype(learner.layer_norm(*single), single[0])

    learner.begin("mean 0 and variance 1, with γ = 1 and β = 0")
    x = judge.example(2, 4, seed=2)
    judge.close(
        learner.layer_norm(x, ones, zeros),
        np.array([by_hand(row) for row in x]),
        mistakes={
            "mean and variance are those of all tokens together; take the last axis only": lambda: by_hand(x),
            "mean and variance run over the batch; take the last axis": lambda: (x - x.mean(0)) / x.std(0),
            "the variance divides by H − 1; here it is H": lambda: normalized(
                x, x.std(-1, ddof=1, keepdims=True)
            ),
            "it is divided by the variance; take its root": lambda: normalized(x, x.var(-1, keepdims=True)),
            "the mean is not subtracted": lambda: x / x.std(-1, keepdims=True),
            "it is not divided by the root of the variance": lambda: normalized(x, 1.0),
            "it is divided by the length of the vector; that is RMS norm without its root": lambda: (
                x / np.sqrt((x**2).sum(-1, keepdims=True))
            ),
        },
    )
    learner.begin("γ and β")
    want = gamma * np.array([by_hand(row) for row in x]) + beta
    judge.close(
        learner.layer_norm(x, gamma, beta),
        want,
        mistakes={
            "γ is not used": lambda: want - (gamma - 1) * normalized(x, x.std(-1, keepdims=True)),
            "β is not used": lambda: want - beta,
            "β is added before γ multiplies": lambda: (
                (normalized(x, x.std(-1, keepdims=True)) + beta) * gamma
            ),
            "γ and β are exchanged": lambda: beta * normalized(x, x.std(-1, keepdims=True)) + gamma,
        },
    )
    learner.begin("ε under the root")
    eps = 0.5
    judge.close(
        learner.layer_norm(x, ones, zeros, eps),
        np.array([by_hand(row, eps) for row in x]),
        mistakes={
            "ε is not used": lambda: normalized(x, x.std(-1, keepdims=True)),
            "ε is added after the root; it stands under it": lambda: normalized(
                x, x.std(-1, keepdims=True) + eps
            ),
            "ε is squared": lambda: normalized(x, np.sqrt(x.var(-1, keepdims=True) + eps**2)),
        },
    )
    learner.begin("a vector of equal numbers, one far from 0, and input with gaps in memory")
    judge.close(learner.layer_norm(np.full((1, 4), 3.0), gamma, beta), beta[None])
    far = x + 1e6
    judge.close(
        learner.layer_norm(far, ones, zeros),
        np.array([by_hand(row - 1e6) for row in far]),
        rtol=1e-6,
        mistakes={
            "the variance is mean(x²) − mean(x)², two large numbers whose difference is lost": lambda: (
                normalized(
                    far, np.sqrt(abs((far**2).mean(-1, keepdims=True) - far.mean(-1, keepdims=True) ** 2))
                )
            )
        },
    )
    judge.close(learner.layer_norm(judge.not_contiguous(x), gamma, beta), want)


def by_hand(x: Array, eps: float = 1e-12) -> Array:
    """All numbers of x as one vector."""
    centred = x - sum(x.reshape(-1)) / x.size
    x_hat: Array = centred / (sum(centred.reshape(-1) ** 2) / x.size + eps) ** 0.5
    return x_hat


def normalized(x: Array, by: Array | float) -> Array:
    x_hat: Array = (x - x.mean(-1, keepdims=True)) / by
    return x_hat
