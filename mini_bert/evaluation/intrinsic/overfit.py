"""A model that cannot learn one batch by heart cannot learn: can this one, from new weights and from its own?"""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from pydantic import Field

from mini_bert.checked import Checked
from mini_bert.core.array import Array
from mini_bert.evaluation.exam import DoesNotApply, Pace
from mini_bert.evaluation.intrinsic.exam_text import ExamText, world_text
from mini_bert.evaluation.intrinsic.one_batch import Lesson, check_learns_words, learned_from, lesson_for
from mini_bert.evaluation.intrinsic.questions import row_length
from mini_bert.evaluation.section import Column, Picture, Row, Section, Table
from mini_bert.evaluation.subject import Subject
from mini_bert.evaluation.task_folder import TaskFolder
from mini_bert.models.mini import MiniBERT
from mini_bert.reports import Report, silent
from mini_bert.training.clipping import clip_gradients
from mini_bert.training.optimizers import AdamW

if TYPE_CHECKING:
    from matplotlib.figure import Figure

BY_HEART = 0.01
"""Nats: each word of the batch is told with p > 0.99, about."""
RATE, WIDTH_OF_RATE, RATES, LONGEST_GRADIENT = 1e-3, 192, (1e-4, 4e-3), 1.0
"""Wider models learn with smaller steps."""
PARAMETERS_A_SECOND = 1e8
"""That an optimizer moves, about."""
USUAL_SHARE = 0.6
"""Of the steps, after which most models know a batch by heart."""
FRESH, OWN = "new weights", "its own weights"


class Settings(Checked):
    batch_rows: int = Field(8, ge=1, description="of the batch that is to be learned")
    steps: int = Field(200, ge=1, description="at most, from each start")
    seed: int = Field(0, ge=0, description="draws the batch and the new weights")


class Learning(NamedTuple):
    """The loss before each step and after the last (steps + 1,), and the share of words found in the end."""

    losses: Array
    right: float

    @property
    def is_by_heart(self) -> bool:
        return bool(self.losses[-1] < BY_HEART)

    @property
    def verdict(self) -> str:
        if self.is_by_heart:
            return "learned by heart"
        if not isfinite(self.losses[-1]):
            return "the loss is not finite"
        return "still falling" if self.losses[-1] < 0.5 * self.losses[0] else "not learned"


def examine(
    subject: Subject, tasks: TaskFolder | None, settings: Settings, report: Report = silent
) -> list[Section]:
    """Labels play no part, so that the text is that of the embedded world whatever the tasks."""
    return examine_on(subject, world_text(), settings, report)


def examine_on(
    subject: Subject, text: ExamText, settings: Settings, report: Report = silent
) -> list[Section]:
    check_fixed(subject)
    lesson = lesson_for(subject, text, settings.batch_rows, settings.seed)
    model = subject.model
    starts = {
        FRESH: MiniBERT(model.config, dtype=model.dtype, seed=settings.seed),
        OWN: MiniBERT(model.config, dtype=model.dtype, seed=None),
    }
    starts[OWN].arena.flat[:] = model.arena.flat
    return [section_of(text, lesson, all_learning(starts, lesson, settings.steps, subject, report), settings)]


def all_learning(
    starts: Mapping[str, MiniBERT], lesson: Lesson, steps: int, subject: Subject, report: Report
) -> dict[str, Learning]:
    """Each start by another worker, side by side: the matrices are too small to share."""
    team, names = subject.predictor.team, list(starts)

    def share(worker: int) -> dict[str, Learning]:
        told = report if worker == 0 else silent
        return {name: learning(starts[name], lesson, steps, told) for name in names[worker :: team.size]}

    found = {name: one for some in team.each(share) for name, one in some.items()}
    return {name: found[name] for name in names}


def check_fixed(subject: Subject) -> None:
    check_learns_words(subject)
    if subject.model.config.generator:
        raise DoesNotApply(
            "this model's exercises are drawn by its generator, which learns too: "
            "no batch comes twice to be learned by heart"
        )


