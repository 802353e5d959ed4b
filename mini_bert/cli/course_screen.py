"""What the commands of the course share: which folder, which exercise, how a page and a verdict look."""

from __future__ import annotations

import os
import re
from pathlib import Path

import click
from rich.console import Console
from rich.markdown import Markdown
from rich.markup import escape
from rich.padding import Padding

from mini_bert.course.exercise import HOME, Exercise, exercise_named, exercises
from mini_bert.course.folder import CourseFolder
from mini_bert.course.formulas import without_latex
from mini_bert.course.page import PHASES, page_of
from mini_bert.course.verdict import Verdict

PACKAGE = HOME.parents[1]
LINK = re.compile(r"\[([^\]]+)\]\((?!https?:)([^)#]+)(?:#[^)]*)?\)")

dir_option = click.option(
    "--dir",
    "folder",
    type=click.Path(path_type=Path),
    help="The course's folder.  [default: the one we are in]",
)
name_argument = click.argument("name", required=False, metavar="[NAME]")
"""An exercise: 07_softmax, softmax or 7."""


def chosen_exercise(folder: CourseFolder, name: str | None) -> Exercise:
    """The one that is named, or the next that is not passed; after the last one, the last."""
    return exercise_named(name) if name is not None else folder.next() or exercises()[-1]


def title_of(exercise: Exercise) -> str:
    return f"{exercise.number:02d} {page_of(exercise).about.title}"


def show_heading(exercise: Exercise, screen: Console) -> None:
    about = page_of(exercise).about
    stars = "★" * about.difficulty + "☆" * (5 - about.difficulty)
    hard = ", for experts" if about.tier == "hard" else ""
    phase = (
        f"phase {about.phase}: {PHASES[about.phase]}" if about.phase != "advanced" else PHASES[about.phase]
    )
    screen.print(f"\n[bold]{escape(title_of(exercise))}[/]")
    screen.print(f"[dim]{phase}, {about.when} · {stars}{hard} · about {about.minutes} minutes[/]\n")


def show_markdown(text: str, exercise: Exercise, screen: Console) -> None:
    shown = Markdown(without_latex(with_places(text, exercise)), code_theme="ansi_light", hyperlinks=False)
    screen.print(Padding(shown, (0, 2, 1, 0)))


def with_places(text: str, exercise: Exercise) -> str:
    """A link into the package as the place of the file, for nobody clicks in a terminal."""

    def told(link: re.Match[str]) -> str:
        place = Path(os.path.normpath(exercise.folder / link[2])).relative_to(PACKAGE.parent)
        return f"{link[1]} in {place.as_posix()}"

    return LINK.sub(told, text)


def show_verdict(exercise: Exercise, verdict: Verdict, screen: Console) -> None:
    for step in verdict.steps_passed:
        screen.print(f"  [green]✓[/] {escape(step)}")
    if verdict.step_failed:
        screen.print(f"  [red]✗[/] {escape(verdict.step_failed)}")
    name = escape(title_of(exercise))
    if verdict.passed:
        screen.print(f"[bold green]{name}: passed[/]")
    elif verdict.kind == "open":
        screen.print(f"[bold yellow]{name}: not written yet[/]")
    else:
        screen.print(f"[bold red]{name}: not yet[/]")
    if verdict.message:
        screen.print()
        for line in verdict.message.splitlines():
            style = "bold" if line.startswith("Likely mistake") else None
            screen.print(line, style=style, markup=False, soft_wrap=line.startswith(" "))
    for warning in verdict.warned:
        screen.print(f"NumPy warned, {warning}", markup=False, style="yellow")
    if verdict.printed.strip():
        screen.print("\n[dim]your code printed:[/]")
        screen.print(verdict.printed.rstrip(), markup=False, soft_wrap=True)


def about_this(folder: CourseFolder, verb: str, exercise: Exercise, given: Path | None) -> str:
    """The command that does this with the exercise, which is named only if it is not the next one anyway."""
    named = "" if folder.next() == exercise else f" {exercise.number}"
    return told_command(folder, verb + named, given)


def told_command(folder: CourseFolder, words: str, given: Path | None) -> str:
    """The command as it is to be typed here."""
    where = f" --dir {typed(folder.path)}" if given is not None else ""
    return f"mini-bert course {words}{where}"


def typed(path: Path) -> str:
    """As one types it: in quotation marks if it has a space, in every shell."""
    return f'"{path}"' if " " in str(path) else str(path)
