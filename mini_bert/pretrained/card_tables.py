"""Tables of a model card, in Markdown, and how numbers are written in them."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from inspect import signature
from typing import Any

from mini_bert.markdown import aligned_table
from mini_bert.metrics.perplexity import perplexity_of_loss
from mini_bert.pretrained.exams import Score
from mini_bert.run_reports.history import is_number
from mini_bert.training.assembly import OPTIMIZERS

POINTS = 12
MISSING, UNKNOWN = "–", "not recorded"


def markdown_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Columns of numbers are aligned to the right, but for the first.

    >>> print(markdown_table(["step", "loss", "told"], [["1", "6.0", "at first"]]))
    | step | loss | told |
    | --- | ---: | --- |
    | 1 | 6.0 | at first |
    """
    columns = zip(*(rows or [[""] * len(header)]), strict=True)
    numeric = [place > 0 and all(map(is_numeric, column)) for place, column in enumerate(columns)]
    return aligned_table(header, rows, numeric)


def is_numeric(cell: str) -> bool:
    return cell.lstrip("+−")[:1].isdigit() or cell in (MISSING, UNKNOWN)


def log_table(log: Sequence[Mapping[str, Any]], ends: Sequence[int] = ()) -> str:
    """A dozen points of a thinned log, evenly spaced, the last among them, and the last of each stage that ended after
    so many steps; those with a held-out score, if any."""
    scored = [line for line in log if is_number(line.get("held_out_loss"))] or list(log)
    count = min(POINTS, len(scored))
    chosen = {round((number + 1) * len(scored) / count) - 1 for number in range(count)}
    steps = [line["step"] for line in scored]
    chosen |= {bisect_right(steps, end) - 1 for end in ends if steps[0] <= end}
    rows = [
        [
            *([str(bisect_left(ends, line["step"]) + 1)] if len(ends) > 1 else []),
            f"{line['step']:,}",
            f"{line.get('tokens', 0) / 1e6:,.1f}",
            decimal(line.get("loss"), 3),
            decimal(line.get("held_out_loss"), 3),
            decimal(perplexity(line.get("held_out_loss")), 1),
            percentage(line.get("held_out_accuracy")),
        ]
        for line in (scored[place] for place in sorted(chosen))
    ]
    header = ["step", "million tokens", "loss", "held-out loss", "perplexity", "words found"]
    return markdown_table([*(["stage"] if len(ends) > 1 else []), *header], rows)


def stage_table(stages: Sequence[Mapping[str, Any]]) -> str:
    """What each stage was given, and what it did differently."""
    rows = []
    for number, stage in enumerate(stages, start=1):
        settings = stage["settings"]
        optimizer, batch, masking = settings["optimizer"], settings["batch"], settings["masking"]
        rows.append(
            [
                str(number),
                spent_of_given(stage),
                known(stage.get("steps"), "{:,}"),
                known(stage.get("seconds"), "{:.2f}", 3600),
                known(stage.get("cores"), "{}"),
                str(optimizer["kind"]),
                known(rate_of(optimizer), "{:g}"),
                known((settings.get("schedule") or {}).get("warmup"), "{:.3g} %", 0.01),
                rows_told(batch),
                hidden_told(masking),
                known(settings.get("seed"), "{}"),
            ]
        )
    header = ["stage", "million tokens", "steps", "hours", "cores"]
    header += ["optimizer", "highest rate", "warmup", "rows in a step", "tokens hidden", "seed"]
    return markdown_table(header, rows)


def rate_of(optimizer: Mapping[str, Any]) -> Any:
    """The rate in the settings; where they leave it open, the optimizer's own, and where they do not tell, None.

    >>> rate_of({"kind": "muon", "learning_rate": None}), rate_of({"kind": "muon"})
    (0.002, None)
    """
    told = optimizer.get("learning_rate")
    if told is not None or "learning_rate" not in optimizer:
        return told
    return signature(OPTIMIZERS[optimizer["kind"]]).parameters["learning_rate"].default


def spent_of_given(stage: Mapping[str, Any]) -> str:
    """Million tokens that a stage has seen, and of how many, if it was stopped before their end.

    >>> spent_of_given({"tokens": 12_300_000, "settings": {"budget": {"tokens": 120_000_000}}})
    '12.3 of 120.0'
    >>> spent_of_given({"tokens": 2_002_944, "settings": {"budget": {"tokens": 2_000_000}}})
    '2.0'
    """
    spent: Any = stage.get("tokens")
    given: Any = (stage["settings"].get("budget") or {}).get("tokens")
    was_stopped = is_number(spent) and is_number(given) and given > spent
    told = known(spent, "{:,.1f}", 1e6)
    return f"{told} of {given / 1e6:,.1f}" if was_stopped else told


def rows_told(batch: Mapping[str, Any]) -> str:
    """
    >>> rows_told({"ramp_from": 16, "size": 64, "short_rows": 16, "short_until": 0.05})
    '16 → 64, of 16 tokens in the first 5 %'
    """
    told = from_to(batch.get("ramp_from"), batch.get("size"))
    if short := batch.get("short_rows"):
        told += f", of {short} tokens in the first {100 * batch['short_until']:g} %"
    return told


def hidden_told(masking: Mapping[str, Any]) -> str:
    """
    >>> hidden_told({"kind": "whole-words", "share": 0.2, "final_share": 0.15}), hidden_told({"share": 0.15})
    ('0.2 → 0.15, whole-words', '0.15')
    """
    kind = masking.get("kind", "tokens")
    return from_to(masking.get("share"), masking.get("final_share")) + (
        "" if kind == "tokens" else f", {kind}"
    )


def known(value: Any, form: str, unit: float = 1) -> str:
    """A number in some unit, or that it was not recorded.

    >>> known(5400, "{:.1f}", 3600), known(None, "{:,}")
    ('1.5', 'not recorded')
    """
    return form.format(value / unit if unit != 1 else value) if is_number(value) else UNKNOWN


def from_to(first: Any, last: Any) -> str:
    """
    >>> from_to(0.3, 0.15), from_to(None, 64), from_to(0.2, None)
    ('0.3 → 0.15', '64', '0.2')
    """
    told = [str(value) for value in (first, last) if value is not None]
    return " → ".join(dict.fromkeys(told)) or UNKNOWN


def perplexity(loss: Any) -> float | None:
    return perplexity_of_loss(loss) if is_number(loss) else None


def decimal(value: Any, decimals: int) -> str:
    return f"{value:,.{decimals}f}" if is_number(value) else MISSING


def percentage(value: Any, ends: Sequence[Any] = ()) -> str:
    """49.9 %, with its interval if there is one.

    >>> percentage(0.499, [0.49, 0.51]), percentage(None)
    ('49.9 % (49.0–51.0)', '–')
    """
    if not is_number(value):
        return MISSING
    interval = [f"{100 * end:.1f}" for end in ends if is_number(end)]
    return f"{100 * value:.1f} %" + (f" ({'–'.join(interval)})" if len(interval) == 2 else "")


def score_told(score: Score, is_share: bool) -> str:
    """
    >>> score_told(Score(0.5, [0.4, 0.6]), True), score_told(Score(0.5, [0.4, 0.6]), False)
    ('50.0 % (40.0–60.0)', '0.500 (0.400–0.600)')
    """
    if is_share:
        return percentage(score.value, score.ends)
    interval = [decimal(end, 3) for end in score.ends if is_number(end)]
    return decimal(score.value, 3) + (f" ({'–'.join(interval)})" if len(interval) == 2 else "")
