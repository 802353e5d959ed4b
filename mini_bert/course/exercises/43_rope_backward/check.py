from math import sqrt

import numpy as np

from mini_bert.core.array import Array
from mini_bert.core.functions.rotary import rotary
from mini_bert.course import judging as judge
from mini_bert.course.learner import Learner

PLACES = np.array([0, 1, 5])


def check(learner: Learner) -> None:
    x, dy = judge.example(3, 4, seed=1), judge.example(3, 4, seed=2)
    learner.begin("rope_backward: shape and dtype")
    judge.shape(learner.rope_backward(dy, PLACES), dy.shape)
    judge.same_dtype(learner.rope_backward(dy.astype(np.float32), PLACES), dy.astype(np.float32))
    learner.begin("rope_backward: a quarter of a turn, back")
    judge.close(
        learner.rope_backward(np.array([[-5.0, 3.0]]), np.array([np.pi / 2])),
        np.array([[3.0, 5.0]]),
        mistakes={
            "the gradient is turned forward once more; the transpose turns back": np.array([[-3.0, -5.0]]),
            "the gradient is not turned at all": np.array([[-5.0, 3.0]]),
        },
    )
    learner.begin("rope_backward: the slope that is measured")
    judge.gradient(
        learner.rope_backward(dy, PLACES, 100.0),
        lambda x: turned(x, 100.0),
        x,
        dy,
        mistakes={
            "the gradient is turned forward once more; the transpose turns back": lambda: turned(dy, 100.0),
            "the base is not used": lambda: rotary(dy, -PLACES),
        },
    )
    learner.begin("rope_backward: forward and back is where one was")
    heads = judge.example(2, 2, 3, 6, seed=3)
    judge.close(learner.rope_backward(rotary(heads, PLACES), PLACES), heads)

    q, k, ds = judge.example(3, 4, seed=4), judge.example(3, 4, seed=5), judge.example(3, 3, seed=6)
    base = 100.0
    learner.begin("rotary_scores_backward: two results, shape and dtype")
    judge.several(learner.rotary_scores_backward(ds, q, k, PLACES, base), 2)
    single = [array.astype(np.float32) for array in (ds, q, k)]
    for found in learner.rotary_scores_backward(*single, PLACES, base):
        judge.shape(found, q.shape)
        judge.same_dtype(found, single[1])

    learner.begin("rotary_scores_backward: dq")
    turned_q, turned_k = turned(q, base), turned(k, base)
    scaled = ds / 2
    dq, dk = learner.rotary_scores_backward(ds, q, k, PLACES, base)
    judge.gradient(
        dq,
        lambda q: scores(q, k, base),
        q,
        ds,
        mistakes={
            "k is not turned; it was, when it was multiplied": lambda: back(scaled @ k, base),
            "the result is not turned back": lambda: scaled @ turned_k,
            "the result is turned forward; turn it back": lambda: turned(scaled @ turned_k, base),
            "the root of D is missing": lambda: back(ds @ turned_k, base),
            "dq and dk are exchanged": lambda: back(scaled.T @ turned_q, base),
            "ds is transposed here; it is so in dk": lambda: back(scaled.T @ turned_k, base),
            "the base is not used": lambda: rotary(scaled @ rotary(k, PLACES), -PLACES),
        },
    )
    learner.begin("rotary_scores_backward: dk")
    judge.gradient(
        dk,
        lambda k: scores(q, k, base),
        k,
        ds,
        mistakes={
            "ds is not transposed: a row of dk gathers a column of ds": lambda: back(scaled @ turned_q, base),
            "q is not turned; it was, when it was multiplied": lambda: back(scaled.T @ q, base),
            "the result is not turned back": lambda: scaled.T @ turned_q,
            "the result is turned forward; turn it back": lambda: turned(scaled.T @ turned_q, base),
            "the root of D is missing": lambda: back(ds.T @ turned_q, base),
        },
    )
    learner.begin("rotary_scores_backward: batch and heads, gaps in memory, one token")
    q, k, ds = (judge.example(2, 2, 3, last, seed=7 + i) for i, last in enumerate((6, 6, 3)))
    want = (
        back(ds @ turned(k, base), base) / sqrt(6),
        back(ds.swapaxes(2, 3) @ turned(q, base), base) / sqrt(6),
    )
    for given in ((ds, q, k), tuple(map(judge.not_contiguous, (ds, q, k)))):
        for found, expected in zip(learner.rotary_scores_backward(*given, PLACES, base), want, strict=True):
            judge.close(found, expected)
    one = np.array([[2.0, 4.0]])
    for found in learner.rotary_scores_backward(np.array([[sqrt(2)]]), one, one, np.array([4])):
        judge.close(found, one)


def turned(x: Array, base: float) -> Array:
    return rotary(x, PLACES, base)


def back(x: Array, base: float) -> Array:
    return rotary(x, -PLACES, base)


def scores(q: Array, k: Array, base: float) -> Array:
    s: Array = turned(q, base) @ turned(k, base).T / sqrt(q.shape[-1])
    return s
