"""The curves of a run as numbers, each with the levels and bands that say whether it goes well."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from mini_bert.diagnosis.bands import bands
from mini_bert.diagnosis.causes.in_models import NEARLY_ALL
from mini_bert.diagnosis.inside import is_whole, total_update
from mini_bert.explorer.runs.panel import Panel, Stretch
from mini_bert.explorer.runs.sound_stretches import loss_bands, norm_bands
from mini_bert.plots.series import Series
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

PERCENT = 100.0
TOGETHER = "all weights"


def panels_of(lines: Sequence[Line], settings: Mapping[str, Any], facts: Mapping[str, Any]) -> list[Panel]:
    """Those for which the log has numbers, the most telling first."""
    made = (
        *learning(lines, settings, facts),
        *driving(lines, settings),
        *inside(lines),
        *second_task(lines),
        *changing(lines),
    )
    return [panel for panel in made if named(panel.curves)]


def learning(lines: Sequence[Line], settings: Mapping[str, Any], facts: Mapping[str, Any]) -> Iterator[Panel]:
    """Sound runs were measured from random weights on; one that goes on from a model begins where that ended."""
    asks, goes_on = facts.get("asks", "hidden words"), bool(settings.get("init"))
    losses = by_text(lines, "loss")
    levels = numbers({"even guess": facts.get("uniform_loss"), "word frequencies": facts.get("unigram_loss")})
    yield Panel(
        "loss",
        "Loss",
        "nats",
        f"The mean of −ln p(word) over {asks}: lower is better. The dashed lines are what one scores without reading "
        "the sentence.",
        losses,
        levels,
        () if goes_on else tuple(loss_bands(lines, facts)),
    )
    found = by_text(lines, "accuracy")
    by_frequency = numbers({"always the most frequent word": facts.get("unigram_accuracy")})
    yield Panel(
        "accuracy",
        "Accuracy",
        "%",
        f"How many {asks} were the model's first guess.",
        {name: one.scaled(PERCENT) for name, one in found.items()},
        {name: PERCENT * level for name, level in by_frequency.items()},
    )
    yield Panel(
        "perplexity",
        "Perplexity",
        "words",
        "e to the loss: as if the model were choosing between so many equally likely words.",
        {name: exponential(one) for name, one in losses.items()},
        {name: float(np.exp(level)) for name, level in levels.items()},
        is_logarithmic=True,
    )


def driving(lines: Sequence[Line], settings: Mapping[str, Any]) -> Iterator[Panel]:
    yield Panel(
        "rate",
        "Learning rate",
        "",
        "How far a step goes: it warms up, and falls to the end.",
        named({"learning rate": series(lines, "learning_rate")}),
        {},
    )
    clipping = settings.get("clipping") or {}
    limit = {"clipped to": clipping.get("max_norm")} if clipping.get("kind") == "norm" else {}
    norm = series(lines, "gradient_norm")
    yield Panel(
        "norm",
        "Gradient norm",
        "",
        "The length of the whole gradient before clipping; a jump that does not come back is a sign of trouble.",
        named({"gradient norm": norm}),
        numbers(limit),
        () if settings.get("init") else tuple(norm_bands(norm)),
        is_logarithmic=True,
    )
    yield Panel(
        "speed",
        "Speed",
        "tokens a second",
        "How much text it reads in a second.",
        named({"speed": series(lines, "tokens_per_second")}),
        {},
    )


def inside(lines: Sequence[Line]) -> Iterator[Panel]:
    whole = [line for line in lines if line.get("inspection") and is_whole(line["inspection"])]
    ratios = in_words(series_by_name(lines, "layers", "update_ratio"))
    stretches: tuple[Stretch, ...] = ()
    if whole:
        steps = np.array([line["step"] for line in whole], float)
        together = Series(steps, np.array([total_update(line["inspection"]["layers"]) for line in whole]))
        ratios = {TOGETHER: together, **ratios}
        high = bands()["largest_update"].high
        stretches = (Stretch("sound: below this", None, high, float(steps[0]), float(steps[-1])),)
    yield Panel(
        "updates",
        "Size of an update",
        "of the weights",
        "‖change‖ / ‖weights‖ in one step; far above a thousandth the learning rate is too high.",
        ratios,
        {"rule of thumb": GOOD_UPDATE},
        stretches,
        is_logarithmic=True,
    )
    yield Panel(
        "gradients",
        "Gradient by layer",
        "",
        "Layers far below the others learn little: the gradient vanishes on its way down.",
        in_words(series_by_name(lines, "layers", "gradient_norm")),
        {},
        is_logarithmic=True,
    )
    if told := entropies(lines):
        steps, nats, most = told
        yield Panel(
            "entropy",
            "How widely heads look",
            "of the most",
            "Attention entropy, the mean over the heads of a layer: at 1 they look everywhere alike, near 0 at one "
            "piece.",
            {f"layer {i}": Series(steps, nats[:, i].mean(1) / most) for i in range(nats.shape[1])},
            {},
        )
    dead = in_words(series_by_name(lines, "dead_units"))
    if dead:
        some = next(iter(dead.values())).steps
        limit = PERCENT * max(bands()["dead"].high, NEARLY_ALL)
        yield Panel(
            "dead",
            "Sleeping units",
            "% of the feed-forward units",
            "Units that no token of a sample switched on.",
            {name: one.scaled(PERCENT) for name, one in dead.items()},
            {},
            (Stretch("sound: below this", None, limit, float(some[0]), float(some[-1])),),
        )


def second_task(lines: Sequence[Line]) -> Iterator[Panel]:
    yield Panel("second_loss", "Loss of the second task", "nats", "", by_text(lines, "second_loss"), {})
    right = by_text(lines, "second_accuracy")
    yield Panel(
        "second_accuracy",
        "Accuracy of the second task",
        "%",
        "",
        {name: one.scaled(PERCENT) for name, one in right.items()},
        {},
    )


def changing(lines: Sequence[Line]) -> Iterator[Panel]:
    """What a curriculum moves, if it does."""
    for key, title, unit, factor in (
        ("batch_size", "Batch size", "texts in a step", 1.0),
        ("row_length", "Row length", "tokens in a row", 1.0),
        ("masked_share", "Hidden words", "% of the tokens", PERCENT),
    ):
        found = series(lines, key)
        if changes(found):
            yield Panel(key, title, unit, "", {title.lower(): found.scaled(factor)}, {})


def exponential(one: Series) -> Series:
    return Series(one.steps, np.exp(np.minimum(one.values, 700.0)))


def in_words(found: Mapping[str, Series]) -> dict[str, Series]:
    """encoder.layers.0 is called layer 0."""
    return {name.replace("encoder.layers.", "layer "): one for name, one in found.items()}
