from typing import Any

import numpy as np

from mini_bert.core.array import Array
from mini_bert.core.functions.softmax import cross_entropy, cross_entropy_backward, log_softmax
from mini_bert.course import judging as judge
from mini_bert.course.learner import Learner

IGNORED = -100
LABELS = np.array(
    [
        [1, 2, 0],
        [3, 1, IGNORED],
        [IGNORED, IGNORED, 2],
        [IGNORED, IGNORED, IGNORED],
        [IGNORED, 0, IGNORED],
    ]
)
"""Five sequences with 3, 2, 1, 0 and 1 hidden words: 7 of 15 places."""
N = 7


class Model:
    """A linear layer and a softmax, that keeps count of how many sequences it was shown at a time."""

    def __init__(self, W: Array) -> None:
        self.W = W
        self.rows: list[int] = []

    def __call__(self, x: Any, labels: Any, weights: Any) -> tuple[Any, Array]:
        for name, given in (("labels", labels), ("weights", weights)):
            judge.shape(given, x.shape[:2], f"`{name}`, as it was handed to loss_and_gradient,")
        self.rows.append(len(x))
        labels = np.where(labels == IGNORED, 0, labels)
        loss, p = cross_entropy(x @ self.W.T, labels, weights)
        return loss, np.einsum("btv,bth->vh", cross_entropy_backward(p, labels, weights), x)

    def __repr__(self) -> str:
        return "loss_and_gradient"


def check(learner: Learner) -> None:
    x, W = judge.example(5, 3, 2, seed=1), judge.example(4, 2, seed=2)
    learner.begin("a loss and a gradient")
    got = learner.accumulated(Model(W), x, LABELS, 2)
    judge.several(got, 2)
    judge.shape(got[0], ())
    judge.shape(got[1], (4, 2))

    learner.begin("no more than `rows` sequences at a time, and every one of them")
    model = Model(W)
    learner.accumulated(model, x, LABELS, 2)
    judge.holds(
        max(model.rows, default=0) <= 2,
        f"with rows = 2 the model was shown {max(model.rows, default=0)} sequences at once.",
        mistake="the batch is not cut; that is what memory does not allow",
    )
    judge.holds(
        sum(model.rows) == 5,
        f"of 5 sequences the model was shown {sum(model.rows)}, in parts of {model.rows}.",
        mistake="the last part, which is smaller, is left out" if sum(model.rows) == 4 else None,
    )

    learner.begin("the gradient of the whole batch")
    given = {"labels": LABELS, "rows": 2}
    parts = [slice(0, 2), slice(2, 4), slice(4, 5)]
    hidden = (LABELS != IGNORED).astype(float)
    of_part = [wrong(W, x, hidden, part) for part in parts]
    losses, gradients = (list(column) for column in zip(*of_part, strict=True))
    counts = [5, 1, 1]

    def gradients_by(*shares: float) -> Array:
        return np.array(sum(share * g for share, g in zip(shares, gradients, strict=True)))

    of_whole = gradients_by(1 / N, 1 / N, 1 / N)
    mistakes = {
        "every part is divided by its own number of hidden words, and then the mean of the means is taken: words in "
        "parts with few of them count more; divide by the number in the whole batch": gradients_by(
            *(1 / 3 / n for n in counts)
        ),
        "every part is divided by its own number of hidden words, and nothing after: this is a sum of means": (
            gradients_by(*(1 / n for n in counts))
        ),
        "the sum is never divided by the number of hidden words": gradients_by(1, 1, 1),
        "it is divided by the number of places, 15; divide by that of hidden words, 7": gradients_by(
            1 / 15, 1 / 15, 1 / 15
        ),
        "it is divided by the number of sequences; divide by that of hidden words": gradients_by(
            1 / 5, 1 / 5, 1 / 5
        ),
        "this is the gradient of the last part alone: `=` where `+=` is meant": gradients_by(0, 0, 1 / N),
        "this is the gradient of the first part alone": gradients_by(1 / N, 0, 0),
        "every place counts, hidden or not: the weight is 0 where the label is −100": lambda: (
            wrong(W, x, np.ones((5, 3)), slice(None))[1] / 15
        ),
        "every place has a weight, also where no word is hidden: it is 0 there": lambda: (
            wrong(W, x, np.ones((5, 3)), slice(None))[1] / N
        ),
        "it is divided by the number of parts on top: the weights have already made it a mean": (
            gradients_by(*(1 / N / 3 for _ in counts))
        ),
    }
    judge.close(got[1], of_whole, input=given, mistakes=mistakes)
    judge.gradient(got[1], lambda W: mean_loss(W, x), W, np.array(1.0))
    learner.begin("the loss of the whole batch")
    judge.close(
        got[0],
        sum(losses) / N,
        input=given,
        mistakes={
            "this is the mean of the parts' means": sum(
                loss / n for loss, n in zip(losses, counts, strict=True)
            )
            / 3,
            "this is the loss of the last part alone: `=` where `+=` is meant": losses[-1] / N,
            "this is the sum over all words; it is not divided": sum(losses),
            "the losses of the parts are added, and divided by their number on top": sum(losses) / N / 3,
        },
    )
    learner.begin("the same for every size of the parts, also those without a hidden word")
    for rows in (1, 3, 5, 8):
        loss, gradient = learner.accumulated(Model(W), x, LABELS, rows)
        judge.close(gradient, of_whole, f"the gradient with rows = {rows}", {"labels": LABELS})
        judge.close(loss, sum(losses) / N, f"the loss with rows = {rows}", {"labels": LABELS})
    learner.begin("float32 stays float32, and input with gaps in memory")
    single = judge.not_contiguous(x.astype(np.float32))
    found = learner.accumulated(Model(W.astype(np.float32)), single, LABELS, 2)[1]
    judge.same_dtype(found, single)
    judge.close(found, of_whole)


def wrong(W: Array, x: Array, counts: Array, part: slice) -> tuple[float, Array]:
    """Loss and gradient of some rows, with these weights."""
    labels = np.where(LABELS == IGNORED, 0, LABELS)
    loss, p = cross_entropy(x[part] @ W.T, labels[part], counts[part])
    dlogits = cross_entropy_backward(p, labels[part], counts[part])
    return float(loss), np.einsum("btv,bth->vh", dlogits, x[part])


def mean_loss(W: Array, x: Array) -> Array:
    """−(1/N) Σ ln p, word by word"""
    log_p = log_softmax(x @ W.T)
    places = np.argwhere(LABELS != IGNORED)
    total: Array = -sum(log_p[b, t, LABELS[b, t]] for b, t in places) / len(places)
    return total
