"""Are words of one kind near each other? The kinds are those of the embedded world's nouns: toys, tools, food, ...

For each word, is its nearest neighbour of its kind; and of two pairs of words, one of a kind and one not, is the first
the nearer: the area under the ROC curve. The layer is chosen on half of the words and reported on the other half.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from mini_bert.core.array import Array
from mini_bert.evaluation.estimate import Estimate, share
from mini_bert.evaluation.exam import DoesNotApply
from mini_bert.evaluation.linguistic.correlation import best, halves, trigram_overlap
from mini_bert.evaluation.linguistic.word_vectors import (
    WordVectors,
    sentences_with,
    text_of_words,
    word_vectors,
)
from mini_bert.evaluation.linguistic.world_words import kinds_of_words
from mini_bert.evaluation.section import Column, Kind, Picture, Row, Section, Table
from mini_bert.evaluation.subject import Subject
from mini_bert.reports import Report, part, silent
from mini_bert.training.objectives.replaced_tokens import area_under_curve

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FEWEST_WORDS = 20


class Kinship(NamedTuple):
    """One way to compare words: how often the nearest is of the same kind, by layer and for the layer chosen."""

    name: str
    kind: Kind
    nearest: Estimate
    area: float
    layer: int | None
    curve: Sequence[float]


def section(
    subject: Subject,
    most_sentences: int,
    occurrences: int,
    most_stories: int,
    seed: int,
    report: Report = silent,
) -> Section:
    kinds = kinds_of_words()
    words = list(kinds)
    source, text = text_of_words(None, most_stories, seed)
    sentences = sentences_with(words, text, most_sentences, occurrences) if most_sentences else []
    vectors = word_vectors(subject, words, sentences, part(report, 0.0, 0.5))
    with subject.random_twin() as twin:
        random = word_vectors(twin, words, sentences, part(report, 0.5, 1.0))
    is_known = np.logical_and.reduce([one.is_known for one in (*vectors, *random)])
    labels = np.unique([kinds[word] for word in words], return_inverse=True)[1]
    is_known &= np.bincount(labels[is_known], minlength=labels.max() + 1)[labels] > 1
    if is_known.sum() < FEWEST_WORDS:
        raise DoesNotApply(
            f"only {is_known.sum()} of the world's {len(words)} nouns are in this model's vocabulary"
        )
    found = [kinship(one.name, "model", cosines(one, is_known), labels[is_known], seed) for one in vectors]
    known_words = [word for word, known in zip(words, is_known, strict=True) if known]
    spelled = np.array([[trigram_overlap(a, b) for b in known_words] for a in known_words])
    found.append(kinship("spelling (letter trigrams)", "baseline", spelled[None], labels[is_known], seed))
    found += [
        kinship(f"random weights, {one.name}", "control", cosines(one, is_known), labels[is_known], seed)
        for one in random
    ]
    chance = by_chance(labels[is_known])
    return Section(
        name="similarity",
        title="Words of a kind",
        told=f"{len(known_words):,} of the {len(words):,} nouns of the embedded world, in {labels.max() + 1} kinds "
        "such as tools, toys and food: are those of a kind nearest to each other, by the cosine of their vectors "
        f"without the mean? In text: the mean over occurrences in {len(sentences):,} sentences of {source}.",
        tables=(table(found, chance),),
        figures=figures(found, chance, len(known_words)),
        pictures=(Picture("Nearest words of the same kind, by layer", lambda: drawn(found, chance)),),
    )


def cosines(vectors: WordVectors, is_known: Array) -> Array:
    """(layers, W, W) of the known words"""
    known = vectors.layers[:, is_known]
    return known @ known.swapaxes(1, 2)


def kinship(name: str, kind: Kind, similar: Array, labels: Array, seed: int) -> Kinship:
    choosing, reporting = halves(len(labels), seed)
    is_same = labels[:, None] == labels
    hits = [nearest_is_kin(layer, is_same) for layer in similar]
    layer = best([float(hit[choosing].mean()) for hit in hits])
    a, b = reporting[np.array(np.triu_indices(len(reporting), 1))]
    area = area_under_curve(similar[layer][a, b], is_same[a, b].astype(int))
    return Kinship(
        name,
        kind,
        share(int(hits[layer][reporting].sum()), len(reporting)),
        area,
        layer if len(hits) > 1 else None,
        [float(hit.mean()) for hit in hits],
    )


def nearest_is_kin(similar: Array, is_same: Array) -> Array:
    """Whether the nearest other word is of the same kind (W,)"""
    others = similar.copy()
    np.fill_diagonal(others, -np.inf)
    found: Array = is_same[np.arange(len(others)), others.argmax(1)]
    return found


def by_chance(labels: Array) -> float:
    """How often a word drawn by lot is of the same kind."""
    sizes = np.bincount(labels)[labels]
    return float(((sizes - 1) / (len(labels) - 1)).mean())


def table(found: Sequence[Kinship], chance: float) -> Table:
    return Table(
        "Words of the same kind",
        (
            Column("vectors"),
            Column("layer"),
            Column("nearest is kin", is_share=True),
            Column("area", is_share=True),
        ),
        (
            *(Row((one.name, one.layer, one.nearest, one.area), one.kind) for one in found),
            Row(("chance", None, chance, 0.5), "baseline"),
        ),
        "Area: of two pairs of words, one of a kind and one not, how often the first is the nearer.",
    )


def figures(found: Sequence[Kinship], chance: float, words: int) -> dict[str, Any]:
    return {
        "words": words,
        "chance": chance,
        "nearest_is_kin": {
            one.name: {**one.nearest._asdict(), "area": one.area, "layer": one.layer} for one in found
        },
        "by_layer": {one.name: list(one.curve) for one in found if len(one.curve) > 1},
    }


def drawn(found: Sequence[Kinship], chance: float) -> Figure:
    from mini_bert.plots.over_layers import LayerCurve, over_layers

    curves = [LayerCurve(one.name, 100 * np.array(one.curve)) for one in found if len(one.curve) > 1]
    levels = {one.name: 100 * one.curve[0] for one in found if len(one.curve) == 1}
    return over_layers(curves, "nearest is of its kind (%)", {**levels, "chance": 100 * chance})
