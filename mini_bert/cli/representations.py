"""`mini-bert representations`: what a model's states and attention are like, layer by layer."""

from __future__ import annotations

import click

from mini_bert.cli.models import chosen_model, model_option
from mini_bert.cli.progress import progress
from mini_bert.cli.screen import console, print_json
from mini_bert.cli.section_tables import show_section
from mini_bert.evaluation.representations import exam
from mini_bert.evaluation.subject import Subject
from mini_bert.evaluation.task_folder import TaskFolder
from mini_bert.models.digest import weights_digest

USUAL = exam.Settings()

EPILOG = """\b
Examples:
  mini-bert representations
  mini-bert representations --model runs/stories --texts 50 --tokens 2000
  mini-bert representations --data ~/tasks --model ~/models/bert-base-uncased --groups 0 --json

Without --data, stories of the embedded world are read that no model learns from; with it, the dev part of ud_ewt.
"""


@click.command(epilog=EPILOG)
@model_option
@click.option("--data", metavar="FOLDER", help="A folder of labelled sets; sentences of its ud_ewt are read.")
@click.option("--texts", type=click.IntRange(min=2), default=USUAL.texts, show_default=True, help="To read.")
@click.option(
    "--sentences",
    type=click.IntRange(min=2),
    default=USUAL.sentences,
    show_default=True,
    help="To change a little.",
)
@click.option(
    "--tokens",
    type=click.IntRange(min=10),
    default=USUAL.tokens,
    show_default=True,
    help="Whose states are measured, about: whole texts, two at least.",
)
@click.option(
    "--groups",
    type=click.IntRange(min=0),
    default=USUAL.groups,
    show_default=True,
    help="Of texts, left out in turn for the intervals; 0 for none.",
)
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=USUAL.seed,
    show_default=True,
    help="Chooses texts and changes.",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object in place of the tables.")
def command(
    model_path: str | None,
    data: str | None,
    texts: int,
    sentences: int,
    tokens: int,
    groups: int,
    seed: int,
    as_json: bool,
) -> None:
    """Measure the hidden states of every layer: diversity, dimensions, similarity, attention, stability.

    Beside each figure stands that of the same network with random weights.
    """
    settings = exam.Settings(texts=texts, sentences=sentences, tokens=tokens, groups=groups, seed=seed)
    tasks = None if data is None else TaskFolder(data)
    model = chosen_model(model_path)
    with Subject(model) as subject, progress("representations") as report:
        (found,) = exam.examine(subject, tasks, settings, report)
    if as_json:
        print_json({"model_name": str(model), "weights": weights_digest(model), **found.figures})
    else:
        show_section(found, console())
