from math import log

import numpy as np

from mini_bert.core.array import Array
from mini_bert.core.functions.softmax import log_softmax
from mini_bert.course import judging as judge
from mini_bert.course.learner import Learner
from mini_bert.evaluation.logistic_regression import LogisticRegression

LABELS = np.array([0, 2, 1, 2, 2])


def check(learner: Learner) -> None:
    X, W, b = judge.example(5, 2, seed=1), judge.example(3, 2, seed=2), judge.example(3, seed=3)
    learner.begin("a loss and two gradients: shapes and dtypes")
    got = learner.probe_loss(X, LABELS, W, b)
    judge.several(got, 3)
    for part, shape in zip(got, ((), (3, 2), (3,)), strict=True):
        judge.shape(part, shape)
    single = [one.astype(np.float32) for one in (X, W, b)]
    for part in learner.probe_loss(single[0], LABELS, *single[1:], 0.5)[1:]:
        judge.same_dtype(part, single[0])

    learner.begin("the loss: who knows nothing has ln K")
    judge.close(
        learner.probe_loss(X, LABELS, np.zeros((3, 2)), np.zeros(3))[0],
        log(3),
        mistakes={
            "the losses are added; take their mean": 5 * log(3),
            "the minus is missing": -log(3),
            "all classes are added up; take the right one of each row": 3 * log(3),
        },
    )
    learner.begin("the loss, with weights")
    log_p = log_softmax(X @ W.T + b)
    own = -np.array([log_p[i, label] for i, label in enumerate(LABELS)])
    judge.close(
        got[0],
        own.mean(),
        mistakes={
            "b is not used": lambda: forward(W, np.zeros(3), X, 0.0),
            "the losses are added; take their mean": own.sum(),
            "the likeliest class of each row is taken; take its label": -log_p.max(-1).mean(),
        },
    )
    learner.begin("the loss: the penalty")
    found = learner.probe_loss(X, LABELS, W, b, 0.5)
    squares = (W**2).sum()
    judge.close(
        found[0],
        own.mean() + 0.25 * squares,
        mistakes={
            "the penalty is missing": own.mean(),
            "the half is missing: λ/2": own.mean() + 0.5 * squares,
            "the bias is punished too; only W is": own.mean() + 0.25 * (squares + b @ b),
            "the root is taken; the penalty is the sum of squares": own.mean() + 0.25 * np.sqrt(squares),
            "the penalty is divided by N too": own.mean() + 0.05 * squares,
        },
    )
    learner.begin("∂L/∂W, without a penalty")
    y = np.eye(3)[LABELS]
    errors = np.exp(log_p) - y
    judge.close(
        got[1],
        judge.measured_gradient(lambda W: forward(W, b, X, 0.0), W, np.array(1.0)),
        mistakes={
            "it is not divided by N: the loss is a mean": errors.T @ X,
            "these are probabilities without the labels: p − y": np.exp(log_p).T @ X / 5,
            "y − p points downhill; the gradient is p − y": -errors.T @ X / 5,
        },
    )
    learner.begin("∂L/∂b")
    judge.close(
        got[2],
        judge.measured_gradient(lambda b: forward(W, b, X, 0.0), b, np.array(1.0)),
        mistakes={
            "it is not divided by N: the loss is a mean": errors.sum(0),
            "y − p points downhill; the gradient is p − y": -errors.sum(0) / 5,
            "it is divided by the number of classes; the mean is over the N rows": errors.sum(0) / 3,
        },
    )
    learner.begin("∂L/∂W and ∂L/∂b, with a penalty")
    judge.close(
        found[1],
        judge.measured_gradient(lambda W: forward(W, b, X, 0.5), W, np.array(1.0)),
        mistakes={
            "the gradient of the penalty, λ W, is missing": errors.T @ X / 5,
            "the gradient of λ/2 W² is λ W; the half is gone": errors.T @ X / 5 + 0.25 * W,
            "the square gives a 2, and with the half it is 1: λ W": errors.T @ X / 5 + W,
            "the penalty is divided by N too": errors.T @ X / 5 + 0.1 * W,
        },
    )
    judge.close(
        found[2],
        judge.measured_gradient(lambda b: forward(W, b, X, 0.5), b, np.array(1.0)),
        mistakes={"the bias has no penalty": errors.sum(0) / 5 + 0.5 * b},
    )
    learner.begin("one row, large states, and input with gaps in memory")
    judge.close(learner.probe_loss(X[:1], LABELS[:1], W, b)[0], own[0])
    large = np.array([[1000.0], [-1000.0]])
    judge.close(
        learner.probe_loss(large, np.array([0, 0]), np.array([[1.0], [-1.0]]), np.zeros(2))[0],
        1000.0,
        mistakes={
            "ln of a softmax that is 0: take log_softmax, which never divides": np.inf,
            "exp overflows: take log_softmax": np.nan,
        },
    )
    judge.close(learner.probe_loss(judge.not_contiguous(X), LABELS, W, b)[1], errors.T @ X / 5)

    learner.begin("fit: your gradient leads to the lowest loss, as the package finds it")
    states, labels = clouds()
    W, b = learner.fit(states, labels, 3, 0.1)
    best = LogisticRegression.fit(states, labels, C=1 / (0.1 * len(states)))
    judge.close(W, best.W, "W after 400 steps", {}, rtol=1e-3)
    right = float((best.predict(states) == labels).mean())
    judge.close(
        float(((states @ W.T + b).argmax(-1) == labels).mean()), right, "the share of right answers", {}
    )


def forward(W: Array, b: Array, X: Array, penalty: float) -> Array:
    log_p = log_softmax(X @ W.T + b)
    loss: Array = -log_p[np.arange(len(X)), LABELS].mean() + penalty / 2 * (W**2).sum()
    return loss


def clouds() -> tuple[Array, Array]:
    """Three classes of states, that overlap a little."""
    rng = np.random.default_rng(0)
    labels = np.arange(60) % 3
    return np.eye(3, 4)[labels] * 2 + rng.normal(size=(60, 4)), labels
