"""Where words stand in the space of each layer: its plane of most variance, turned so that one can go through layers.

shape = representation_geometry(model, ["The bank was closed.", "We sat on the river bank."])
shape.points[2]                   # (W, 2): the words in the plane of layer 2
shape.figures[2].anisotropy       # and the other figures of that layer
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from mini_bert.analysis.shown import Shown
from mini_bert.analysis.words_read import words_in
from mini_bert.core.array import Array
from mini_bert.evaluation.representations.geometry import Geometry, geometry_of
from mini_bert.evaluation.representations.similarity import FEWEST, compute_layer_similarity
from mini_bert.evaluation.representations.tokens import as_tokens, centred
from mini_bert.models.mini import MiniBERT

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class RepresentationGeometry(Shown):
    """Words by name, each of the text `text[n]`, in L + 1 layers; 0 is what goes into the first.

    `points` (L + 1, W, 2) are their places in the plane of most variance of each layer, in its own units, turned to lie
    as those of the layer before do (Schönemann 1966). `explained` (L + 1, 2) are the shares of variance of the two
    directions that span the plane, before it is turned. `similarity` (L + 1, L + 1) is CKA, debiased where there are
    words enough. `figures` tell each layer's anisotropy, dimensions and lengths.
    """

    names: tuple[str, ...]
    text: tuple[int, ...]
    points: Array
    explained: Array
    similarity: Array
    figures: tuple[Geometry, ...]

    @property
    def scaled(self) -> Array:
        """The points with each layer's distance from the middle brought to one, in the root mean square."""
        size = np.sqrt((self.points**2).sum(-1).mean(-1))
        return self.points / np.where(size > 0, size, 1)[:, None, None]

    @property
    def anisotropy(self) -> Array:
        return np.array([one.anisotropy for one in self.figures])

    @property
    def effective_dimension(self) -> Array:
        return np.array([one.effective_dimensionality for one in self.figures])

    def figure(self) -> Figure:
        from mini_bert.plots.cloud import clouds

        shares = self.explained.sum(1)
        titles = [f"{layer_title(i)}: {share:.0%} of variance" for i, share in enumerate(shares)]
        return clouds(self.scaled, self.names, self.text, titles)


def representation_geometry(model: MiniBERT, texts: Sequence[str]) -> RepresentationGeometry:
    """Of the words of some texts, in every layer of a model."""
    read = words_in(model, texts)
    return geometry_of_layers(read.layers, read.names, tuple(word.text for word in read.words))


def geometry_of_layers(
    layers: Sequence[Any] | Array, names: Sequence[str] | None = None, text: Sequence[int] | None = None
) -> RepresentationGeometry:
    """The same of states that are at hand: of each layer (N, H) or (B, T, H), of the same tokens."""
    states = [as_tokens(one) for one in layers]
    N = len(states[0])
    if N < 2 or any(len(one) != N for one in states):
        raise ValueError(f"states of {[len(one) for one in states]} tokens: give the same ones, at least two")
    planes = [principal_plane(one) for one in states]
    return RepresentationGeometry(
        tuple(names) if names is not None else tuple(map(str, range(N))),
        tuple(text) if text is not None else (0,) * N,
        aligned(np.stack([points for points, _ in planes])),
        np.stack([shares for _, shares in planes]),
        compute_layer_similarity(states, debiased=FEWEST <= N),
        tuple(geometry_of(one) for one in states),
    )


def principal_plane(x: Array, k: int = 2) -> tuple[Array, Array]:
    """x̄-centred x in its k directions of most variance, and their shares of it          (N, H) → (N, k), (k,)

    Each direction points to where its largest coordinate is positive, so that the same states give the same picture.
    """
    u, s, _ = np.linalg.svd(centred(x), full_matrices=False)
    points = np.zeros((len(x), k))
    found = min(k, len(s))
    points[:, :found] = u[:, :found] * s[:found]
    points *= np.where(points[np.abs(points).argmax(0), np.arange(k)] < 0, -1.0, 1.0)
    total = float((s**2).sum())
    shares = np.zeros(k)
    shares[:found] = s[:found] ** 2 / (total or 1.0)
    return points, shares


def aligned(layers: Array) -> Array:
    """Each layer's points (L, N, k) turned, or mirrored, to lie as near as may be to those of the layer before.

    R = U Vᵀ  with  U S Vᵀ = XᵀY  makes ‖X R − Y‖ least of all turns R (orthogonal Procrustes, Schönemann 1966)
    """
    found = [layers[0]]
    for x in layers[1:]:
        u, _, vt = np.linalg.svd(x.T @ found[-1])
        found.append(x @ (u @ vt))
    return np.stack(found)


def layer_title(layer: int) -> str:
    """
    >>> layer_title(0), layer_title(2)
    ('embeddings', 'layer 1')
    """
    return "embeddings" if layer == 0 else f"layer {layer - 1}"
