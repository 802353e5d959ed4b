"""`mini-bert find-rate`: which learning rate suits a run, by a sweep."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click
from rich.console import Console
from rich.markup import escape

from mini_bert.cli import train
from mini_bert.cli.progress import progress
from mini_bert.cli.screen import console, print_json
from mini_bert.settings import assignments, merged
from mini_bert.training.assembly import workers_of
from mini_bert.training.config import DEFAULT_TRAINING, TrainingConfig
from mini_bert.training.going_on import going_on
from mini_bert.training.materials import materials
from mini_bert.training.parallel import Team
from mini_bert.training.rate_finder import LearningRateCurve
from mini_bert.training.rate_sweep import sweep
from mini_bert.training.session import first_model

OF_TRAINING = {"template", "preset", "corpus", "tokenizer", "init", "batch", "seed", "dtype", "changes"}
"""Options that mean here what they mean to `train`."""

UNSET: dict[str, Any] = {
    str(option.name): () if isinstance(option, click.Option) and option.multiple else None
    for option in train.command.params
}

EPILOG = """\b
Examples:
  mini-bert find-rate --preset debug --plot rates.png
  mini-bert find-rate --config pretraining --corpus "books/*.txt" --set optimizer.kind=lion
  mini-bert find-rate --from 1e-5 --to 0.1 --steps 200 --json

The sweep trains a model of its own and keeps nothing. The rate it suggests is a start: training at a
constant rate bears less than one that warms up and goes down again.
"""


@click.command(
    epilog=EPILOG, params=[option for option in train.command.params if option.name in OF_TRAINING]
)
@click.option("--from", "low", type=float, default=1e-7, show_default=True, help="The lowest rate.")
@click.option("--to", "high", type=float, default=1.0, show_default=True, help="The highest rate.")
@click.option("--steps", type=int, default=100, show_default=True, help="Steps of the sweep.")
@click.option("--plot", type=click.Path(path_type=Path), help="Draw the sweep into this .png or .svg.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object in place of the story.")
def command(
    template: str | None,
    changes: tuple[str, ...],
    low: float,
    high: float,
    steps: int,
    plot: Path | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Find a learning rate: raise it from step to step, and see where the loss falls and where it bursts.

    Everything else is as `mini-bert train` with the same options would have it.
    """
    if plot is not None:
        from mini_bert.plots.style import check_format

        check_format(plot)
    settings = merged(train.from_options(UNSET | options), assignments(changes))
    config = going_on(TrainingConfig.named(template or DEFAULT_TRAINING, settings))
    curve = swept(config, low, high, steps)
    if plot is not None:
        draw(curve, plot)
    if as_json:
        print_json(as_dict(curve, plot))
    else:
        show(curve, plot, console())


def swept(config: TrainingConfig, low: float, high: float, steps: int) -> LearningRateCurve:
    with TemporaryDirectory() as nothing_here, progress("reading text") as report:
        made = materials(config, Path(nothing_here) / "tokenizer", report)
    with Team(workers_of(config, made.tokenizer)) as team, progress("sweeping") as report:
        return sweep(config, made, team, first_model(config, made.tokenizer), low, high, steps, report)


def draw(curve: LearningRateCurve, path: Path) -> None:
    from mini_bert.plots.rate_finder import learning_rates
    from mini_bert.plots.style import save

    save(learning_rates(curve), path)


def show(curve: LearningRateCurve, plot: Path | None, screen: Console) -> None:
    low, high = float(curve.rates[0]), float(curve.rates[-1])
    screen.print(f"{len(curve.rates)} steps, from {low:.1e} to {high:.1e}")
    if curve.steepest is None:
        screen.print("the loss never fell")
    else:
        screen.print(f"the loss fell fastest at {curve.steepest:.1e}")
    if curve.diverged_at is None:
        screen.print(f"and had not burst at {high:.1e}; raise --to to see where it does")
    else:
        screen.print(f"and burst at {curve.diverged_at:.1e}: a tenth of that is the most to dare")
    if curve.suggestion is None:
        screen.print("[yellow]no rate to suggest: widen the sweep with --from and --to, or --steps[/]")
    else:
        screen.print(f"[bold]suggested: --learning-rate {curve.suggestion:.1e}[/]")
    if plot is not None:
        screen.print(f"plot: {escape(str(plot))}", soft_wrap=True)


def as_dict(curve: LearningRateCurve, plot: Path | None) -> dict[str, Any]:
    return {
        "suggestion": curve.suggestion,
        "steepest": curve.steepest,
        "diverged_at": curve.diverged_at,
        "rates": curve.rates.tolist(),
        "losses": curve.losses.tolist(),
        "smoothed": curve.smoothed.tolist(),
        "plot": None if plot is None else str(plot),
    }
