"""The last layer's states in a form that can be asked of many checkpoints: the texts are drawn once."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from mini_bert.evaluation.representations.findings import GEOMETRY, first_tokens, layer_figures
from mini_bert.evaluation.representations.reading import text_states
from mini_bert.evaluation.representations.texts import texts_of
from mini_bert.evaluation.subject import Subject
from mini_bert.evaluation.task_folder import TaskFolder

TEXTS, TOKENS, SEED = 60, 2000, 103
DIMENSIONS = ("effective_dimensionality", "effective_rank")
ALIKE = ("token_diversity", "anisotropy")


class LastLayer:
    """`measures()` are functions of a subject; what one has computed, the next need not compute."""

    def __init__(self, tasks: TaskFolder | None = None, seed: int = 0) -> None:
        self.texts = texts_of(tasks, TEXTS, 2, SEED + seed).whole
        self.seed = seed
        self.last: tuple[Subject, dict[str, float]] | None = None

    def measures(self) -> dict[str, Callable[[Subject], Mapping[str, float]]]:
        return {
            "dimensions of the last layer's states": lambda subject: self.figures(subject, DIMENSIONS),
            "how different the last layer's states are": lambda subject: self.figures(subject, ALIKE),
        }

    def figures(self, subject: Subject, names: tuple[str, ...]) -> dict[str, float]:
        if self.last is None or self.last[0] is not subject:
            states = first_tokens(text_states(subject.predictor, self.texts), TOKENS)
            layer = states.layers[-1].astype(np.float64)
            found = layer_figures(layer, states.text, 0, self.seed)
            self.last = subject, {name: found[name].value for name in GEOMETRY}
        return {name.replace("_", " "): self.last[1][name] for name in names}
