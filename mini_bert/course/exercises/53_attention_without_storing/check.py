import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np

from mini_bert.core.array import Array
from mini_bert.core.functions.softmax import log_softmax, softmax, softmax_backward
from mini_bert.course import judging as judge
from mini_bert.course.learner import Learner

LARGE = {"Tq": 1024, "Tk": 2048}
SQUARE = 4 * LARGE["Tq"] * LARGE["Tk"]
"""Bytes of the weights that are not to be stored."""


def check(learner: Learner) -> None:
    forward(learner)
    backward(learner)
    memory(learner)


def forward(learner: Learner) -> None:
    q, k, v = judge.example(2, 4, seed=1), judge.example(5, 4, seed=2), judge.example(5, 4, seed=3)
    learner.begin("attention: two results, shapes and dtype")
    judge.several(learner.attention(q, k, v, 2), 2)
    y, l = learner.attention(q, k, v, 2)
    judge.shape(y, (2, 4))
    judge.shape(l, (2,))
    for found in learner.attention(np.float32(q), np.float32(k), np.float32(v), 2):
        judge.dtype(found, np.float32)
    learner.begin("attention: all keys in one block")
    s = q @ k.T / 2
    want_l = s[:, 0] - log_softmax(s)[:, 0]
    y, l = learner.attention(q, k, v, 5)
    judge.close(
        y,
        softmax(s) @ v,
        mistakes={
            "the root of D is missing": lambda: softmax(2 * s) @ v,
            "y is not divided by the total": lambda: np.exp(s - s.max(1, keepdims=True)) @ v,
        },
    )
    judge.close(
        l,
        want_l,
        mistakes={
            "the largest score is missing in l: it was taken out of the total": want_l - s.max(1),
            "this is the largest score; ln of the total is missing": s.max(1),
            "this is the total; its logarithm is asked for": np.exp(want_l - s.max(1)),
            "the total is added without its logarithm": s.max(1) + np.exp(want_l - s.max(1)),
        },
    )
    learner.begin("attention: blocks of two, the last one shorter")
    y, l = learner.attention(q, k, v, 2)
    blocks = [slice(0, 2), slice(2, 4), slice(4, 5)]
    judge.close(
        y,
        softmax(s) @ v,
        mistakes={
            "each block has a softmax of its own, and they are added": lambda: sum(
                softmax(s[:, some]) @ v[some] for some in blocks
            ),
            "only the last block is left: add to what was there": lambda: softmax(s[:, 4:]) @ v[4:],
            "the sums are not brought to the new largest score": lambda: running(s, v, blocks, False, False)[
                0
            ],
            "only the total is brought to the new largest score; y has to be as well": lambda: running(
                s, v, blocks, True, False
            )[0],
            "only y is brought to the new largest score; the total has to be as well": lambda: running(
                s, v, blocks, False, True
            )[0],
            "the last, shorter block is left out": lambda: softmax(s[:, :4]) @ v[:4],
        },
    )
    judge.close(
        l,
        want_l,
        mistakes={
            "the total is not brought to the new largest score": lambda: running(s, v, blocks, False, True)[
                1
            ],
            "only the last block is left: add to what was there": lambda: s[:, 4],
        },
    )
    learner.begin("attention: any block, one token, gaps in memory")
    for block in (1, 3, 64):
        judge.close(learner.attention(q, k, v, block)[0], softmax(s) @ v)
    judge.close(learner.attention(q[:1], k[:1], v[:1], 4)[0], v[:1])
    spread = [judge.not_contiguous(array) for array in (q, k, v)]
    judge.close(learner.attention(*spread, 2)[0], softmax(s) @ v)
    learner.begin("attention: scores in the thousands")
    y, l = learner.attention(1000 * q, k, v, 2)
    mistake = "exp overflows: subtract the largest score so far before it"
    judge.holds(np.isfinite(y).all() and np.isfinite(l).all(), "y or l is not finite.", y, mistake=mistake)
    judge.close(y, softmax(1000 * s) @ v)
    judge.close(l, (1000 * s)[:, 0] - log_softmax(1000 * s)[:, 0])


