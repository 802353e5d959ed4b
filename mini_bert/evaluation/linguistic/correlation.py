"""How well similarities agree with people's scores, and how sure that is."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mini_bert.core.array import Array
from mini_bert.evaluation.estimate import Estimate
from mini_bert.metrics.ranking import spearman


def spearman_estimate(x: Array, y: Array, resamples: int, seed: int = 0) -> Estimate:
    """Spearman's ρ, and the middle 95 % of what it is when pairs are drawn again, with repetitions (Efron 1979)."""
    value = spearman(x, y)
    rng = np.random.default_rng(seed)
    drawn = [spearman(x[at], y[at]) for at in rng.integers(len(x), size=(resamples, len(x)))]
    finite = [one for one in drawn if np.isfinite(one)]
    if not np.isfinite(value) or not finite:
        return Estimate(0.0)
    low, high = np.quantile(finite, [0.025, 0.975]).tolist()
    return Estimate(value, low, high)


def trigram_overlap(a: str, b: str) -> float:
    """2 |A ∩ B| / (|A| + |B|) over the letter trigrams of two words with their edges (Dice): spelling alone

    >>> trigram_overlap("cat", "cats"), trigram_overlap("cat", "dog")
    (0.5714285714285714, 0.0)
    """
    one, other = trigrams(a), trigrams(b)
    return 2 * len(one & other) / (len(one) + len(other))


def trigrams(word: str) -> frozenset[str]:
    edged = f"<{word.lower()}>"
    return frozenset(edged[i : i + 3] for i in range(max(1, len(edged) - 2)))


def halves(count: int, seed: int) -> tuple[Array, Array]:
    """The numbers below `count` in two halves, drawn by lot: one to choose on, one to report."""
    order = np.random.default_rng(seed).permutation(count)
    return np.sort(order[: count // 2]), np.sort(order[count // 2 :])


def best(scores: Sequence[float]) -> int:
    """The first of the largest; what is not a number is never best."""
    return int(np.argmax(np.nan_to_num(np.asarray(scores), nan=-np.inf)))
