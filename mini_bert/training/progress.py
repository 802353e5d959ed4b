"""How far a run has come, and what its last steps were like: the plain numbers of a checkpoint."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from mini_bert.metrics.perplexity import perplexity_of_loss
from mini_bert.training.budget import Spent
from mini_bert.training.changes import Change
from mini_bert.training.step import Gradients

Metrics = dict[str, Any]


@dataclass
class Window:
    """Sums over the steps since metrics were last written."""

    steps: int = 0
    loss: float = 0.0
    accuracy: float = 0.0
    norm: float = 0.0
    second_loss: float | None = None
    second_accuracy: float | None = None
    tokens: int = 0
    seconds: float = 0.0
    troubles: list[str] = field(default_factory=list)

    def means(self) -> Metrics:
        """By the names of metrics.jsonl; None where no step has learned, and no second task where there is none."""
        second = [name for name in ("second_loss", "second_accuracy") if getattr(self, name) is not None]
        names = ["loss", "accuracy", "norm", *second]
        found = {name: getattr(self, name) / self.steps if self.steps else None for name in names}
        loss, norm = found.pop("loss"), found.pop("norm")
        return {
            "loss": loss,
            "perplexity": None if loss is None else perplexity_of_loss(loss),
            "gradient_norm": norm,
            **found,
            "tokens_per_second": self.tokens / max(self.seconds, 1e-9),
        }

    def add(self, result: Gradients, norm: float, tokens: int, seconds: float) -> None:
        self.steps += 1
        self.loss += result.loss
        self.accuracy += result.accuracy
        self.norm += norm
        if result.second:
            self.second_loss = (self.second_loss or 0.0) + result.second[0]
            self.second_accuracy = (self.second_accuracy or 0.0) + result.second[1]
        self.tokens += tokens
        self.seconds += seconds


@dataclass
class Progress:
    """Where a run stands: all plain numbers of a checkpoint, and which settings were changed on the way.

    `uncounted` are seconds of evaluation and saving that the next step will count, so that a run is over after a step.
    """

    spent: Spent = field(default_factory=Spent)
    uncounted: float = 0.0
    window: Window = field(default_factory=Window)
    best: float | None = None
    skipped: int = 0
    skipped_in_a_row: int = 0
    changes: list[Change] = field(default_factory=list)

    @classmethod
    def read(cls, saved: dict[str, Any]) -> Progress:
        """From the plain numbers of a checkpoint."""
        spent, window = Spent(**saved["spent"]), Window(**saved["window"])
        return cls(**{**saved, "spent": spent, "window": window})
