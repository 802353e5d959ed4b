"""`mini-bert data sample`: text of a corpus, to look at or to make a file of."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path
from random import Random
from typing import TypeVar

import click

from mini_bert.data.catalogue import find, names
from mini_bert.data.corpus import corpus
from mini_bert.data.sources import UNITS, Unit
from mini_bert.errors import unknown

Item = TypeVar("Item")

FEW = 3
EVERY_PHENOMENON = "list"
MEGABYTE = 1_000_000

EPILOG = """\b
Examples:
  mini-bert data sample world -n 5
  mini-bert data sample world --mb 100 > stories.txt
  mini-bert data sample world --gold -n 1
  mini-bert data sample world --facts -n 10 --seed 1
  mini-bert data sample world --pairs agreement_across_pp
  mini-bert data sample "books/*.txt" --seed 4
  cat my.txt | mini-bert data sample - --unit line
"""


@click.command(epilog=EPILOG)
@click.argument("what")
@click.option("-n", "count", type=click.IntRange(min=1), help=f"How many.  [default: {FEW}, or as --mb says]")
@click.option("--mb", "megabytes", type=click.FloatRange(min=0, min_open=True), help="Stop at so many MB.")
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    help="Other stories of the world; elsewhere a random choice, in place of the first.",
)
@click.option("--gold", is_flag=True, help="The world's stories with their labels, as CoNLL-U.")
@click.option("--facts", is_flag=True, help="The world's facts: relation, subject, object, cloze.")
@click.option(
    "--pairs",
    "phenomenon",
    metavar="PHENOMENON",
    help="The world's minimal pairs: good and bad. list names them all.",
)
@click.option(
    "--unit",
    type=click.Choice(UNITS),
    default="paragraph",
    show_default=True,
    help="What a document of a file is.",
)
@click.option(
    "--text-field",
    default="text",
    show_default=True,
    metavar="NAME",
    help="Where the text is in a line of a .jsonl file.",
)
def command(
    what: str,
    count: int | None,
    megabytes: float | None,
    seed: int | None,
    gold: bool,
    facts: bool,
    phenomenon: str | None,
    unit: Unit,
    text_field: str,
) -> None:
    """Print documents of WHAT: world, python-docs, a downloaded set, a file, a folder, a glob, or -.

    A blank line stands between two documents, so that what is printed can be read again.
    """
    asked = [
        flag for flag, on in (("--gold", gold), ("--facts", facts), ("--pairs", phenomenon is not None)) if on
    ]
    if len(asked) > 1:
        raise ValueError(f"{' and '.join(asked)} are two outputs; ask for one at a time")
    if what.startswith("world:"):
        raise ValueError(f"{what}: say how many with -n: mini-bert data sample world -n {what[6:]}")
    if asked and what != "world":
        raise ValueError(f"{asked[0]}: only the world has labels; try mini-bert data sample world {asked[0]}")
    if megabytes and (facts or phenomenon is not None):
        raise ValueError(f"{asked[0]} with --mb: say how many with -n")
    if megabytes and seed is not None and what != "world":
        raise ValueError(
            "--seed with --mb: a random choice has a number, -n; leave --seed out to take the first"
        )
    if phenomenon == EVERY_PHENOMENON:
        blocks = phenomena()
    elif phenomenon is not None:
        blocks = pairs(phenomenon, count or FEW, seed or 0)
    elif facts:
        blocks = chosen(fact_lines(), count or FEW, seed)
    elif what == "world":
        blocks = islice(gold_stories(seed or 0) if gold else world(seed or 0), limit(count, megabytes))
    elif megabytes:
        blocks = islice(texts(what, unit, text_field), limit(count, megabytes))
    else:
        blocks = chosen(texts(what, unit, text_field), count or FEW, seed)
    write(blocks, megabytes)


def limit(count: int | None, megabytes: float | None) -> int | None:
    return count or (None if megabytes else FEW)


def texts(what: str, unit: Unit, text_field: str) -> Iterator[str]:
    """The documents of a corpus, a set or files, with a blank line after each."""
    return (f"{document}\n\n" for document in found(what, unit, text_field))


def found(what: str, unit: Unit, text_field: str) -> Iterable[str]:
    if what in names() and not find(what).text:
        return labelled(what)
    return corpus(what, unit=unit, text_field=text_field)


def labelled(name: str) -> Iterator[str]:
    """The sentences of a labelled set; of minimal pairs, the good ones."""
    from mini_bert.data.records import set_folder, verified
    from mini_bert.data.tasks import read_blimp, read_conllu, read_sst2

    sentences: dict[str, Callable[[Path], list[str]]] = {
        ".tsv": lambda path: [example.text for example in read_sst2(path)],
        ".conllu": lambda path: [sentence.text for sentence in read_conllu(path)],
        ".jsonl": lambda path: [pair.good for pair in read_blimp(path)],
    }
    for file in verified(name).files:
        path = set_folder(name) / file
        yield from sentences[path.suffix](path)


def world(seed: int) -> Iterator[str]:
    from mini_bert.data.world import stories

    return (f"{story.text}\n\n" for story in stories(seed))


def gold_stories(seed: int) -> Iterator[str]:
    """CoNLL-U: a story begins with its kind and whom it speaks of."""
    from mini_bert.data.world import stories, to_conllu

    for number, story in enumerate(stories(seed)):
        head = [f"# newdoc id = world-{seed}-{number}", f"# kind = {story.kind}"]
        head += [f"# referent {one.id} = {one.name} ({one.kind}, {one.gender})" for one in story.referents]
        yield "".join(f"{line}\n" for line in head) + "".join(map(to_conllu, story.sentences))


def fact_lines() -> list[str]:
    from mini_bert.data.world import FACTS

    return [f"{fact.relation}\t{fact.subject}\t{fact.object}\t{fact.clozes[0]}\n" for fact in FACTS]


def phenomena() -> Iterator[str]:
    from mini_bert.data.world import PHENOMENA

    return (f"{phenomenon}\n" for phenomenon in PHENOMENA)


def pairs(phenomenon: str, count: int, seed: int) -> Iterator[str]:
    from mini_bert.data.world import PHENOMENA, minimal_pairs

    if phenomenon not in PHENOMENA:
        raise ValueError(f"{unknown('phenomenon', phenomenon, list(PHENOMENA))} (--pairs list shows all)")
    return (f"{phenomenon}\t{good}\t{bad}\n" for good, bad in minimal_pairs(phenomenon, count, seed))


def chosen(items: Iterable[Item], count: int, seed: int | None) -> Iterator[Item]:
    """The first items, or with a seed so many at random, in their order: each as likely (Vitter 1985)."""
    if seed is None:
        return islice(items, count)
    rng = Random(seed)
    kept: list[tuple[int, Item]] = []
    for number, item in enumerate(items):
        if number < count:
            kept.append((number, item))
        elif (place := int(rng.random() * (number + 1))) < count:
            kept[place] = number, item
    return (item for _, item in sorted(kept, key=lambda pair: pair[0]))


def write(blocks: Iterable[str], megabytes: float | None) -> None:
    """Print blocks as they come, in UTF-8 if a file or a program reads them, until there is enough."""
    if isinstance(sys.stdout, io.TextIOWrapper) and not sys.stdout.isatty():
        sys.stdout.reconfigure(encoding="utf-8", newline="\n")
    room = megabytes * MEGABYTE if megabytes else float("inf")
    for block in blocks:
        sys.stdout.write(block)
        room -= len(block.encode())
        if room <= 0:
            break