def backward(learner: Learner) -> None:
    q, k, v = judge.example(2, 4, seed=4), judge.example(5, 4, seed=5), judge.example(5, 4, seed=6)
    dy = judge.example(2, 4, seed=7)
    s = q @ k.T / 2
    p = softmax(s)
    y, l = p @ v, s[:, 0] - log_softmax(s)[:, 0]
    learner.begin("attention_backward: three results, shapes and dtype")
    judge.several(learner.attention_backward(dy, q, k, v, y, l, 2), 3)
    for found, like in zip(learner.attention_backward(dy, q, k, v, y, l, 2), (q, k, v), strict=True):
        judge.shape(found, like.shape)
    single = [array.astype(np.float32) for array in (dy, q, k, v, y, l)]
    for found in learner.attention_backward(*single, 2):
        judge.dtype(found, np.float32)
    dq, dk, dv = learner.attention_backward(dy, q, k, v, y, l, 2)
    blocks = [slice(0, 2), slice(2, 4), slice(4, 5)]
    dp = dy @ v.T
    ds = softmax_backward(dp, p) / 2
    learner.begin("attention_backward: dv")
    judge.gradient(
        dv,
        lambda v: p @ v,
        v,
        dy,
        input={"dy": dy, "q": q, "k": k, "v": v},
        mistakes={
            "p is made by a softmax of each block; it is exp(s − l)": lambda: np.concatenate(
                [softmax(s[:, some]).T @ dy for some in blocks]
            ),
            "l is not subtracted: p is exp(s − l)": lambda: np.exp(s).T @ dy,
            "the root of D is missing in the scores": lambda: np.exp(2 * s - l[:, None]).T @ dy,
            "the last, shorter block is left out": lambda: np.concatenate(
                [p[:, :4].T @ dy, np.zeros((1, 4))]
            ),
        },
    )
    learner.begin("attention_backward: dk")
    judge.gradient(
        dk,
        lambda k: softmax(q @ k.T / 2) @ v,
        k,
        dy,
        input={"dy": dy, "q": q, "k": k, "v": v},
        mistakes={
            "the sum Σ p dp runs over one block only; over all keys it is dy · y": lambda: np.concatenate(
                [softmax_backward_of(dp[:, some], p[:, some]).T @ q / 2 for some in blocks]
            ),
            "Σ p dp is not subtracted: ds = p (dp − dy · y)": lambda: (p * dp).T @ q / 2,
            "the root of D is missing": lambda: 2 * ds.T @ q,
            "dy · y is summed over all queries; each has its own": lambda: (
                (p * (dp - (dy * y).sum())).T @ q / 2
            ),
            "dy · v is taken in place of dy · y": lambda: (p * (dp - dp.sum(1, keepdims=True))).T @ q / 2,
        },
    )
    learner.begin("attention_backward: dq")
    judge.gradient(
        dq,
        lambda q: softmax(q @ k.T / 2) @ v,
        q,
        dy,
        input={"dy": dy, "q": q, "k": k, "v": v},
        mistakes={
            "only the last block counts: a query meets them all, so add": lambda: ds[:, 4:] @ k[4:],
            "the root of D is missing": lambda: 2 * ds @ k,
            "it is divided by the root of D twice": lambda: ds @ k / 2,
        },
    )
    learner.begin("attention_backward: any block, one token, gaps in memory")
    for block in (1, 3, 64):
        given = dy, q, k, v, y, l
        for found, want in zip(
            learner.attention_backward(*map(judge.not_contiguous, given), block),
            (ds @ k, ds.T @ q, p.T @ dy),
            strict=True,
        ):
            judge.close(found, want)
    one = np.ones((1, 4))
    dq, dk, dv = learner.attention_backward(one, one, one, one, one, np.array([2.0]), 8)
    judge.holds(
        not np.any(dq) and not np.any(dk),
        "with one key its weight is 1 whatever q and k are: dq = dk = 0.",
        dq,
    )
    judge.close(dv, one)


def memory(learner: Learner) -> None:
    rng = np.random.default_rng(0)
    q, k, v = (rng.normal(size=(size, 16)).astype(np.float32) for size in (*LARGE.values(), LARGE["Tk"]))
    learner.begin(f"attention: memory for {LARGE['Tq']} queries and {LARGE['Tk']} keys")
    (y, l), taken = measured(lambda: learner.attention(q, k, v, 64))
    small_enough("attention", taken)
    judge.close(y, softmax(q @ k.T / 4) @ v, "y", {"q": q, "k": k})
    learner.begin("attention_backward: memory")
    _, taken = measured(lambda: learner.attention_backward(y, q, k, v, y, l, 64))
    small_enough("attention_backward", taken)


def small_enough(of: str, taken: int) -> None:
    judge.holds(
        taken < SQUARE / 2,
        f"{of} took {taken / 2**20:.1f} MB; the square of weights alone has {SQUARE / 2**20:.0f}, and blocks of 64 "
        "need about 1.",
        mistake="an array of all queries with all keys was made; never hold more than one block of it",
    )


def measured(call: Callable[[], Any]) -> tuple[Any, int]:
    """The result, and the most bytes that were held at once on the way."""
    tracemalloc.start()
    try:
        return call(), tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def softmax_backward_of(dp: Array, p: Array) -> Array:
    ds: Array = p * (dp - (dp * p).sum(1, keepdims=True))
    return ds


def running(s: Array, v: Array, blocks: list[slice], total_too: bool, y_too: bool) -> tuple[Array, Array]:
    """The running sums, with one of the two corrections, or both, left out."""
    largest, total, y = np.full(len(s), -np.inf), np.zeros(len(s)), np.zeros((len(s), v.shape[1]))
    for some in blocks:
        new = np.maximum(largest, s[:, some].max(1))
        shrunk, e = np.exp(largest - new), np.exp(s[:, some] - new[:, None])
        total = total * (shrunk if total_too else 1) + e.sum(1)
        y = y * (shrunk[:, None] if y_too else 1) + e @ v[some]
        largest = new
    return y / total[:, None], largest + np.log(total)
