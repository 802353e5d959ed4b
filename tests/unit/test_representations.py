"""Figures of representations: known answers, and the long way round."""

import numpy as np
import pytest

from mini_bert.evaluation.representations import (
    compute_attention_entropy,
    compute_effective_dimensionality,
    compute_effective_rank,
    compute_layer_similarity,
    compute_representation_geometry,
    compute_token_diversity,
    detect_mode_collapse,
    linear_cka,
)
from mini_bert.evaluation.representations.dimensions import intrinsic_dimension
from mini_bert.evaluation.representations.directions import anisotropy
from mini_bert.evaluation.representations.jackknife import jackknife
from tests.tolerances import assert_close


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def cosine(a, b):
    return a @ b / np.sqrt((a @ a) * (b @ b))


def test_token_diversity_by_hand(rng):
    states, mask = rng.normal(size=(3, 5, 4)) + 1, np.arange(5) < np.array([[5], [2], [1]])
    each = []
    for text, counts in zip(states, mask, strict=True):
        tokens = text[counts]
        pairs = [cosine(a, b) for i, a in enumerate(tokens) for j, b in enumerate(tokens) if i != j]
        each += [1 - np.mean(pairs)] if pairs else []
    assert len(each) == 2  # the text of one token has no pair
    assert_close(compute_token_diversity(states, mask), np.mean(each))
    states[~mask] = 1e6
    assert_close(compute_token_diversity(states, mask), np.mean(each))


def test_token_diversity_of_known_states():
    assert compute_token_diversity(np.ones((4, 3))) == pytest.approx(0, abs=1e-12)
    assert compute_token_diversity(np.eye(4)) == pytest.approx(1, abs=1e-12)
    assert compute_token_diversity(np.array([[1.0, 0], [-1, 0]])) == pytest.approx(2, abs=1e-12)
    with pytest.raises(ValueError, match="no text has two tokens"):
        compute_token_diversity(np.ones((2, 1, 3)))


def test_anisotropy_by_hand(rng):
    x = rng.normal(size=(7, 3)) + 0.5
    pairs = [cosine(x[i], x[j]) for i in range(7) for j in range(7) if i != j]
    assert anisotropy(x) == pytest.approx(np.mean(pairs), rel=1e-12)
    assert abs(anisotropy(rng.normal(size=(4000, 20)))) < 0.005
    assert anisotropy(rng.normal(size=(100, 20)) + 100) > 0.99


def test_an_isotropic_cloud_uses_every_dimension(rng):
    x = rng.normal(size=(20_000, 10))
    assert compute_effective_dimensionality(x) == pytest.approx(10, rel=0.01)
    assert compute_effective_rank(x) == pytest.approx(10, rel=0.01)
    assert intrinsic_dimension(x[:, :4]) == pytest.approx(4, rel=0.15)


def test_states_on_a_line_use_one(rng):
    x = np.outer(rng.normal(size=50), rng.normal(size=8))
    assert compute_effective_dimensionality(x) == pytest.approx(1, rel=1e-9)
    assert compute_effective_rank(x) == pytest.approx(1, rel=1e-9)
    assert compute_effective_dimensionality(np.ones((5, 3))) == 0
    assert compute_effective_rank(np.zeros((5, 3))) == 0


def test_dimensions_by_hand(rng):
    x = rng.normal(size=(30, 6)) * [5, 3, 1, 1, 0.5, 0.1] + 2
    eigenvalues = np.linalg.eigvals(np.cov(x.T)).real
    assert compute_effective_dimensionality(x) == pytest.approx(
        eigenvalues.sum() ** 2 / (eigenvalues**2).sum(), rel=1e-10
    )
    few = x[:4]  # fewer tokens than numbers
    eigenvalues = np.linalg.eigvals(np.cov(few.T)).real
    assert compute_effective_dimensionality(few) == pytest.approx(
        eigenvalues.sum() ** 2 / (eigenvalues**2).sum(), rel=1e-10
    )
    sigma = np.diag([4.0, 2.0, 1.0, 1.0])
    p = np.array([0.5, 0.25, 0.125, 0.125])
    assert compute_effective_rank(sigma) == pytest.approx(np.prod(p**-p), rel=1e-12)


