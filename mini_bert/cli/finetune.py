"""`mini-bert finetune`: a pretrained model learns to tell classes or tags."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.markup import escape

from mini_bert.cli.models import chosen_model, model_option, tell, told_of
from mini_bert.cli.progress import progress
from mini_bert.cli.screen import console, print_json
from mini_bert.cli.section_tables import show_section
from mini_bert.data.tasks.tsv import Column
from mini_bert.evaluation.downstream.contest import Contest, contest
from mini_bert.evaluation.downstream.exam import contest_section
from mini_bert.evaluation.downstream.sweep import checked_rates
from mini_bert.evaluation.task_folder import TaskFolder
from mini_bert.finetuning.config import FinetuningConfig
from mini_bert.finetuning.saving import check_free, free_folder, save_finetuned
from mini_bert.finetuning.sources import KNOWN, from_files, named_task, tsv_task
from mini_bert.finetuning.tasks import Task
from mini_bert.inference.reading import tokenizer_of
from mini_bert.settings import assignments

DEFAULTS = FinetuningConfig()
OPTIONS = ("epochs", "learning_rate", "batch")
"""Settings that have an option of their own."""
SETTABLE = {name: field for name, field in FinetuningConfig.model_fields.items() if name not in OPTIONS}

EPILOG = """\b
Examples:
  mini-bert finetune sentiment
  mini-bert finetune sst2 --epochs 1 --max-samples 500 --data tasks
  mini-bert finetune cola --data tasks --seeds 5 --model runs/stories
  mini-bert finetune sst2 --data tasks --seeds 5 --rates 3e-4,1e-3 --set pooling=mean
  mini-bert finetune ner --train train.iob2 --dev dev.iob2 --output names
  mini-bert finetune --train reviews.tsv --dev others.tsv --text review --label stars
  mini-bert finetune --train pairs.tsv --dev more.tsv --text 0 --pair 1 --label 2

With several --rates, each is tried with one seed for the model, and so for the network without pretraining: either
takes what suits it. Dev chooses where there is a test; else whole texts of train do, which are held back for it.

\b
Settings:
{settings}

Columns are named by the header, or numbered from 0 in a file without one. mini-bert predict FOLDER "..." uses the
model afterwards.
""".format(settings="\n".join(f"  {name:18} {field.description}" for name, field in SETTABLE.items()))


@click.command(epilog=EPILOG)
@click.argument("task", required=False, type=click.Choice(list(KNOWN)), metavar="[TASK]")
@model_option
@click.option(
    "--data", type=click.Path(path_type=Path), help="A folder of labelled sets, with sst2, cola, ... in it."
)
@click.option("--train", type=click.Path(path_type=Path), help="Your own files instead: to learn from,")
@click.option("--dev", type=click.Path(path_type=Path), help="to watch,")
@click.option("--test", type=click.Path(path_type=Path), help="and to judge by.  [default: by dev]")
@click.option("--text", metavar="COLUMN", help="Of a TSV file: the texts,")
@click.option("--pair", metavar="COLUMN", help="a second text beside each,")
@click.option("--label", metavar="COLUMN", help="and the classes.")
@click.option(
    "--epochs", type=click.IntRange(min=1), help=f"Passes over the examples.  [default: {DEFAULTS.epochs}]"
)
@click.option("--max-samples", type=click.IntRange(min=1), help="Learn from so many examples at most.")
@click.option(
    "--learning-rate",
    type=click.FloatRange(min=0, min_open=True),
    help="At its highest.  [default: by the model's width, 3e-3 to 3e-5]",
)
@click.option(
    "--rates", metavar="RATE,RATE,...", help="Try these, and take the best for either network by itself."
)
@click.option(
    "--set", "changes", multiple=True, metavar="NAME=VALUE", help="Any other setting, like pooling=mean."
)
@click.option("--batch", type=click.IntRange(min=1), help=f"Examples in a step.  [default: {DEFAULTS.batch}]")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="The first one.")
@click.option(
    "--seeds", type=click.IntRange(min=1), default=1, show_default=True, help="Runs; the median counts."
)
@click.option("--baselines/--no-baselines", default=True, help="What the model must beat.")
@click.option(
    "--at-once", type=click.IntRange(min=1), help="Runs at the same time.  [default: one for each core]"
)
@click.option(
    "--output", type=click.Path(path_type=Path), help="The folder of the model.  [default: runs/TASK-N]"
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object in place of the table.")
def command(
    task: str | None,
    model_path: str | None,
    max_samples: int | None,
    seed: int,
    seeds: int,
    baselines: bool,
    at_once: int | None,
    output: Path | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Fine-tune a model on a TASK, and keep it for mini-bert predict.

    sentiment, pos and ner come with the package: sentences of a small world. sst2, cola and the real pos and ner are
    read from --data; without it, what mini-bert data get has fetched (sst-2, and ud-ewt for pos) comes before the
    world. Which it is, is told. Beside the score stand a bag of words, the most frequent answer, and the same network
    without pretraining, trained in the same way.
    """
    config, rates = config_of(options), rates_of(options)
    folder = output or free_folder(task or "task")
    check_free(folder)
    with progress("reading") as report:
        report(0, "")
        found = task_of(task, options).limited(max_samples)
    tell(f"data: {found.origin}")
    for note in found.notes:
        click.echo(f"note: {note}", err=True)
    model = chosen_model(model_path)
    tokenizer_of(model)
    try:
        with progress("fine-tuning") as report:
            result = contest(
                model,
                found,
                config,
                range(seed, seed + seeds),
                rates=rates,
                baselines=baselines,
                at_once=at_once,
                report=report,
            )
    except KeyboardInterrupt:
        click.echo("interrupted before the end; no model was written", err=True)
        raise
    section = contest_section(result)
    figures = {**told_of(model), **section.figures, "output": str(folder)}
    save_finetuned(result.median.model, folder, figures, for_transformers=model.architecture is not None)
    if as_json:
        print_json(figures)
    else:
        screen = console()
        show_section(section, screen)
        show_next(result, folder, screen)


