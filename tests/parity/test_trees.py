"""Distances, smallest trees and rank correlations against SciPy's."""

import numpy as np
from scipy.sparse.csgraph import minimum_spanning_tree, shortest_path
from scipy.stats import spearmanr

from mini_bert.evaluation.probing.trees import NO_HEAD, rank_correlations, spanning_trees, tree_distances

rng = np.random.default_rng(0)
LENGTHS = [2, 3, 7, 12, 12, 25]


def test_tree_distances_are_shortest_paths() -> None:
    for n in LENGTHS:
        heads = np.array([NO_HEAD, *(rng.integers(i) for i in range(1, n))])
        edges = np.zeros((n, n))
        edges[np.arange(1, n), heads[1:]] = 1
        np.testing.assert_array_equal(
            tree_distances(heads[None])[0], shortest_path(edges, directed=False, unweighted=True)
        )


def test_spanning_trees_have_the_smallest_weight() -> None:
    T = max(LENGTHS)
    distances = rng.uniform(0.1, 1, (len(LENGTHS), T, T))
    distances += distances.swapaxes(1, 2)
    words = np.arange(T) < np.array(LENGTHS)[:, None]
    for d, found, n in zip(distances, spanning_trees(distances, words), LENGTHS, strict=True):
        theirs = minimum_spanning_tree(np.triu(d[:n, :n])).toarray()
        edges = {(min(i, j), max(i, j)) for i, j in enumerate(found[:n].tolist()) if j != NO_HEAD}
        assert edges == set(zip(*(x.tolist() for x in np.nonzero(theirs)), strict=True))


def test_rank_correlations_with_ties() -> None:
    for n in (4, 9, 30):
        a, b = rng.integers(0, 6, (20, n)).astype(float), rng.normal(size=(20, n)).round(1)
        a[:, 0], a[:, 1] = -1, 7  # never all equal
        theirs = [spearmanr(x, y).statistic for x, y in zip(a, b, strict=True)]
        np.testing.assert_allclose(rank_correlations(a, b), theirs, rtol=1e-7, atol=1e-12)