def test_the_intrinsic_dimension_sees_through_bending(rng):
    angle, height = rng.uniform(0, 6, 3000), rng.uniform(0, 10, 3000)
    roll = np.stack([angle * np.cos(angle), height, angle * np.sin(angle)], axis=1)
    turned = roll @ np.linalg.qr(rng.normal(size=(10, 3)))[0].T
    assert intrinsic_dimension(turned) == pytest.approx(2, rel=0.15)
    assert compute_effective_dimensionality(turned) > 2.2
    doubled = np.concatenate([turned[:400], turned[:400]])  # equal points have no ratio of distances
    assert intrinsic_dimension(doubled) == pytest.approx(2, rel=0.3)
    assert np.isnan(intrinsic_dimension(np.ones((50, 3))))


def test_geometry_holds_the_same_figures_and_masks_padding(rng):
    states, mask = rng.normal(size=(4, 6, 5)), np.arange(6) < np.array([[6], [3], [5], [2]])
    states[~mask] = 1e3
    found = compute_representation_geometry(states, mask)
    x = states[mask]
    assert found.effective_rank == pytest.approx(compute_effective_rank(x), rel=1e-12)
    assert found.anisotropy == pytest.approx(anisotropy(x), rel=1e-12)
    assert found.mean_norm == pytest.approx(np.linalg.norm(x, axis=1).mean(), rel=1e-12)
    variance = np.linalg.eigvalsh(np.cov(x.T))[::-1]
    assert found.top_share == pytest.approx(variance[0] / variance.sum(), rel=1e-10)
    assert found.top_ten_share == pytest.approx(1, rel=1e-12)


def naive_hsic(K, L, debiased):
    n = len(K)
    if not debiased:
        H = np.eye(n) - 1 / n
        return np.trace(K @ H @ L @ H)
    K, L = K - np.diag(np.diag(K)), L - np.diag(np.diag(L))
    one = np.ones(n)
    totals = (one @ K @ one) * (one @ L @ one) / ((n - 1) * (n - 2))
    return (np.trace(K @ L) + totals - 2 / (n - 2) * (one @ K @ L @ one)) / (n * (n - 3))


@pytest.mark.parametrize("debiased", [False, True])
def test_cka_is_that_of_the_kernels(rng, debiased):
    x = rng.normal(size=(15, 6)) + 1
    y = x[:, :4] @ rng.normal(size=(4, 9)) + rng.normal(size=(15, 9))
    K, L = x @ x.T, y @ y.T
    expected = naive_hsic(K, L, debiased) / np.sqrt(naive_hsic(K, K, debiased) * naive_hsic(L, L, debiased))
    assert linear_cka(x, y, debiased) == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize("debiased", [False, True])
def test_cka_does_not_see_turning_scaling_or_shifting(rng, debiased):
    x = rng.normal(size=(40, 6))
    turn = np.linalg.qr(rng.normal(size=(6, 6)))[0]
    assert linear_cka(x, -3 * x @ turn + 7, debiased) == pytest.approx(1, rel=1e-10)
    assert linear_cka(x, x @ rng.normal(size=(6, 6)), debiased) < 0.99  # but it sees stretching


def test_only_the_debiased_cka_of_unrelated_states_is_zero(rng):
    draws = [(rng.normal(size=(30, 40)), rng.normal(size=(30, 40))) for _ in range(20)]
    assert np.mean([linear_cka(*pair) for pair in draws]) > 0.4
    assert abs(np.mean([linear_cka(*pair, debiased=True) for pair in draws])) < 0.05


def test_layer_similarity_is_a_matrix_without_padding(rng):
    layers = rng.normal(size=(3, 2, 5, 4))
    mask = np.array([[1, 1, 1, 1, 1], [1, 1, 0, 0, 0]], bool)
    layers[:, ~mask] = 1e4
    found = compute_layer_similarity(layers, mask)
    np.testing.assert_array_equal(found, found.T)
    assert found[0, 1] == pytest.approx(linear_cka(layers[0][mask], layers[1][mask]), rel=1e-12)
    assert np.isnan(linear_cka(np.ones((5, 2)), np.eye(5)))  # states without variance are like nothing


