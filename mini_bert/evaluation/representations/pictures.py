"""The exam's pictures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from mini_bert.core.array import Array
from mini_bert.evaluation.estimate import Estimate
from mini_bert.evaluation.representations.findings import Findings, by_head
from mini_bert.evaluation.section import Picture

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from mini_bert.plots.over_layers import LayerCurve

RANDOM = ", random"


def pictures(found: Findings, random: Findings) -> tuple[Picture, ...]:
    return (
        Picture(
            "Token diversity and anisotropy",
            lambda: geometry_curves(found, random, ("token_diversity", "anisotropy"), "1 − cosine, cosine"),
            "How different the tokens of a text are, and how much any two tokens point the same way; "
            "random: with random weights.",
        ),
        Picture(
            "Dimensions in use",
            lambda: geometry_curves(
                found,
                random,
                ("effective_dimensionality", "effective_rank", "intrinsic_dimension"),
                "dimensions",
            ),
            "By variance, by singular values, and by distances to nearest neighbours; random: with random weights.",
        ),
        Picture(
            "Layer similarity, this model",
            lambda: similarity_map(found.similarity),
            "Linear CKA of the states of every two layers.",
        ),
        Picture("Layer similarity, random weights", lambda: similarity_map(random.similarity)),
        Picture(
            "Attention entropy by head",
            lambda: entropy_map(found.relative),
            "Relative to the most there can be: 0 looks at a single token, 1 at all alike.",
        ),
        Picture(
            "Stability under small changes",
            lambda: stability_curves(found),
            "The cosine of a text's vector before and after; where unrelated texts are, nothing would be left of it.",
        ),
    )


def geometry_curves(found: Findings, random: Findings, names: Sequence[str], unit: str) -> Figure:
    from mini_bert.plots.over_layers import over_layers

    curves = [
        curve(name.replace("_", " ") + whose, [figures[name] for figures in one.geometry])
        for name in names
        for whose, one in (("", found), (RANDOM, random))
    ]
    return over_layers(curves, unit)


def similarity_map(similarity: Array) -> Figure:
    from mini_bert.plots.heat import heat

    layers = [str(layer) for layer in range(len(similarity))]
    return heat(similarity, layers, layers, "CKA", "layer", "layer (0: embeddings)")


def entropy_map(relative: Array) -> Figure:
    from mini_bert.plots.heat import heat

    values = np.array(by_head(relative))
    rows = [str(layer + 1) for layer in range(len(values))]
    return heat(
        values, rows, [str(head) for head in range(values.shape[1])], "share of the most", "layer", "head"
    )


def stability_curves(found: Findings) -> Figure:
    from mini_bert.plots.over_layers import over_layers

    changes = [curve(name, each) for name, each in found.stability.changes.items()]
    return over_layers([*changes, curve("unrelated texts", found.stability.unrelated)], "cosine")


def curve(name: str, values: Sequence[Estimate]) -> LayerCurve:
    from mini_bert.plots.over_layers import LayerCurve

    ends = [(one.low, one.high) for one in values if one.low is not None and one.high is not None]
    low, high = np.array(ends).T if len(ends) == len(values) else (None, None)
    return LayerCurve(name, np.array([one.value for one in values]), low, high)
