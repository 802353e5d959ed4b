"""Our logistic regression against scikit-learn's: the same lowest objective, and the same predictions."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression as Theirs

from mini_bert.evaluation.logistic_regression import LogisticRegression, Objective
from mini_bert.evaluation.sparse_rows import SparseRows


def drawn(N, D, classes, is_sparse):
    rng = np.random.default_rng(N * D * classes)
    X = rng.normal(size=(N, D)) * np.exp(rng.normal(size=D))
    if is_sparse:
        X *= rng.random((N, D)) < 0.1
        X[0] = X[:, 1] = 0  # an empty row, and a column that never occurs
    scores = X @ rng.normal(size=(D, classes)) + rng.gumbel(size=(N, classes))
    return X, scores.argmax(1)


def as_rows(X):
    found = csr_matrix(X)
    return SparseRows(found.indptr.astype(np.int64), found.indices.astype(np.int64), found.data, X.shape[1])


@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
@pytest.mark.parametrize(
    ("N", "D", "classes", "is_sparse"),
    [(200, 5, 2, False), (40, 100, 2, False), (300, 12, 4, False), (60, 80, 3, False), (300, 60, 2, True),
     (300, 60, 5, True)],
)  # fmt: skip
def test_objective_and_predictions(N, D, classes, is_sparse, C):
    X, labels = drawn(N, D, classes, is_sparse)
    ours = LogisticRegression.fit(as_rows(X) if is_sparse else X, labels, C)
    theirs = Theirs(C=C, tol=1e-9, max_iter=20_000).fit(csr_matrix(X) if is_sparse else X, labels)
    objective = Objective(X, labels, classes, C)
    lowest, _ = objective(objective.joined(theirs.coef_, theirs.intercept_))
    assert ours.converged
    assert ours.objective == pytest.approx(lowest, rel=1e-6)
    assert ours.objective == pytest.approx(objective(objective.joined(ours.W, ours.b))[0], rel=1e-12)
    others = np.random.default_rng(1).normal(size=(500, D))
    close = np.sort(theirs.predict_proba(others), axis=1)
    is_clear = close[:, -1] - close[:, -2] > 1e-3  # a tie may fall either way
    assert is_clear.mean() > 0.95
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    np.testing.assert_array_equal(ours.predict(others)[is_clear], theirs.predict(others)[is_clear])
    np.testing.assert_allclose(ours.probabilities(X), theirs.predict_proba(X), atol=1e-3)
