"""`mini-bert course report`: how far many learners are."""

from __future__ import annotations

import csv
import io
from dataclasses import asdict, fields
from pathlib import Path

import click
from rich.markup import escape

from mini_bert.cli.bars import bar
from mini_bert.cli.screen import console, print_json, table
from mini_bert.course.class_report import LearnerReport, Line, reports

BAR = 20

EPILOG = """\b
Examples:
  mini-bert course report class/*
  mini-bert course report class              # the courses in this folder
  mini-bert course report class --csv > class.csv
  mini-bert course report class --json
"""


@click.command(epilog=EPILOG)
@click.argument("folders", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="DIR...")
@click.option("--json", "as_json", is_flag=True, help="One JSON object in place of the table.")
@click.option("--csv", "as_csv", is_flag=True, help="A line for each learner and exercise.")
def command(folders: tuple[Path, ...], as_json: bool, as_csv: bool) -> None:
    """Tell how far many learners are: passed, attempts, hints, and minutes from the first look to the pass.

    It reads what each course's progress.json says, and runs no learner's code. A learner is called as the folder is.
    """
    if as_json and as_csv:
        raise ValueError("--json and --csv are two forms; choose one")
    found = reports(folders)
    if as_json:
        print_json({"learners": [one.as_dict() for one in found]})
    elif as_csv:
        click.echo(as_lines(found), nl=False)
    else:
        show(found)


def as_lines(found: list[LearnerReport]) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, [field.name for field in fields(Line)], lineterminator="\n")
    writer.writeheader()
    writer.writerows(asdict(line) for one in found for line in one.lines)
    return text.getvalue()


def show(found: list[LearnerReport]) -> None:
    made = table("Learners", "learner", "", "passed", "attempts", "hints", "solutions", "minutes")
    made.columns[1].justify = "left"
    for one in found:
        share = one.passed / len(one.lines)
        made.add_row(
            escape(one.learner),
            f"{bar(share, BAR):·<{BAR}}",
            f"{one.passed}/{len(one.lines)}",
            f"{one.total('attempts'):,}",
            f"{one.total('hints'):,}",
            f"{one.total('saw_solution'):,}",
            f"{one.total('minutes'):,.0f}",
        )
    console().print(made)
    if len(found) > 1:
        show_stumbling_blocks(found)


def show_stumbling_blocks(found: list[LearnerReport]) -> None:
    """Where they needed most attempts."""
    made = table("Hardest so far", "exercise", "passed", "attempts", "hints")
    by_exercise: dict[str, list[Line]] = {}
    for line in (line for one in found for line in one.lines if line.begun):
        by_exercise.setdefault(line.exercise, []).append(line)
    hardest = sorted(by_exercise, key=lambda name: -mean(by_exercise[name], "attempts"))[:5]
    for name in hardest:
        lines = by_exercise[name]
        passed = f"{sum(line.passed for line in lines)}/{len(lines)}"
        made.add_row(name, passed, f"{mean(lines, 'attempts'):.1f}", f"{mean(lines, 'hints'):.1f}")
    if hardest:
        console().print(made)


def mean(lines: list[Line], what: str) -> float:
    return float(sum(getattr(line, what) for line in lines)) / len(lines)
