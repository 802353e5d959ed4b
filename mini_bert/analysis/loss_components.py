"""Which part of a model lowers the loss by how many nats: embeddings, attention, feed-forward, layer by layer.

    found = loss_components(model, read(model, "The cat sat on the [MASK].", target="mat"))
    found.guessing, found.loss         # ln V, which all words alike would cost, and what it is
    found.by_part, found.by_kind       # nats that lead from the one to the other; they add up exactly

The logits z are the sum of what the parts say (`direct_paths`). All grow from 0 to z together, and on the way each
part is charged with what it does to the loss (integrated gradients, Sundararajan et al. 2017, on the logits):

    nats of part c = Σ_v (p̄_v − 1[v = word]) z_c,v,   p̄ = ∫₀¹ softmax(α z) dα,   Σ_c = loss − ln V
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import log
from typing import TYPE_CHECKING

import numpy as np

from mini_bert.analysis.direct_paths import CONSTANT, DirectPaths, direct_paths
from mini_bert.analysis.lessons import Given
from mini_bert.analysis.reading import Reading, read
from mini_bert.analysis.shown import Shown
from mini_bert.core.array import Array
from mini_bert.core.functions.softmax import log_softmax, softmax
from mini_bert.evaluation.intrinsic.one_batch import Lesson
from mini_bert.models.mini import MiniBERT
from mini_bert.models.passes import Pass
from mini_bert.training.objectives import MaskedBatch

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NODES = 24
WORDS_AT_ONCE = 64


@dataclass(frozen=True)
class LossComponents(Shown):
    """Of n words: `nats` (parts, n) that each part adds to ln V, `logits` (parts, n) that it gives to the right word.

    Below 0 a part lowers the loss. `logits` are beyond those of the mean word. `losses` (n,) are −ln p(word).
    `residue` is the largest gap between a sum of nats and loss − ln V: what the integral and rounding leave.
    """

    names: tuple[str, ...]
    kinds: tuple[str, ...]
    words: Array
    nats: Array
    logits: Array
    losses: Array
    guessing: float
    residue: float

    @property
    def loss(self) -> float:
        return float(self.losses.mean())

    @cached_property
    def by_part(self) -> dict[str, float]:
        """The mean over the words."""
        return dict(zip(self.names, self.nats.mean(1).tolist(), strict=True))

    @cached_property
    def by_kind(self) -> dict[str, float]:
        found: dict[str, float] = {}
        for kind, nats in zip(self.kinds, self.nats.mean(1).tolist(), strict=True):
            found[kind] = found.get(kind, 0.0) + nats
        return found

    def figure(self) -> Figure:
        from mini_bert.plots.waterfall import waterfall

        return waterfall("guessing: ln V", self.guessing, self.by_part, "loss", "nats")


def loss_components(model: MiniBERT, given: Given | Pass) -> LossComponents:
    """Of a text (every piece is to be told), a reading, a pass, or a batch; the model must tell words."""
    if isinstance(given, str):
        given = read(model, given)
    if isinstance(given, Lesson):
        given = given.batch
    assert isinstance(given, Reading | Pass | MaskedBatch)
    return charged(direct_paths(model, given))


def charged(paths: DirectPaths) -> LossComponents:
    n, V = len(paths.words), len(paths.decoder)
    nats = np.empty((len(paths.names), n))
    losses, offset = np.empty(n), np.empty(n)
    for start in range(0, n, WORDS_AT_ONCE):
        some = slice(start, start + WORDS_AT_ONCE)
        words = paths.words[some]
        logits = paths.parts[:, some].sum(0) @ paths.decoder.T + paths.offset
        at = np.arange(len(words)), words
        losses[some] = -log_softmax(logits)[at]
        push = mean_softmax(logits)
        push[at] -= 1
        nats[:, some] = np.einsum("pne,ne->pn", paths.parts[:, some], push @ paths.decoder)
        offset[some] = push @ paths.offset
    constant = paths.names.index(CONSTANT)
    nats[constant] += offset
    *of_parts, of_bias = paths.of_words
    logits_of = np.stack(of_parts)
    logits_of[constant] += of_bias
    residue = float(np.abs(log(V) + nats.sum(0) - losses).max(initial=0.0))
    return LossComponents(paths.names, paths.kinds, paths.words, nats, logits_of, losses, log(V), residue)


def mean_softmax(logits: Array) -> Array:
    """∫₀¹ softmax(α z) dα by Gauss's quadrature"""
    nodes, weights = np.polynomial.legendre.leggauss(NODES)
    found: Array = np.zeros_like(logits)
    for node, weight in zip(nodes.tolist(), weights.tolist(), strict=True):
        found += weight / 2 * softmax((node + 1) / 2 * logits)
    return found
