"""`mini-bert evaluate`: all that can be asked of a model, in one report."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

import click
from rich.console import Console
from rich.markup import escape
from rich.text import Text

from mini_bert.cli.models import chosen_model
from mini_bert.cli.progress import progress
from mini_bert.cli.screen import console, print_json, table
from mini_bert.errors import counted
from mini_bert.evaluation.abilities import Ability
from mini_bert.evaluation.evaluate import evaluate, name_of
from mini_bert.evaluation.evaluation import FIGURES, Evaluation, check_place
from mini_bert.evaluation.intrinsic.exam_text import OF_THE_WORLD
from mini_bert.evaluation.plan import Plan
from mini_bert.evaluation.section import shown
from mini_bert.evaluation.suites import SUITES
from mini_bert.run_reports.durations import duration

OUTPUT = Path("evaluations")
STYLES = {"yes": "green", "no": "red", "within noise": "yellow"}

EPILOG = f"""\b
Examples:
  mini-bert evaluate
  mini-bert evaluate runs/stories --full
  mini-bert evaluate runs/stories --data ~/tasks --suite probing --suite linguistic
  mini-bert evaluate ~/models/bert-base-uncased --suite my.yaml --output reports/bert

Suites: {", ".join(SUITES)}. A quick evaluation asks all data once, with one seed; a full one asks with several
seeds and gives intervals over them.
"""


@click.command(epilog=EPILOG)
@click.argument("model_path", metavar="[MODEL]", required=False)
@click.option("--quick/--full", default=True, show_default="quick", help="One seed, or all there is.")
@click.option("--data", metavar="FOLDER", help="Labelled sets to ask, in place of the embedded world.")
@click.option("--suite", "suites", multiple=True, metavar="NAME", help="Only this suite, or a YAML of yours.")
@click.option(
    "--output",
    type=click.Path(path_type=Path),
    metavar="FOLDER",
    help=f"Where report.html and {FIGURES} go.  [default: {OUTPUT}/MODEL-quick or -full]",
)
@click.option(
    "--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Another one draws other lots."
)
@click.option("--overfit-one-batch", is_flag=True, help="Can it learn one batch by heart? Ask that too.")
@click.option(
    "--across-training", is_flag=True, help="Ask every checkpoint of the run too: when did it learn what?"
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object in place of the tables.")
def command(
    model_path: str | None,
    quick: bool,
    data: str | None,
    suites: tuple[str, ...],
    output: Path | None,
    seed: int,
    overfit_one_batch: bool,
    across_training: bool,
    as_json: bool,
) -> None:
    """Examine MODEL in all that applies to it, and write a report.

    MODEL is mini, mini-best, a model's folder, a run, one of its checkpoints, a name on the hub, or last: the newest
    run. Without it, it is mini-best, or what $MINI_BERT_MODEL names.
    Every score stands beside those of simple baselines and of the same network with random weights.
    """
    model = chosen_model(model_path)
    size = "quick" if quick else "full"
    place = output or OUTPUT / f"{name_of(model)}-{size}"
    check_place(place)
    with progress("evaluating") as report:
        found = evaluate(
            model,
            quick=quick,
            tasks=data,
            suites=suites,
            beside=["one-batch"] * overfit_one_batch + ["across-training"] * across_training,
            seed=seed,
            report=report,
            announce=lambda plan: announce(plan, size),
            command=shlex.join(["mini-bert", *sys.argv[1:]]),
        )
    page = found.write(place)
    if as_json:
        print_json({**found.as_dict(), "report": str(page)})
    else:
        show(found, page, console())


def announce(plan: Plan, size: str) -> None:
    """What is going to be asked, and how long that will take."""
    by_suite: dict[str, float] = {}
    for one in plan.exams:
        by_suite[one.suite.name] = by_suite.get(one.suite.name, 0.0) + one.seconds
    parts = ", ".join(f"{name} {duration(seconds)}" for name, seconds in by_suite.items())
    told = f"{size} evaluation: {counted(len(plan.exams), 'exam')}, about {duration(plan.seconds)}"
    console(stderr=True).print(Text(f"{told} ({parts})" if parts else told, "dim"))


def show(found: Evaluation, page: Path, screen: Console) -> None:
    if found.abilities:
        show_summary(found.abilities, screen)
    else:
        screen.print(f"{counted(len(found.sections), 'section')}; the report has the figures.")
    for reason in found.reasons:
        screen.print(Text(f"left out: {reason}", "dim"))
    if found.tasks is None and found.abilities:
        screen.print(Text(f"asked on the embedded world. {OF_THE_WORLD}", "dim"))
    screen.print(f"{counted(len(found.results), 'exam')} in {duration(found.seconds)}")
    screen.print(f"report: {escape(str(page))}", soft_wrap=True)


def show_summary(abilities: Sequence[Ability], screen: Console) -> None:
    made = table(
        "Summary, with 95 % intervals (those of rivals are in the report)",
        "ability",
        "this model",
        "best rival",
        "beats all",
        "which",
        shortened=["which"],
    )
    for ability in abilities:
        rival, verdict = ability.best_rival, ability.verdict
        made.add_row(
            Text(ability.title),
            shown(ability.score, ability.measure),
            shown(rival.score.value, ability.measure),
            Text(verdict, STYLES[verdict]),
            Text(rival.name),
        )
    screen.print(made)
