"""Logistic regression (Cox 1958): the linear classifier, and the yardstick for whatever is not linear.

    min over W, b of   C Σ_i −ln p(y_i | x_i) + ½ ‖W‖²,     p(c | x) = softmax(W x + b)_c

Two classes need one row: p(1 | x) = σ(w x + b). The intercept b is free. The function is convex, so that there is one
lowest value, whoever finds it; tests/parity compares it with scikit-learn's.

    model = LogisticRegression.fit(X, labels, C=1.0)
    model.predict(others), model.probabilities(others)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from mini_bert.core.array import Array
from mini_bert.core.functions.activations import sigmoid
from mini_bert.core.functions.softmax import log_softmax, softmax
from mini_bert.errors import counted
from mini_bert.evaluation.lbfgs import minimize
from mini_bert.evaluation.sparse_rows import SparseRows

PRECISION = 1e-9
"""How near to the lowest objective is near enough, as a share of it."""

Inputs = Array | SparseRows


@dataclass(frozen=True, eq=False)
class LogisticRegression:
    """Weights W (K, D) and b (K,), K = 1 for two classes; `objective` is the value they reach."""

    W: Array
    b: Array
    objective: float
    steps: int
    converged: bool

    @classmethod
    def fit(
        cls,
        X: Inputs,
        labels: Array,
        C: float = 1.0,
        *,
        classes: int | None = None,
        start: Self | None = None,
        precision: float = PRECISION,
        most_steps: int = 2000,
    ) -> Self:
        """X (N, D), labels (N,) from 0; `start` is a solution to go on from, such as that of another C.

        It ends when ½ ‖∇f‖² ≤ precision · f: the penalty curves f by at least 1 in W, so that with this b no W lowers f
        by more than that.
        """
        X, labels = checked(X, labels)
        if not C > 0:
            raise ValueError(f"C={C}: the weight of the data must be more than 0")
        number = int(labels.max()) + 1 if classes is None else classes
        objective = Objective(X, labels, number, C)
        first = np.zeros(objective.size) if start is None else objective.joined(start.W, start.b)
        with threadpool_limits(
            1, user_api="blas"
        ):  # for so little at a time, threads cost more than they bring
            found = minimize(
                objective,
                first,
                is_good=lambda value, gradient: bool(gradient @ gradient <= 2 * precision * value),
                most_steps=most_steps,
            )
        W, b = objective.parts(found.x)
        return cls(W, b, found.value, found.steps, found.converged)

    def scores(self, X: Inputs) -> Array:
        """W x + b          (N, K)"""
        X = X if isinstance(X, SparseRows) else np.asarray(X, np.float64)
        found: Array = X @ self.W.T + self.b
        return found

    def probabilities(self, X: Inputs) -> Array:
        """(N, classes)"""
        scores = self.scores(X)
        if scores.shape[1] > 1:
            return softmax(scores)
        p = sigmoid(scores)
        return np.concatenate([1 - p, p], axis=1)

    def predict(self, X: Inputs) -> Array:
        """The likeliest class of each row (N,)."""
        scores = self.scores(X)
        return scores.argmax(1) if scores.shape[1] > 1 else (scores[:, 0] > 0).astype(np.int64)


class Objective:
    """f(W, b) = C Σ_i −ln p(y_i | x_i) + ½ ‖W‖²,   ∂f/∂W = C Σ_i (p_i − y_i) x_iᵀ + W,   ∂f/∂b = C Σ_i (p_i − y_i)"""

    def __init__(self, X: Inputs, labels: Array, classes: int, C: float) -> None:
        self.X, self.C = X, C
        self.K: int = 1 if classes == 2 else classes
        self.D: int = X.shape[1]
        self.transposed = X.transposed if isinstance(X, SparseRows) else X.T
        self.labels = labels

    @property
    def size(self) -> int:
        return self.K * (self.D + 1)

    def parts(self, x: Array) -> tuple[Array, Array]:
        """W (K, D), b (K,)"""
        return x[: self.K * self.D].reshape(self.K, self.D), x[self.K * self.D :]

    def joined(self, W: Array, b: Array) -> Array:
        return np.concatenate([W.reshape(-1), b])

    def __call__(self, x: Array) -> tuple[float, Array]:
        W, b = self.parts(x)
        scores = self.X @ W.T + b  # (N, K)
        losses, errors = two_classes(scores, self.labels) if self.K == 1 else many(scores, self.labels)
        value = self.C * losses.sum() + 0.5 * (W * W).sum()
        dW = self.C * (self.transposed @ errors).T + W
        return float(value), self.joined(dW, self.C * errors.sum(0))


def two_classes(z: Array, labels: Array) -> tuple[Array, Array]:
    """−ln p = ln(1 + e^z) − y z,   p − y          z (N, 1) → (N,), (N, 1)"""
    y = labels[:, None]
    return (np.logaddexp(0, z) - y * z)[:, 0], sigmoid(z) - y


def many(z: Array, labels: Array) -> tuple[Array, Array]:
    """−ln softmax(z)_y,   p − onehot(y)          z (N, K) → (N,), (N, K)"""
    log_p = log_softmax(z)
    rows = np.arange(len(z))
    errors = np.exp(log_p)
    errors[rows, labels] -= 1
    return -log_p[rows, labels], errors


def checked(X: Inputs, labels: Array) -> tuple[Inputs, Array]:
    labels = np.asarray(labels)
    if not isinstance(X, SparseRows):
        X = np.asarray(X, np.float64)
        if X.ndim != 2:
            raise ValueError(f"inputs of shape {X.shape}: give (examples, features)")
        if not np.isfinite(X).all():
            raise ValueError("inputs: some are not finite; a classifier cannot learn from those")
    if labels.shape != (X.shape[0],):
        raise ValueError(
            f"{counted(labels.size, 'label')} for {counted(X.shape[0], 'example')}; give one each"
        )
    if not np.issubdtype(labels.dtype, np.integer) or (len(labels) and labels.min() < 0):
        raise ValueError("labels: give numbers of classes, from 0; label_numbers makes them of names")
    if len(np.unique(labels)) < 2:
        only = (
            f"all {len(labels)} examples have class {labels[0]}" if len(labels) else "there are no examples"
        )
        raise ValueError(f"{only}; a classifier needs at least two classes to tell apart")
    return X, labels
