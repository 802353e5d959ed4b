"""The model that a command uses: the one that is named, or the one a user most likely means."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import click
from rich.markup import escape

from mini_bert.cli.screen import console
from mini_bert.files import cache_folder
from mini_bert.models.huggingface.reading import from_pretrained
from mini_bert.models.mini import MiniBERT
from mini_bert.run_reports.search import walk
from mini_bert.training.going_on import model_folder

VARIABLE = "MINI_BERT_MODEL"
RUNS = Path("runs")

model_option = click.option(
    "--model",
    "model_path",
    metavar="FOLDER",
    help="A model's folder, a run, one of its checkpoints, or a name on the hub.  "
    f"[default: ${VARIABLE}, or the newest run]",
)
"""`--model`, for `chosen_model(model_path)`."""


def chosen_model(path: str | None) -> MiniBERT:
    """The model at a path, with its `tokenizer` if there is one; without a path the default, which is then told.

    A path is a HuggingFace folder, one that `model.save` wrote, a run or a checkpoint of it, or a name on the hub.
    """
    if path is None:
        path = default_path()
        console(stderr=True).print(f"[dim]model: {escape(path)}[/]", soft_wrap=True)
    place = Path(path).expanduser()
    return from_pretrained(model_folder(place) if place.exists() else path)


def default_path() -> str:
    """What is meant when no model is named; the first that there is."""
    for found in (search() for search in DEFAULTS):
        if found is not None:
            return found
    raise ValueError(
        "no model is named, and there is none to fall back on; `mini-bert demo` trains one in two minutes, "
        f"or name one: --model FOLDER, or the variable {VARIABLE}"
    )


def from_environment() -> str | None:
    return os.environ.get(VARIABLE) or None


def newest_run() -> str | None:
    """Of the runs under ./runs, the one that has saved a checkpoint last."""
    saved = {last_saved(run): run for run in walk(RUNS)}
    newest = max(saved, default=0.0)
    return str(saved[newest]) if newest else None


def last_demo() -> str | None:
    """What `mini-bert demo` trained, where nobody told it to keep the run elsewhere."""
    run = cache_folder() / "demo"
    return str(run) if last_saved(run) else None


def last_saved(run: Path) -> float:
    """When a run's last checkpoint was written; 0 if it has none."""
    checkpoint = run / "checkpoints" / "last" / "config.json"
    return checkpoint.stat().st_mtime if checkpoint.is_file() else 0.0


DEFAULTS: tuple[Callable[[], str | None], ...] = (from_environment, newest_run, last_demo)
"""Where to look, in this order; a model that ships with the package would come last."""
