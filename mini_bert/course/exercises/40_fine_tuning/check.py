from functools import partial
from math import log

import numpy as np

from mini_bert.core.array import Array
from mini_bert.core.functions.softmax import log_softmax, softmax
from mini_bert.course import judging as judge
from mini_bert.course.learner import Learner

MASK = np.array([[1, 1, 1, 1], [1, 1, 0, 0]])
LABELS = np.array([2, 0])
KINDS = ("mean", "first")
OF_TOKENS = {
    "mean": np.array([[0.25, 0.25, 0.25, 0.25], [0.5, 0.5, 0.0, 0.0]]),
    "first": np.array([[1.0, 0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0]]),
}


def check(learner: Learner) -> None:
    learner.begin("shares")
    judge.close(
        learner.shares(MASK, "mean"),
        OF_TOKENS["mean"],
        mistakes={
            "padding is counted too: divide by the number of real tokens, not by T": MASK / 4,
            "padding has a share; it is no token of the text": np.full((2, 4), 0.25),
            "it is not divided by the number of real tokens": MASK.astype(float),
            "it is divided by the number of all real tokens of the batch; take each text's own": MASK / 6,
            "the sum runs over the batch; it runs over the tokens of a text": lambda: MASK / MASK.sum(0),
        },
    )
    judge.close(
        learner.shares(MASK, "first"),
        OF_TOKENS["first"],
        mistakes={
            "the first text has it all; every text has a first token": np.array([[1.0] * 4, [0.0] * 4]),
            "`kind` is not used": OF_TOKENS["mean"],
            "the last token is taken": OF_TOKENS["first"][:, ::-1],
        },
    )
    x = judge.example(2, 4, 3, seed=1)
    learner.begin("pooled: shape and dtype")
    judge.shape(
        learner.pooled(x, MASK),
        (2, 3),
        mistakes={"the sum runs over the batch or the numbers; it runs over tokens": (4, 3)},
    )
    judge.same_dtype(learner.pooled(x.astype(np.float32), MASK), x.astype(np.float32))
    learner.begin("pooled: numbers")
    want = {"mean": np.array([x[0].mean(0), x[1, :2].mean(0)]), "first": np.array([x[0, 0], x[1, 0]])}
    for kind in KINDS:
        judge.close(
            learner.pooled(x, MASK, kind),
            want[kind],
            mistakes={
                "the shares are not used: this is the sum of all tokens": x.sum(1),
                "padding is counted too; take the shares": x.mean(1),
                "the largest of the tokens is taken": x.max(1),
            },
        )
    learner.begin("pooled: what stands at padding changes nothing")
    other = x.copy()
    other[1, 2:] = 99
    judge.close(learner.pooled(other, MASK), want["mean"])
    learner.begin("pooled: one token, and input with gaps in memory")
    judge.close(learner.pooled(x[:, :1], np.ones((2, 1), int)), x[:, 0])
    judge.close(learner.pooled(judge.not_contiguous(x), MASK), want["mean"])

    dy = judge.example(2, 3, seed=2)
    learner.begin("pooled_backward: shape and dtype")
    judge.shape(
        learner.pooled_backward(dy, MASK),
        (2, 4, 3),
        mistakes={"every token needs its own gradient: give dy an axis for tokens": (2, 3)},
    )
    judge.same_dtype(learner.pooled_backward(dy.astype(np.float32), MASK), dy.astype(np.float32))
    learner.begin("pooled_backward: numbers")
    everywhere = np.repeat(dy[:, None], 4, 1)
    for kind in KINDS:
        judge.close(
            learner.pooled_backward(dy, MASK, kind),
            judge.measured_gradient(partial(summed, kind=kind), x, dy),
            mistakes={
                "every token gets the whole gradient, padding too; it gets its share": everywhere,
                "real tokens get the whole gradient; each gets its share of it": everywhere
                * MASK[:, :, None],
                "padding gets a gradient too: the shares are 0 there": everywhere / 4,
            },
        )

    W, b = judge.example(3, 3, seed=3), judge.example(3, seed=4)
    learner.begin("loss_and_gradients: four results")
    got = learner.loss_and_gradients(x, MASK, LABELS, W, b)
    judge.several(got, 4)
    for part, shape in zip(got, ((), x.shape, W.shape, b.shape), strict=True):
        judge.shape(part, shape)
    single = [one.astype(np.float32) for one in (x, W, b)]
    for part in learner.loss_and_gradients(single[0], MASK, LABELS, *single[1:])[1:]:
        judge.same_dtype(part, single[0])
    learner.begin("loss_and_gradients: who knows nothing has ln C")
    judge.close(
        learner.loss_and_gradients(x, MASK, LABELS, np.zeros((3, 3)), np.zeros(3))[0],
        log(3),
        mistakes={"the losses of the texts are added; take their mean, with the weight 1/B": 2 * log(3)},
    )
    for kind in KINDS:
        learner.begin(f"loss_and_gradients: the {kind} state")
        judge_gradients(learner, x, W, b, kind)
    learner.begin("loss_and_gradients: a batch of one, and the gradient at padding is 0")
    loss, dx, _, _ = learner.loss_and_gradients(x[1:], MASK[1:], LABELS[1:], W, b)
    judge.close(loss, -log_softmax(x[1, :2].mean(0) @ W.T + b)[0])
    judge.holds(not dx[0, 2:].any(), "padding has a gradient, expected 0 there.", dx, {"mask": MASK[1:]})


def judge_gradients(learner: Learner, x: Array, W: Array, b: Array, kind: str) -> None:
    loss, dx, dW, db = learner.loss_and_gradients(x, MASK, LABELS, W, b, kind)
    one = np.array(1.0)
    y = summed(x, kind)
    other = "first" if kind == "mean" else "mean"
    judge.close(
        loss,
        forward(x, W, b, kind),
        mistakes={
            "the losses of the texts are added; take their mean": 2 * forward(x, W, b, kind),
            "`kind` is not handed on": forward(x, W, b, other),
        },
    )
    judge.gradient(db, lambda b: forward(x, W, b, kind), b, one)
    judge.gradient(dW, lambda W: forward(x, W, b, kind), W, one)
    dlogits = (softmax(y @ W.T + b) - np.eye(3)[LABELS]) / 2
    judge.gradient(
        dx,
        lambda x: forward(x, W, b, kind),
        x,
        one,
        mistakes={
            "W is transposed on the way back: dy = dlogits W": lambda: spread(dlogits @ W.T, kind),
            "the gradient of the other pooling: `kind` is not handed on to pooled_backward": lambda: spread(
                dlogits @ W, other
            ),
            "the encoder gets no gradient: then it is a probe, not fine-tuning": np.zeros_like(x),
        },
    )


def summed(x: Array, kind: str) -> Array:
    y: Array = np.einsum("bt,bth->bh", OF_TOKENS[kind], x)
    return y


def spread(dy: Array, kind: str) -> Array:
    dx: Array = OF_TOKENS[kind][:, :, None] * dy[:, None]
    return dx


def forward(x: Array, W: Array, b: Array, kind: str) -> Array:
    log_p = log_softmax(summed(x, kind) @ W.T + b)
    loss: Array = -log_p[np.arange(2), LABELS].mean()
    return loss
