"""`mini-bert gradflow`: how the gradient flows from the loss back to the embeddings."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.markup import escape

from mini_bert.analysis.gradient_flow import GradientFlow, gradient_flow
from mini_bert.analysis.gradient_remarks import remarks
from mini_bert.analysis.places import place_name
from mini_bert.analysis.reading import Reading
from mini_bert.analysis.slope_checks import SlopeChecks, slope_checks
from mini_bert.cli.fitting import FittingTable
from mini_bert.cli.gradient_exercise import gradient_exercise, untrained
from mini_bert.cli.models import chosen_model, model_option
from mini_bert.cli.progress import progress
from mini_bert.cli.screen import console, print_json, table
from mini_bert.cli.slopes_told import as_dict as slopes_as_dict
from mini_bert.cli.slopes_told import show as show_slopes
from mini_bert.cli.threads import one_blas_thread
from mini_bert.evaluation.intrinsic.one_batch import Lesson
from mini_bert.models.mini import MiniBERT
from mini_bert.tokenizers.special import MASK

COLUMNS = ("place", "‖gradient‖", "of the one above", "numbers", "gradient × numbers")
EPILOG = """\b
Examples:
  mini-bert gradflow "The cat sat on the [MASK]." --target mat
  mini-bert gradflow "The cat sat on the mat." --mask cat --figure flow.svg
  mini-bert gradflow "The cat sat on the mat."        # each word hidden in turn
  mini-bert gradflow --model runs/stories             # a batch of the embedded world
  mini-bert gradflow --preset modern --json
  mini-bert gradflow "The cat sat on the [MASK]." --target mat --check 100

