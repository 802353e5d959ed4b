import numpy as np

from mini_bert.core.array import Array
from mini_bert.core.functions.norm import layer_norm_backward, rms_norm, rms_norm_backward
from mini_bert.course import judging as judge
from mini_bert.course.learner import Learner

GAMMA = np.array([1.0, 2.0, 0.5, -1.0])


def check(learner: Learner) -> None:
    forward(learner)
    backward(learner)
    block(learner)


def forward(learner: Learner) -> None:
    x, ones = judge.example(2, 4, seed=1), np.ones(4)
    learner.begin("rms_norm: three results, shapes and dtype")
    judge.several(learner.rms_norm(x, GAMMA), 3)
    y, x_hat, inv_r = learner.rms_norm(x, GAMMA)
    judge.shape(y, (2, 4))
    judge.shape(x_hat, (2, 4))
    judge.shape(inv_r, (2, 1))
    for found in learner.rms_norm(np.float32(x), np.float32(GAMMA)):
        judge.dtype(found, np.float32)
    learner.begin("rms_norm: 1, 7 becomes 0.2, 1.4")
    rows = np.array([[1.0, 7.0], [3.0, 3.0]])
    y, _, inv_r = learner.rms_norm(rows, np.ones(2), 0.0)
    judge.close(
        y,
        np.array([[0.2, 1.4], [1.0, 1.0]]),
        mistakes={
            "the mean is subtracted; that is layer norm": np.array([[-1.0, 1.0], [np.nan, np.nan]]),
            "it is divided by the standard deviation; take the root of the mean square": rows
            / np.array([[3.0], [0.0]]),
            "it is divided by the length; take the mean of the squares, not their sum": rows
            / np.sqrt((rows**2).sum(-1, keepdims=True)),
            "the root is missing": rows / np.array([[25.0], [9.0]]),
            "one r is taken for all tokens; each has its own": rows / np.sqrt(17.0),
            "the mean runs over the tokens; take the last axis": rows / np.sqrt(np.array([5.0, 29.0])),
            "it is multiplied by r; divide": rows * np.array([[5.0], [3.0]]),
        },
    )
    judge.close(
        inv_r, np.array([[0.2], [1 / 3]]), mistakes={"this is r; 1/r is asked for": np.array([[5.0], [3.0]])}
    )
    learner.begin("rms_norm: γ, and ε under the root")
    y, x_hat, _ = learner.rms_norm(x, GAMMA, 0.5)
    want, want_hat, _ = rms_norm(x, GAMMA, 0.5)
    judge.close(
        y,
        want,
        mistakes={
            "γ is not used": want_hat,
            "ε is not used": lambda: rms_norm(x, GAMMA, 0.0)[0],
            "ε is added after the root; it stands under it": lambda: (
                GAMMA * x / (np.sqrt((x**2).mean(-1, keepdims=True)) + 0.5)
            ),
        },
    )
    judge.close(x_hat, want_hat, mistakes={"γ is in x̂ already; x̂ is before the gain": want})
    learner.begin("rms_norm: a vector of zeros, large numbers, a batch, gaps in memory")
    judge.close(learner.rms_norm(np.zeros((1, 4)), ones)[0], np.zeros((1, 4)))
    judge.close(learner.rms_norm(1e6 * x, ones)[0], rms_norm(x, ones, 0.0)[0])
    more = judge.example(2, 3, 4, seed=2)
    judge.close(learner.rms_norm(judge.not_contiguous(more), GAMMA)[0], rms_norm(more, GAMMA, 1e-6)[0])


