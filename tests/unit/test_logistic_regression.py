"""L-BFGS, logistic regression and the bag of words. tests/parity compares with scikit-learn."""

import numpy as np
import pytest

from mini_bert.data.tasks.examples import Labelled
from mini_bert.evaluation.bag_of_words import GRID, BagOfWords, features
from mini_bert.evaluation.lbfgs import minimize
from mini_bert.evaluation.line_search import DECREASE, FLATTER, Function, line_search
from mini_bert.evaluation.logistic_regression import LogisticRegression, Objective
from mini_bert.evaluation.sparse_rows import SparseRows
from tests.tolerances import assert_close


def rosenbrock(x):
    """100 (x₂ − x₁²)² + (1 − x₁)², link by link: a bent valley with its lowest point at 1"""
    steep, rest = x[1:] - x[:-1] ** 2, 1 - x[:-1]
    gradient = np.zeros_like(x)
    gradient[:-1] = -400 * x[:-1] * steep - 2 * rest
    gradient[1:] += 200 * steep
    return float((100 * steep**2 + rest**2).sum()), gradient


@pytest.mark.parametrize("n", [2, 10])
def test_rosenbrocks_valley(n):
    found = minimize(rosenbrock, np.full(n, -1.2))
    assert found.converged
    assert found.value < 1e-15
    np.testing.assert_allclose(found.x, 1, atol=1e-7)
    assert found.evaluations < 3 * found.steps


def test_a_long_narrow_bowl():
    """scipy's L-BFGS-B takes 183 steps here, with as long a memory."""
    rng = np.random.default_rng(0)
    Q, _ = np.linalg.qr(rng.normal(size=(20, 20)))
    A, b = Q @ np.diag(np.logspace(-1.5, 1.5, 20)) @ Q.T, rng.normal(size=20)
    found = minimize(lambda x: (x @ A @ x / 2 - b @ x, A @ x - b), np.zeros(20))
    lowest = -b @ np.linalg.solve(A, b) / 2
    assert found.converged
    assert found.value == pytest.approx(lowest, rel=1e-12)
    assert found.steps < 250


def test_limited_steps_are_told():
    found = minimize(rosenbrock, np.full(10, -1.2), most_steps=3)
    assert not found.converged
    assert found.steps == 3
    with pytest.raises(ValueError, match="not finite where the search begins"):
        minimize(lambda x: (np.nan, x), np.zeros(2))


@pytest.mark.parametrize("first_step", [1e-4, 1.0, 1e4])
def test_a_step_fulfils_the_strong_wolfe_conditions(first_step):
    f = Function(rosenbrock)
    start = f.at(np.array([-1.2, 1.0, 0.5]))
    direction = -start.gradient
    there = line_search(f, start, direction, first_step)
    step = np.linalg.norm(there.x - start.x) / np.linalg.norm(direction)
    slope = start.gradient @ direction
    assert there.value <= start.value + DECREASE * step * slope
    assert abs(there.gradient @ direction) <= -FLATTER * slope


def as_rows(X):
    indices = [np.flatnonzero(row).tolist() for row in X]
    return SparseRows.of(indices, [row[row != 0] for row in X], X.shape[1])


def sparse_matrix(rng, N=30, D=12):
    X = rng.normal(size=(N, D)) * (rng.random((N, D)) < 0.2)
    X[[0, 7, N - 1]] = X[:, 3] = 0
    return X


def test_sparse_rows_multiply_as_the_matrix_does():
    rng = np.random.default_rng(1)
    X = sparse_matrix(rng)
    rows, W, G = as_rows(X), rng.normal(size=(12, 3)), rng.normal(size=(30, 3))
    np.testing.assert_array_equal(rows.dense(), X)
    assert_close(rows @ W, X @ W)
    assert_close(rows.transposed @ G, X.T @ G)
    some = np.array([5, 0, 5, 29, 7])
    np.testing.assert_array_equal(rows.rows(some).dense(), X[some])
    assert (as_rows(np.zeros((2, 3))) @ np.ones((3, 1))).tolist() == [[0], [0]]


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("is_sparse", [False, True])
def test_gradient(classes, is_sparse):
    rng = np.random.default_rng(2)
    X = sparse_matrix(rng)
    labels = rng.integers(0, classes, 30)
    objective = Objective(as_rows(X) if is_sparse else X, labels, classes, C=0.7)
    x = rng.normal(size=objective.size)
    _, gradient = objective(x)
    h = 1e-5
    steps = h * np.eye(len(x))
    central = [(objective(x + step)[0] - objective(x - step)[0]) / (2 * h) for step in steps]
    np.testing.assert_allclose(gradient, central, rtol=1e-6, atol=1e-6)


