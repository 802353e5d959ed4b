"""All figures of one model's states, layer by layer, with their intervals."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from mini_bert.core.array import Array
from mini_bert.evaluation.estimate import NORMAL_95, Estimate
from mini_bert.evaluation.representations.collapse import CollapseVerdict, verdict
from mini_bert.evaluation.representations.directions import diversities
from mini_bert.evaluation.representations.geometry import Geometry, geometry_of
from mini_bert.evaluation.representations.jackknife import jackknife
from mini_bert.evaluation.representations.perturbations import Pairs
from mini_bert.evaluation.representations.reading import TextStates, head_entropies, text_states
from mini_bert.evaluation.representations.similarity import compute_layer_similarity, linear_cka
from mini_bert.evaluation.representations.stability import Stability, measure_representation_stability
from mini_bert.evaluation.subject import Subject
from mini_bert.reports import Report
from mini_bert.training.parallel import Team

GEOMETRY = ("token_diversity", *Geometry._fields)


@dataclass(frozen=True)
class Findings:
    """`geometry` has the figures named in GEOMETRY for each layer 0 to L; `similarity` is CKA (L + 1, L + 1).

    `to_embeddings` and `to_layer_before` are CKA too, with intervals. `nats` and `relative` are entropies by text
    (texts, L, A).
    """

    geometry: list[dict[str, Estimate]]
    similarity: Array
    debiased: Array
    to_embeddings: list[Estimate]
    to_layer_before: list[Estimate]
    nats: Array
    relative: Array
    stability: Stability
    collapse: CollapseVerdict


def findings(
    subject: Subject,
    texts: list[str],
    pairs: dict[str, Pairs],
    most_tokens: int,
    groups: int,
    seed: int,
    report: Report,
) -> Findings:
    """What is found in the first `most_tokens` tokens of the texts; intervals come of leaving out groups of texts."""
    report(0.0, "reading")
    states = first_tokens(text_states(subject.predictor, texts), most_tokens)
    layers = [layer.astype(np.float64) for layer in states.layers]
    report(0.15, "geometry")
    geometry = for_each_layer(
        subject.predictor.team, layers, lambda layer: layer_figures(layer, states.text, groups, seed)
    )
    report(0.6, "layer similarity")
    with threadpool_limits(1, user_api="blas"):
        to_embeddings, to_layer_before = neighbours(layers, states.text, groups)
        similarity, debiased = (compute_layer_similarity(layers, debiased=choice) for choice in (False, True))
    report(0.85, "attention")
    nats, relative = head_entropies(subject.predictor, texts)
    report(0.9, "small changes")
    return Findings(
        geometry,
        similarity,
        debiased,
        to_embeddings,
        to_layer_before,
        nats,
        relative,
        measure_representation_stability(subject.model, pairs, seed=seed),
        verdict(
            [figures["token_diversity"].value for figures in geometry],
            [figures["effective_dimensionality"].value for figures in geometry],
            layers[-1],
        ),
    )


def for_each_layer(
    team: Team, layers: list[Array], work: Callable[[Array], dict[str, Estimate]]
) -> list[dict[str, Estimate]]:
    """Every worker takes layers of its own."""
    hands = team.each(lambda worker: [work(layer) for layer in layers[worker :: team.size]])
    return [hands[number % team.size][number // team.size] for number in range(len(layers))]


def first_tokens(states: TextStates, most: int) -> TextStates:
    """As many whole texts as have so many tokens together, but at least two texts."""
    ends = np.searchsorted(states.text, np.arange(states.text[-1] + 1), side="right")
    kept = max(2, int((ends <= most).sum()))
    end = int(ends[min(kept, len(ends)) - 1])
    return TextStates(states.layers[:, :end], states.text[:end])


def layer_figures(x: Array, text: Array, groups: int, seed: int) -> dict[str, Estimate]:
    def figures(kept: Array) -> Array:
        return np.array([diversities(x[kept], text[kept]).mean(), *geometry_of(x[kept], seed)])

    return dict(zip(GEOMETRY, jackknife(figures, text, groups), strict=True))


def neighbours(layers: list[Array], text: Array, groups: int) -> tuple[list[Estimate], list[Estimate]]:
    """CKA of layers 1 to L with the embeddings, and with the layer before."""

    def figures(kept: Array) -> Array:
        some = [layer[kept] for layer in layers]
        above = range(1, len(some))
        before = [linear_cka(some[i], some[i - 1]) for i in above]
        return np.array([before[0], *(linear_cka(some[i], some[0]) for i in above[1:]), *before])

    found = jackknife(figures, text, groups)
    return found[: len(layers) - 1], found[len(layers) - 1 :]


def mean_over_texts(values: Array) -> Estimate:
    """Of one number for each text (texts,), some of which may be nan."""
    known = values[np.isfinite(values)]
    if not len(known):
        return Estimate(float("nan"))
    mean = float(known.mean())
    if len(known) < 2:
        return Estimate(mean)
    half = NORMAL_95 * float(known.std(ddof=1)) / np.sqrt(len(known))
    return Estimate(mean, mean - half, mean + half)


def as_dict(found: Findings) -> dict[str, Any]:
    """What a program reads: for each figure a list over layers."""
    plain = {name: [figures[name]._asdict() for figures in found.geometry] for name in found.geometry[0]}
    return {
        **plain,
        "layer_similarity": found.similarity.tolist(),
        "layer_similarity_debiased": found.debiased.tolist(),
        "attention_entropy": by_head(found.nats),
        "attention_entropy_relative": by_head(found.relative),
        "stability": {
            "unrelated": [one._asdict() for one in found.stability.unrelated],
            **{name: [one._asdict() for one in each] for name, each in found.stability.changes.items()},
        },
        "mode_collapse": {
            "collapsed": found.collapse.collapsed,
            "reasons": list(found.collapse.reasons),
            "loudest_number": found.collapse.loudest,
        },
    }


def by_head(values: Array) -> list[list[float]]:
    """The mean over texts, for each layer and head."""
    _, L, A = values.shape
    return [[mean_over_texts(values[:, layer, head]).value for head in range(A)] for layer in range(L)]
