"""`mini-bert embed`: a vector for each text, and which texts are alike."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

import click
import numpy as np
from rich.console import Console
from rich.markup import escape
from rich.text import Text

from mini_bert.cli.given_texts import given_texts, note_unknown
from mini_bert.cli.models import chosen_model, model_option
from mini_bert.cli.progress import progress
from mini_bert.cli.screen import console, print_json, table
from mini_bert.core.array import Array
from mini_bert.errors import counted
from mini_bert.files import write_atomically
from mini_bert.inference.reading import tokenizer_of
from mini_bert.inference.sentence_recipe import Recipe
from mini_bert.inference.sentence_vectors import (
    POOLINGS,
    check_layer,
    encoded,
    nearest,
    recipe_of,
    vectors_of,
)
from mini_bert.models.mini import MiniBERT
from mini_bert.reports import part

SHOWN_TEXTS, SHOWN_NUMBERS = 20, 4
BESIDE_TEXTS = 14
"""The columns that cosines and spaces take."""
READING = 0.1
"""The share of the time that text takes, about, beside the model's own."""

EPILOG = """\b
Examples:
  mini-bert embed "A cat sat down." "The dog lies on a rug." "Rain is coming." --neighbours
  mini-bert embed --file sentences.txt --output vectors.npy
  mini-bert embed --file sentences.txt --output vectors.jsonl --model ~/models/all-MiniLM-L6-v2
  mini-bert embed "a cow says moo ." --layer 1 --pooling first --json

A file ending in .npy holds the matrix alone, .jsonl an object with text and vector on each line, .tsv the
text and its numbers between tabs.
"""


@dataclass(frozen=True)
class Result:
    """The vectors (N, H) of N texts, how they were made, and the numbers and cosines of the nearest others."""

    model: MiniBERT
    recipe: Recipe
    texts: list[str]
    vectors: Array
    near: tuple[Array, Array] | None

    def neighbours(self, i: int) -> list[tuple[int, float]]:
        """(number, cosine) of the texts nearest to one, the nearest first."""
        if self.near is None:
            return []
        return list(zip(self.near[0][i].tolist(), self.near[1][i].tolist(), strict=True))


