"""The plots of a run's report: those for which its metrics have numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from matplotlib.figure import Figure

from mini_bert.plots.curves import curves
from mini_bert.plots.entropy import attention_entropy
from mini_bert.plots.layers import by_layer
from mini_bert.run_reports.history import (
    GOOD_UPDATE,
    Line,
    by_text,
    changes,
    entropies,
    named,
    numbers,
    series,
    series_by_name,
)

ACTIVATIONS = {"": "Activations", "attn": "Activations of attention", "ffn": "Activations of feed-forward"}
PERCENT, MEBIBYTES = 100.0, 1 / 2**20


@dataclass(frozen=True)
class Panel:
    """A plot with its title, and a sentence on how to read it."""

    title: str
    figure: Figure
    note: str = ""


def sections(
    lines: Sequence[Line], settings: Mapping[str, Any], facts: Mapping[str, Any]
) -> dict[str, list[Panel]]:
    """Title of a section → its plots; sections without a plot are left out."""
    made = {
        "How it learned": list(learning(lines, facts)),
        "How it was driven": list(driving(lines, settings)),
        "Second task": list(second_task(lines)),
        "Inside the model": list(inside(lines)),
        "The machine": list(machine(lines)),
    }
    return {title: panels for title, panels in made.items() if panels}


def learning(lines: Sequence[Line], facts: Mapping[str, Any]) -> Iterator[Panel]:
    losses, asks = by_text(lines, "loss"), facts.get("asks", "hidden words")
    baselines = {"even guess": facts.get("uniform_loss"), "word frequencies": facts.get("unigram_loss")}
    if losses:
        yield Panel(
            "Loss",
            curves(losses, "loss (nats)", numbers(baselines)),
            f"The mean of −ln p(word) over {asks}; grey lines are what one scores without reading the sentence.",
        )
    found = by_text(lines, "accuracy")
    by_frequency = numbers({"most frequent word": facts.get("unigram_accuracy")})
    if found:
        yield Panel(
            "Accuracy",
            curves(
                {name: one.scaled(PERCENT) for name, one in found.items()},
                f"{asks} found (%)",
                {name: PERCENT * level for name, level in by_frequency.items()},
            ),
            f"How many {asks} were the model's first guess."
            + (" Held-out words are all behind [MASK]." if asks == "hidden words" else ""),
        )


def driving(lines: Sequence[Line], settings: Mapping[str, Any]) -> Iterator[Panel]:
    if rate := named({"rate": series(lines, "learning_rate")}):
        yield Panel("Learning rate", curves(rate, "learning rate"))
    clipping = settings.get("clipping") or {}
    limit = {"clipped to": clipping.get("max_norm")} if clipping.get("kind") == "norm" else {}
    if norm := named({"norm": series(lines, "gradient_norm")}):
        yield Panel(
            "Gradient norm",
            curves(norm, "‖g‖ before clipping", numbers(limit), is_logarithmic=True),
            "The length of the whole gradient; a jump that does not come back is a sign of trouble.",
        )
    size = series(lines, "batch_size")
    if changes(size):
        yield Panel("Batch size", curves({"batch": size}, "sequences in a step"))
    length = series(lines, "row_length")
    if changes(length):
        yield Panel("Row length", curves({"row": length}, "tokens in a row"), "Short rows come first.")
    share = series(lines, "masked_share")
    if changes(share):
        yield Panel("Masking", curves({"masked": share.scaled(PERCENT)}, "tokens asked for (%)"))


def second_task(lines: Sequence[Line]) -> Iterator[Panel]:
    if losses := by_text(lines, "second_loss"):
        yield Panel("Loss of the second task", curves(losses, "loss (nats)"))
    if right := by_text(lines, "second_accuracy"):
        percents = {name: one.scaled(PERCENT) for name, one in right.items()}
        yield Panel("Accuracy of the second task", curves(percents, "right answers (%)"))


def inside(lines: Sequence[Line]) -> Iterator[Panel]:
    if norms := series_by_name(lines, "layers", "gradient_norm"):
        yield Panel(
            "Gradient by layer",
            by_layer(norms, "‖g‖ before clipping"),
            "Layers far below the others learn little: the gradient vanishes on its way down.",
        )
    if ratios := series_by_name(lines, "layers", "update_ratio"):
        yield Panel(
            "Update by layer",
            by_layer(ratios, "‖change‖ / ‖weights‖", {"rule of thumb": GOOD_UPDATE}),
            "How much one step changes the weights; far above a thousandth the learning rate is too high.",
        )
    if told := entropies(lines):
        yield Panel(
            "Attention entropy by head",
            attention_entropy(*told),
            "Bright heads look everywhere alike, dark ones at few tokens.",
        )
    spread = series_by_name(lines, "activations", "std")
    for part, title in ACTIVATIONS.items():
        if chosen := {name: one for name, one in spread.items() if part_of(name) == part}:
            yield Panel(title, by_layer(chosen, "standard deviation"))
    if dead := series_by_name(lines, "dead_units"):
        percents = {name: one.scaled(PERCENT) for name, one in dead.items()}
        yield Panel(
            "Dead units",
            by_layer(percents, "feed-forward units (%)", is_logarithmic=False),
            "Units of the feed-forward parts that no token of the sample switched on.",
        )


def machine(lines: Sequence[Line]) -> Iterator[Panel]:
    if pace := named({"pace": series(lines, "tokens_per_second")}):
        yield Panel("Speed", curves(pace, "tokens a second"))
    if memory := named({"memory": series(lines, "inspection", "resident_bytes").scaled(MEBIBYTES)}):
        yield Panel("Memory", curves(memory, "resident memory (MiB)"))


def part_of(activation: str) -> str:
    """Which part of a layer says this: attn or ffn; nothing for the output of a whole layer."""
    return next((part for part in ACTIVATIONS if part and f".{part}." in activation), "")