def backward(learner: Learner) -> None:
    x, dy = judge.example(2, 4, seed=3), judge.example(2, 4, seed=4)
    _, x_hat, inv_r = rms_norm(x, GAMMA, 0.0)
    learner.begin("rms_norm_backward: two results, shapes and dtype")
    judge.several(learner.rms_norm_backward(dy, x_hat, inv_r, GAMMA), 2)
    dx, dgamma = learner.rms_norm_backward(dy, x_hat, inv_r, GAMMA)
    judge.shape(dx, dy.shape)
    judge.shape(dgamma, (4,), mistakes={"all tokens share γ: add their gradients up": (2, 4)})
    single = [array.astype(np.float32) for array in (dy, x_hat, inv_r, GAMMA)]
    for found in learner.rms_norm_backward(*single):
        judge.dtype(found, np.float32)
    learner.begin("rms_norm_backward: dx")
    g = GAMMA * dy
    shown = {"x": x, "dy": dy, "γ": GAMMA}
    judge.gradient(
        dx,
        lambda x: rms_norm(x, GAMMA, 0.0)[0],
        x,
        dy,
        input=shown,
        mistakes={
            "r is taken for a constant; the part along x̂ has to be taken out": lambda: g * inv_r,
            "γ is missing in g": lambda: rms_norm_backward(dy, x_hat, inv_r, np.ones(4))[0],
            "1/r is missing": lambda: rms_norm_backward(dy, x_hat, inv_r, GAMMA)[0] / inv_r,
            "it is divided by 1/r; multiply": lambda: (
                rms_norm_backward(dy, x_hat, inv_r, GAMMA)[0] / inv_r**2
            ),
            "the sum of g x̂ is taken; take the mean": lambda: (
                (g - x_hat * (g * x_hat).sum(-1, keepdims=True)) * inv_r
            ),
            "the mean of g is subtracted too; that is layer norm's gradient": lambda: layer_norm_backward(
                dy, x_hat, inv_r, GAMMA
            )[0],
            "mean(g x̂) is not multiplied by x̂": lambda: (g - (g * x_hat).mean(-1, keepdims=True)) * inv_r,
            "the mean runs over all tokens; take the last axis": lambda: (
                (g - x_hat * (g * x_hat).mean()) * inv_r
            ),
            "the sign of the second term is +; it is taken out": lambda: (
                (g + x_hat * (g * x_hat).mean(-1, keepdims=True)) * inv_r
            ),
        },
    )
    learner.begin("rms_norm_backward: dγ")
    judge.gradient(
        dgamma,
        lambda gamma: rms_norm(x, gamma, 0.0)[0],
        GAMMA,
        dy,
        input=shown,
        mistakes={
            "x is taken; the gain multiplied x̂": (dy * x).sum(0),
            "the mean over tokens is taken; add them up": (dy * x_hat).mean(0),
            "γ is multiplied in: it is dy x̂, not g x̂": (g * x_hat).sum(0),
            "x̂ is missing; that would be a shift's gradient": dy.sum(0),
        },
    )
    learner.begin("rms_norm_backward: nothing along x; a batch of texts, one token")
    along = judge.array(learner.rms_norm_backward(x_hat, x_hat, inv_r, np.ones(4))[0])
    judge.holds(
        np.allclose(along, 0, atol=1e-12),
        "with dy = x̂ and γ = 1 dx should be 0: a longer x comes out the same.",
        along,
    )
    for shape in ((2, 3, 4), (1, 1, 4)):
        x, dy = judge.example(*shape, seed=5), judge.example(*shape, seed=6)
        _, x_hat, inv_r = rms_norm(x, GAMMA, 1e-6)
        found = learner.rms_norm_backward(judge.not_contiguous(dy), x_hat, inv_r, GAMMA)
        for one, want in zip(found, rms_norm_backward(dy, x_hat, inv_r, GAMMA), strict=True):
            judge.close(one, want)


def block(learner: Learner) -> None:
    x, dy, W = judge.example(2, 4, seed=7), judge.example(2, 4, seed=8), judge.example(4, 4, seed=9)
    _, x_hat, inv_r = rms_norm(x, GAMMA, 0.0)
    learner.begin("pre_norm_backward: shape and dtype")
    judge.shape(learner.pre_norm_backward(dy, x_hat, inv_r, GAMMA, W), dy.shape)
    single = [array.astype(np.float32) for array in (dy, x_hat, inv_r, GAMMA, W)]
    judge.dtype(learner.pre_norm_backward(*single), np.float32)
    learner.begin("pre_norm_backward: the slope that is measured")
    judge.gradient(
        learner.pre_norm_backward(dy, x_hat, inv_r, GAMMA, W),
        lambda x: with_residual(x, W),
        x,
        dy,
        input={"x": x, "dy": dy, "W": W, "γ": GAMMA},
        mistakes={
            "the straight path is missing: dy arrives as it is": lambda: through(dy @ W, x),
            "dy itself went through the norm; that is post-norm": lambda: through(dy + dy @ W, x),
            "W is not used": lambda: dy + through(dy, x),
            "W is transposed: back through z Wᵀ is dy W": lambda: dy + through(dy @ W.T, x),
            "the norm is left out on the way back": lambda: dy + dy @ W,
            "W comes after the norm on the way back; the last thing done is undone first": lambda: (
                dy + through(dy, x) @ W
            ),
        },
    )


def with_residual(x: Array, W: Array) -> Array:
    y: Array = x + rms_norm(x, GAMMA, 0.0)[0] @ W.T
    return y


def through(dy: Array, x: Array) -> Array:
    _, x_hat, inv_r = rms_norm(x, GAMMA, 0.0)
    return rms_norm_backward(dy, x_hat, inv_r, GAMMA)[0]
