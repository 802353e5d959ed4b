"""All figures of a run, from its log and from its checkpoints."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import sqrt
from pathlib import Path
from typing import Any

from mini_bert.diagnosis.autopsy import autopsy
from mini_bert.diagnosis.curves import Line, figures_of_curves
from mini_bert.diagnosis.figures import Figure, Figures
from mini_bert.diagnosis.inside import figures_from_inside
from mini_bert.models.config import ModelConfig
from mini_bert.training.config import TrainingConfig
from mini_bert.training.run_folder import RunFolder

SIGN_LIKE = ("adamw", "lion", "muon", "sophia")
OF_ONE_SIZE = ("normal", "truncated", "depth-scaled")


@dataclass(frozen=True)
class Case:
    """A run to be judged: what was asked for, what was measured, and what could not be."""

    run: Path
    config: TrainingConfig
    steps: int
    figures: Figures
    notes: list[str] = field(default_factory=list)


def examined(folder: Path, go_on: Callable[[], None] = lambda: None) -> Case:
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
        recomputed, remarks = autopsy(run, config, lines, go_on)
        figures |= recomputed
        notes += remarks
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
    return figures_of_curves(lines, facts) | inside | figures_of_settings(lines, config, facts), notes


def figures_of_settings(lines: Sequence[Line], config: TrainingConfig, facts: dict[str, Any]) -> Figures:
    """How long is a step, as far as it is known beforehand, beside the weights as they begin?

    Adam, Lion, Muon and Sophia move a weight by about the learning rate or less, whatever its gradient; LAMB moves a
    matrix by this share of itself; SGD moves all weights together by the rate times the gradient that clipping leaves.
    """
    first = ModelConfig.preset(config.preset, **config.model).initializer
    kind = config.optimizer.kind
    rate = config.optimizer.learning_rate or max(line.get("learning_rate") or 0.0 for line in lines)
    if kind == "lamb":
        return {"stride": Figure(rate)}
    if first.kind not in OF_ONE_SIZE:
        return {}
    if kind in SIGN_LIKE:
        return {"stride": Figure(rate / first.std)}
    if (norm := lines[0]["gradient_norm"]) is None or "parameters" not in facts:
        return {}
    if config.clipping.kind == "norm":
        norm = min(norm, config.clipping.max_norm)
    return {"stride": Figure(rate * norm / (first.std * sqrt(facts["parameters"])))}
