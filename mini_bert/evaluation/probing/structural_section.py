"""The findings of structural probes as tables, pictures and figures."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from mini_bert.core.array import Array
from mini_bert.data.tasks.examples import DependencySentence
from mini_bert.errors import counted
from mini_bert.evaluation.estimate import Estimate
from mini_bert.evaluation.probing.tree_findings import Findings, Runs
from mini_bert.evaluation.probing.tree_scores import TreeScores, share_found
from mini_bert.evaluation.probing.treebank import Treebank
from mini_bert.evaluation.section import Column, Picture, Row, Section, Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COLUMNS = (
    Column("probe"),
    Column("UUAS", is_share=True),
    Column("UUAS without punctuation", is_share=True),
    Column("distance Spearman", decimals=3),
)
NOTE = (
    "UUAS: share of the tree's edges that are in the smallest tree of predicted distances; without punctuation as "
    "Hewitt & Manning report it: marks are left out of both trees. Spearman: mean over sentence lengths 5 to 50. "
    "Intervals are for other sentences and seeds, by bootstrap."
)
SHORTEST_EXAMPLE, LONGEST_EXAMPLE = 8, 13


def section(found: Findings, treebank: Treebank, rank: int, seeds: int) -> Section:
    return Section(
        name="distances",
        title="Trees in the distances of words",
        told=(
            f"A linear map B (rank {rank}) is trained so that squared distances of mapped word vectors equal the "
            f"number of edges between the words in their dependency tree. Trees: {treebank.source}; "
            f"{len(treebank.train):,} sentences to learn from, {len(treebank.dev):,} to choose the layer by, "
            f"{len(treebank.test):,} to be judged by; {counted(seeds, 'seed')}."
        ),
        tables=(table(found),),
        figures=figures(found, treebank, rank, seeds),
        pictures=(
            Picture(
                "Edges found, by layer",
                partial(draw_layers, found),
                "Bands: 95 % intervals over sentences and seeds.",
            ),
            Picture(
                "A sentence as the probe sees it",
                partial(draw_example, found.layers[found.layer].test[0], treebank.test),
                f"Layer {found.layer}; the sentence of middle length whose score is nearest to that of all.",
            ),
        ),
    )


def table(found: Findings) -> Table:
    rows = [
        Row(cells(f"layer {number}{mark(number, found.layer)}", runs))
        for number, runs in enumerate(found.layers)
    ]
    rows += [
        Row(
            cells(f"random weights, layer {found.random_layer}", found.random_layers[found.random_layer]),
            "baseline",
        ),
        Row(cells("positions alone", found.positions), "baseline"),
        Row(cells("linear chain", Runs([], [found.linear_chain])), "baseline"),
        Row(cells("random trees", Runs([], [found.random_tree])), "baseline"),
    ]
    return Table("Edges of trees found in distances", COLUMNS, tuple(rows), NOTE)


def mark(number: int, chosen: int) -> str:
    told = [*(["embeddings"] if number == 0 else []), *(["chosen on dev"] if number == chosen else [])]
    return f" ({', '.join(told)})" if told else ""


def cells(name: str, runs: Runs) -> tuple[str, Estimate, Estimate, float | None]:
    return name, runs.uuas, runs.uuas_without_punctuation, runs.spearman


def figures(found: Findings, treebank: Treebank, rank: int, seeds: int) -> dict[str, Any]:
    chain, random = found.linear_chain, found.random_layers[found.random_layer]
    return {
        **told(found.layers[found.layer]),
        "layer": found.layer,
        "linear_chain": share_found([chain.words]),
        "linear_chain_without_punctuation": share_found([chain.content]),
        "random_model": random.uuas.value,
        "random_model_without_punctuation": random.uuas_without_punctuation.value,
        "random_model_layer": found.random_layer,
        "random_model_layers": [told(runs) for runs in found.random_layers],
        "positions_alone": told(found.positions),
        "random_tree": share_found([found.random_tree.words]),
        "layers": [told(runs) | {"uuas_on_dev": runs.uuas_on_dev} for runs in found.layers],
        "source": treebank.source,
        "sentences": {"train": len(treebank.train), "dev": len(treebank.dev), "test": len(treebank.test)},
        "rank": rank,
        "seeds": seeds,
    }


def told(runs: Runs) -> dict[str, Any]:
    with_marks, without = runs.uuas, runs.uuas_without_punctuation
    return {
        "uuas": with_marks.value,
        "uuas_interval": [with_marks.low, with_marks.high],
        "uuas_without_punctuation": without.value,
        "uuas_without_punctuation_interval": [without.low, without.high],
        "distance_spearman": runs.spearman,
    }


def draw_layers(found: Findings) -> Figure:
    from mini_bert.plots.over_layers import LayerCurve, over_layers

    def curve(name: str, layers: Sequence[Runs]) -> LayerCurve:
        estimates = [runs.uuas for runs in layers]
        low, high = (
            None if any(end is None for end in ends) else 100 * np.array(ends, float)
            for ends in ([e.low for e in estimates], [e.high for e in estimates])
        )
        return LayerCurve(name, 100 * np.array([e.value for e in estimates]), low, high)

    curves = [curve("the model", found.layers), curve("random weights", found.random_layers)]
    levels = {
        "linear chain": 100 * share_found([found.linear_chain.words]),
        "positions alone": 100 * found.positions.uuas.value,
    }
    return over_layers(curves, "UUAS (%)", levels)


def draw_example(scores: TreeScores, sentences: Sequence[DependencySentence]) -> Figure:
    from mini_bert.plots.arcs import Edge, arcs

    number = typical(scores, sentences)
    sentence, tree = sentences[number], scores.trees[number]
    gold = {(min(i, head - 1), max(i, head - 1)) for i, head in enumerate(sentence.heads) if head}
    found = {(min(i, other), max(i, other)) for i, other in enumerate(tree.tolist()) if other >= 0}
    return arcs(
        sentence.words,
        [Edge(*ends, ends in found) for ends in sorted(gold)],
        [Edge(*ends, ends in gold) for ends in sorted(found)],
    )


def typical(scores: TreeScores, sentences: Sequence[DependencySentence]) -> int:
    """Of the sentences that fit into a picture the one with the score nearest to that of all; not the prettiest."""
    overall = share_found([scores.words])
    lengths = np.array([len(sentence.words) for sentence in sentences])
    fits: Array = (lengths >= SHORTEST_EXAMPLE) & (lengths <= LONGEST_EXAMPLE)
    if not fits.any():
        fits = lengths == lengths[abs(lengths - LONGEST_EXAMPLE).argmin()]
    away = abs(scores.words.found / np.maximum(scores.words.edges, 1) - overall)
    return int(np.where(fits, away, np.inf).argmin())
