"""`mini-bert data list`: the corpora that come with the package, and the sets to download."""

from __future__ import annotations

from typing import Any

import click
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from mini_bert.cli.screen import console, print_json, table
from mini_bert.cli.units import in_bytes
from mini_bert.data.catalogue import EMBEDDED, SETS, DataSet, Embedded
from mini_bert.data.records import is_here, record_if_any, set_folder
from mini_bert.files import cache_folder

EPILOG = """\b
Examples:
  mini-bert data list
  mini-bert data list --json
"""


@click.command(epilog=EPILOG)
@click.option("--json", "as_json", is_flag=True, help="One JSON object in place of the tables.")
def command(as_json: bool) -> None:
    """Show which text there is: what it is, its size and licence, and whether it is on this machine.

    Any text of your own will do as well: a file, a folder, a glob, or - for standard input.
    """
    if as_json:
        print_json(as_dict())
    else:
        show(console())


def show(screen: Console) -> None:
    screen.print(two_columns("In the package", [(corpus.name, described(corpus)) for corpus in EMBEDDED]))
    screen.print(two_columns("To download", [(dataset.name, described(dataset)) for dataset in SETS]))
    missing = [dataset.name for dataset in SETS if not is_here(dataset.name)]
    screen.print("Look at one:  mini-bert data sample world")
    if missing:
        screen.print(f"Fetch one:    mini-bert data get {missing[0]}")
    if len(missing) < len(SETS):
        screen.print(f"Sets are in   {escape(str(cache_folder() / 'data'))}", soft_wrap=True)


def two_columns(title: str, rows: list[tuple[str, str]]) -> Table:
    made = table(title, "", "")
    made.show_header = False
    made.columns[0].no_wrap, made.columns[0].min_width = True, max(len(dataset.name) for dataset in SETS)
    made.columns[1].justify, made.columns[1].no_wrap = "left", False
    for row in rows:
        made.add_row(*row)
    return made


def described(entry: Embedded | DataSet) -> str:
    size = entry.size if isinstance(entry, Embedded) else download_size(entry)
    here = state(entry) if isinstance(entry, DataSet) else ""
    return f"{entry.what}\n[dim]{size}; licence: {entry.licence}[/]" + (f"\n{here}" if here else "")


def state(dataset: DataSet) -> str:
    """Whether a set is on this machine; a copy may have held some of its files only."""
    if not is_here(dataset.name):
        return ""
    kept, all_files = files_here(dataset), len(dataset.parts)
    if kept == all_files:
        return "[green]✓ on this machine[/]"
    return f"[yellow]✓ on this machine: {kept} of {all_files} files[/]"


def files_here(dataset: DataSet) -> int:
    """How many files of a set were put on this machine."""
    record = record_if_any(dataset.name)
    return len(record.files) if record else 0


def download_size(dataset: DataSet) -> str:
    return in_bytes(dataset.size) if dataset.size else f"{len(dataset.parts)} files"


def as_dict() -> dict[str, Any]:
    return {
        "embedded": [
            {"name": corpus.name, "what": corpus.what, "size": corpus.size, "licence": corpus.licence}
            for corpus in EMBEDDED
        ],
        "sets": [
            {
                "name": dataset.name,
                "what": dataset.what,
                "licence": dataset.licence,
                "bytes": dataset.size,
                "address": dataset.address,
                "revision": dataset.revision,
                "here": is_here(dataset.name),
                "files_here": files_here(dataset),
                "files": len(dataset.parts),
                "folder": str(set_folder(dataset.name)),
            }
            for dataset in SETS
        ],
    }
