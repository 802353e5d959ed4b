"""A quick probe: can a linear classifier read the part of speech from what each layer makes of a word?

Sentences of the embedded world, which has gold labels; a word counts by the mean of its pieces. Beside it stands what
one scores who knows of each word only which label it has most often.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from mini_bert.core.array import Array
from mini_bert.evaluation.estimate import share
from mini_bert.evaluation.probing.baselines import majority
from mini_bert.evaluation.probing.classifier import fit
from mini_bert.evaluation.probing.sources import from_world
from mini_bert.evaluation.probing.task import Part, Task, task_of
from mini_bert.evaluation.subject import Subject
from mini_bert.evaluation.word_states import word_states
from mini_bert.explorer.desk import Desk
from mini_bert.models.mini import MiniBERT

SENTENCES = 120
"""To learn from; the test has 0.4 times as many."""
SEED = 0


@cache
def task() -> Task:
    return task_of("pos", from_world("pos", SENTENCES, SEED))


def probe(model: MiniBERT, desk: Desk) -> dict[str, Any]:
    """The share of right labels after the embeddings and after each layer, with Wilson's interval."""
    asked = task()
    parts = (asked.train, asked.dev, asked.test)
    sentences = [words for part in parts for words in part.sentences]
    with Subject(model) as subject:
        states = word_states(subject, sentences, report=lambda *_: desk.go_on()).layers
    places = [rows + start for rows, start in zip(map(rows_of, parts), starts(parts), strict=True)]
    layers = []
    for vectors in states.astype(np.float32, copy=False):
        desk.go_on()
        train, dev, test = (vectors[rows] for rows in places)
        probe = fit(train, asked.train.labels, len(asked.classes), "linear", SEED, (dev, asked.dev.labels))
        right = probe.log_probs(test).argmax(1) == asked.test.labels
        layers.append(share(int(right.sum()), len(right))._asdict())
    right = majority(asked) == asked.test.labels
    return {
        "layers": layers,
        "baseline": share(int(right.sum()), len(right))._asdict(),
        "words": len(asked.test),
        "labels": list(asked.classes),
    }


def rows_of(part: Part) -> Array:
    rows: Array = part.places[:, 0]
    return rows


def starts(parts: tuple[Part, ...]) -> list[int]:
    """The number of each part's first word."""
    return [sum(int(one.starts[-1]) for one in parts[:number]) for number in range(len(parts))]
