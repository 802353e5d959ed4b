import numpy as np

from mini_bert.core.array import Array
from mini_bert.course import judging as judge
from mini_bert.course.learner import Learner

IDS = np.array([[1, 3, 1], [0, 1, 3]])


def check(learner: Learner) -> None:
    x, dy, W = judge.example(2, 3, seed=1), judge.example(2, 3, seed=2), judge.example(3, 3, seed=3) / 2
    learner.begin("deep_backward: two results, shapes and dtype")
    _, kept = deep(x, W, 2)
    judge.several(learner.deep_backward(dy, kept, W), 2)
    single = [(one.astype(np.float32), h.astype(np.float32)) for one, h in kept]
    for found in learner.deep_backward(dy.astype(np.float32), single, W.astype(np.float32)):
        judge.dtype(found, np.float32)
    dx, dW = learner.deep_backward(dy, kept, W)
    judge.shape(dx, x.shape)
    judge.shape(dW, W.shape)

    learner.begin("deep_backward: one use")
    _, kept = deep(x, W, 1)
    dx, dW = learner.deep_backward(dy, kept, W)
    du = dy * (1 - kept[0][1] ** 2)
    judge.gradient(
        dx,
        lambda x: deep(x, W, 1)[0],
        x,
        dy,
        input={"x": x, "W": W, "dy": dy, "uses of W": 1},
        mistakes={
            "the residual connection is missing: dx goes on, and du W is added": du @ W,
            "W is transposed: back through x Wᵀ is du W": dy + du @ W.T,
            "the slope of tanh, 1 − h², is missing": dy + dy @ W,
            "the slope of tanh is 1 − h²; h is the tanh already": lambda: (
                dy + (dy * (1 - np.tanh(kept[0][1]) ** 2)) @ W
            ),
        },
    )
    judge.gradient(
        dW,
        lambda W: deep(x, W, 1)[0],
        W,
        dy,
        input={"x": x, "W": W, "dy": dy, "uses of W": 1},
        mistakes={
            "the slope of tanh, 1 − h², is missing": dy.T @ x,
            "dW is transposed: its rows belong to what comes out": x.T @ du,
        },
    )
    learner.begin("deep_backward: four uses of one W")
    _, kept = deep(x, W, 4)
    shares = shares_of(dy, kept, W)
    dx, dW = learner.deep_backward(dy, kept, W)
    judge.gradient(
        dx,
        lambda x: deep(x, W, 4)[0],
        x,
        dy,
        input={"x": x, "W": W, "dy": dy, "uses of W": 4},
        mistakes={
            "the uses are visited from the first to the last; go backwards": lambda: back_through(
                dy, kept[::-1], W
            ),
            "du of each use is made of dy; make it of the dx that arrives there": lambda: (
                dy + sum((dy * (1 - h**2)) @ W for _, h in kept)
            ),
        },
    )
    judge.gradient(
        dW,
        lambda W: deep(x, W, 4)[0],
        W,
        dy,
        input={"x": x, "W": W, "dy": dy, "uses of W": 4},
        mistakes={
            "only the first use counts; each one adds its share": lambda: shares[0],
            "only the last use counts; each one adds its share": lambda: shares[-1],
            "the shares are averaged; they add up": lambda: sum(shares) / 4,
            "every use is given the x of the first": lambda: sum(
                shares_of(dy, [(kept[0][0], h) for _, h in kept], W)
            ),
        },
    )
    learner.begin("deep_backward: a batch of texts, gaps in memory, no use at all")
    x, dy = judge.example(2, 2, 3, seed=4), judge.example(2, 2, 3, seed=5)
    _, kept = deep(x, W, 3)
    dx, dW = learner.deep_backward(judge.not_contiguous(dy), kept, W)
    judge.close(dx, back_through(dy, kept, W))
    judge.close(dW, sum(shares_of(dy, kept, W)))
    dx, dW = learner.deep_backward(dy, [], W)
    judge.close(dx, dy)
    judge.close(dW, 0 * W)

    E, P, dx = judge.example(5, 2, seed=6), judge.example(4, 2, seed=7), judge.example(2, 3, 4, seed=8)
    learner.begin("embed_backward: two results, shapes and dtype")
    judge.several(learner.embed_backward(dx, IDS, E, P), 2)
    dE, dP = learner.embed_backward(np.float32(dx), IDS, np.float32(E), np.float32(P))
    judge.shape(dE, E.shape)
    judge.shape(dP, P.shape)
    judge.dtype(dE, np.float32)
    judge.dtype(dP, np.float32)
    dE, dP = learner.embed_backward(dx, IDS, E, P)
    learner.begin("embed_backward: the table")
    judge.gradient(
        dE,
        lambda E: E[IDS] @ P.T,
        E,
        dx,
        mistakes={
            "a word that occurs often has got the gradient of one place; add them all up: np.add.at": lambda: (
                one_place(dx @ P, E)
            ),
        },
    )
    learner.begin("embed_backward: the map")
    flat, looked_up = dx.reshape(-1, 4), E[IDS].reshape(-1, 2)
    judge.gradient(
        dP,
        lambda P: E[IDS] @ P.T,
        P,
        dx,
        mistakes={
            "only the first text of the batch counts": lambda: flat[:3].T @ looked_up[:3],
            "the mean over tokens is taken; add them up": lambda: flat.T @ looked_up / 6,
        },
    )
    learner.begin("embed_backward: one token")
    dE, dP = learner.embed_backward(np.ones((1, 1, 4)), np.array([[2]]), E, P)
    judge.close(dE, np.eye(5)[2][:, None] * P.sum(0))
    judge.close(dP, np.repeat(E[2:3], 4, 0))


Kept = list[tuple[Array, Array]]


def deep(x: Array, W: Array, L: int) -> tuple[Array, Kept]:
    kept = []
    for _ in range(L):
        h = np.tanh(x @ W.T)
        kept.append((x, h))
        x = x + h
    return x, kept


def back_through(dy: Array, kept: Kept, W: Array) -> Array:
    for _, h in reversed(kept):
        dy = dy + (dy * (1 - h**2)) @ W
    return dy


def shares_of(dy: Array, kept: Kept, W: Array) -> list[Array]:
    """What each use contributes, the first one first."""
    shares = []
    for l in range(len(kept)):
        x, h = kept[l]
        du = back_through(dy, kept[l + 1 :], W) * (1 - h**2)
        shares.append(du.reshape(-1, len(W)).T @ x.reshape(-1, len(W)))
    return shares


def one_place(dg: Array, E: Array) -> Array:
    dE = np.zeros_like(E)
    dE[IDS] = dg
    return dE
