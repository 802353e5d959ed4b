"""Answers and temperatures, judged by PyTorch and SciPy."""

import numpy as np
import torch
from scipy.optimize import minimize_scalar

from mini_bert.evaluation.intrinsic.answers import judged
from mini_bert.evaluation.intrinsic.metrics import compute_gradient_norm, compute_perplexity, masked_accuracy
from mini_bert.evaluation.intrinsic.temperature import best_temperature

RNG = np.random.default_rng(0)
LOGITS = RNG.normal(size=(500, 40)) * 4
WORDS = RNG.integers(0, 40, 500)


def torch_loss(logits: np.ndarray) -> float:
    return float(torch.nn.functional.cross_entropy(torch.tensor(logits), torch.tensor(WORDS)))


def test_log_probabilities_ranks_and_perplexity():
    found = judged(LOGITS, WORDS)
    log_p = torch.log_softmax(torch.tensor(LOGITS), -1)
    np.testing.assert_allclose(found.log_prob, log_p[range(500), WORDS].numpy(), rtol=1e-9)
    np.testing.assert_allclose(found.confidence, log_p.exp().max(-1).values.numpy(), rtol=1e-9)
    for top in (1, 5):
        best = torch.tensor(LOGITS).topk(top).indices.numpy()
        expected = (best == WORDS[:, None]).any(1)
        assert (found.among(top) == expected).all()
        assert masked_accuracy(LOGITS[None], WORDS[None], np.ones((1, 500), int), top) == expected.mean()
    assert abs(compute_perplexity(-found.log_prob.mean()) / np.exp(torch_loss(LOGITS)) - 1) < 1e-9


def test_the_best_temperature():
    expected = minimize_scalar(
        lambda heat: torch_loss(LOGITS / heat), bounds=(0.1, 1000), method="bounded", options={"xatol": 1e-8}
    )
    heat = best_temperature(LOGITS, WORDS)
    assert torch_loss(LOGITS / heat) <= expected.fun + 1e-9
    easy = np.where(np.arange(40) == WORDS[:, None], LOGITS + 9, LOGITS)
    best = minimize_scalar(
        lambda heat: torch_loss(easy / heat), bounds=(0.1, 50), method="bounded", options={"xatol": 1e-9}
    )
    assert abs(best_temperature(easy, WORDS) / best.x - 1) < 1e-5


def test_the_norm_of_a_gradient():
    weights = [torch.nn.Parameter(torch.randn(7, 3)), torch.nn.Parameter(torch.randn(5))]
    for weight in weights:
        weight.grad = torch.randn_like(weight)
    gradients = {str(number): weight.grad.numpy() for number, weight in enumerate(weights)}
    expected = float(torch.nn.utils.get_total_norm([weight.grad for weight in weights]))
    assert abs(compute_gradient_norm(gradients) / expected - 1) < 1e-6
