"""Tables of an evaluation as HTML."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from mini_bert.evaluation.abilities import Ability, Rival, Verdict
from mini_bert.evaluation.estimate import Estimate
from mini_bert.evaluation.section import Cell, Column, Table, shown
from mini_bert.run_reports.page import class_of
from mini_bert.run_reports.verdict import Tone

CHIPS: dict[Verdict, tuple[str, str]] = {
    "yes": ("yes", "yes"),
    "no": ("no", "no"),
    "within noise": ("unsure", "within noise"),
}
MOST_ROWS = 24
"""A longer table is folded."""
KEY = (
    "Blue is the model, on a scale from 0 to the most there can be; the thin line is its 95 % interval. Upright marks "
    "are its baselines, the amber ones controls. It beats them if the 95 % interval of each difference lies above 0; "
    "where it holds 0, the difference is within noise."
)


def verdict_line(abilities: Sequence[Ability]) -> tuple[str, Tone]:
    """How many abilities stand out, in a sentence."""
    found = [ability.verdict for ability in abilities]
    beats, loses = found.count("yes"), found.count("no")
    unsure = len(found) - beats - loses
    told = [f"It beats all its baselines and controls in {beats} of {len(found)} abilities"]
    if unsure:
        told.append(f"is within noise of one in {unsure}")
    if loses:
        told.append(f"is beaten by one in {loses}")
    tone: Tone = "good" if beats == len(found) else "poor" if loses > beats else "plain"
    return f"{', '.join(told)}.", tone


def summary_table(told: Sequence[tuple[Ability, str]]) -> str:
    """Each ability in a row that leads to its place on the page."""
    rows = "".join(summary_row(ability, anchor) for ability, anchor in told)
    head = "".join(
        f'<th scope="col"{class_of(kind)}>{name}</th>'
        for name, kind in (
            ("ability", ""),
            ("score", "bar"),
            ("this model", "number"),
            ("best rival", "number"),
            ("beats them", "chosen"),
        )
    )
    return f'<table class="summary"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>'


def summary_row(ability: Ability, anchor: str) -> str:
    rival = ability.best_rival
    kind, text = CHIPS[ability.verdict]
    return (
        f'<tr><th scope="row"><a href="#{anchor}">{escape(ability.title)}</a>'
        f'<span class="of">{escape(f"{ability.measure.name}, {ability.row}")}</span></th>'
        f'<td class="bar">{track(ability)}</td>'
        f'<td class="number"><b>{html_cell(ability.score, ability.measure)}</b></td>'
        f'<td class="number">{html_cell(rival.score, ability.measure)}<span class="of">{escape(rival.name)}</span></td>'
        f'<td class="chosen"><span class="chip {kind}">{text}</span></td></tr>'
    )


def track(ability: Ability) -> str:
    """The score as a bar on a track from 0 to 1, its interval as a line, each rival as a mark."""
    said = ", ".join(
        [
            f"{ability.measure.name} {shown(ability.score, ability.measure)}",
            *(f"{rival.name} {shown(rival.score, ability.measure)}" for rival in ability.rivals),
        ]
    )
    score = ability.score
    marks = "".join(mark(rival, ability.measure) for rival in ability.rivals)
    line = ""
    if score.low is not None and score.high is not None:
        line = f'<i class="range" style="left:{at(score.low)};width:{at(score.high - score.low)}"></i>'
    return (
        f'<div class="track" role="img" aria-label="{escape(said, quote=True)}">'
        f'<i class="fill" style="width:{at(score.value)}"></i>{line}{marks}</div>'
    )


def mark(rival: Rival, measure: Column) -> str:
    said = escape(f"{rival.name}: {shown(rival.score, measure)}", quote=True)
    return f'<i class="mark {rival.kind}" style="left:{at(rival.score.value)}" title="{said}"></i>'


def at(share: float) -> str:
    return f"{100 * min(max(share, 0.0), 1.0):.2f}%"


def score_table(told: Table) -> str:
    """A table whose rows are marked as the model's, a baseline's or a control's, with intervals set back."""
    head = "".join(f'<th scope="col">{escape(column.name)}</th>' for column in told.columns)
    body = "".join(
        f'<tr class="{row.kind}"><th scope="row">{html_cell(row.cells[0], told.columns[0])}</th>'
        + "".join(
            f"<td>{html_cell(cell, column)}</td>"
            for cell, column in zip(row.cells[1:], told.columns[1:], strict=True)
        )
        + "</tr>"
        for row in told.rows
    )
    emphasis = " mixed" if len({row.kind for row in told.rows}) > 1 else ""
    note = f'<p class="note">{escape(told.note)}</p>' if told.note else ""
    made = (
        f'<div class="wide"><table class="scores{emphasis}"><caption>{escape(told.title)}</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>{note}"
    )
    if len(told.rows) <= MOST_ROWS:
        return made
    return f"<details><summary>{escape(told.title)}: {len(told.rows)} rows</summary>{made}</details>"


def html_cell(cell: Cell, column: Column) -> str:
    text = shown(cell, column)
    if isinstance(cell, Estimate) and cell.low is not None and cell.high is not None:
        value, _, interval = text.rpartition(" (")
        return f'{escape(value)}<span class="interval">({escape(interval)}</span>'
    return escape(text)
