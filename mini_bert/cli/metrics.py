"""`mini-bert metrics`: how well a model does what it was trained for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

import click

from mini_bert.cli.models import chosen_model, model_option, told_of
from mini_bert.cli.progress import progress
from mini_bert.cli.screen import console, print_json
from mini_bert.cli.section_tables import show_section
from mini_bert.evaluation.intrinsic import exam, gradient_health, overfit, self_test
from mini_bert.evaluation.intrinsic.exam_text import ExamText, file_texts
from mini_bert.evaluation.intrinsic.questions import RowLayout
from mini_bert.evaluation.intrinsic.several_texts import examine_several
from mini_bert.evaluation.section import Section
from mini_bert.evaluation.subject import Subject
from mini_bert.evaluation.task_folder import TaskFolder
from mini_bert.models.mini import MiniBERT
from mini_bert.reports import Report, part

EPILOG = """\b
Examples:
  mini-bert metrics
  mini-bert metrics --text my.txt --json
  mini-bert metrics --text "held_out/*.txt.gz" --counts-from "train/*.txt.gz" --disguise bert
  mini-bert metrics --text sentences.txt --layout documents
  mini-bert metrics --data ~/tasks --model ~/models/bert-base-uncased --max-rows 100
  mini-bert metrics --overfit-one-batch --gradients
  mini-bert metrics --test

Without --text or --data, words are hidden in stories of the embedded world that no model learns from. --data
takes the dev part of ud_ewt, and tells its parts of speech. --test needs no model.

Text is packed into rows as long as the model reads, 128 tokens at most: documents (paragraphs, with an empty line
between) one after the other. With --layout documents each has a row of its own, as suits files of single sentences.
Of several texts, each is told by itself and all together, by their lengths; of a single one, more is asked.
"""


@click.command(epilog=EPILOG)
@model_option
@click.option(
    "--text",
    "texts",
    multiple=True,
    metavar="FILE",
    help="Hide words in this text, plain or .gz. May be repeated, or a folder, or a glob in quotes.",
)
@click.option(
    "--counts-from",
    multiple=True,
    metavar="FILE",
    help="Let the baselines count in this text.  [default: what the model learned from, if it is there, else the "
    "other half of each text]",
)
@click.option(
    "--layout",
    type=click.Choice(get_args(RowLayout)),
    default=exam.Settings().layout,
    show_default=True,
    help="Full rows, or a row for each document.",
)
@click.option(
    "--disguise",
    type=click.Choice(["mask", "bert"]),
    default=exam.Settings().disguise,
    show_default=True,
    help="Hide all words behind [MASK]; bert: tell beside that what 80 % masked, 10 % replaced, 10 % kept gives.",
)
@click.option("--data", metavar="FOLDER", help="Hide words in the ud_ewt of this folder of labelled sets.")
@click.option(
    "--max-rows",
    type=click.IntRange(min=2),
    default=exam.Settings().rows,
    show_default=True,
    help="Of text, at most.",
)
@click.option(
    "--counted-tokens",
    type=click.IntRange(min=1),
    default=exam.Settings().counted_tokens,
    show_default=True,
    help="Let the baselines count in so many at most: each takes memory.",
)
@click.option(
    "--sentences",
    type=click.IntRange(min=0),
    default=exam.Settings().sentences,
    show_default=True,
    help="For the pseudo-perplexity.",
)
@click.option(
    "--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Another one hides other words."
)
@click.option("--overfit-one-batch", is_flag=True, help="Can it learn one batch by heart? Ask that too.")
@click.option("--gradients", is_flag=True, help="Look at the gradient of one batch too.")
@click.option("--test", "is_test", is_flag=True, help="Only check each metric on a case with a known answer.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object in place of the tables.")
@click.pass_context
def command(
    ctx: click.Context,
    model_path: str | None,
    texts: tuple[str, ...],
    counts_from: tuple[str, ...],
    data: str | None,
    max_rows: int,
    counted_tokens: int,
    sentences: int,
    layout: RowLayout,
    disguise: Literal["mask", "bert"],
    seed: int,
    overfit_one_batch: bool,
    gradients: bool,
    is_test: bool,
    as_json: bool,
) -> None:
    """Hide 15 % of the words of a text and see how many a model finds, how surprised and how sure it is.

    A model that sees only what comes before is asked for each next word. Beside it stand word counts, the words beside
    the hidden one, and the same network with random weights.
    """
    if is_test:
        told = self_test.section()
        if as_json:
            print_json(dict(told.figures))
        else:
            show([told])
        ctx.exit(0 if told.figures["passed"] else 1)
    if texts and data is not None:
        raise ValueError("--text and --data both name the text; choose one")
    if counts_from and not texts:
        raise ValueError("--counts-from: is for texts of your own; name them too, --text FILE")
    settings = exam.Settings(
        rows=max_rows,
        sentences=sentences,
        counted_tokens=counted_tokens,
        layout=layout,
        disguise=disguise,
        seed=seed,
    )
    model = chosen_model(model_path)
    given = texts_for(model, texts, counts_from, data, settings)
    if as_json:
        tell_notes(given if texts else [])
    if len(given) > 1 and (overfit_one_batch or gradients):
        raise ValueError("--overfit-one-batch and --gradients look at one batch; name a single --text")
    with Subject(model) as subject, progress("metrics") as report:
        if len(given) > 1:
            found = examine_several(subject, given, settings, report)
        else:
            found = exam.examine_on(subject, given[0], settings, part(report, 0.0, 0.7))
            found += further(subject, given[0], seed, overfit_one_batch, gradients, part(report, 0.7, 1.0))
    if as_json:
        figures = dict(found[-1].figures) if len(given) > 1 else exam.summary(found)
        print_json({**told_of(model), **figures})
    else:
        show(found)


def texts_for(
    model: MiniBERT,
    texts: Sequence[str],
    counts_from: Sequence[str],
    data: str | None,
    settings: exam.Settings,
) -> list[ExamText]:
    if texts:
        return file_texts(texts, model, counts_from)
    return [exam.text_of(TaskFolder(data) if data is not None else None, settings)]


def tell_notes(texts: Sequence[ExamText]) -> None:
    """What tables would say of texts, for whoever asks for none."""
    for text in texts:
        if text.note:
            click.echo(f"note: {text.told}: {text.note}", err=True)


def further(
    subject: Subject, text: ExamText, seed: int, by_heart: bool, gradients: bool, report: Report
) -> list[Section]:
    """What is asked beside, if it is."""
    found: list[Section] = []
    if by_heart:
        found += overfit.examine_on(subject, text, overfit.Settings(seed=seed), report)
    if gradients:
        found += gradient_health.examine_on(subject, text, gradient_health.Settings(seed=seed))
    return found


def show(sections: list[Section]) -> None:
    screen = console()
    for section in sections:
        show_section(section, screen)
