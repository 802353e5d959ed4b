"""Experiments and what they found, in a terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from mini_bert.cli.screen import table
from mini_bert.experiments.comparison import Comparison
from mini_bert.experiments.experiment import Experiment
from mini_bert.experiments.tables import TextTable, main_table, text_table
from mini_bert.settings import flat


def show_list(experiments: Sequence[Experiment], screen: Console) -> None:
    width = max(len(experiment.name) for experiment in experiments)
    made = Table.grid(padding=(0, 2))
    made.add_column(min_width=width, no_wrap=True)
    made.add_column()
    for experiment in experiments:
        variants = " | ".join(experiment.titles.values())
        told = Text.assemble(experiment.question, "\n", (variants, "dim"))
        made.add_row(Text(experiment.name, "bold"), told)
    screen.print(made)
    screen.print(
        "\nThe first is what the others are compared with. Train them: mini-bert experiment NAME --out search",
        soft_wrap=True,
    )


def show_experiment(experiment: Experiment, screen: Console) -> None:
    screen.print(Text(experiment.question, "bold"))
    if experiment.told:
        screen.print(Text(experiment.told.strip(), "dim"))
    made = table("", experiment.name, "settings", shortened=["settings"])
    for variant, title in experiment.titles.items():
        changes = experiment.variants.get(variant)
        made.add_row(escape(title), escape(in_words(changes)) if changes else "the base")
    screen.print(made)


def in_words(changes: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={value}" for name, value in flat(changes).items())


def show_comparison(comparison: Comparison, screen: Console) -> None:
    screen.print(Text(comparison.experiment.question, "bold underline"))
    show_table(main_table(comparison), screen)
    if comparison.texts:
        show_table(text_table(comparison), screen)
    for note in comparison.notes:
        screen.print(Text(note, "yellow"))
    screen.print()


def show_table(told: TextTable, screen: Console) -> None:
    made = table("", *told.header)
    for number, row in enumerate(told.rows):
        made.add_row(*map(escape, row), style="" if number else "bold")
    screen.print(made)
