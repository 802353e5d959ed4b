from math import sqrt

import numpy as np

from mini_bert.core.array import Array
from mini_bert.core.functions.softmax import softmax
from mini_bert.course import judging as judge
from mini_bert.course.learner import Learner

NAMES = ("dq", "dk", "dv")


def check(learner: Learner) -> None:
    q, k, v = judge.example(2, 4, seed=1), judge.example(3, 4, seed=2), judge.example(3, 4, seed=3)
    dcontext = judge.example(2, 4, seed=4)
    p = softmax(q @ k.T / 2)
    learner.begin("three results and their shapes")
    judge.several(learner.attention_backward(dcontext, q, k, v, p), 3)
    got = learner.attention_backward(dcontext, q, k, v, p)
    for name, gradient, like in zip(NAMES, got, (q, k, v), strict=True):
        judge.shape(gradient, like.shape, name)
    learner.begin("float32 stays float32")
    single = [array.astype(np.float32) for array in (dcontext, q, k, v, p)]
    for name, gradient in zip(NAMES, learner.attention_backward(*single), strict=True):
        judge.same_dtype(gradient, single[0], name)

    learner.begin("one query and two keys, by hand")
    by_hand(learner)
    learner.begin("one head, against measured slopes")
    measured(learner, dcontext, q, k, v)
    learner.begin("as many queries as keys as dimensions, where no shape can tell them apart")
    measured(learner, *(judge.example(4, 4, seed=seed) for seed in (5, 6, 7, 8)))
    learner.begin("batch and heads are carried along")
    q, dcontext = judge.example(2, 2, 3, 3, seed=9), judge.example(2, 2, 3, 3, seed=10)
    k, v = judge.example(2, 2, 4, 3, seed=11), judge.example(2, 2, 4, 3, seed=12)
    measured(learner, dcontext, q, k, v)
    gaps = [judge.not_contiguous(array) for array in (dcontext, q, k, v, softmax(q @ k.swapaxes(2, 3)))]
    whole = learner.attention_backward(*(array.copy() for array in gaps))
    for name, gradient, want in zip(NAMES, learner.attention_backward(*gaps), whole, strict=True):
        judge.close(gradient, want, f"{name}, expected to be the same for input with gaps in memory,")

    learner.begin("padding: a key that nobody sees")
    hidden = np.array([0.0, 0.0, 0.0, -1e9])
    p = softmax(q @ k.swapaxes(2, 3) / sqrt(3) + hidden)
    dq, dk, dv = learner.attention_backward(dcontext, q, k, v, p)
    for name, gradient in (("dk", dk), ("dv", dv)):
        judge.holds(
            (judge.array(gradient)[..., 3, :] == 0).all(),
            f"{name} of a padded key is not 0.",
            gradient[..., 3, :],
        )
    judge.gradient(dq, lambda q: forward(q, k, v, hidden), q, dcontext, "dq")
    learner.begin("one token, which can look only at itself")
    one, dy = np.array([[2.0, 1.0]]), np.array([[3.0, -1.0]])
    dq, dk, dv = learner.attention_backward(dy, one, one, one, np.array([[1.0]]))
    for name, gradient, want in (("dq", dq, 0 * dy), ("dk", dk, 0 * dy), ("dv", dv, dy)):
        judge.close(gradient, want, name)


def by_hand(learner: Learner) -> None:
    """Two keys of the same score, and one that says more: it should be heard more."""
    q, k = np.array([[2.0, 0, 0, 0]]), np.array([[0, 1.0, 0, 0], [0, 0, 1.0, 0]])
    v, dcontext = np.array([[0.0, 0, 0, 0], [4.0, 0, 0, 0]]), np.array([[1.0, 0, 0, 0]])
    p = np.array([[0.5, 0.5]])
    dq, dk, dv = learner.attention_backward(dcontext, q, k, v, p)
    judge.close(dv, [[0.5, 0, 0, 0], [0.5, 0, 0, 0]], "dv", mistakes=wrong("dv", dcontext, q, k, v, p))
    judge.close(dq, [[0, -0.5, 0.5, 0]], "dq", mistakes=wrong("dq", dcontext, q, k, v, p))
    judge.close(dk, [[-1.0, 0, 0, 0], [1.0, 0, 0, 0]], "dk", mistakes=wrong("dk", dcontext, q, k, v, p))