@click.command(epilog=EPILOG)
@click.argument("texts", nargs=-1, metavar="[TEXT]...")
@model_option
@click.option(
    "--file", type=click.Path(path_type=Path), help="A file with a text on each line, plain, .gz or .bz2."
)
@click.option(
    "--output",
    type=click.Path(path_type=Path),
    help="Write them to this .npy, .jsonl or .tsv, in the place of what is there.",
)
@click.option(
    "--pooling", type=click.Choice(list(POOLINGS)), help="Of the tokens.  [default: the model's own, or mean]"
)
@click.option(
    "--normalize/--no-normalize", default=None, help="Make each one long.  [default: as the model was taught]"
)
@click.option(
    "--layer", type=click.IntRange(min=0), help="After so many layers; 0: the embeddings.  [default: all]"
)
@click.option("--neighbours", is_flag=True, help="Show the texts nearest to each, by cosine.")
@click.option(
    "--top", type=click.IntRange(min=1), default=3, show_default=True, help="Neighbours of each text."
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object in place of the table.")
def command(
    texts: tuple[str, ...],
    model_path: str | None,
    file: Path | None,
    output: Path | None,
    pooling: str | None,
    normalize: bool | None,
    layer: int | None,
    neighbours: bool,
    top: int,
    as_json: bool,
) -> None:
    """Make a vector of each TEXT ("-": the lines of standard input).

    It is the mean over what the model says at all tokens. A folder of sentence-transformers may say otherwise, and how
    long a text may be: it is obeyed.
    """
    write = writer_for(output) if output else None
    given = given_texts(texts, file)
    if not any(map(str.strip, given)):
        wrong = "the text is empty" if given else "no text"
        raise ValueError(f'{wrong}; try mini-bert embed "A cat sat down." "Rain is coming." --neighbours')
    if neighbours and len(given) < 2:
        raise ValueError("--neighbours: one text has none; give at least two")
    model = chosen_model(model_path)
    recipe = recipe_of(model, pooling=pooling, normalize=normalize)
    vectors = embedded(model, given, recipe, layer)
    result = Result(model, recipe, given, vectors, nearest(vectors, top) if neighbours else None)
    if output and write:
        write_atomically(output, write(result.texts, vectors))
    if as_json:
        print_json(as_dict(result, output))
    else:
        show(result, output, console())


def embedded(model: MiniBERT, texts: list[str], recipe: Recipe, layer: int | None) -> Array:
    check_layer(model, layer)
    with progress("embedding") as report:
        rows = encoded(model, texts, recipe)
        note_unknown(rows, tokenizer_of(model))
        report(READING, "")
        vectors = vectors_of(model, rows, recipe, layer=layer, report=part(report, READING, 1))
    if full := sum(len(row) == recipe.max_length for row in rows):
        click.echo(
            f"note: {counted(full, 'text')} filled all {recipe.max_length} tokens that are read; anything after them "
            "was left out",
            err=True,
        )
    return vectors


def writer_for(output: Path) -> Callable[[Sequence[str], Array], bytes]:
    """What a file of this ending holds; asked before the work begins."""
    if output.suffix not in WRITERS:
        raise ValueError(f"--output {output}: choose an ending: {', '.join(WRITERS)}")
    if not output.parent.is_dir():
        raise ValueError(f"--output {output}: the folder {output.parent} is not there; make it first")
    return WRITERS[output.suffix]


def as_npy(texts: Sequence[str], vectors: Array) -> bytes:
    file = BytesIO()
    np.save(file, vectors, allow_pickle=False)
    return file.getvalue()


def as_jsonl(texts: Sequence[str], vectors: Array) -> bytes:
    pairs = zip(texts, vectors, strict=True)
    return "".join(f"{json.dumps({'text': text, 'vector': plain(row)})}\n" for text, row in pairs).encode()


def as_tsv(texts: Sequence[str], vectors: Array) -> bytes:
    rows = ([" ".join(text.split()), *map(str, plain(row))] for text, row in zip(texts, vectors, strict=True))
    return "".join("\t".join(row) + "\n" for row in rows).encode()


WRITERS: dict[str, Callable[[Sequence[str], Array], bytes]] = {
    ".npy": as_npy,
    ".jsonl": as_jsonl,
    ".tsv": as_tsv,
}


def plain(row: Array) -> list[float]:
    """Numbers with as many digits as their dtype has, and no more."""
    return [float(str(number)) for number in row]


def show(result: Result, output: Path | None, screen: Console) -> None:
    if result.near is not None:
        screen.print(neighbours_table(result, screen.width))
    elif output is None:
        screen.print(vectors_table(result))
        if len(result.texts) > SHOWN_TEXTS:
            screen.print(f"… and {len(result.texts) - SHOWN_TEXTS:,} more; --output keeps all of them")
    N, H = result.vectors.shape
    made = f"{counted(N, 'vector')} of {H} numbers, {how(result.recipe)}"
    screen.print(f"{made}: {escape(str(output))}" if output else made, soft_wrap=True)


def how(recipe: Recipe) -> str:
    told = {
        "mean": "the mean over the tokens",
        "first": "the first token",
        "max": "the largest over the tokens",
    }
    return told[recipe.pooling] + (", made one long" if recipe.normalize else "")


def vectors_table(result: Result) -> Any:
    made = table("Vectors", "text", "length", *[""] * SHOWN_NUMBERS, "…", shortened=["text"])
    made.columns[0].no_wrap = True
    for text, row in zip(result.texts[:SHOWN_TEXTS], result.vectors, strict=False):
        length = float(np.sqrt(row @ row))
        made.add_row(one_line(text), f"{length:.3f}", *(f"{number:z.3f}" for number in row[:SHOWN_NUMBERS]))
    return made


def neighbours_table(result: Result, width: int) -> Any:
    made = table("Nearest texts, by cosine", "text", "cosine", "neighbour", shortened=["neighbour"])
    made.columns[0].no_wrap = True
    half = (width - BESIDE_TEXTS) // 2
    for i, text in enumerate(result.texts):
        for rank, (other, cosine) in enumerate(result.neighbours(i)):
            shown = one_line("" if rank else text)
            shown.truncate(half, overflow="ellipsis")
            made.add_row(shown, f"{cosine:.3f}", one_line(result.texts[other]))
        made.add_section()
    return made


def one_line(text: str) -> Text:
    return Text(" ".join(text.split()))


def as_dict(result: Result, output: Path | None) -> dict[str, Any]:
    recipe = result.recipe
    found: dict[str, Any] = {
        "model": str(result.model),
        "pooling": recipe.pooling,
        "normalize": recipe.normalize,
        "max_length": recipe.max_length,
        "shape": list(result.vectors.shape),
        "texts": [
            {"text": text, **({} if output else {"vector": plain(row)})}
            for text, row in zip(result.texts, result.vectors, strict=True)
        ],
    }
    if output:
        found["output"] = str(output)
    if result.near is not None:
        for i, entry in enumerate(found["texts"]):
            entry["neighbours"] = [
                {"text": result.texts[other], "cosine": cosine} for other, cosine in result.neighbours(i)
            ]
    return found
