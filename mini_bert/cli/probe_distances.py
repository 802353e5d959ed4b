"""`mini-bert probe distances`: trees from the distances of words' vectors."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from mini_bert.cli.models import chosen_model, model_option
from mini_bert.cli.probe_options import (
    AS_JSON,
    DATA,
    FOLDER,
    HOW,
    chosen_settings,
    own_files,
    own_folder,
    show,
    with_options,
)
from mini_bert.cli.progress import progress
from mini_bert.evaluation.probing.structural import Settings, examine, examine_files
from mini_bert.evaluation.subject import Subject

EPILOG = """\b
Examples:
  mini-bert probe distances --max-sentences 100
  mini-bert probe distances --quick --model runs/stories
  mini-bert probe distances --data tasks --quick --json
  mini-bert probe distances --train train.conllu --test test.conllu
"""


@click.command(epilog=EPILOG)
@with_options(model_option, *DATA, FOLDER, *HOW, AS_JSON)
def command(
    model_path: str | None,
    train: Path | None,
    test: Path | None,
    dev: Path | None,
    data: Path | None,
    quick: bool,
    as_json: bool,
    **given: Any,
) -> None:
    """Tell the tree of a sentence from distances between its words' vectors (Hewitt & Manning 2019).

    Files are CoNLL-U. UUAS is the share of edges that the tree of smallest distances has too.
    """
    files, folder = own_files(train, test, dev, data), own_folder(data)
    settings = chosen_settings("dependency-trees", Settings, quick, given)
    with Subject(chosen_model(model_path)) as subject, progress("probing") as report:
        found = (
            examine_files(subject, files, settings, report)
            if files
            else examine(subject, folder, settings, report)
        )
    show(found, subject.model, as_json)