def learning(model: MiniBERT, lesson: Lesson, steps: int, report: Report = silent) -> Learning:
    """AdamW on one batch, again and again, until it is known by heart or the steps are taken."""
    rate = float(np.clip(RATE * WIDTH_OF_RATE / model.config.hidden_size, *RATES))
    optimizer, gradient = AdamW(model.arena, learning_rate=rate), model.arena.zeros_like()
    losses: list[float] = []
    with np.errstate(over="ignore", invalid="ignore"):  # a loss that is not finite says so itself
        while True:
            loss, right, _ = learned_from(model, lesson, gradient)
            losses.append(loss)
            report(min(1.0, len(losses) / (steps + 1)), f"loss {loss:.3f}")
            if loss < BY_HEART or not isfinite(loss) or len(losses) > steps:
                return Learning(np.array(losses), right)
            clip_gradients(gradient, LONGEST_GRADIENT)
            optimizer.step(gradient)


def section_of(text: ExamText, lesson: Lesson, found: Mapping[str, Learning], settings: Settings) -> Section:
    batch = lesson.batch
    asked, vocabulary_free = int((batch.weights > 0).sum()), entropy(batch.labels[batch.weights > 0])
    return Section(
        "one-batch",
        "One batch by heart",
        f"{text.told}: {len(batch.ids)} rows, {asked} words asked for, learned again and again by AdamW, at most "
        f"{settings.steps} steps. It is known by heart when the loss is below {BY_HEART}.",
        (table_of(found, vocabulary_free),),
        {
            "rows": len(batch.ids),
            "questions": asked,
            "most_steps": settings.steps,
            "by_heart_below": BY_HEART,
            "loss_without_context": vocabulary_free,
            **{name.replace(" ", "_"): figures_of(one) for name, one in found.items()},
        },
        (
            Picture(
                "Learning one batch by heart",
                lambda: curves_of(found, vocabulary_free),
                "Below the dashed line, the context of each word must have been learned.",
            ),
        ),
    )


def table_of(found: Mapping[str, Learning], without_context: float) -> Table:
    rows = [
        Row(
            (
                name,
                float(one.losses[0]),
                float(one.losses[-1]),
                len(one.losses) - 1,
                one.right,
                one.verdict,
            )
        )
        for name, one in found.items()
    ]
    return Table(
        "From the first step to the last",
        (
            Column("begins with"),
            Column("first loss (nats)", decimals=2),
            Column("last loss (nats)", decimals=3),
            Column("steps"),
            Column("words found", is_share=True),
            Column("verdict"),
        ),
        (
            *rows,
            Row(
                ("no context: how often words are asked for", None, without_context, None, None, None),
                "baseline",
            ),
        ),
        "Whoever ignores the context, and knows only how often each word is asked for in this batch, comes no lower "
        "than the last row. One batch, no intervals: this asks whether learning works at all, not how well.",
    )


def entropy(labels: Array) -> float:
    """−Σ p ln p of the words that are asked for: the lowest loss without any context"""
    _, counts = np.unique(labels, return_counts=True)
    p = counts / counts.sum()
    return float(-(p * np.log(p)).sum())


def figures_of(one: Learning) -> dict[str, Any]:
    return {
        "by_heart": one.is_by_heart,
        "verdict": one.verdict,
        "steps": len(one.losses) - 1,
        "first_loss": float(one.losses[0]),
        "last_loss": float(one.losses[-1]),
        "words_found": one.right,
        "losses": one.losses.tolist(),
    }


def curves_of(found: Mapping[str, Learning], without_context: float) -> Figure:
    from mini_bert.plots.curves import curves
    from mini_bert.plots.series import Series

    series = {name: Series(np.arange(len(one.losses)), one.losses) for name, one in found.items()}
    guides = {"without context": without_context}
    return curves(series, "loss (nats)", guides, is_logarithmic=True)


def seconds(subject: Subject, tasks: TaskFolder | None, settings: Settings, pace: Pace) -> float:
    check_fixed(subject)
    config = subject.model.config
    tokens = settings.batch_rows * row_length(subject)
    asked = tokens * (1.0 if config.causal else 0.15)
    head = 3 * asked * config.vocab_size * config.table_size / pace.multiplications
    optimizer = subject.model.num_parameters / PARAMETERS_A_SECOND
    a_step = 2 * tokens / pace.training_tokens + 2 * head + optimizer
    return USUAL_SHARE * settings.steps * a_step
