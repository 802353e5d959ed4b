"""The learning-rate sweep of a real run: its text, model, optimizer and step, as `train` would begin."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mini_bert.models.mini import MiniBERT
from mini_bert.reports import Report, silent
from mini_bert.settings import merged
from mini_bert.training.config import TrainingConfig
from mini_bert.training.materials import Materials
from mini_bert.training.parallel import Team
from mini_bert.training.rate_finder import LearningRateCurve, find_learning_rate
from mini_bert.training.run_folder import RunFolder
from mini_bert.training.trainer import Trainer

WITHOUT_A_GUARD: Mapping[str, Any] = {"guard": {"non_finite": "skip", "spikes": "report"}}
"""The sweep watches the loss itself."""


def sweep(
    config: TrainingConfig,
    made: Materials,
    team: Team,
    model: MiniBERT | None,
    low: float,
    high: float,
    steps: int,
    report: Report = silent,
) -> LearningRateCurve:
    """Train with the rate rising from step to step; `model` is where it begins, None: with random weights.

    Nothing is written: the trainer takes steps, and keeps no account of them.
    """
    config = TrainingConfig.parse(merged(config.model_dump(), WITHOUT_A_GUARD))
    trainer = Trainer(config, RunFolder(Path(os.devnull)), made, team, model)

    def step(rate: float) -> float:
        loss = trainer.one_step(rate).loss
        report(trainer.progress.spent.steps / steps, f"rate {rate:.1e}  loss {loss:.3f}")
        return loss

    return find_learning_rate(step, low, high, steps)
