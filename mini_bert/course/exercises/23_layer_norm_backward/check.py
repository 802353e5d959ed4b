import numpy as np

from mini_bert.core.array import Array
from mini_bert.core.functions.norm import layer_norm
from mini_bert.course import judging as judge
from mini_bert.course.learner import Learner

GAMMA = np.array([1.0, 2.0, 0.5, -1.0])


def check(learner: Learner) -> None:
    dy, x = judge.example(2, 3, 4, seed=1), judge.example(2, 3, 4, seed=2)
    x_hat, inv_sigma = layer_norm(x, GAMMA, GAMMA)[1:]
    learner.begin("three results and their shapes")
    judge.several(learner.layer_norm_backward(dy, x_hat, inv_sigma, GAMMA), 3)
    dx, dgamma, dbeta = learner.layer_norm_backward(dy, x_hat, inv_sigma, GAMMA)
    judge.shape(dx, (2, 3, 4), "dx")
    for name, gradient in (("dgamma", dgamma), ("dbeta", dbeta)):
        judge.shape(
            gradient,
            (4,),
            name,
            mistakes={
                f"{name} is not summed over the tokens": (2, 3, 4),
                f"{name} is summed over the batch only; sum over all tokens": (3, 4),
                f"{name} is summed over the numbers of a token; sum over the tokens": (2, 3),
                f"{name} is summed over everything; each of the H numbers has its own": (),
            },
        )
    learner.begin("float32 stays float32")
    single = [array.astype(np.float32) for array in (dy, x_hat, inv_sigma, GAMMA)]
    for name, gradient in zip(("dx", "dgamma", "dbeta"), learner.layer_norm_backward(*single), strict=True):
        judge.same_dtype(gradient, single[0], name)

    learner.begin("dgamma and dbeta")
    dgamma, dbeta = learner.layer_norm_backward(dy, x_hat, inv_sigma, GAMMA)[1:]
    gain, shift = sum((dy * x_hat).reshape(-1, 4)), sum(dy.reshape(-1, 4))
    judge.close(
        dgamma,
        gain,
        "dgamma",
        mistakes={
            "dgamma and dbeta are exchanged": shift,
            "dgamma is the mean over the tokens; it is their sum": gain / 6,
            "dgamma is multiplied by γ": gain * GAMMA,
            "dgamma uses γ dy; it is made of dy itself, and x̂": lambda: (GAMMA * dy * x_hat * inv_sigma).sum(
                (0, 1)
            ),
            "x̂ is divided by σ once more": lambda: (dy * x_hat * inv_sigma).sum((0, 1)),
        },
    )
    judge.close(
        dbeta,
        shift,
        "dbeta",
        mistakes={
            "dbeta is the mean over the tokens; it is their sum": shift / 6,
            "dbeta is multiplied by γ": shift * GAMMA,
        },
    )
    learner.begin("dx of one token, with γ = 1")
    one_dy, one_hat = np.array([[4.0, 0.0, 0.0, 0.0]]), np.array([[-1.0, -1.0, 1.0, 1.0]])
    dx = learner.layer_norm_backward(one_dy, one_hat, np.array([[0.5]]), np.ones(4))[0]
    judge.close(
        dx,
        np.array([[1.0, -1.0, 0.0, 0.0]]),
        "dx",
        mistakes=wrong_dx(one_dy, one_hat, np.array([[0.5]]), np.ones(4)),
    )
    learner.begin("dx of many tokens, with any γ")
    dx = learner.layer_norm_backward(dy, x_hat, inv_sigma, GAMMA)[0]
    want = judge.measured_gradient(lambda x: plain(x, GAMMA), x, dy)
    judge.close(
        dx,
        want,
        "dx",
        mistakes={
            "γ is not used in dx: g is γ dy": lambda: right_dx(dy, x_hat, inv_sigma, np.ones(4)),
            "γ multiplies at the end; it belongs to g, before the means are taken": lambda: (
                GAMMA * right_dx(dy, x_hat, inv_sigma, np.ones(4))
            ),
            "the means run over all tokens; each token has its own": lambda: (
                (GAMMA * dy - (GAMMA * dy).mean() - x_hat * (GAMMA * dy * x_hat).mean()) * inv_sigma
            ),
            "the second mean has dy in place of g": lambda: (
                (GAMMA * dy - mean(GAMMA * dy) - x_hat * mean(dy * x_hat)) * inv_sigma
            ),
            "the first mean has dy in place of g": lambda: (
                (GAMMA * dy - mean(dy) - x_hat * mean(GAMMA * dy * x_hat)) * inv_sigma
            ),
            **wrong_dx(dy, x_hat, inv_sigma, GAMMA),
        },
    )
    learner.begin("dx sums to 0, and has nothing along x̂")
    for told, part in (("the numbers of dx", dx), ("the numbers of dx · x̂", dx * x_hat)):
        total = part.sum(-1)
        judge.holds(np.allclose(total, 0, atol=1e-9), f"{told} do not sum to 0 for each token.", total)

    learner.begin("all three against measured slopes, with a large ε and a token far from 0")
    x, dy = judge.example(1, 4, seed=3) + 100, judge.example(1, 4, seed=4)
    _, x_hat, inv_sigma = layer_norm(x, GAMMA, GAMMA, 0.5)
    dx, dgamma, dbeta = learner.layer_norm_backward(dy, x_hat, inv_sigma, GAMMA)
    judge.gradient(dx, lambda x: plain(x, GAMMA, 0.5), x, dy, "dx")
    judge.gradient(dgamma, lambda gamma: plain(x, gamma, 0.5), GAMMA, dy, "dgamma")
    judge.gradient(dbeta, lambda beta: plain(x, GAMMA, 0.5) + beta, GAMMA, dy, "dbeta")
    learner.begin("a single vector, and input with gaps in memory")
    one = learner.layer_norm_backward(dy[0], x_hat[0], inv_sigma[0], GAMMA)
    judge.close(one[0], right_dx(dy, x_hat, inv_sigma, GAMMA)[0], "dx")
    judge.close(one[1], dy[0] * x_hat[0], "dgamma")
    gaps = learner.layer_norm_backward(
        judge.not_contiguous(dy), judge.not_contiguous(x_hat), inv_sigma, judge.not_contiguous(GAMMA)
    )
    judge.close(gaps[0], right_dx(dy, x_hat, inv_sigma, GAMMA), "dx")


