"""An exhibit: one mistake, and the run that is trained with it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mini_bert.models.mini import MiniBERT
from mini_bert.settings import merged
from mini_bert.training.config import TrainingConfig
from mini_bert.training.run_folder import RunFolder
from mini_bert.training.session import new_run
from mini_bert.training.trainer import Trainer, TrainingStopped

STEPS = 120
SOUND: dict[str, Any] = {
    "preset": "debug",
    "corpus": ["world:2000"],
    "optimizer": {"learning_rate": 5e-3},
    "logging": {"every": 5, "inspect_every": 20, "evaluate_every": 40, "exam_rows": 64},
    "guard": {"spikes": "report"},
    "saving": {"every": 40},
}
"""A short sound run: what every exhibit would be without its mistake."""


@dataclass(frozen=True)
class Exhibit:
    """A mistake is made in the settings, or by code that reaches into the folder, the model or the trainer."""

    name: str
    mistake: str
    cause: str
    """the name of the cause that the diagnosis must find"""
    settings: Mapping[str, Any] = field(default_factory=dict)
    in_folder: Callable[[RunFolder], None] = lambda run: None
    in_model: Callable[[MiniBERT], None] = lambda model: None
    in_training: Callable[[Trainer], None] = lambda trainer: None

    def train(self, folder: Path, seed: int = 0, steps: int = STEPS, **settings: Any) -> Path:
        """Train the broken run into a folder like any other; further `settings` are laid over its own.

        One that bursts is left as `mini-bert train` leaves it.
        """
        own = merged(SOUND, {**self.settings, "seed": seed, "budget": {"steps": steps}})
        config = TrainingConfig.named("pretraining", merged(own, settings))
        self.in_folder(RunFolder(folder))
        with new_run(config, folder) as trainer, suppress(TrainingStopped):
            self.in_model(trainer.model)
            trainer.work.network = trainer.model.network
            self.in_training(trainer)
            trainer.run()
        return folder
