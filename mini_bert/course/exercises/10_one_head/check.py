from math import sqrt

import numpy as np

from mini_bert.core.array import Array
from mini_bert.core.functions.softmax import softmax
from mini_bert.course import judging as judge
from mini_bert.course.learner import Learner

MASK = np.array([[1, 1, 0], [1, 0, 0]])


def check(learner: Learner) -> None:
    q, k = judge.example(1, 3, 4, seed=1), judge.example(1, 3, 4, seed=2)
    everyone = np.ones((1, 3), int)
    learner.begin("attention_weights: shape")
    judge.shape(learner.attention_weights(q, k, everyone), (1, 3, 3))

    learner.begin("attention_weights: without padding")
    dots = np.array([[[sum(one * other) for other in k[0]] for one in q[0]]])
    judge.close(
        learner.attention_weights(q, k, everyone),
        softmax(dots / 2),
        mistakes={
            "these are scores; softmax makes them shares": dots / 2,
            "the root of D is missing": lambda: softmax(dots),
            "the scores are divided by D; take the root": lambda: softmax(dots / 4),
            "the scores are divided by the root of the number of keys; take the length of a query": lambda: (
                softmax(dots / sqrt(3))
            ),
            "softmax runs over the queries; each row, one query's shares, must sum to 1": lambda: (
                over_queries(dots / 2)
            ),
            "keys ask and queries answer: a row belongs to a query": lambda: softmax(dots.swapaxes(1, 2) / 2),
            "softmax comes too early: divide the scores by the root, not the shares": lambda: (
                softmax(dots) / 2
            ),
            "all tokens are hidden alike: the mask is the other way round, or was added as it is": lambda: (
                softmax(np.zeros_like(dots))
            ),
        },
    )
    learner.begin("attention_weights: padded keys get no share")
    q, k = judge.example(2, 3, 4, seed=4), judge.example(2, 3, 4, seed=5)
    scores = np.array([[[sum(one * other) / 2 for other in k[b]] for one in q[b]] for b in range(2)])
    want = np.zeros((2, 3, 3))
    want[0, :, :2], want[1, :, 0] = softmax(scores[0, :, :2]), 1
    judge.close(learner.attention_weights(q, k, MASK), want, mistakes=wrong_masks(scores))
    judge.close(
        learner.attention_weights(judge.not_contiguous(q), judge.not_contiguous(k), MASK),
        want,
        "attention_weights(q, k, mask), of arrays with gaps in memory,",
    )

    learner.begin("attention_weights: other numbers of queries and keys")
    judge.close(learner.attention_weights(q[:, :2], k, MASK), want[:, :2])
    learner.begin("attention_weights: float32 stays float32")
    single = q.astype(np.float32), k.astype(np.float32)
    judge.same_dtype(learner.attention_weights(*single, MASK), single[0])

    learner.begin("context: shape and dtype")
    p = np.array([[[1.0, 0.0, 0.0], [0.25, 0.75, 0.0]]])
    v = judge.example(1, 3, 2, seed=3)
    judge.shape(
        learner.context(p, v),
        (1, 2, 2),
        mistakes={
            "the values come first; a row of shares stands before the values that it counts": (1, 3, 3)
        },
    )
    judge.same_dtype(learner.context(p.astype(np.float32), v.astype(np.float32)), p.astype(np.float32))
    learner.begin("context: a mean of values, weighted by the shares")
    values = np.array([[[1.0, 2.0], [5.0, 6.0], [9.0, 0.0]]])
    judge.close(
        learner.context(p, values),
        np.array([[[1.0, 2.0], [4.0, 5.0]]]),
        mistakes={
            "every value is counted alike; count each by its share": values.mean(1, keepdims=True).repeat(
                2, 1
            ),
            "the sum is divided by the number of tokens; the shares sum to 1 already": lambda: p @ values / 3,
            "only the largest share is followed; take all of them, each as much as it is": values[
                :, p.argmax(-1)[0]
            ],
        },
    )
    learner.begin("context: as many queries as keys, where no shape can tell them apart")
    p, v = softmax(judge.example(2, 3, 3, seed=6)), judge.example(2, 3, 3, seed=7)
    want = np.array([[sum(p[b, i, j] * v[b, j] for j in range(3)) for i in range(3)] for b in range(2)])
    judge.close(
        learner.context(p, v),
        want,
        mistakes={
            "p is transposed: the sum runs over the queries, not over the keys": p.swapaxes(1, 2) @ v,
            "number by number is not a matrix product; use @": p * v,
            "v is transposed": p @ v.swapaxes(1, 2),
        },
    )

    learner.begin("attention: what is padded makes no difference, and one token gets its own value")
    v = judge.example(2, 3, 2, seed=8)
    got = learner.attention(q, k, v, MASK)
    judge.several(got, 2)
    hidden = MASK[..., None] == 0
    other = learner.attention(q, np.where(hidden, 7.0, k), np.where(hidden, -9.0, v), MASK)
    judge.close(other[0], got[0], "attention(q, k, v, mask), after the padded tokens were changed,")
    judge.close(
        learner.attention(q[:1, :1], k[:1, :1], v[:1, :1], np.ones((1, 1), int))[0],
        v[:1, :1],
        "what one token gathers from itself",
    )
    learner.begin("attention: keys and values may change places together")
    order = [2, 0, 1]
    everyone = np.ones((2, 3), int)
    judge.close(
        learner.attention(q, k[:, order], v[:, order], everyone)[0],
        learner.attention(q, k, v, everyone)[0],
        "attention(q, k, v, mask), with keys and values in another order,",
    )


def wrong_masks(scores: Array) -> dict[str, Array]:
    return {
        "the mask is not used, or added to all scores of a query alike, which softmax undoes; hide keys, along "
        "the last axis": softmax(scores),
        "the mask is the other way round: 1 is a real token, which stays": softmax(
            scores + np.where(MASK, -1e9, 0.0)[:, None]
        ),
        "queries are hidden; hide keys, along the last axis": softmax(
            np.where(MASK[:, :, None], scores, -1e9)
        ),
        "padding is hidden after softmax, and its share is lost; lower the scores before": softmax(scores)
        * MASK[:, None],
        "the scores are multiplied by the mask; a score of 0 still gets a share": softmax(
            scores * MASK[:, None]
        ),
        "the mask itself was added to the scores; add −10⁹ where it is 0": softmax(scores + MASK[:, None]),
    }


def over_queries(scores: Array) -> Array:
    return softmax(scores.swapaxes(-1, -2)).swapaxes(-1, -2)
