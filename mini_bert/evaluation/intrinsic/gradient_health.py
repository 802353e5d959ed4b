"""The gradient of one batch, layer by layer: does it reach the first layer, does it run away, do units sleep?"""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING

import numpy as np
from pydantic import Field

from mini_bert.checked import Checked
from mini_bert.diagnosis.bands import bands
from mini_bert.diagnosis.figures import MEANINGS
from mini_bert.evaluation.exam import Pace
from mini_bert.evaluation.intrinsic.exam_text import ExamText, world_text
from mini_bert.evaluation.intrinsic.gradients_measured import KINDS, TINY, Health, health_of
from mini_bert.evaluation.intrinsic.one_batch import Lesson, check_learns_words, lesson_for
from mini_bert.evaluation.intrinsic.questions import row_length
from mini_bert.evaluation.section import Column, Picture, Row, Section, Table
from mini_bert.evaluation.subject import Subject
from mini_bert.evaluation.task_folder import TaskFolder
from mini_bert.reports import Report, silent

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Settings(Checked):
    batch_rows: int = Field(32, ge=1, description="of the batch whose gradient is looked at")
    seed: int = Field(0, ge=0, description="draws the batch")


def examine(
    subject: Subject, tasks: TaskFolder | None, settings: Settings, report: Report = silent
) -> list[Section]:
    """Labels play no part, so that the text is that of the embedded world whatever the tasks."""
    return examine_on(subject, world_text(), settings, report)


def examine_on(
    subject: Subject, text: ExamText, settings: Settings, report: Report = silent
) -> list[Section]:
    lesson = lesson_for(subject, text, settings.batch_rows, settings.seed)
    own = health_of(subject.model, lesson, subject.tokenizer)
    report(0.5, "")
    with subject.random_twin() as twin:
        random = health_of(twin.model, lesson, subject.tokenizer)
    return [section_of(text, lesson, own, random)]


def judgements(health: Health) -> list[str]:
    """What is wrong, in words; nothing if all figures lie where those of sound runs lie."""
    if not isfinite(health.loss) or not isfinite(health.norm):
        return ["exploding: the loss or the gradient is not finite"]
    found, sound = [], bands()
    if health.depth is not None and health.depth < sound["depth"].low:
        found.append(f"vanishing: the first layer's gradient is {health.depth:.2g} of the last one's")
    if health.depth is not None and health.depth > sound["depth"].high:
        found.append(f"exploding: the first layer's gradient is {health.depth:.3g} times the last one's")
    if health.stillest < sound["stillest"].low:
        found.append(f"vanishing: the stillest layer has {health.stillest:.2g} of the whole gradient")
    if health.dead_units and max(health.dead_units) > sound["dead"].high:
        found.append(f"dying: {max(health.dead_units):.0%} of the units in one layer are never positive")
    return found


def section_of(text: ExamText, lesson: Lesson, own: Health, random: Health) -> Section:
    found = judgements(own)
    verdict = "; ".join(found) or "sound"
    return Section(
        "gradients",
        "Gradient health",
        f"{text.told}: one batch of {len(lesson.batch.ids)} rows, loss {own.loss:.3f}, gradient norm {own.norm:.3g}. "
        f"Verdict: {verdict}.",
        (layer_table(own, random), verdict_table(own, random)),
        {
            "verdict": verdict,
            "is_sound": not found,
            "loss": own.loss,
            "gradient_norm": own.norm,
            "first_layer_over_last": own.depth,
            "stillest_layer_over_whole": own.stillest,
            "dead_units": own.dead_units,
            "layers": {name: {**one._asdict(), "ratio": one.ratio} for name, one in own.layers.items()},
            "random_weights": {
                "loss": random.loss,
                "gradient_norm": random.norm,
                "first_layer_over_last": random.depth,
                "stillest_layer_over_whole": random.stillest,
            },
        },
        (
            Picture(
                "Gradient beside weights",
                lambda: heat_of(own),
                "log₁₀ of ‖gradient‖ / ‖weights‖: even colours from the first layer to the last are a good sign. "
                "A dash: the layer has no such weight.",
            ),
        ),
    )


def layer_table(own: Health, random: Health) -> Table:
    return Table(
        "Layer by layer",
        (
            Column("layer"),
            Column("‖gradient‖", decimals=4),
            Column("‖weights‖", decimals=2),
            Column("gradient / weights", decimals=5),
            Column("exact zeros", is_share=True),
            Column("‖gradient‖, random weights", decimals=4),
        ),
        tuple(
            Row(
                (
                    name,
                    one.gradient_norm,
                    one.weight_norm,
                    one.ratio,
                    one.zeros,
                    random.layers[name].gradient_norm,
                )
            )
            for name, one in own.layers.items()
        ),
        "Exact zeros are usual in tables of words: the batch does not have them all.",
    )


def verdict_table(own: Health, random: Health) -> Table:
    sound = bands()

    def row(name: str, mine: float | None, other: float | None) -> Row:
        low, high = sound[name]
        return Row(
            (MEANINGS[name].title.removeprefix("first "), mine, other, f"{max(low, 0):.2g}–{high:.3g}")
        )

    rows = [row("depth", own.depth, random.depth), row("stillest", own.stillest, random.stillest)]
    if own.dead_units and random.dead_units:
        rows.append(row("dead", max(own.dead_units), max(random.dead_units)))
    return Table(
        "Verdict",
        (
            Column("figure"),
            Column("this model", decimals=4),
            Column("random weights", decimals=4),
            Column("sound"),
        ),
        tuple(rows),
        "Sound is where runs of masked words lay that are known to be healthy, and a margin beyond (the bands of "
        "`mini-bert diagnose`). Below the first two, gradients vanish on their way down; above the first they explode.",
    )


def heat_of(health: Health) -> Figure:
    from mini_bert.plots.heat import heat

    rows = list(health.layers)
    columns = [kind for kind in KINDS if any(place[1] == kind for place in health.ratios)]
    values = np.full((len(rows), len(columns)), np.nan)
    for (layer, kind), ratio in health.ratios.items():
        values[rows.index(layer), columns.index(kind)] = np.log10(max(ratio, TINY))
    names = [name.removeprefix("encoder.").replace("layers.", "layer ") for name in rows]
    return heat(values, names, columns, "log₁₀ ‖gradient‖ / ‖weights‖", "layer", "weights")


def seconds(subject: Subject, tasks: TaskFolder | None, settings: Settings, pace: Pace) -> float:
    check_learns_words(subject)
    config, tokens = subject.model.config, settings.batch_rows * row_length(subject)
    asked = tokens * (1.0 if config.causal else 0.15)
    head = 3 * asked * config.vocab_size * config.table_size / pace.multiplications
    return 2 * (2 * tokens / pace.training_tokens + head) + 1.0
