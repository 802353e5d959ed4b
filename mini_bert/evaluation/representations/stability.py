"""How far do states move if the text changes a little?

    pairs = perturbed(sentences, seed=0)                 # or of your own: {"a typo": [(before, after), ...]}
    measure_representation_stability(model, pairs).changes["a typo"]     # an Estimate for each layer

The vector of a text is the mean of its tokens, after each layer. Its cosine before and after a change means little by
itself: in a narrow cone any two texts have a high one. So the cosine of unrelated texts stands beside it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from mini_bert.core.array import Array
from mini_bert.evaluation.estimate import NORMAL_95, Estimate
from mini_bert.evaluation.representations.reading import Disturbance, text_vectors
from mini_bert.evaluation.representations.tokens import unit_rows
from mini_bert.inference.forward import Predictor
from mini_bert.models.mini import MiniBERT

NOISE = 0.1
"""Of the length of each token's vector."""


@dataclass(frozen=True)
class Stability:
    """The mean cosine before and after each change, and that of unrelated texts, at layers 0 to L."""

    changes: dict[str, tuple[Estimate, ...]]
    unrelated: tuple[Estimate, ...]

    def way_to_unrelated(self, name: str) -> Array:
        """(1 − cos after the change) / (1 − cos of unrelated texts), (L + 1,): 0 for no change, 1 for another text"""
        after = np.array([one.value for one in self.changes[name]])
        unrelated = np.array([one.value for one in self.unrelated])
        way: Array = (1 - after) / np.maximum(1 - unrelated, 1e-12)
        return way


def measure_representation_stability(
    model: MiniBERT,
    perturbations: Mapping[str, Sequence[tuple[str, str]]],
    noise: float | None = NOISE,
    seed: int = 0,
) -> Stability:
    """From pairs of texts, before and after, by the name of the change.

    With `noise`, normal numbers are added to what the first layer reads, so many times as long as each token's vector.
    `seed` draws them, and who is compared with whom among unrelated texts.
    """
    texts = list(dict.fromkeys(text for pairs in perturbations.values() for pair in pairs for text in pair))
    originals = list(dict.fromkeys(before for pairs in perturbations.values() for before, _ in pairs))
    if len(originals) < 2:
        raise ValueError(
            "stability: give pairs (before, after) of at least two different texts, to compare unrelated ones too"
        )
    number = {text: place for place, text in enumerate(texts)}
    with Predictor(model) as predictor:
        vectors = text_vectors(predictor, texts).astype(np.float64)
        changes = {
            name: cosines(
                vectors[[number[before] for before, _ in pairs]],
                vectors[[number[after] for _, after in pairs]],
            )
            for name, pairs in perturbations.items()
        }
        own = vectors[[number[text] for text in originals]]
        if noise:
            noisy = text_vectors(predictor, originals, noisy_reading(noise, seed)).astype(np.float64)
            changes[f"noise of {noise:.0%}"] = cosines(own, noisy)
    order = np.random.default_rng(seed).permutation(len(own))
    return Stability(changes, cosines(own[order], own[np.roll(order, 1)]))


def cosines(before: Array, after: Array) -> tuple[Estimate, ...]:
    """The mean over pairs of texts, each (P, L + 1, H), with its 95 % interval, by layer."""
    found = []
    for layer in range(before.shape[1]):
        each = np.einsum("ph,ph->p", unit_rows(before[:, layer]), unit_rows(after[:, layer]))
        half = NORMAL_95 * each.std(ddof=1) / np.sqrt(len(each)) if len(each) > 1 else None
        mean = float(each.mean())
        found.append(Estimate(mean) if half is None else Estimate(mean, mean - half, min(1.0, mean + half)))
    return tuple(found)


def noisy_reading(noise: float, seed: int) -> Disturbance:
    """x + noise · ‖x‖ · g / √H,   g normal: what is drawn for a text depends on the text, not on its company"""

    def disturb(x: Array, ids: Array, real: Array) -> Array:
        keys = [[seed, *row[is_real].tolist()] for row, is_real in zip(ids, real, strict=True)]
        drawn = np.stack([np.random.default_rng(key).standard_normal(x.shape[1:]) for key in keys])
        lengths = np.sqrt((x * x).sum(-1, keepdims=True))
        changed: Array = x + (noise * lengths * drawn / np.sqrt(x.shape[-1])).astype(x.dtype)
        return changed

    return disturb
