"""Our figures of merit against scikit-learn's and SciPy's."""

import warnings

import numpy as np
import pytest
from scipy import stats
from sklearn import calibration as their_calibration
from sklearn import metrics as theirs

from mini_bert.metrics import calibration, classification, ranking
from mini_bert.training.objectives.replaced_tokens import area_under_curve

EXACT = {"rtol": 1e-12, "atol": 1e-12}


def some_classes(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Labels and predictions (N,)."""
    rng = np.random.default_rng(sum(map(ord, name)))
    if name == "one class":
        return np.zeros(20, int), np.zeros(20, int)
    if name == "one class told":
        return rng.integers(0, 3, 50), np.full(50, 1)
    if name == "one class true":
        return np.full(50, 1), rng.integers(0, 3, 50)
    if name == "missing classes":
        return rng.choice([0, 3, 7], 80), rng.choice([0, 2, 7], 80)
    if name == "none right":
        return np.zeros(9, int), np.ones(9, int)
    C = {"two": 2, "five": 5}[name]
    labels = rng.choice(C, 300, p=np.arange(1, C + 1) / sum(range(1, C + 1)))
    return labels, np.where(rng.random(300) < 0.6, labels, rng.integers(0, C, 300))


CASES = ["two", "five", "missing classes", "one class", "one class told", "one class true", "none right"]


@pytest.mark.parametrize("case", CASES)
def test_classification(case):
    labels, predicted = some_classes(case)
    C = int(max(labels.max(), predicted.max())) + 1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # sklearn warns of a single label
        np.testing.assert_array_equal(
            classification.confusion_matrix(labels, predicted),
            theirs.confusion_matrix(labels, predicted, labels=range(C)),
        )
        expected = theirs.precision_recall_fscore_support(labels, predicted, labels=range(C), zero_division=0)
        for ours, wanted in zip(classification.class_scores(labels, predicted), expected, strict=True):
            np.testing.assert_allclose(ours, wanted, **EXACT)
        wanted = theirs.f1_score(labels, predicted, average="macro", zero_division=0)
        np.testing.assert_allclose(classification.macro_f1(labels, predicted), wanted, **EXACT)
        np.testing.assert_allclose(
            classification.accuracy(labels, predicted), theirs.accuracy_score(labels, predicted), **EXACT
        )
        np.testing.assert_allclose(
            classification.matthews_correlation(labels, predicted),
            theirs.matthews_corrcoef(labels, predicted),
            **EXACT,
        )


@pytest.mark.parametrize("bins", [1, 5, 10, 15])
def test_reliability(bins):
    rng = np.random.default_rng(bins)
    confidences = np.concatenate([rng.random(400) ** 2, [0.0, 1.0, 0.2, 0.4, 0.6]])
    right = rng.random(405) < confidences
    found = calibration.reliability(confidences, right, bins)
    share, mean = their_calibration.calibration_curve(right, confidences, n_bins=bins)
    np.testing.assert_allclose(found.accuracy[found.cases > 0], share, **EXACT)
    np.testing.assert_allclose(found.confidence[found.cases > 0], mean, **EXACT)
    cases = found.cases[found.cases > 0]
    error = calibration.expected_calibration_error(confidences, right, bins)
    np.testing.assert_allclose(error, np.average(abs(share - mean), weights=cases), **EXACT)


@pytest.mark.parametrize("C", [2, 3, 10])
def test_brier_score(C):
    rng = np.random.default_rng(C)
    probs = rng.dirichlet(np.full(C, 0.3), 200)
    labels = rng.integers(0, C, 200)
    probs[0] = np.eye(C)[(labels[0] + 1) % C]  # sure, and wrong
    wanted = theirs.brier_score_loss(labels, probs, labels=list(range(C)), scale_by_half=False)
    np.testing.assert_allclose(calibration.brier_score(probs, labels), wanted, **EXACT)


@pytest.mark.parametrize("values", [3, 10, 10**6])
def test_correlations_with_many_ties_and_few(values):
    rng = np.random.default_rng(values)
    x = rng.integers(0, values, 300)
    y = x + rng.integers(0, values, 300)
    np.testing.assert_allclose(ranking.ranks(x), stats.rankdata(x), **EXACT)
    np.testing.assert_allclose(ranking.spearman(x, y), stats.spearmanr(x, y).statistic, **EXACT)
    np.testing.assert_allclose(ranking.pearson(x, y), stats.pearsonr(x, y).statistic, **EXACT)
    labels = rng.random(300) < 0.3
    np.testing.assert_allclose(area_under_curve(x, labels), theirs.roc_auc_score(labels, x), **EXACT)


def test_correlation_with_a_constant_is_undefined():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert np.isnan(stats.spearmanr([1, 1, 1], [1, 2, 3]).statistic)
    assert np.isnan(ranking.spearman(np.ones(3), np.arange(3)))
    assert np.isnan(ranking.pearson(np.arange(3), np.full(3, 0.1)))