def mean(x: Array) -> Array:
    found: Array = x.mean(-1, keepdims=True)
    return found


def plain(x: Array, gamma: Array, eps: float = 1e-12) -> Array:
    """Forward, for complex numbers too."""
    centred = x - mean(x)
    y: Array = gamma * centred / np.sqrt(mean(centred * centred) + eps)
    return y


def right_dx(dy: Array, x_hat: Array, inv_sigma: Array, gamma: Array) -> Array:
    """By the Jacobian, made for each token."""
    H = len(gamma)
    outer = x_hat[..., :, None] * x_hat[..., None, :]
    jacobian = (np.eye(H) - 1 / H - outer / H) * inv_sigma[..., None]
    dx: Array = np.einsum("...i,...ij->...j", gamma * dy, jacobian)
    return dx


def wrong_dx(dy: Array, x_hat: Array, inv_sigma: Array, gamma: Array) -> dict[str, Array]:
    g = gamma * dy
    part = x_hat * mean(g * x_hat)
    right = g - mean(g) - part
    return {
        "only g/σ is there: μ and σ move with x too": g * inv_sigma,
        "the way over μ is missing: subtract the mean of g": (g - part) * inv_sigma,
        "the way over σ is missing: subtract x̂ mean(g x̂)": (g - mean(g)) * inv_sigma,
        "1/σ is missing": right,
        "it is divided by 1/σ, which is to multiply by σ": right / inv_sigma,
        "mean(g x̂) is not multiplied by x̂": (g - mean(g) - mean(g * x_hat)) * inv_sigma,
        "sums are subtracted; take means over the H numbers": (
            (g - len(gamma) * mean(g) - len(gamma) * part) * inv_sigma
        ),
        "the last term is added; subtract it": (g - mean(g) + part) * inv_sigma,
        "1/σ meets only the last term: a bracket is missing": g - mean(g) - part * inv_sigma,
    }
