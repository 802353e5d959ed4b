"""`mini-bert attention`: where each head looks in a text."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.markup import escape

from mini_bert.analysis.attention import AttentionWeights, Pair, attention
from mini_bert.cli.models import chosen_model, model_option, tell
from mini_bert.cli.screen import console, print_json, table
from mini_bert.cli.units import percent

EPILOG = """\b
Examples:
  mini-bert attention "The cat sat on the [MASK]."
  mini-bert attention "The cat sat on the mat." --layer 1
  mini-bert attention "The cat sat on the mat." --layer 1 --head 2 --figure head.svg
  mini-bert attention "The cat sat on the mat." --layer 1 --head 2 --lines --figure lines.png
  mini-bert attention "The cat sat on the mat." --json

A head is named by what it looks at, if that gets at least a tenth more of its attention than it would get evenly. With
--layer and --head, each piece is shown with what it looks at. Figures are .png or .svg.
"""
STRONGEST, WORTH_TELLING = 3, 0.01


@click.command(epilog=EPILOG)
@click.argument("text")
@model_option
@click.option("--layer", type=click.IntRange(min=0), help="Only this layer, the first is 0.")
@click.option("--head", type=click.IntRange(min=0), help="Only this head of --layer, piece by piece.")
@click.option(
    "--figure",
    "path",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Save a figure: all heads that are shown, or the one.",
)
@click.option(
    "--lines", is_flag=True, help="Draw lines between words in place of a map; with --layer and --head."
)
@click.option(
    "--json", "as_json", is_flag=True, help="One JSON object, with all weights, in place of tables."
)
def command(
    text: str,
    model_path: str | None,
    layer: int | None,
    head: int | None,
    path: Path | None,
    lines: bool,
    as_json: bool,
) -> None:
    """Tell where each head of attention looks in TEXT.

    For every head: what it looks at (the piece before, the next, one two places off, [CLS], the same word elsewhere,
    ...), how widely, and the pairs of pieces with the most attention.
    """
    if not text.strip():
        raise ValueError('the text is empty; try mini-bert attention "The cat sat on the mat."')
    if head is not None and layer is None:
        raise ValueError(f"--head {head}: of which layer? Give --layer too")
    if lines and (head is None or path is None):
        raise ValueError("--lines draws one head into a file: give --layer, --head and --figure too")
    if path is not None:
        from mini_bert.plots.style import check_format

        check_format(path)
    found = attention(chosen_model(model_path), text)
    if layer is not None:
        found.of_head(layer, head or 0)
    if path is not None:
        save_figure(found, layer, head, lines, path)
        tell(f"figure: {path}")
    if as_json:
        print_json(as_dict(found, layer, head))
    elif layer is not None and head is not None:
        show_head(found, layer, head, console())
    else:
        show_heads(found, layer, console())


def save_figure(
    found: AttentionWeights, layer: int | None, head: int | None, lines: bool, path: Path
) -> None:
    if layer is None or head is None:
        found.some_layers(None if layer is None else [layer]).save(path)
    else:
        (found.lines(layer, head) if lines else found.head(layer, head)).save(path)


def shown_layers(found: AttentionWeights, layer: int | None) -> list[int]:
    return list(range(len(found.weights))) if layer is None else [layer]


def show_heads(found: AttentionWeights, layer: int | None, screen: Console) -> None:
    T = len(found.pieces)
    screen.print(f"[bold]{escape(' '.join(found.pieces))}[/]\n")
    made = table("Where each head looks", "layer · head", "looks mostly at", "share", "entropy", "strongest")
    made.shortened = frozenset({"strongest"})
    for column in made.columns:
        if column.header in ("looks mostly at", "strongest"):
            column.justify = "left"
    for one in shown_layers(found, layer):
        for head in range(found.weights.shape[1]):
            role = found.summary(one, head)
            made.add_row(
                f"{one} · {head}",
                escape(role.role),
                percent(role.score, 0) if role.score == role.score else "",
                f"{found.entropy[one, head].mean():.2f}",
                escape(", ".join(told(pair, found) for pair in found.strongest(one, head, STRONGEST))),
            )
    screen.print(made)
    evenly = ", ".join(
        f"{name} {percent(share, 0)}"
        for name, share in zip(found.targets, found.looks.baseline.tolist(), strict=True)
        if share == share
    )
    screen.print(
        f"Entropy in nats: 0 looks at one piece, {found.most.mean():.2f} at all {T} alike"
        f"{' that came before' if found.causal else ''}. A head that looks evenly gives: {escape(evenly)}.",
    )


def show_head(found: AttentionWeights, layer: int, head: int, screen: Console) -> None:
    weights = found.of_head(layer, head)
    made = table(f"Layer {layer}, head {head}", "piece", "entropy", "looks at")
    made.columns[-1].justify = "left"
    made.shortened = frozenset({"looks at"})
    for place, piece in enumerate(found.pieces):
        best = (-weights[place]).argsort(kind="stable")[:STRONGEST].tolist()
        seen = ", ".join(
            f"{found.pieces[j]} {percent(float(weights[place, j]), 0)}"
            for j in best
            if weights[place, j] >= WORTH_TELLING
        )
        made.add_row(escape(piece), f"{found.entropy[layer, head, place]:.2f}", escape(seen))
    screen.print(made)


def told(pair: Pair, found: AttentionWeights) -> str:
    return f"{found.pieces[pair.asking]} → {found.pieces[pair.answering]} {percent(pair.weight, 0)}"


def as_dict(found: AttentionWeights, layer: int | None, head: int | None) -> dict[str, Any]:
    return {
        "pieces": list(found.pieces),
        "targets": list(found.targets),
        "evenly": found.looks.baseline.tolist(),
        "heads": [
            {
                "layer": one,
                "head": number,
                "looks_at": found.summary(one, number).role,
                "shares": found.looks.shares[:, one, number].tolist(),
                "entropy": found.entropy[one, number].tolist(),
                "strongest": [pair._asdict() for pair in found.strongest(one, number, STRONGEST)],
                "weights": found.weights[one, number].tolist(),
            }
            for one in shown_layers(found, layer)
            for number in range(found.weights.shape[1])
            if head is None or number == head
        ],
    }
