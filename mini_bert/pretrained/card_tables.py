"""Tables of a model card, in Markdown: the log, and results as our commands write them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import exp
from typing import Any

from mini_bert.run_reports.history import is_number

POINTS = 12
MOST_ROWS = 60
MISSING = "–"
NOT_RESULTS = {"model", "versions", "settings", "command", "date", "output", "report", "seed", "intervals"}
"""What results tell of how they were made, and intervals, which stand beside their values."""


def markdown_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Columns of numbers are aligned to the right, but for the first.

    >>> print(markdown_table(["step", "loss", "told"], [["1", "6.0", "at first"]]))
    | step | loss | told |
    | --- | ---: | --- |
    | 1 | 6.0 | at first |
    """
    numeric = [
        all(cell[:1].isdigit() or cell == MISSING for cell in column) for column in zip(*rows, strict=True)
    ]
    rule = ["---:" if number and place else "---" for place, number in enumerate(numeric)]
    lines = [header, rule or ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |" for line in lines)


def log_table(log: Sequence[Mapping[str, Any]]) -> str:
    """A dozen points of a thinned log, evenly spaced, the last among them; those with a held-out score, if any."""
    scored = [line for line in log if is_number(line.get("held_out_loss"))] or list(log)
    count = min(POINTS, len(scored))
    chosen = [scored[round((number + 1) * len(scored) / count) - 1] for number in range(count)]
    rows = [
        [
            f"{line['step']:,}",
            f"{line.get('tokens', 0) / 1e6:,.1f}",
            f"{line.get('seconds', 0) / 3600:.2f}",
            decimal(line.get("loss"), 3),
            decimal(line.get("held_out_loss"), 3),
            decimal(perplexity(line.get("held_out_loss")), 1),
            percentage(line.get("held_out_accuracy")),
        ]
        for line in chosen
    ]
    header = ["step", "million tokens", "hours", "loss", "held-out loss", "perplexity", "words found"]
    return markdown_table(header, rows)


def stage_table(stages: Sequence[Mapping[str, Any]]) -> str:
    """What each stage was given, and what it did differently."""
    rows = []
    for number, stage in enumerate(stages, start=1):
        settings = stage.get("settings") or {}
        batch, masking = settings.get("batch") or {}, settings.get("masking") or {}
        rows.append(
            [
                str(number),
                f"{stage['tokens'] / 1e6:,.1f}",
                f"{stage['steps']:,}" if stage.get("steps") else MISSING,
                decimal(stage["seconds"] / 3600, 2) if stage.get("seconds") else MISSING,
                str((settings.get("optimizer") or {}).get("learning_rate", MISSING)),
                from_to(batch.get("ramp_from"), batch.get("size")),
                from_to(masking.get("share"), masking.get("final_share")),
            ]
        )
    header = ["stage", "million tokens", "steps", "hours", "highest rate", "rows in a step", "words hidden"]
    return markdown_table(header, rows)


def from_to(first: Any, last: Any) -> str:
    """
    >>> from_to(0.3, 0.15), from_to(None, 64), from_to(0.2, None)
    ('0.3 → 0.15', '64', '0.2')
    """
    told = [str(value) for value in (first, last) if value is not None]
    return " → ".join(dict.fromkeys(told)) or MISSING


def perplexity(loss: Any) -> float | None:
    return exp(min(loss, 700.0)) if is_number(loss) else None


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


def results_of(name: str, result: Mapping[str, Any]) -> str:
    """What one command found: in a table of its own kind if we know it, else every figure by its name."""
    if isinstance(result.get("summary"), list) and result["summary"]:
        return summary_table(result["summary"])
    hidden = list(hidden_words(result, name))
    if hidden:
        return hidden_table(hidden)
    rows = [[path, shown] for path, shown in figures(result)]
    return markdown_table(["figure", "value"], rows[:MOST_ROWS])


def summary_table(summary: Sequence[Mapping[str, Any]]) -> str:
    """Of `mini-bert evaluate`: each ability beside the best of its rivals."""
    rows = []
    for one in summary:
        score, rivals = one["score"], one.get("rivals") or []
        best = max(rivals, key=lambda rival: rival["value"]) if rivals else {}
        rows.append(
            [
                f"{one['title']} ({one['measure']})",
                percentage(score["value"], [score.get("low"), score.get("high")]),
                percentage(best.get("value"), [best.get("low"), best.get("high")]),
                str(best.get("name", MISSING)),
                str(one.get("beats_its_baselines", MISSING)),
            ]
        )
    return markdown_table(["ability", "this model", "best rival", "which", "beats all"], rows)


def hidden_words(result: Any, name: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Every exam of hidden words in a result, however deep, by the text that was asked about."""
    if not isinstance(result, Mapping):
        return
    if "masked_accuracy" in result and isinstance(result.get("baselines"), Mapping):
        told = result.get("text")
        yield (told if isinstance(told, str) else name), result
        return
    for key, inner in result.items():
        for one in inner if isinstance(inner, list) else [inner]:
            yield from hidden_words(one, str(key))


def hidden_table(exams: Sequence[tuple[str, Mapping[str, Any]]]) -> str:
    """Of `mini-bert metrics`: hidden words found, with those of counting beside."""
    rows = []
    for text, one in exams:
        beside = one["baselines"]
        rows.append(
            [
                text,
                percentage(one["masked_accuracy"], (one.get("intervals") or {}).get("masked_accuracy") or []),
                decimal(one.get("perplexity"), 1),
                *(
                    f"{percentage(by.get('masked_accuracy'))} / {decimal(by.get('perplexity'), 1)}"
                    for by in (beside.get("neighbours") or {}, beside.get("unigram") or {})
                ),
                decimal(one.get("questions"), 0),
            ]
        )
    header = [
        "text",
        "words found",
        "perplexity",
        "trigrams: found / perplexity",
        "word frequencies",
        "asked",
    ]
    return markdown_table(header, rows)


def figures(result: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Every number, by the names that lead to it."""
    if isinstance(result, Mapping):
        for key, inner in result.items():
            if key not in NOT_RESULTS:
                yield from figures(inner, f"{path} › {key}" if path else str(key))
    elif is_number(result):
        yield path, f"{result:,}" if isinstance(result, int) else f"{result:.4g}"