def measured(learner: Learner, dcontext: Array, q: Array, k: Array, v: Array) -> None:
    p = softmax(q @ k.swapaxes(-1, -2) / sqrt(q.shape[-1]))
    dq, dk, dv = learner.attention_backward(dcontext, q, k, v, p)
    of_v, of_q, of_k = (wrong(name, dcontext, q, k, v, p) for name in ("dv", "dq", "dk"))
    judge.gradient(dv, lambda v: forward(q, k, v), v, dcontext, "dv", mistakes=of_v)
    judge.gradient(dq, lambda q: forward(q, k, v), q, dcontext, "dq", mistakes=of_q)
    judge.gradient(dk, lambda k: forward(q, k, v), k, dcontext, "dk", mistakes=of_k)


def forward(q: Array, k: Array, v: Array, hidden: Array | float = 0.0) -> Array:
    context: Array = softmax(q @ k.swapaxes(-1, -2) / sqrt(q.shape[-1]) + hidden) @ v
    return context


def wrong(name: str, dcontext: Array, q: Array, k: Array, v: Array, p: Array) -> dict[str, Array]:
    """Answers that are wrong on this input, and of the right shape."""
    root, dp = sqrt(q.shape[-1]), dcontext @ v.swapaxes(-1, -2)
    ds = p * (dp - (dp * p).sum(-1, keepdims=True))
    down = p * (dp - (dp * p).sum(-2, keepdims=True))
    square = p.shape[-1] == p.shape[-2]
    told = {
        "the root of D is missing": ds * root,
        "it is divided by D; take the root": ds / root,
        "softmax is left out on the way back": dp,
        "softmax is left out on the way back, and the root of D is missing": dp * root,
        "dp is multiplied by p, and the sum over the row is missing: call softmax_backward": dp * p,
        "softmax_backward was given p and dp in this order; it is dp and p": (
            dp * (p - (dp * p).sum(-1, keepdims=True))
        ),
        "softmax goes back over the columns; each row is a softmax": down,
    }
    if name == "dv":
        found = {"dv is made with v; it is pᵀ dcontext": p.swapaxes(-1, -2) @ (p @ v)}
        if square:
            found["p is not transposed in dv: a value collects from those who listened"] = p @ dcontext
        found["dv is divided by the root of D; that belongs to the scores only"] = (
            p.swapaxes(-1, -2) @ dcontext / root
        )
    elif name == "dq":
        found = {why: scores @ k / root for why, scores in told.items()}
        found["dq is made with v; the scores were made with k"] = ds @ v / root
        if square:
            found["ds is transposed in dq; it is dk that takes the transpose"] = (
                ds.swapaxes(-1, -2) @ k / root
            )
            found["dq is made with q; each factor gets the other one"] = ds @ q / root
            found["v is not transposed in dp"] = into_scores(dcontext @ v, p) @ k / root
    else:
        found = {why: scores.swapaxes(-1, -2) @ q / root for why, scores in told.items()}
        found["dk is made with dcontext; each factor gets the other one, here q"] = (
            ds.swapaxes(-1, -2) @ dcontext / root
        )
        if square:
            found["ds is not transposed in dk: a key collects from those who asked"] = ds @ q / root
            found["dk is made with k; each factor gets the other one"] = ds.swapaxes(-1, -2) @ k / root
    return found


def into_scores(dp: Array, p: Array) -> Array:
    ds: Array = p * (dp - (dp * p).sum(-1, keepdims=True))
    return ds
