"""`mini-bert probe pos`, `relations`, `edges` and `entities`: probes of words, and of pairs of words."""

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
    LAYER,
    chosen_settings,
    own_files,
    own_folder,
    show,
    with_options,
)
from mini_bert.cli.progress import progress
from mini_bert.evaluation.probing.exam import chosen_tasks, examine_tasks
from mini_bert.evaluation.probing.settings import Settings
from mini_bert.evaluation.probing.sources import from_files
from mini_bert.evaluation.probing.task import Name, task_of
from mini_bert.evaluation.subject import Subject

SHARED = """\b
  mini-bert probe {name} --max-sentences 100
  mini-bert probe {name} --quick --model runs/stories
  mini-bert probe {name} --data tasks --quick --json
  mini-bert probe {name} --train train.{ending} --test test.{ending} --seeds 5

The layer is chosen on dev. Majorities are by words in lower case; a word that train lacks gets the most frequent label.
"""
HELPS: dict[Name, str] = {
    "pos": "Tell the part of speech of each word from its vector.\n\nFiles are CoNLL-U; the tags are universal ones.",
    "relations": "Tell how each word depends on its head, from both words' vectors.\n\nFiles are CoNLL-U. Subtypes, "
    "which follow a colon, are cut off, and the root, which has no head, is left out.",
    "edges": "Tell whether a word is another one's head, from both words' vectors.\n\nFiles are CoNLL-U. Each word "
    "that has a head is asked about once: with its head, or with another word of the sentence, each half of the time.",
    "entities": "Tell which words are names, and of what kind.\n\nFiles have a word and its IOB2 tag on each line, as "
    "Universal NER's or CoNLL-2003's; the kind OTH counts as no name. The layer is chosen by F1 of whole names.",
}


def probing(name: Name) -> click.Command:
    """The command of one task."""

    @click.command(
        name,
        help=HELPS[name],
        epilog="\b\nExamples:\n"
        + SHARED.removeprefix("\b\n").format(name=name, ending="iob2" if name == "entities" else "conllu"),
    )
    @with_options(model_option, *DATA, FOLDER, *HOW, LAYER, AS_JSON)
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
        files, folder = own_files(train, test, dev, data), own_folder(data)
        settings = chosen_settings("word-labels", Settings, quick, {"tasks": [name], **given})
        with Subject(chosen_model(model_path)) as subject, progress("probing") as report:
            if files:
                labels = from_files(name, files, settings.seed)
                tasks = [task_of(name, labels, settings.max_sentences, settings.seed)]
            else:
                tasks = chosen_tasks(folder, settings)
            found = examine_tasks(subject, tasks, settings, report)
        show(found, subject.model, as_json)

    return command


pos, relations, edges, entities = (probing(name) for name in HELPS)