def test_the_objective_is_what_it_says():
    rng = np.random.default_rng(3)
    X, labels = rng.normal(size=(20, 3)), rng.integers(0, 3, 20)
    found = LogisticRegression.fit(X, labels, C=0.5)
    p = found.probabilities(X)
    by_hand = -0.5 * np.log(p[np.arange(20), labels]).sum() + 0.5 * (found.W**2).sum()
    assert found.objective == pytest.approx(by_hand, rel=1e-12)
    np.testing.assert_allclose(p.sum(1), 1, rtol=1e-12)


def test_separable_classes_are_separated_and_weights_stay_finite():
    X = np.array([[-2.0], [-1.0], [1.0], [2.0]])
    found = LogisticRegression.fit(X, np.array([0, 0, 1, 1]), C=1e6)
    assert found.converged
    assert np.isfinite(found.W).all()
    assert found.predict(X).tolist() == [0, 0, 1, 1]


def test_a_class_without_examples_may_be_named():
    rng = np.random.default_rng(4)
    found = LogisticRegression.fit(rng.normal(size=(20, 3)), rng.integers(0, 2, 20), classes=4)
    assert found.probabilities(np.zeros((1, 3))).shape == (1, 4)


@pytest.mark.parametrize(
    ("X", "labels", "message"),
    [
        (np.ones((3, 2)), np.zeros(3, int), "all 3 examples have class 0; a classifier needs at least two"),
        (np.ones((0, 2)), np.zeros(0, int), "there are no examples"),
        (np.ones((3, 2)), np.zeros(2, int), "2 labels for 3 examples"),
        (np.ones((3, 2)), np.array([0.0, 1.0, 1.0]), "numbers of classes"),
        (np.full((2, 2), np.nan), np.array([0, 1]), "not finite"),
        (np.ones(3), np.array([0, 1, 1]), "examples, features"),
    ],
)
def test_what_cannot_be_learned_is_refused(X, labels, message):
    with pytest.raises(ValueError, match=message):
        LogisticRegression.fit(X, labels)


PRAISE = ["a good film", "not bad at all", "good , good fun", "what a fine day"]
BLAME = ["a bad film", "not good at all", "bad , bad taste", "what a poor day"]


def examples(copies=6):
    praise = [Labelled(text, "praise") for text in PRAISE]
    return (praise + [Labelled(text, "blame") for text in BLAME]) * copies


def test_two_words_in_a_row_tell_not_good_from_good():
    found = BagOfWords.fit(examples())
    assert found.predict([Labelled(text, "?") for text in ("it is good", "it is not good", "It's BAD!")]) == [
        "praise",
        "blame",
        "blame",
    ]


def test_same_seed_same_classifier():
    first, again = BagOfWords.fit(examples(), seed=3), BagOfWords.fit(examples(), seed=3)
    np.testing.assert_array_equal(first.classifier.W, again.classifier.W)
    assert first.C == again.C


def test_C_is_chosen_by_the_merit_that_is_asked_for():
    """One merit wants praise, the other blame: rare praise is told the more often, the larger C is."""
    rare = [Labelled(f"fine {n % 7} film", "praise") for n in range(40)]
    common = [Labelled(f"poor {n % 7} film", "blame") for n in range(160)]

    def told(number):
        return lambda labels, predicted: float((predicted == number).sum())

    praise, blame = (BagOfWords.fit(rare + common, told(number)) for number in (1, 0))
    assert praise.names == ("blame", "praise")
    assert praise.C > blame.C == GRID[0]


def test_texts_of_a_pair_are_told_apart():
    assert features(Labelled("Don't go", "?", "go")) == {"don't", "go", "don't go", "2:go"}
    pairs = [Labelled("yes", "first", "no"), Labelled("no", "second", "yes")] * 10
    assert BagOfWords.fit(pairs).predict(pairs[:2]) == ["first", "second"]


def test_words_of_held_out_text_are_not_known():
    found = BagOfWords.fit(examples())
    assert "marvellous" not in found.vocabulary.numbers
    assert len(found.predict([Labelled("marvellous", "praise"), Labelled("", "praise")])) == 2


def test_few_examples_and_one_class():
    few = [Labelled("good", "1"), Labelled("bad", "0"), Labelled("good", "1"), Labelled("bad", "0")]
    assert BagOfWords.fit(few).predict(few) == ["1", "0", "1", "0"]
    with pytest.raises(ValueError, match="at least two classes"):
        BagOfWords.fit([Labelled("good", "1")] * 3)
