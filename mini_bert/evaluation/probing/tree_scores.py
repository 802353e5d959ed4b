"""How well trees were found: UUAS with and without punctuation, and the correlation of distances.

With punctuation, the predicted tree spans all words, and all edges count. Without, as Hewitt & Manning (2019) report
it, words tagged PUNCT are taken away first: the predicted tree spans the other words, and those edges count that lie
between two of them. Either way an edge counts once, wherever it is, and the root's edge to nowhere is none. So the
linear chain reaches 40.4 % and 43.1 % on the dev part of UD English EWT.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from mini_bert.core.array import Array
from mini_bert.core.functions.distances import squared_distances
from mini_bert.evaluation.estimate import Estimate
from mini_bert.evaluation.probing.intervals import ratio
from mini_bert.evaluation.probing.tree_batches import TreeBatch
from mini_bert.evaluation.probing.trees import (
    Attachment,
    attachment,
    correlations,
    linear_chains,
    mean_by_length,
    spanning_trees,
)


@dataclass(frozen=True)
class TreeScores:
    """Of all sentences of a part: edges found with and without punctuation, the trees, and the mean correlation."""

    words: Attachment
    content: Attachment
    trees: Sequence[Array]
    spearman: float | None = None


Finder = Callable[[int, Array], Array]
"""(number of a batch, words that count (B, T)) → neighbours (B, T), see `spanning_trees`"""


def scored(batches: Sequence[TreeBatch], find: Finder) -> TreeScores:
    """What a way to find trees reaches."""
    size = sum(map(len, batches))
    counts = np.zeros((4, size), np.int64)
    trees: list[Array] = [np.empty(0)] * size
    for i, batch in enumerate(batches):
        joined_to = find(i, batch.words)
        without = find(i, batch.content)
        counts[:2, batch.sentences] = attachment(batch.heads, joined_to, batch.words)
        counts[2:, batch.sentences] = attachment(batch.heads, without, batch.content)
        for number, tree, words in zip(batch.sentences.tolist(), joined_to, batch.words, strict=True):
            trees[number] = tree[words]
    return TreeScores(Attachment(*counts[:2]), Attachment(*counts[2:]), trees)


def linear_chain_scores(batches: Sequence[TreeBatch]) -> TreeScores:
    """Each word joined to the next."""
    return scored(batches, lambda i, words: linear_chains(words))


def random_tree_scores(batches: Sequence[TreeBatch], seed: int) -> TreeScores:
    """The smallest trees of distances drawn by lot."""
    rng = np.random.default_rng(seed)
    return scored(batches, lambda i, words: spanning_trees(rng.random(batches[i].distances.shape), words))


def place_scores(batches: Sequence[TreeBatch], places: Array) -> TreeScores:
    """The smallest trees of squared distances between words that lie at `places` (W, R)."""
    by_length: dict[int, list[Array]] = defaultdict(list)
    distances = [squared_distances(places[batch.places]) for batch in batches]
    for batch, found in zip(batches, distances, strict=True):
        for length, rho in correlations(found, batch.distances, batch.words.sum(1)):
            by_length[length].append(rho)
    scores = scored(batches, lambda i, words: spanning_trees(distances[i], words))
    return TreeScores(scores.words, scores.content, scores.trees, mean_by_length(by_length))


def uuas(runs: Sequence[Attachment]) -> Estimate:
    """Undirected unlabelled attachment score: the share of all edges that were found, the mean of several runs."""
    return ratio(np.stack([run.found for run in runs]), np.stack([run.edges for run in runs])).estimate


def share_found(runs: Sequence[Attachment]) -> float:
    return float(sum(run.found.sum() for run in runs) / sum(run.edges.sum() for run in runs))
