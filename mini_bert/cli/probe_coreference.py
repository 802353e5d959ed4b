"""`mini-bert probe coreference`: which words speak of the same person or thing."""

from __future__ import annotations

from typing import Any

import click

from mini_bert.cli.models import chosen_model, model_option
from mini_bert.cli.probe_options import AS_JSON, chosen_settings, show, with_options
from mini_bert.cli.progress import progress
from mini_bert.evaluation.probing.coreference import Settings, examine
from mini_bert.evaluation.subject import Subject

EPILOG = """\b
Examples:
  mini-bert probe coreference --stories 100
  mini-bert probe coreference --quick
  mini-bert probe coreference --seeds 5 --json
"""


@click.command(epilog=EPILOG)
@with_options(model_option)
@click.option("--stories", type=click.IntRange(min=10), help="Learn from so many.  [default: 1000]")
@click.option("--quick", is_flag=True, help="One seed, no code lengths; all of the data.")
@click.option(
    "--seeds", type=click.IntRange(min=1), help="Repeat with so many.  [default: 3; 1 with --quick]"
)
@click.option(
    "--pooling",
    type=click.Choice(["mean", "first", "last"]),
    default="mean",
    show_default=True,
    help="Of a word's pieces.",
)
@with_options(AS_JSON)
def command(model_path: str | None, quick: bool, as_json: bool, **given: Any) -> None:
    """Tell which words speak of the same person or thing, in stories of the embedded world."""
    settings = chosen_settings("coreference", Settings, quick, given)
    with Subject(chosen_model(model_path)) as subject, progress("probing") as report:
        found = examine(subject, None, settings, report)
    show(found, subject.model, as_json)
