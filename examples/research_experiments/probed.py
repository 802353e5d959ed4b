"""Accuracies of probes by layer, beside those that need no model and those of random weights."""

from collections.abc import Sequence
from typing import NamedTuple

from mini_bert import MiniBERT
from mini_bert.evaluation.probing.exam import chosen_tasks
from mini_bert.evaluation.probing.runner import probe
from mini_bert.evaluation.probing.settings import Settings
from mini_bert.evaluation.probing.task import Task
from mini_bert.evaluation.subject import Subject
from mini_bert.reports import silent

LABELS = {
    "pos": "part of speech",
    "relations": "relation to its head",
    "edges": "is it the head?",
    "entities": "kind of name",
}
SENTENCES, FEW_SENTENCES = 400, 20


class Accuracies(NamedTuple):
    """On test sentences: of each layer, 0 being the embeddings; of the layer that dev chooses; of the same network with
    random weights at its best layer; of the most frequent label of each word."""

    by_layer: list[float]
    layer: int
    random: float
    majority: float

    @property
    def best(self) -> float:
        return self.by_layer[self.layer]


def settings(tasks: Sequence[str], smoke: bool) -> Settings:
    return Settings(
        tasks=list(tasks),
        seeds=1,
        everywhere=False,
        mdl=False,
        max_sentences=FEW_SENTENCES if smoke else SENTENCES,
    )


def tasks_for(names: Sequence[str], smoke: bool) -> list[Task]:
    """The same sentences of the embedded world for every model."""
    return chosen_tasks(None, settings(names, smoke))


def accuracies(model: MiniBERT, tasks: Sequence[Task]) -> dict[str, Accuracies]:
    """By task. The layer is chosen on dev, as the random network's is, which is the same for all models of a size."""
    with Subject(model) as subject:
        found = probe(subject, tasks, settings([task.name for task in tasks], smoke=False), silent)
    return {
        one.task.name: Accuracies(
            [one.accuracy(answers).value for _, answers in sorted(one.speaking.items())],
            one.layer,
            one.accuracy(one.random[one.random_layer]).value,
            one.told(one.majority).value,
        )
        for one in found
    }
