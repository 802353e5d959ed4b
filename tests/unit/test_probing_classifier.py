"""Probes find what is there, and nothing where nothing is."""

import numpy as np
import pytest

from mini_bert.evaluation.probing.classifier import Gathered, Scaling, batch_size, fit
from mini_bert.evaluation.probing.description_length import online_code, portions

D, CLASSES = 12, 4


def planted(count: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Labels that follow from the vectors by a linear rule, the same for all seeds."""
    directions = np.random.default_rng(99).standard_normal((D, CLASSES))
    x = np.random.default_rng(seed).standard_normal((count, D)).astype(np.float32)
    return x * 7 + 100, (x @ directions).argmax(1)


def right(probe, x, labels) -> float:
    return float((probe.log_probs(x).argmax(1) == labels).mean())


@pytest.mark.parametrize("kind", ["linear", "mlp"])
def test_planted_structure_is_found(kind):
    train, dev, test = planted(3000, 0), planted(300, 1), planted(1000, 2)
    probe = fit(*train, CLASSES, kind, seed=0, dev=dev)
    log_probs = probe.log_probs(test[0])
    assert log_probs.dtype == np.float32
    np.testing.assert_allclose(np.exp(log_probs).sum(1), 1, rtol=1e-5)
    assert right(probe, *test) > 0.93


def test_only_an_mlp_finds_what_is_not_linear():
    def corners(count, seed):
        x = np.random.default_rng(seed).standard_normal((count, 2)).astype(np.float32)
        return x, (x[:, 0] * x[:, 1] > 0).astype(int)

    train, dev, test = corners(4000, 0), corners(500, 1), corners(1000, 2)
    assert right(fit(*train, 2, "mlp", 0, dev), *test) > 0.9
    assert right(fit(*train, 2, "linear", 0, dev), *test) < 0.65


@pytest.mark.parametrize("kind", ["linear", "mlp"])
def test_random_labels_are_not_found_and_the_untrained_probe_wins(kind):
    x, _ = planted(1000, 0)
    labels = np.random.default_rng(5).integers(0, CLASSES, len(x))
    dev = planted(2000, 1)[0], np.random.default_rng(6).integers(0, CLASSES, 2000)
    probe = fit(x, labels, CLASSES, kind, 0, dev)
    assert probe.loss(*dev) <= np.log(CLASSES) + 1e-6
    test = planted(2000, 2)[0]
    assert abs(right(probe, test, np.random.default_rng(7).integers(0, CLASSES, 2000)) - 1 / CLASSES) < 0.05


def test_the_same_seed_gives_the_same_probe_and_another_one_another():
    train, dev = planted(500, 0), planted(100, 1)
    first, again, other = (fit(*train, CLASSES, "mlp", seed, dev) for seed in (3, 3, 4))
    np.testing.assert_array_equal(first.params.flat, again.params.flat)
    assert not np.array_equal(first.params.flat, other.params.flat)


def test_best_on_dev_is_kept():
    """Dev that contradicts train: every step makes it worse, so that nothing is learned."""
    x, labels = planted(800, 0)
    probe = fit(x, labels, CLASSES, "linear", 0, (x, (labels + 1) % CLASSES))
    np.testing.assert_allclose(probe.log_probs(x[:5]), -np.log(CLASSES), rtol=1e-5)


def test_scaling_is_that_of_float64_and_leaves_out_what_does_not_vary():
    x = (np.random.default_rng(0).standard_normal((5000, 3)) * [0.01, 1, 50] + [1000, 0, -3]).astype(
        np.float32
    )
    x = np.concatenate([x, np.full((5000, 1), 3.3, np.float32)], 1)
    scaling = Scaling.of(x)
    wide = x.astype(np.float64)
    np.testing.assert_allclose(scaling.mean, wide.mean(0), rtol=1e-4)
    np.testing.assert_allclose(scaling.inverse[1:3], 1 / wide[:, 1:3].std(0), rtol=1e-4)
    np.testing.assert_allclose(scaling.inverse[0], 1 / wide[:, 0].std(), rtol=1e-3)  # 1000 ± 0.01 in float32
    assert scaling.inverse[3] == 0


def test_gathered_pairs_are_both_vectors_side_by_side():
    vectors = np.arange(12, dtype=np.float32).reshape(4, 3)
    pairs = Gathered(vectors, np.array([[0, 3], [2, 2]]))
    assert pairs.shape == (2, 6)
    np.testing.assert_array_equal(pairs[:], [[0, 1, 2, 9, 10, 11], [6, 7, 8, 6, 7, 8]])


def test_batches_grow_with_the_data():
    assert [batch_size(n) for n in (10, 1000, 57_000, 204_000, 10**7)] == [16, 16, 285, 1020, 1024]


def test_code_of_random_labels_is_as_long_as_the_uniform_one():
    x, _ = planted(1500, 0)
    labels = np.random.default_rng(1).integers(0, CLASSES, len(x))
    code = online_code(x, np.arange(len(x))[:, None], labels, CLASSES, "linear", 0)
    assert code.uniform == pytest.approx(2 * len(x))
    assert code.compression == pytest.approx(1, abs=0.05)


def test_code_of_planted_labels_is_short():
    x, labels = planted(1500, 0)
    code = online_code(x, np.arange(len(x))[:, None], labels, CLASSES, "linear", 0)
    assert code.compression > 2


def test_portions_rise_and_end_with_everything():
    assert portions(10_000) == [10, 20, 40, 80, 160, 320, 625, 1250, 2500, 5000, 10_000]
    assert portions(20) == [2, 5, 10, 20]
    with pytest.raises(ValueError, match="1 examples"):
        portions(1)
