"""`mini-bert course reset`: begin an exercise anew."""

from __future__ import annotations

from pathlib import Path

import click
from rich.markup import escape

from mini_bert.cli.course_screen import dir_option, name_argument
from mini_bert.cli.screen import console
from mini_bert.course.exercise import exercise_named, exercises
from mini_bert.course.folder import CourseFolder
from mini_bert.errors import counted

EPILOG = """\b
Examples:
  mini-bert course reset softmax
  mini-bert course reset --all
"""


@click.command(epilog=EPILOG)
@name_argument
@dir_option
@click.option("--all", "reset_all", is_flag=True, help="Every exercise.")
def command(name: str | None, folder: Path | None, reset_all: bool) -> None:
    """Open the gap of an exercise again. Your file is kept beside it, as NAME.py.bak."""
    if (name is None) != reset_all:
        raise ValueError("name one exercise, or say --all")
    course = CourseFolder.found(folder)
    screen = console()
    chosen = exercises() if name is None else [exercise_named(name)]
    for exercise in chosen:
        kept = course.reset(exercise)
        if kept is not None:
            screen.print(
                f"{escape(exercise.file_name)} is open again; yours is {escape(kept.name)}", soft_wrap=True
            )
        elif not reset_all:
            screen.print(f"{escape(exercise.file_name)} is open again", soft_wrap=True)
    if reset_all:
        screen.print(f"{counted(len(chosen), 'exercise')} to do")
