"""The options of `mini-bert profile` and `mini-bert estimate` that say which step is meant."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from mini_bert.models.config import DEFAULT_PRESET, ModelConfig

OPTIONS = (
    click.option("--preset", default=DEFAULT_PRESET, show_default=True, help="Which model."),
    click.option(
        "--batch", type=click.IntRange(min=1), default=8, show_default=True, help="Sequences in a step."
    ),
    click.option(
        "--micro",
        type=click.IntRange(min=1),
        default=8,
        show_default=True,
        help="Sequences that go through the model at a time, in each worker.",
    ),
    click.option("--seq", type=click.IntRange(min=1), help="Tokens of a sequence.  [default: the preset's]"),
    click.option(
        "--workers",
        type=click.IntRange(min=1),
        help="Threads that share a step.  [default: as many as help]",
    ),
)


def trial_options(command: Callable[..., Any]) -> Callable[..., Any]:
    for option in reversed(OPTIONS):
        command = option(command)
    return command


def chosen_config(preset: str, seq: int | None) -> ModelConfig:
    config = ModelConfig.preset(preset)
    return config if seq is None else config.changed(max_seq_length=seq)


def step_title(preset: str, config: ModelConfig, batch: int, micro: int, workers: int) -> str:
    threads = "1 worker" if workers == 1 else f"{workers} workers"
    return (
        f"A training step of {preset}: {batch} × {config.max_seq_length} tokens, at most {micro} × "
        f"{config.max_seq_length} at a time, {threads}"
    )
