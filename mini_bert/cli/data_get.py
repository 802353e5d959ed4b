"""`mini-bert data get`: a set from the hub, or from a copy."""

from __future__ import annotations

from pathlib import Path

import click
from rich.console import Console
from rich.markup import escape

from mini_bert.cli.data_list import download_size
from mini_bert.cli.progress import progress
from mini_bert.cli.screen import console, print_json
from mini_bert.cli.units import in_bytes
from mini_bert.data import download
from mini_bert.data.catalogue import DataSet, find
from mini_bert.data.installation import install_copy
from mini_bert.data.records import Record, altered, is_here, record_if_any, set_folder

EPILOG = """\b
Examples:
  mini-bert data get wikitext-2
  mini-bert data get sst-2 --force            fetch it anew
  mini-bert data get ud-ewt --from Downloads/UD_English-EWT

After an interruption, run the command again: files that came are kept.
MINI_BERT_CACHE names another folder to keep the sets in.
"""


@click.command(epilog=EPILOG)
@click.argument("name")
@click.option(
    "--from",
    "copy",
    type=click.Path(path_type=Path),
    metavar="FOLDER|FILE",
    help="Install a copy that is on this machine; nothing is downloaded.",
)
@click.option("--force", is_flag=True, help="Fetch anew what is here already.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object in place of the words.")
def command(name: str, copy: Path | None, force: bool, as_json: bool) -> None:
    """Download the set NAME (see mini-bert data list), or install a copy of it.

    Its files are written in plain form, and the SHA-256 of each is recorded; a set that is here already is
    verified against the record. Fetched anew, it is compared with what came before from the same revision.
    """
    dataset = find(name)
    screen = console(quiet=as_json)
    was_here, before = is_here(name), record_if_any(name)
    introduce(dataset, copy, screen)
    try:
        with progress(f"getting {name}") as report:
            if copy:
                record = install_copy(dataset, copy.expanduser(), report, force=force)
            else:
                record = download.get(dataset, report, force=force)
    except KeyboardInterrupt:
        click.echo(f"interrupted; what came is kept: mini-bert data get {name} brings the rest", err=True)
        raise
    others = altered(before, record)
    if as_json:
        print_json(
            {
                "name": name,
                "folder": str(set_folder(name)),
                "licence": dataset.licence,
                **vars(record),
                "altered": others,
            }
        )
    else:
        show(dataset, record, screen, verified_only=was_here and not force)
    if others:
        click.echo(
            f"warning: {', '.join(others)}: not the bytes that came before from the same revision"
            f" ({dataset.revision[:12]}); one of the two downloads was wrong, or the revision was rewritten",
            err=True,
        )


def introduce(dataset: DataSet, copy: Path | None, screen: Console) -> None:
    screen.print(f"[bold]{dataset.name}[/]: {dataset.what}")
    screen.print(f"licence   {dataset.licence}")
    if copy:
        screen.print(f"from      {escape(str(copy))}\n", soft_wrap=True)
    else:
        screen.print(f"from      {dataset.address}", soft_wrap=True)
        screen.print(f"download  {download_size(dataset)}\n")


def show(dataset: DataSet, record: Record, screen: Console, *, verified_only: bool) -> None:
    folder = set_folder(dataset.name)
    total = sum((folder / file).stat().st_size for file in record.files)
    count = "1 file" if len(record.files) == 1 else f"{len(record.files)} files"
    what = "It is here already, and unaltered" if verified_only else "It is here now"
    screen.print(f"[green]✓[/] {what}: {count}, {in_bytes(total)}.")
    screen.print(escape(str(folder)), soft_wrap=True)
    absent = [part.plain for part in dataset.parts if part.plain not in record.files]
    if absent:
        named = ", ".join(absent[:3]) + (f" and {len(absent) - 3} more" if len(absent) > 3 else "")
        screen.print(f"[yellow]Not in the copy:[/] {named}.")
    screen.print(f"\nTry next:\n  mini-bert data sample {dataset.name}")
    if dataset.text:
        screen.print(f"  mini-bert data prepare {dataset.name}")
