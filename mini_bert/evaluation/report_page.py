"""report.html: an evaluation told in one page."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from html import escape
from importlib.resources import files
from itertools import groupby
from typing import NamedTuple

from mini_bert.errors import counted
from mini_bert.evaluation.abilities import ability_of
from mini_bert.evaluation.evaluation import FIGURES, Evaluation
from mini_bert.evaluation.report_tables import KEY, score_table, summary_table, verdict_line
from mini_bert.evaluation.section import Picture, Section
from mini_bert.plain_json import portable
from mini_bert.plots.inline import inline_svg
from mini_bert.run_reports import page
from mini_bert.run_reports.durations import duration

MOST_LETTERS = 20_000
"""Of JSON that the page itself shows."""


class Chapter(NamedTuple):
    """A section, the title of its suite, and its place on the page."""

    suite: str
    section: Section
    anchor: str


def page_of(found: Evaluation) -> str:
    """The whole page; every plot is drawn here."""
    name = str(found.model["name"])
    sections = [(result.planned.suite.title, one) for result in found.results for one in result.sections]
    chapters = [Chapter(suite, one, f"section{number}") for number, (suite, one) in enumerate(sections, 1)]
    return page.page(
        f"{name}: {found.size} evaluation · Mini-BERT",
        page.heading(name, 1),
        page.paragraph(
            f"{found.size.capitalize()} evaluation on {data_of(found)}, {found.date[:10]}", "under"
        ),
        headline(found),
        *summary(chapters),
        contents(chapters),
        *(part for suite, inner in by_suite(chapters) for part in suite_of(suite, inner)),
        *left_out(found),
        *how_it_was_done(found),
        more_style=files("mini_bert.evaluation").joinpath("report_page.css").read_text("utf-8"),
    )


def data_of(found: Evaluation) -> str:
    return f"the labelled sets in {found.tasks}" if found.tasks else "the embedded world"


def headline(found: Evaluation) -> str:
    model = found.model
    facts = (
        (f"{model['parameters']:,}", "parameters"),
        (f"{model['layers']}", "layers"),
        (f"{model['hidden_size']}", "wide"),
        (f"{model['heads']}", "heads"),
        (f"{model['vocab_size']:,}", "pieces"),
        (f"{model['max_seq_length']}", "tokens at most"),
        (str(model["head"]), "head"),
    )
    items = "".join(f"<li><b>{escape(value)}</b> <span>{escape(name)}</span></li>" for value, name in facts)
    return f'<ul class="facts-line" aria-label="The model">{items}</ul>'


def summary(chapters: Sequence[Chapter]) -> Iterator[str]:
    told = [(ability, one.anchor) for one in chapters if (ability := ability_of(one.section))]
    if not told:
        return
    text, tone = verdict_line([ability for ability, _ in told])
    yield page.heading("Summary")
    yield page.paragraph(text, f"verdict {tone}")
    yield summary_table(told)
    yield page.paragraph(KEY, "key")


def contents(chapters: Sequence[Chapter]) -> str:
    entries = "".join(
        f"<li>{escape(suite)}<ul>"
        + "".join(f'<li><a href="#{one.anchor}">{escape(one.section.title)}</a></li>' for one in inner)
        + "</ul></li>"
        for suite, inner in by_suite(chapters)
    )
    return f'<nav aria-labelledby="contents"><h2 id="contents">Contents</h2><ul>{entries}</ul></nav>'


def by_suite(chapters: Sequence[Chapter]) -> list[tuple[str, list[Chapter]]]:
    return [(suite, list(inner)) for suite, inner in groupby(chapters, key=lambda one: one.suite)]


def suite_of(title: str, chapters: Sequence[Chapter]) -> Iterator[str]:
    yield page.heading(title)
    for one in chapters:
        yield chapter(one.section, one.anchor)


def chapter(section: Section, anchor: str) -> str:
    return "\n".join(
        [
            f'<section id="{anchor}" aria-labelledby="{anchor}-title">',
            f'<h3 id="{anchor}-title">{escape(section.title)} '
            '<a class="up" href="#contents" aria-label="to the contents">↑</a></h3>',
            page.paragraph(section.told, "told"),
            *map(score_table, section.tables),
            drawn(section.pictures, section.title, anchor) if section.pictures else "",
            figures_of(section),
            "</section>",
        ]
    )


def drawn(pictures: Sequence[Picture], title: str, anchor: str) -> str:
    return page.gallery(
        page.picture(
            inline_svg(one.draw(), f"{anchor}-plot{number}", f"{title}: {one.title}"), one.title, one.note
        )
        for number, one in enumerate(pictures, 1)
    )


def figures_of(section: Section) -> str:
    written = json.dumps(portable(dict(section.figures)), indent=2, allow_nan=False)
    if len(written) > MOST_LETTERS:
        return page.paragraph(f"The figures of this section are in {FIGURES}, beside this page.", "note")
    return page.folded("Figures as JSON", written)


def left_out(found: Evaluation) -> Iterator[str]:
    if found.left_out:
        yield page.heading("Left out")
        yield page.listing(found.reasons)


def how_it_was_done(found: Evaluation) -> Iterator[str]:
    yield page.heading("How this was done")
    rows = [
        (
            result.planned.entry.exam,
            result.planned.suite.name,
            duration(result.seconds),
            duration(result.planned.seconds),
        )
        for result in found.results
    ]
    total = (counted(len(rows), "exam"), "", duration(found.seconds), duration(found.foretold))
    yield page.grid_table(("exam", "suite", "took", "foretold"), [*rows, total])
    yield page.facts_table(
        [
            ("Command", found.command or None),
            ("Model", found.model["folder"]),
            ("Data", data_of(found)),
            ("Seed", str(found.seed)),
            ("Date", found.date),
            *found.versions.items(),
        ]
    )
    settings = {result.planned.entry.exam: result.planned.settings.model_dump() for result in found.results}
    yield page.folded("Settings of the exams", json.dumps(portable(settings), indent=2, default=str))
