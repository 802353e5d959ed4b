"""What all probes are told alike."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from mini_bert.checked import Checked
from mini_bert.cli.models import told_of
from mini_bert.cli.screen import console, print_json
from mini_bert.cli.section_tables import show_section
from mini_bert.evaluation.probing.sources import Files
from mini_bert.evaluation.section import Section
from mini_bert.evaluation.suites import suite
from mini_bert.evaluation.task_folder import TaskFolder
from mini_bert.models.mini import MiniBERT

F = TypeVar("F", bound=Callable[..., Any])
S = TypeVar("S", bound=Checked)

DATA = (
    click.option("--train", type=click.Path(path_type=Path), help="A file to learn from."),
    click.option("--test", type=click.Path(path_type=Path), help="A file to be judged by."),
    click.option(
        "--dev",
        type=click.Path(path_type=Path),
        help="A file to choose the layer by.  [default: a twentieth of the sentences to learn from]",
    ),
)
FOLDER = click.option(
    "--data",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="A folder with ud_ewt and uner_ewt.  [default: the embedded world]",
)
HOW = (
    click.option(
        "--max-sentences", type=click.IntRange(min=2), help="Learn from so many, and be judged by no more."
    ),
    click.option("--quick", is_flag=True, help="One seed, no code lengths; all of the data."),
    click.option(
        "--seeds", type=click.IntRange(min=1), help="Repeat with so many.  [default: 3; 1 with --quick]"
    ),
    click.option(
        "--pooling",
        type=click.Choice(["mean", "first", "last"]),
        default="mean",
        show_default=True,
        help="Of a word's pieces.",
    ),
)
LAYER = click.option(
    "--layer",
    type=click.IntRange(min=0),
    help="This one alone; 0: the embeddings.  [default: all, dev chooses]",
)
AS_JSON = click.option("--json", "as_json", is_flag=True, help="One JSON object in place of the tables.")


def with_options(*options: Callable[[F], F]) -> Callable[[F], F]:
    """All of them, in this order."""

    def decorated(function: F) -> F:
        for option in reversed(options):
            function = option(function)
        return function

    return decorated


def own_files(train: Path | None, test: Path | None, dev: Path | None, data: Path | None) -> Files | None:
    """Those that were named, or None if there are none."""
    if train is None and test is None and dev is None:
        return None
    if data is not None:
        raise ValueError("--data and --train, --test, --dev exclude each other; name a folder or files")
    if train is None or test is None:
        missing = "--train" if train is None else "--test"
        raise ValueError(f"{missing} is missing: a probe learns from one file and is judged by another")
    return Files(train, test, dev)


def own_folder(data: Path | None) -> TaskFolder | None:
    return None if data is None else TaskFolder(data)


def chosen_settings(exam: str, kind: type[S], quick: bool, given: dict[str, Any]) -> S:
    """Those of an exam in the suite `probing`, quick or full, but for what was given."""
    (entry,) = (one for one in suite("probing").entries if one.exam == exam)
    usual = entry.settings("quick" if quick else "full")
    assert isinstance(usual, kind)
    return usual.model_copy(update={name: value for name, value in given.items() if value is not None})


def show(sections: Sequence[Section], model: MiniBERT, as_json: bool) -> None:
    if as_json:
        (section,) = sections
        print_json({**told_of(model), **section.figures})
        return
    for section in sections:
        show_section(section, console())
