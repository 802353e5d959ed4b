"""Comparisons as tables: the cells are text, for a terminal and for a page alike."""

from __future__ import annotations

from typing import NamedTuple

from mini_bert.evaluation.estimate import Estimate
from mini_bert.evaluation.intrinsic.row_scores import RowScores, perplexity, score
from mini_bert.experiments.common_exam import DISGUISED
from mini_bert.experiments.comparison import Comparison, Contestant
from mini_bert.markdown import aligned_table
from mini_bert.signs import with_sign

NOTHING = "–"
HUGE, HUGE_TOLD = 1e6, "> 10⁶"


class TextTable(NamedTuple):
    """A header and rows of as many cells; the first column names the rows."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def main_table(comparison: Comparison) -> TextTable:
    """All text together, and what it cost."""
    experiment = comparison.experiment
    header = (
        experiment.name.replace("_", " "),
        "found",
        "perplexity",
        f"loss − {experiment.against}",
        f"found − {experiment.against}",
        "weights",
        "tokens",
        "minutes",
        "tokens/s",
    )
    return TextTable(header, tuple(main_row(comparison, one) for one in comparison.contestants))


def main_row(comparison: Comparison, one: Contestant) -> tuple[str, ...]:
    run, scores = one.trial.summary, one.scores
    return (
        one.title,
        f"{100 * score(scores.of(), 'found').value:.2f} %" if scores else one.trial.state,
        readable(perplexity(scores.of())) if scores else NOTHING,
        signed(comparison.from_first(one, "loss"), 3),
        signed(comparison.from_first(one, "found"), 2, 100),
        millions(one.parameters),
        millions(run.tokens if run else None),
        f"{run.seconds / 60:.1f}" if run else NOTHING,
        f"{one.pace:,.0f}" if one.pace else NOTHING,
    )


def text_table(comparison: Comparison) -> TextTable:
    """Each text by itself, and all of them with BERT's own disguises: the share of words found, and the perplexity."""
    rows = tuple(
        (
            one.title,
            *map(both, [*(one.scores.of(text) for text in comparison.texts), one.scores.of(how=DISGUISED)]),
        )
        for one in comparison.contestants
        if one.scores
    )
    return TextTable(("found / perplexity", *comparison.texts, "disguised"), rows)


def both(rows: RowScores) -> str:
    return f"{100 * score(rows, 'found').value:.1f} % / {readable(perplexity(rows))}"


def readable(found: float) -> str:
    """A perplexity. How far beyond all use one is, its loss tells.

    >>> readable(1478.31), readable(1e304)
    ('1,478.3', '> 10⁶')
    """
    return HUGE_TOLD if found > HUGE else f"{found:,.1f}"


def millions(count: int | None) -> str:
    """3.07 M"""
    return NOTHING if count is None else f"{count / 1e6:.2f} M"


def signed(found: Estimate | None, decimals: int, factor: float = 1.0) -> str:
    """A difference and half of its interval: −0.034 ± 0.006

    >>> signed(Estimate(-0.0341, -0.0401, -0.0281), 3), signed(Estimate(0.0), 2), signed(None, 2)
    ('−0.034 ± 0.006', '0.00', '–')
    """
    if found is None:
        return NOTHING
    value = with_sign(factor * found.value, decimals)
    if found.low is None or found.high is None:
        return value
    return f"{value} ± {factor * (found.high - found.low) / 2:.{decimals}f}"


def markdown(comparison: Comparison) -> str:
    """An experiment as a part of a page: the question, what is known about it, and the tables, if any run is there."""
    experiment = comparison.experiment
    parts = [f"### {experiment.question}", experiment.told.strip()]
    if any(one.scores or one.trouble for one in comparison.contestants):
        for table in (main_table(comparison), text_table(comparison)):
            numeric = [place > 0 for place in range(len(table.header))]
            parts.append(aligned_table(table.header, table.rows, numeric))
        parts += comparison.notes
    return "\n\n".join(filter(None, parts)) + "\n"
