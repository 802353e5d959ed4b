"""All figures of a run, from its log and from its last checkpoint."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from mini_bert.diagnosis.autopsy import autopsy
from mini_bert.diagnosis.curves import Line, figures_of_curves
from mini_bert.diagnosis.figures import Figure, Figures
from mini_bert.diagnosis.inside import figures_from_inside
from mini_bert.models.config import ModelConfig
from mini_bert.training.config import TrainingConfig
from mini_bert.training.run_folder import RunFolder

SIGN_LIKE = ("adamw", "lion")
OF_ONE_SIZE = ("normal", "truncated", "depth-scaled")


@dataclass(frozen=True)
class Case:
    """A run to be judged: what was asked for, what was measured, and what could not be."""

    run: Path
    config: TrainingConfig
    steps: int
    figures: Figures
    notes: list[str] = field(default_factory=list)


def examined(folder: Path) -> Case:
    """Measure a run; ValueError if there is none."""
    run = RunFolder(folder)
    config = TrainingConfig.parse(run.settings())
    lines = sorted(run.metrics(), key=lambda line: int(line["step"]))
    if not lines:
        raise ValueError(
            f"{folder}: no step is logged yet; wait for the first {config.logging.every} steps, or name another run"
        )
    figures, notes = from_the_log(lines, config, run)
    try:
        figures |= autopsy(run, config, lines)
    except (ValueError, OSError) as error:
        notes.append(f"no autopsy: {error}")
    return Case(folder, config, lines[-1]["step"], figures, notes)


def from_the_log(lines: Sequence[Line], config: TrainingConfig, run: RunFolder) -> tuple[Figures, list[str]]:
    facts, notes = run.facts(), []
    if not facts:
        notes.append("facts.json is missing: the loss cannot be compared with that of word frequencies")
    inside = figures_from_inside(lines, config.masking)
    if not inside:
        notes.append(
            f"no inspection was logged (every {config.logging.inspect_every} steps): nothing is known of the layers"
        )
    return figures_of_curves(lines, facts) | inside | figures_of_settings(config), notes


def figures_of_settings(config: TrainingConfig) -> Figures:
    """Adam and Lion move a weight by about the learning rate, whatever its gradient: how far is that for a weight?"""
    first = ModelConfig.preset(config.preset, **config.model).initializer
    if config.optimizer.kind not in SIGN_LIKE or first.kind not in OF_ONE_SIZE:
        return {}
    return {"stride": Figure(config.optimizer.learning_rate / first.std)}
