"""The model that a command uses: the one that is named, or the best that comes with the package."""

from __future__ import annotations

import os
from pathlib import Path

import click
from rich.markup import escape

from mini_bert.cli.screen import console
from mini_bert.models.digest import weights_digest
from mini_bert.models.mini import MiniBERT
from mini_bert.pretrained.loading import load
from mini_bert.pretrained.places import LAST, VARIABLE, is_name
from mini_bert.pretrained.shipped import BEST, NAMES

MODELS = (
    f"{', '.join(NAMES)}, a model's folder, a run, one of its checkpoints, a name on the hub, or {LAST}: the newest"
    " run."
)
"""What `chosen_model` takes, for the help of an option."""

model_option = click.option(
    "--model",
    "model_path",
    metavar="MODEL",
    help=f"{MODELS}  [default: ${VARIABLE}, or {BEST}]",
)
"""`--model`, for `chosen_model(model_path)`."""


def chosen_model(name: str | None, default: str = BEST) -> MiniBERT:
    """The model of a name or at a path, as `mini_bert.load` finds it; without one the default, which is then told."""
    if name is None:
        named = os.environ.get(VARIABLE)
        name = named or default
        tell(f"model: {name}{f' (from ${VARIABLE})' * bool(named)}")
    elif not name:
        raise ValueError(f"--model is empty; name {', '.join(NAMES)}, a folder or a run, or leave it out")
    elif is_name(name) and Path(name).exists():
        tell(f"model: {name}, which is a name of ours; the folder here is ./{name}")
    return load(name)


def told_of(model: MiniBERT) -> dict[str, str]:
    """Which model a result is of, for its JSON: what it is, and a digest of its weights."""
    return {"model": str(model), "weights": weights_digest(model)}


def tell(note: str) -> None:
    console(stderr=True).print(f"[dim]{escape(note)}[/]", soft_wrap=True)