def test_attention_entropy_of_known_heads():
    T = 4
    heads = np.stack([np.full((T, T), 1 / T), np.eye(T), np.eye(T) / 2 + np.eye(T)[::-1] / 2])
    found = compute_attention_entropy(heads)
    assert_close(found.nats, np.array([np.log(4), 0, np.log(2)]))
    assert_close(found.relative, np.array([1, 0, 0.5]))


def test_attention_entropy_counts_only_what_can_be_seen():
    causal = np.tril(np.ones((1, 1, 5, 5)))
    causal /= causal.sum(-1, keepdims=True)
    found = compute_attention_entropy(causal, causal=True)
    assert_close(found.relative, np.ones(1))  # the first token, which sees only itself, has no say
    assert_close(found.nats, np.array([np.log([1, 2, 3, 4, 5]).mean()]))
    mask = np.array([[1, 1, 0, 0, 0]], bool)
    padded = np.where(mask[:, None, None], 0.5, 0) * np.ones((1, 1, 5, 1))
    padded[0, 0, 2:] = np.nan  # what padding looks at means nothing
    found = compute_attention_entropy(padded, mask)
    assert_close(found.relative, np.ones(1))
    assert np.isnan(compute_attention_entropy(np.ones((1, 1, 1))).relative).all()


def test_planted_collapse_is_found(rng):
    healthy = [rng.normal(size=(4, 8, 16)) for _ in range(3)]
    assert not detect_mode_collapse(healthy).collapsed
    to_a_point = [states * fade + 3 for states, fade in zip(healthy, (1.0, 0.3, 0.01), strict=True)]
    found = detect_mode_collapse(to_a_point)
    assert found.collapsed
    assert any("token diversity" in reason for reason in found.reasons)
    assert list(found.diversity) == sorted(found.diversity, reverse=True)
    line = rng.normal(size=16)
    to_a_line = [*healthy, rng.normal(size=(4, 8, 1)) * line + 0.01 * healthy[0]]
    found = detect_mode_collapse(to_a_line)
    assert found.collapsed
    assert "effective dimensionality is 1" in found.reasons[0]


def test_one_loud_number_is_told(rng):
    states = rng.normal(size=(4, 8, 16))
    states[..., 5] *= 1000
    found = detect_mode_collapse([states])
    assert found.collapsed
    assert found.loudest > 0.99
    assert "may hide the rest" in found.reasons[-1]


def test_jackknife_of_a_mean_is_its_standard_error(rng):
    values = rng.normal(size=200)
    (found,) = jackknife(lambda kept: np.array([values[kept].mean()]), np.arange(200), groups=200)
    assert found.value == pytest.approx(values.mean(), rel=1e-12)
    half = 1.9719565 * values.std(ddof=1) / np.sqrt(200)  # Student's t of 199
    assert found.high - found.value == pytest.approx(half, rel=1e-5)
    (alone,) = jackknife(lambda kept: np.array([1.0]), np.zeros(3), groups=5)
    assert alone.low is None


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: compute_effective_rank(np.ones(3)), "tokens, hidden"),
        (lambda: compute_effective_rank(np.full((2, 2), np.nan)), "not finite"),
        (lambda: compute_representation_geometry(np.ones((2, 3, 4)), np.zeros((2, 3))), "not a single token"),
        (lambda: compute_token_diversity(np.ones((2, 3, 4)), np.ones((2, 2))), "mask of shape"),
        (lambda: compute_layer_similarity([np.ones((3, 2)), np.ones((4, 2))]), "the same tokens"),
        (lambda: linear_cka(np.eye(3), np.eye(3), debiased=True), "needs 4 or more"),
        (lambda: compute_attention_entropy(np.ones((3, 4))), "batch, heads, tokens, tokens"),
        (lambda: detect_mode_collapse([]), "the history is empty"),
    ],
)
def test_what_makes_no_sense_is_refused(wrong, message):
    with pytest.raises(ValueError, match=message):
        wrong()
