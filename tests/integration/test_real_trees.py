"""Trees of UD English EWT under `$MINI_BERT_DATA/tasks`: what is reached by joining each word to the next."""

import os
from pathlib import Path

import pytest

from mini_bert.evaluation.probing.tree_batches import tree_batches
from mini_bert.evaluation.probing.tree_scores import linear_chain_scores, scored, share_found
from mini_bert.evaluation.probing.treebank import read_trees
from mini_bert.evaluation.probing.trees import spanning_trees

ROOT = os.environ.get("MINI_BERT_DATA")
DEV = Path(ROOT or ".") / "tasks/ud_ewt/dev.conllu.gz"
pytestmark = pytest.mark.skipif(not ROOT, reason="MINI_BERT_DATA is not set: no real trees to read")


def test_linear_chain_on_ewt_dev() -> None:
    """40.4 % of all 23,146 edges; 43.1 % of the 20,085 between words that are no punctuation, joined past it."""
    found = linear_chain_scores(tree_batches(read_trees(DEV)))
    assert found.words.edges.sum() == 23_146
    assert round(100 * share_found([found.words]), 1) == 40.4
    assert found.content.edges.sum() == 20_085
    assert round(100 * share_found([found.content]), 1) == 43.1


def test_real_distances_give_all_trees_back() -> None:
    batches = tree_batches(read_trees(DEV))
    found = scored(batches, lambda i, words: spanning_trees(batches[i].distances, words))
    assert share_found([found.words]) == share_found([found.content]) == 1
