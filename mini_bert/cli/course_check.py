"""`mini-bert course check`: is it right, and if not, what is wrong?"""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.markup import escape

from mini_bert.cli.course_screen import (
    about_this,
    chosen_exercise,
    dir_option,
    name_argument,
    show_markdown,
    show_verdict,
    title_of,
    told_command,
)
from mini_bert.cli.screen import console, print_json
from mini_bert.course.exercise import Exercise, exercise_named, exercises
from mini_bert.course.folder import CourseFolder
from mini_bert.course.page import AFTERWARDS, page_of
from mini_bert.course.progress import Progress
from mini_bert.course.verdict import Verdict
from mini_bert.errors import counted

EPILOG = """\b
Examples:
  mini-bert course check
  mini-bert course check softmax
  mini-bert course check --all
  mini-bert course check 7 --json
  mini-bert course check --self-test     # for those who write exercises; needs no course's folder

The exit code is 0 if all that was asked for is passed, else 1.
"""


@click.command(epilog=EPILOG)
@name_argument
@dir_option
@click.option("--all", "check_all", is_flag=True, help="Check every exercise.")
@click.option("--self-test", "testing", is_flag=True, help="Prove the checks: unsolved, solutions, mutants.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object in place of the story.")
@click.pass_context
def command(
    ctx: click.Context, name: str | None, folder: Path | None, check_all: bool, testing: bool, as_json: bool
) -> None:
    """Tell whether your code is right, and if not, what is wrong: the next exercise, or the one you name.

    Your code runs in a process of its own, with limits of time and memory.
    """
    if testing:
        from mini_bert.cli.course_self_test import run_self_test

        ctx.exit(0 if run_self_test([exercise_named(name)] if name else exercises(), as_json) else 1)
    if name is not None and check_all:
        raise ValueError(f"--all and {name}: name one exercise or check them all")
    course = CourseFolder.found(folder)
    chosen = exercises() if check_all else [chosen_exercise(course, name)]
    screen = console(quiet=as_json)
    found: dict[str, Verdict] = {}
    for exercise in chosen:
        found[exercise.name] = verdict = course.check(exercise)
        if check_all:
            show_line(exercise, verdict, screen)
        else:
            show_one(course, exercise, verdict, folder, screen)
    if as_json:
        print_json(as_dict(course, found))
    elif check_all:
        screen.print(
            f"\n{sum(one.passed for one in found.values())} of {counted(len(found), 'exercise')} passed"
        )
    ctx.exit(0 if all(verdict.passed for verdict in found.values()) else 1)


def show_one(
    course: CourseFolder, exercise: Exercise, verdict: Verdict, given: Path | None, screen: Console
) -> None:
    """A verdict, and how to go on from there."""
    show_verdict(exercise, verdict, screen)
    if verdict.passed:
        screen.print()
        show_markdown(page_of(exercise).sections[AFTERWARDS], exercise, screen)
        progress = Progress.read(course.path)
        done = sum(progress.of(one.name).passes for one in exercises())
        following = course.next()
        more = f"; next is {title_of(following)}" if following else ": that is all"
        screen.print(f"{done} of {len(exercises())} passed{more}.")
        if following:
            screen.print(f"Go on with: {escape(told_command(course, 'next', given))}", soft_wrap=True)
    else:
        where = f"{course.file(exercise)}{f':{verdict.line}' if verdict.line else ''}"
        screen.print(f"\n[dim]Edit   {escape(where)}[/]", soft_wrap=True)
        screen.print(f"[dim]Stuck  {escape(about_this(course, 'hint', exercise, given))}[/]", soft_wrap=True)


def show_line(exercise: Exercise, verdict: Verdict, screen: Console) -> None:
    if verdict.passed:
        screen.print(f"[green]✓[/] {escape(title_of(exercise))}")
    else:
        mark = "[yellow]·[/]" if verdict.kind == "open" else "[red]✗[/]"
        first = verdict.message.splitlines()[0] if verdict.message else ""
        screen.print(f"{mark} {escape(title_of(exercise))}  [dim]{escape(first)}[/]")


def as_dict(course: CourseFolder, found: dict[str, Verdict]) -> dict[str, Any]:
    return {
        "folder": str(course.path),
        "passed": sum(verdict.passed for verdict in found.values()),
        "verdicts": {name: {"passed": verdict.passed} | asdict(verdict) for name, verdict in found.items()},
    }
