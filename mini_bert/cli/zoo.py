"""`mini-bert zoo`: the BERT family, each member as a difference from its parent."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import click
from rich.console import Console
from rich.markup import escape
from rich.padding import Padding
from rich.table import Table

from mini_bert.cli.screen import console, print_json, table
from mini_bert.models.build import build_network
from mini_bert.models.comparison import NOTHING, setting_changes
from mini_bert.models.cost import parameters
from mini_bert.models.line_counts import Lines, lines_of_member
from mini_bert.models.zoo import MEMBERS, Member

EPILOG = """\b
Examples:
  mini-bert zoo
  mini-bert zoo --settings
  mini-bert zoo --json
  mini-bert compare bert-base gpt2         two of them, part by part
"""


@dataclass(frozen=True)
class Entry:
    """A member, and what it takes to say it: settings that differ from its parent's, and lines of code."""

    member: Member
    settings: dict[str, tuple[Any, Any]]
    lines: dict[str, Lines]
    parameters: int

    @property
    def changed(self) -> str:
        """The first line of the builder's docstring."""
        return (self.member.build.__doc__ or "").strip().splitlines()[0]

    @property
    def total(self) -> Lines:
        return sum(self.lines.values(), Lines())


@click.command(epilog=EPILOG)
@click.option(
    "--settings", "with_settings", is_flag=True, help="Show every setting that differs, and every part."
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object in place of the tables.")
def command(with_settings: bool, as_json: bool) -> None:
    """List the BERT family: what each member changed, and how much code that takes.

    Lines are those of its builder and of the parts that came with it, without empty lines, comments and docstrings; "in
    all" has those too. Weights are those of its base size.
    """
    entries = [entry_of(member) for member in MEMBERS.values()]
    if as_json:
        print_json({"members": [as_dict(entry) for entry in entries]})
    else:
        show(entries, console(), with_settings=with_settings)


def entry_of(member: Member) -> Entry:
    config = member.build()
    settings = setting_changes(MEMBERS[member.parent].build(), config) if member.parent else {}
    settings.pop("family", None)
    return Entry(member, settings, lines_of_member(member), sum(parameters(build_network(config)).values()))


def show(entries: list[Entry], screen: Console, *, with_settings: bool) -> None:
    screen.print(family_table(entries))
    width = max(len(entry.member.name) for entry in entries)
    for entry in entries:
        line = Table.grid(padding=(0, 2))
        line.add_column(width=width, style="bold")
        line.add_row(entry.member.name, escape(entry.changed))
        screen.print(line)
        if with_settings:
            tell_all(entry, screen)
    if not with_settings:
        screen.print("\n[dim]--settings shows what each of them changes, by name.[/]")


def family_table(entries: list[Entry]) -> Table:
    made = table("The BERT family", "member", "parent", "settings", "parts", "lines", "in all", "weights")
    made.columns[1].justify = "left"
    for entry in entries:
        made.add_row(
            entry.member.name,
            entry.member.parent or "",
            str(len(entry.settings)) if entry.member.parent else "",
            str(len(entry.member.parts)) if entry.member.parts else "",
            f"{entry.total.code:,}",
            f"{entry.total.written:,}",
            f"{entry.parameters / 1e6:,.1f} M",
        )
    return made


def tell_all(entry: Entry, screen: Console) -> None:
    """Each setting that differs from the parent's, and each part of its own with its lines."""
    told = [f"{name}: {value(before)} → {value(after)}" for name, (before, after) in entry.settings.items()]
    told += [f"{name}  [dim]{lines.code} lines[/]" for name, lines in entry.lines.items()]
    screen.print(Padding("\n".join(told), (0, 0, 1, 2), expand=False))


def value(setting: Any) -> str:
    """A setting's value, in words; a group by what is in it."""
    if isinstance(setting, dict):
        return escape(", ".join(f"{name} {inner}" for name, inner in setting.items()))
    return NOTHING if setting is None else escape(str(setting))


def as_dict(entry: Entry) -> dict[str, Any]:
    return {
        "name": entry.member.name,
        "parent": entry.member.parent,
        "changed": entry.changed,
        "settings": {name: {"parent": a, "own": b} for name, (a, b) in entry.settings.items()},
        "parts": list(entry.member.parts),
        "lines": {**asdict(entry.total), "by_part": {name: asdict(one) for name, one in entry.lines.items()}},
        "parameters": entry.parameters,
    }
