"""`mini-bert course watch`: check again whenever a file is saved."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import click
from rich.rule import Rule

from mini_bert.cli.course_check import show_one
from mini_bert.cli.course_screen import chosen_exercise, dir_option, name_argument, title_of
from mini_bert.cli.screen import console
from mini_bert.course.exercise import Exercise, exercises
from mini_bert.course.folder import CourseFolder

POLL_SECONDS = 0.4

EPILOG = """\b
Examples:
  mini-bert course watch
  mini-bert course watch softmax     # look at this file only
"""


@click.command(epilog=EPILOG)
@name_argument
@dir_option
def command(name: str | None, folder: Path | None) -> None:
    """Check the next exercise now, and every file again when you save it. Ctrl-C ends it."""
    course = CourseFolder.found(folder)
    first = chosen_exercise(course, name)
    watched = [first] if name is not None else exercises()
    screen = console()
    screen.print("[dim]Watching; save a file to check it, Ctrl-C to end.[/]")
    try:
        for exercise in saved(course, watched, first):
            screen.print(Rule(f"{title_of(exercise)}, {datetime.now():%H:%M:%S}", align="left"))
            show_one(course, exercise, course.check(exercise), folder, screen)
    except KeyboardInterrupt:
        screen.print("\n[dim]Goodbye; mini-bert course next goes on from here.[/]")


def saved(course: CourseFolder, watched: list[Exercise], first: Exercise) -> Iterator[Exercise]:
    """The first one at once, then each whose file has changed. While an editor renames, a file may be missing."""
    before = {exercise: stamp(course.file(exercise)) for exercise in watched}
    yield first
    while True:
        for exercise in watched:
            now = stamp(course.file(exercise))
            if now is not None and now != before[exercise]:
                before[exercise] = now
                yield exercise
        if not course.path.is_dir():
            raise ValueError(f"{course.path}: is gone; watch it again where it is now")
        time.sleep(POLL_SECONDS)


def stamp(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size