With --check the exit code is 1 if a gradient is wrong.
"""


@dataclass(frozen=True)
class Story:
    """All there is to tell: the model, what it was asked, and the flow."""

    model: MiniBERT
    is_trained: bool
    asked: str
    flow: GradientFlow
    slopes: SlopeChecks | None = None


@click.command(epilog=EPILOG)
@click.argument("text", required=False)
@model_option
@click.option("--preset", help="A model with random weights instead.")
@click.option(
    "--target", metavar="WORD", help="The word that [MASK] stands for.  [default: the model's guess]"
)
@click.option("--mask", "word", metavar="WORD", help="Hide this word of the text, and ask for it.")
@click.option("--all", "every", is_flag=True, help="Every activation, not only what layers hand on.")
@click.option(
    "--check",
    "entries",
    metavar="N",
    type=click.IntRange(min=1),
    help="Move N weights, drawn from all parameters, a little to both sides in float64, and compare the slopes.",
)
@click.option("--figure", type=click.Path(path_type=Path), help="Draw the flow into this .png or .svg.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object in place of the tables.")
@click.pass_context
def command(
    ctx: click.Context,
    text: str | None,
    model_path: str | None,
    preset: str | None,
    target: str | None,
    word: str | None,
    every: bool,
    entries: int | None,
    figure: Path | None,
    as_json: bool,
) -> None:
    """Follow the gradient on TEXT from the loss back to the embeddings, layer by layer.

    Shows how large it is at each place, how much of it each layer hands on, what of it reaches the weights, and
    whether it vanishes or explodes on its way. Without a TEXT, a batch of the embedded world is taken.
    """
    check_choices(text, model_path, preset, target, word)
    if figure is not None:
        from mini_bert.plots.style import check_format

        check_format(figure)
    model = untrained(preset) if preset else chosen_model(model_path)
    given, asked = gradient_exercise(model, text, target, word)
    slopes = checked(given, entries) if entries else None
    story = Story(model, preset is None, asked, gradient_flow(model, given), slopes)
    if figure is not None:
        story.flow.save(figure)
    if as_json:
        print_json(as_dict(story, figure))
    else:
        show(story, figure, console(), every=every)
    ctx.exit(0 if slopes is None or slopes.agree else 1)


def checked(given: Reading | Lesson, entries: int) -> SlopeChecks:
    if not isinstance(given, Reading):
        raise ValueError(f"--check {entries}: of one loss only; write {MASK} in the text, or use --mask")
    with one_blas_thread(), progress("moving weights") as report:
        return slope_checks(given, entries, report=report)


def check_choices(
    text: str | None, model_path: str | None, preset: str | None, target: str | None, word: str | None
) -> None:
    if preset and model_path:
        raise ValueError("--preset and --model are two models; give one of them")
    if text is not None and not text.strip():
        raise ValueError(
            'the text is empty; try mini-bert gradflow "The cat sat on the [MASK]." --target mat'
        )
    if target and word:
        raise ValueError(
            "--target is the word behind a [MASK] of the text, --mask hides one; give one of them"
        )
    if text is None and (target or word):
        raise ValueError("--target and --mask speak of a text; give one")
    if word and text and MASK in text:
        raise ValueError(f"--mask {word}: the text has {MASK} already; give --target for what it stands for")


def show(story: Story, figure: Path | None, screen: Console, *, every: bool) -> None:
    flow = story.flow
    screen.print(f"{escape(str(story.model))}", soft_wrap=True)
    if not story.is_trained:
        screen.print("[yellow]The weights are random: nothing was learned yet.[/]")
    screen.print(
        f"{escape(story.asked)}; loss [bold]{flow.loss:.3f}[/] nats, gradient norm {flow.norm:.3g}\n"
    )
    screen.print(way_table(flow, every))
    screen.print(weights_table(flow))
    verdict = "; ".join(flow.verdict)
    screen.print(
        f"[red]{escape(verdict)}[/]" if verdict else "[green]sound[/]: the gradient reaches every layer"
    )
    for remark in remarks(flow):
        screen.print(f"• {escape(remark)}")
    if story.slopes is not None:
        show_slopes(story.slopes, screen)
    if figure is not None:
        screen.print(f"figure: {escape(str(figure))}", soft_wrap=True)


def way_table(flow: GradientFlow, every: bool) -> FittingTable:
    """From the loss down: what layers hand on, or every activation."""
    made = table(
        "From the loss back to the embeddings",
        "place",
        "‖gradient‖",
        "of the one above",
        "numbers",
        "gradient × numbers",
    )
    shown = flow.activations if every else (flow.activations[0], *flow.stream)
    above: float | None = None
    for one in shown:
        handed = "" if above is None or above == 0 else f"{one.norm / above:,.3g} ×"
        made.add_row(
            escape(told_place(one.name, one.dotted, one.layer, every=every)),
            f"{one.norm:.3g}",
            handed,
            f"{one.activation_rms:.3g}",
            f"{one.pull:.3g}",
        )
        above = one.norm
    return made


def told_place(name: str, dotted: str, layer: int | None, *, every: bool) -> str:
    if every:
        return name
    if dotted.endswith("logits"):
        return "logits"
    return "embeddings" if layer is None else f"layer {layer}: output"


def weights_table(flow: GradientFlow) -> FittingTable:
    found = flow.magnitudes
    made = table("‖gradient‖ of the weights", "part", *found.kinds, "beside ‖weights‖")
    for row, layer in enumerate(found.layers):
        own = flow.health.layers[layer]
        made.add_row(
            escape(place_name(layer)),
            *("" if value != value else f"{value:.3g}" for value in found.norms[row]),
            f"{own.ratio:.2g}",
        )
    return made


def as_dict(story: Story, figure: Path | None) -> dict[str, Any]:
    flow, found = story.flow, story.flow.magnitudes
    return {
        "model": str(story.model),
        "trained": story.is_trained,
        "asked": story.asked,
        "loss": flow.loss,
        "gradient_norm": flow.norm,
        "verdict": list(flow.verdict),
        "is_sound": not flow.verdict,
        "remarks": remarks(flow),
        "passed_on": {str(layer): ratio for layer, ratio in flow.passed_on.items()},
        "first_layer_over_last": flow.health.depth,
        "activations": [{**one._asdict(), "pull": one.pull} for one in flow.activations],
        "weights": [{**one._asdict(), "ratio": one.ratio} for one in flow.weights],
        "by_layer_and_kind": {
            layer: dict(zip(found.kinds, found.norms[row].tolist(), strict=True))
            for row, layer in enumerate(found.layers)
        },
        "check": None if story.slopes is None else slopes_as_dict(story.slopes),
        "figure": None if figure is None else str(figure),
    }
