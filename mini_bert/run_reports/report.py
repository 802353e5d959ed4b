"""report.html: a run told in one page, with its curves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import count
from math import exp, isfinite
from pathlib import Path
from typing import Any

import yaml

from mini_bert.errors import counted
from mini_bert.files import write_atomically
from mini_bert.plots.inline import inline_svg
from mini_bert.run_reports import page
from mini_bert.run_reports.durations import duration
from mini_bert.run_reports.panels import sections
from mini_bert.run_reports.summary import RunSummary, last_score, summary_of
from mini_bert.run_reports.verdict import verdict_of
from mini_bert.training.run_folder import RunFolder

NOTHING = "–"


def write_report(folder: RunFolder) -> Path:
    """Write the report of a run, whatever there is of it by now; returns where it is."""
    write_atomically(folder.report, report_of(folder).encode())
    return folder.report


def report_of(folder: RunFolder) -> str:
    run, facts = summary_of(folder), folder.facts()
    verdict = verdict_of(run, facts)
    return page.page(
        f"{run.name} · Mini-BERT",
        page.heading(run.name, 1),
        page.paragraph(f"{run.model} on {run.corpus}, {run.state}, {run.date:%Y-%m-%d %H:%M}", "under"),
        page.paragraph(verdict.text, f"verdict {verdict.tone}"),
        '<div class="sides"><div>',
        page.facts_table(facts_rows(run, facts)),
        "</div><div>",
        scores(run, facts),
        "</div></div>",
        *troubles(run),
        *plots(run, facts),
        page.folded("Configuration", yaml.safe_dump(run.settings, sort_keys=False, allow_unicode=True)),
    )


def facts_rows(run: RunSummary, facts: Mapping[str, Any]) -> Iterator[tuple[str, str | None]]:
    yield "Model", run.model
    yield "Parameters", whole(facts.get("parameters"))
    yield "Vocabulary", whole(facts.get("vocab_size"))
    yield "Corpus", run.corpus
    yield "Text", f"{whole(facts['tokens'])} tokens" if facts.get("tokens") else None
    yield "Documents", whole(facts.get("documents"))
    yield "Steps", whole(run.steps)
    yield "Tokens seen", whole(run.tokens)
    yield "Time", duration(run.seconds)
    yield "Speed", f"{run.tokens / run.seconds:,.0f} tokens a second" if run.seconds else None
    yield "Threads", whole(facts.get("workers"))
    yield "Version", facts.get("version")


def scores(run: RunSummary, facts: Mapping[str, Any]) -> str:
    """Held-out scores beside those of a model that knows nothing, and of one that knows frequencies only."""
    rows = []
    if run.loss is not None:
        rows.append(("training, last", *score_cells(run.loss, last_score(run, "accuracy"))))
    if run.held_out:
        rows.append(("held-out, last", *score_cells(run.held_out.loss, run.held_out.accuracy)))
    if run.best:
        rows.append(
            (f"held-out, best (step {run.best.step:,})", *score_cells(run.best.loss, run.best.accuracy))
        )
    if (old := last_score(run, "old_loss")) is not None:
        rows.append(("old text, last", *score_cells(old, last_score(run, "old_accuracy"))))
    for exam, name in (("held_out", "held-out, before"), ("old", "old text, before")):
        if (start := facts.get(f"start_{exam}_loss")) is not None:
            rows.append((name, *score_cells(start, facts.get(f"start_{exam}_accuracy"))))
    if (unigram := facts.get("unigram_loss")) is not None:
        rows.append(("word frequencies", *score_cells(unigram, facts.get("unigram_accuracy"))))
    if (uniform := facts.get("uniform_loss")) is not None:
        rows.append(("even guess", *score_cells(uniform, exp(-uniform))))
    return page.grid_table(("", "loss", "accuracy", "perplexity"), rows) if rows else ""


def score_cells(loss: float | None, accuracy: float | None) -> tuple[str, str, str]:
    return (
        NOTHING if loss is None else f"{loss:.3f}",
        NOTHING if accuracy is None else f"{100 * accuracy:.1f} %",
        NOTHING if loss is None else perplexity(loss),
    )


def perplexity(loss: float) -> str:
    return f"{exp(loss):,.1f}" if loss < 30 and isfinite(loss) else f"e^{loss:.0f}"


def troubles(run: RunSummary) -> Iterator[str]:
    """Steps that were skipped, those that the guard spoke of, and those that left no finite loss."""
    told = [str(entry) for line in run.lines for entry in line.get("troubles") or []]
    broken = [line["step"] for line in run.lines if line.get("loss", 0.0) is None]
    if broken:
        told.append(
            f"the loss was not finite at {counted(len(broken), 'logged step')}, first at {broken[0]:,}"
        )
    if run.skipped:
        told.append(f"{counted(run.skipped, 'step')} skipped")
    if told:
        yield page.heading("Troubles")
        yield page.listing(told)


def plots(run: RunSummary, facts: Mapping[str, Any]) -> Iterator[str]:
    number = count(1)
    for title, panels in sections(run.lines, run.settings, facts).items():
        yield page.heading(title)
        yield page.gallery(
            page.picture(
                inline_svg(panel.figure, f"plot{next(number)}", panel.title), panel.title, panel.note
            )
            for panel in panels
        )


def whole(number: int | None) -> str | None:
    return None if number is None else f"{number:,}"
