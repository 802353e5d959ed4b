"""`mini-bert course init`: a folder with all exercises."""

from __future__ import annotations

from pathlib import Path

import click
from rich.markup import escape

from mini_bert.cli.course_screen import typed
from mini_bert.cli.screen import console
from mini_bert.course.exercise import exercises
from mini_bert.course.folder import CourseFolder
from mini_bert.errors import counted

EPILOG = """\b
Examples:
  mini-bert course init my-course
  mini-bert course init my-course      # later: adds exercises that are new, and changes nothing else
"""


@click.command(epilog=EPILOG)
@click.argument("folder", type=click.Path(path_type=Path), metavar="DIR")
def command(folder: Path) -> None:
    """Make a folder with all exercises.

    In a course that is there already, exercises that are missing are added; no file of yours is touched.
    """
    course, added = CourseFolder.made(folder)
    known = len(exercises())
    screen = console()
    if added == known:
        screen.print(
            f"{escape(str(course.path))}: a course with {counted(known, 'exercise')}.", soft_wrap=True
        )
    else:
        told = f"{counted(added, 'exercise')} added" if added else "nothing to add"
        screen.print(f"{escape(str(course.path))}: your course; {told}.", soft_wrap=True)
    screen.print(
        "Each is a file with a gap: write your code in place of `raise NotImplementedError`.", soft_wrap=True
    )
    screen.print(
        f"\nBegin with:\n\n  cd {escape(typed(course.path))}\n  mini-bert course next", soft_wrap=True
    )
