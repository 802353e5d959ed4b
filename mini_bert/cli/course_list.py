"""`mini-bert course list`: all exercises, and how far you are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.markup import escape

from mini_bert.cli.bars import bar
from mini_bert.cli.course_screen import dir_option
from mini_bert.cli.screen import console, print_json, table
from mini_bert.course.exercise import Exercise, exercises
from mini_bert.course.folder import CourseFolder
from mini_bert.course.page import PHASES, page_of
from mini_bert.course.progress import Progress, Record

BAR = 20

EPILOG = """\b
Examples:
  mini-bert course list
  mini-bert course list --json
"""


@click.command(epilog=EPILOG)
@dir_option
@click.option("--json", "as_json", is_flag=True, help="One JSON object in place of the tables.")
def command(folder: Path | None, as_json: bool) -> None:
    """List the exercises, and how far you are."""
    course = CourseFolder.found(folder)
    progress = Progress.read(course.path)
    if as_json:
        print_json(
            {
                "folder": str(course.path),
                "exercises": [as_dict(course, one, progress.of(one.name)) for one in exercises()],
            }
        )
        return
    screen = console()
    for phase, title in PHASES.items():
        chosen = [one for one in exercises() if page_of(one).about.phase == phase]
        if chosen:
            show_phase(phase, title, chosen, progress, screen)
    done, of = sum(progress.of(one.name).passes for one in exercises()), len(exercises())
    screen.print(f"[bold]{told_share(done, of)}[/]")
    following = course.next()
    if following:
        screen.print(f"[dim]next: {following.name}[/]")


def show_phase(
    phase: int | str, title: str, chosen: list[Exercise], progress: Progress, screen: Console
) -> None:
    done = sum(progress.of(one.name).passes for one in chosen)
    number = "" if phase == "advanced" else f"Phase {phase}: "
    made = table(
        f"{number}{title}  {told_share(done, len(chosen))}", "exercise", "", "when", "minutes", "difficulty"
    )
    made.columns[2].justify = made.columns[4].justify = "left"
    for one in chosen:
        about = page_of(one).about
        hard = " (expert)" if about.tier == "hard" else ""
        made.add_row(
            escape(f"{one.number:02d} {about.title}{hard}"),
            state(progress.of(one.name)),
            about.when,
            str(about.minutes),
            "★" * about.difficulty,
        )
    screen.print(made)


def told_share(done: int, of: int) -> str:
    return f"{bar(done / of, BAR):·<{BAR}} {done}/{of}"


def state(record: Record) -> str:
    if record.passes:
        return "[green]✓[/]"
    return "[yellow]…[/]" if record.attempts else ""


def as_dict(course: CourseFolder, exercise: Exercise, record: Record) -> dict[str, Any]:
    return {
        "name": exercise.name,
        **page_of(exercise).about.model_dump(),
        "file": str(course.file(exercise)),
        "passed": record.passes,
        "attempts": record.attempts,
        "hints": record.hints,
        "saw_solution": record.saw_solution,
    }
