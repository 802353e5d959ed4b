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
from mini_bert.training.run_folder import MetricsFile, RunFolder
from mini_bert.training.trainer import Trainer

NEVER = 10**9
FOR_A_SWEEP: Mapping[str, Any] = {
    "schedule": {"kind": "constant", "warmup": 0.0, "floor": 0.0, "cooldown": 0.0},
    "guard": {"non_finite": "skip", "spikes": "report"},
    "logging": {"every": NEVER, "evaluate_every": NEVER, "inspect_every": NEVER, "tensorboard": False},
    "saving": {"every": NEVER},
}
"""The sweep sets the rate itself, watches the loss itself, and leaves no files."""


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
    """Train with the rate rising from step to step; `model` is where it begins, None: with random weights."""
    config = TrainingConfig.parse(merged(config.model_dump(), FOR_A_SWEEP))
    told: dict[str, Any] = {}
    trainer = Trainer(config, RunFolder(Path(os.devnull)), made, team, model, listen=told.update)

    with Path(os.devnull).open("w", encoding="utf-8") as nowhere:
        metrics = MetricsFile(nowhere)

        def step(rate: float) -> float:
            optimizer = config.optimizer.model_copy(update={"learning_rate": rate})
            trainer.config = config.model_copy(update={"optimizer": optimizer})
            trainer.one_step(metrics)
            loss = float(told["loss"])
            report(told["step"] / steps, f"rate {rate:.1e}  loss {loss:.3f}")
            return loss

        return find_learning_rate(step, low, high, steps)
