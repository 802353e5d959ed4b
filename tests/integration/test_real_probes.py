"""The baselines of probes on the real sets under `$MINI_BERT_DATA/tasks`, against figures that are known."""

import os
from pathlib import Path

import pytest

from mini_bert.evaluation.probing import baselines
from mini_bert.evaluation.probing.findings import span_f1
from mini_bert.evaluation.probing.sources import files_in, from_files
from mini_bert.evaluation.probing.task import Task, task_of
from mini_bert.evaluation.task_folder import TaskFolder

ROOT = os.environ.get("MINI_BERT_DATA")
pytestmark = pytest.mark.skipif(not ROOT, reason="MINI_BERT_DATA is not set: no real task files to read")


def task(name: str) -> Task:
    tasks = TaskFolder(Path(ROOT or ".") / "tasks")
    return task_of(name, from_files(name, files_in(tasks, name), 0))


def test_per_word_majority_of_upos_on_ud_ewt():
    pos = task("pos")
    assert (len(pos.known), len(pos.test), len(pos.classes)) == (204_577, 25_147, 17)
    right = (baselines.majority(pos) == pos.test.labels).mean()
    assert round(100 * float(right), 2) == 86.12


def test_entities_of_the_same_sentences():
    """Most words are no names, so that accuracy says little, and F1 of the majority is far from it."""
    entities = task("entities")
    told = baselines.majority(entities)
    assert (told == entities.test.labels).mean() > 0.95
    assert 0.3 < span_f1(entities, entities.test, told) < 0.5
