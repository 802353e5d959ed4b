"""`mini-bert probe custom`: labels of one's own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from mini_bert.cli.models import chosen_model, model_option
from mini_bert.cli.probe_options import (
    AS_JSON,
    DATA,
    HOW,
    LAYER,
    chosen_settings,
    own_files,
    show,
    with_options,
)
from mini_bert.cli.progress import progress
from mini_bert.evaluation.probing.columns import from_columns
from mini_bert.evaluation.probing.exam import examine_tasks
from mini_bert.evaluation.probing.settings import Settings
from mini_bert.evaluation.probing.task import task_of
from mini_bert.evaluation.subject import Subject

EPILOG = """\b
Examples:
  mini-bert probe custom --train train.conllu --test test.conllu --column 4
  mini-bert probe custom --train train.txt --test test.txt --column -1 --quick --json
  mini-bert probe custom --train a.tsv --test b.tsv --word-column 2 --column 0

Files have a word on each line, columns between tabs or spaces, and a blank line after each sentence. Columns are
numbered from 0; -1 is the last. In CoNLL-U, 3 is the universal part of speech and 4 the language's own.
"""


@click.command(epilog=EPILOG)
@with_options(model_option, *DATA)
@click.option("--column", type=int, required=True, help="That of the labels, from 0; -1 is the last.")
@click.option(
    "--word-column",
    type=int,
    help="That of the words.  [default: 1 if all lines begin with a number, else 0]",
)
@with_options(*HOW, LAYER, AS_JSON)
def command(
    model_path: str | None,
    train: Path | None,
    test: Path | None,
    dev: Path | None,
    column: int,
    word_column: int | None,
    quick: bool,
    as_json: bool,
    **given: Any,
) -> None:
    """Tell labels of your own from the vectors of words, with the same baselines and controls as the other probes."""
    files = own_files(train, test, dev, None)
    if files is None:
        raise ValueError("no data; name it: --train FILE --test FILE")
    settings = chosen_settings("word-labels", Settings, quick, given)
    labels = from_columns(files, column, word_column)
    task = task_of("custom", labels, settings.max_sentences, settings.seed)
    with Subject(chosen_model(model_path)) as subject, progress("probing") as report:
        found = examine_tasks(subject, [task], settings, report)
    show(found, subject.model, as_json)