def config_of(options: dict[str, Any]) -> FinetuningConfig:
    """The settings that options stand for; those not given keep their defaults."""
    named = {name: options[name] for name in OPTIONS if options[name] is not None}
    return FinetuningConfig.parse({**named, **assignments(options["changes"])})


def rates_of(options: dict[str, Any]) -> tuple[float, ...]:
    if options["rates"] is None:
        return ()
    if options["learning_rate"] is not None:
        raise ValueError("--rates and --learning-rate both say how fast to learn; leave one out")
    try:
        rates = [float(rate) for rate in options["rates"].split(",")]
    except ValueError:
        raise ValueError(
            f"--rates {options['rates']}: write numbers with commas between, like 1e-4,3e-4,1e-3"
        ) from None
    return checked_rates(rates)


def task_of(name: str | None, options: dict[str, Any]) -> Task:
    files = {split: options[split] for split in ("train", "dev", "test")}
    columns = {use: column_of(options[use]) for use in ("text", "label", "pair")}
    if any(files.values()):
        if options["data"]:
            raise ValueError("--data and --train: two places for the same; leave one out")
        if name is not None:
            if any(column is not None for column in columns.values()):
                raise ValueError(
                    f"--text, --pair and --label: {name} has columns of its own; leave it or them out"
                )
            return from_files(name, files)
        if columns["text"] is None or columns["label"] is None:
            raise ValueError(
                "--text and --label: name the columns of the TSV files, by their header or by number from 0"
            )
        return tsv_task(files, text=columns["text"], label=columns["label"], pair=columns["pair"])
    if name is None:
        raise ValueError(
            f"no task; name one of {', '.join(KNOWN)}, or your own files: --train FILE --dev FILE"
        )
    if any(column is not None for column in columns.values()):
        raise ValueError("--text, --pair and --label are columns of your own files: --train FILE --dev FILE")
    if options["data"] and not KNOWN[name].folder:
        raise ValueError(f"--data: {name} comes from the embedded world, and is in no folder; leave it out")
    return named_task(name, TaskFolder(options["data"]).path if options["data"] else None)


def column_of(given: str | None) -> Column | None:
    return int(given) if given is not None and given.isdecimal() else given


def show_next(found: Contest, folder: Path, screen: Console) -> None:
    steps = "  ".join(
        f"epoch {number} {epoch.dev:.3f}{' (kept)' if number == found.median.chosen + 1 else ''}"
        for number, epoch in enumerate(found.median.epochs, 1)
    )
    screen.print(f"[dim]on dev after each epoch: {steps}; {found.median.seconds:.0f} s[/]")
    screen.print(f"\n[green]✓[/] {escape(str(folder))}", soft_wrap=True)
    second = ' --pair "..."' if found.task.has_pairs else ""
    screen.print(f'\nTry next:\n  mini-bert predict {escape(str(folder))} "..."{second}', soft_wrap=True)
