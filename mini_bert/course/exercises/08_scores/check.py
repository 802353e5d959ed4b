from math import sqrt

import numpy as np

from mini_bert.core.array import Array
from mini_bert.course import judging as judge
from mini_bert.course.learner import Learner


def check(learner: Learner) -> None:
    q, k = judge.example(2, 4, seed=1), judge.example(3, 4, seed=2)
    learner.begin("shape and dtype")
    judge.shape(
        learner.scores(q, k),
        (2, 3),
        mistakes={"keys ask and queries answer: a row belongs to a query": (3, 2)},
    )
    judge.same_dtype(learner.scores(q.astype(np.float32), k.astype(np.float32)), q.astype(np.float32))
    learner.begin("every query with every key")
    dots = np.array([[sum(one * other) for other in k] for one in q])
    judge.close(
        learner.scores(q, k),
        dots / 2,
        mistakes={
            "the root of D is missing": dots,
            "it is divided by D; take the root": dots / 4,
            "it is divided by the root of the number of keys; take the length of one query": dots / sqrt(3),
            "it is divided by the root of the number of queries; take the length of one query": dots
            / sqrt(2),
            "it is multiplied by the root of D; divide": dots * 2,
            "these are shares already; softmax comes later": lambda: shares(dots / 2),
        },
    )
    learner.begin("as many queries as keys, where no shape can tell them apart")
    q, k = judge.example(4, 4, seed=3), judge.example(4, 4, seed=4)
    want = np.array([[sum(one * other) for other in k] for one in q]) / 2
    judge.close(
        learner.scores(q, k),
        want,
        mistakes={
            "keys ask and queries answer: a row belongs to a query": want.T,
            "k is not transposed": q @ k / 2,
        },
    )
    learner.begin("batch and heads are carried along")
    q, k = judge.example(2, 3, 5, 4, seed=5), judge.example(2, 3, 6, 4, seed=6)
    want = np.array([[q[b, a] @ k[b, a].T / 2 for a in range(3)] for b in range(2)])
    judge.close(learner.scores(q, k), want)
    judge.close(learner.scores(judge.not_contiguous(q), judge.not_contiguous(k)), want)
    learner.begin("one token")
    judge.close(learner.scores(np.array([[3.0]]), np.array([[2.0]])), np.array([[6.0]]))
    learner.begin("random scores have variance 1, whatever D is")
    for D in (16, 400):
        q, k = np.random.default_rng(D).normal(size=(2, 60, D))
        size = judge.array(learner.scores(q, k)).std()
        judge.holds(
            0.8 < size < 1.2, f"with D = {D} the scores have standard deviation {size:.2f}, expected about 1."
        )


def shares(s: Array) -> Array:
    e: Array = np.exp(s - s.max(-1, keepdims=True))
    e /= e.sum(-1, keepdims=True)
    return e
