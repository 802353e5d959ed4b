"""One table of what the shipped models reach: from each one's evaluation.json, beside the best baseline."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from mini_bert.pretrained.card_prose import paragraph
from mini_bert.pretrained.card_results import paradigms_told
from mini_bert.pretrained.card_tables import MISSING, markdown_table, score_told
from mini_bert.pretrained.exams import Exam, Score, exams_in, of_pairs, sets_of_pairs
from mini_bert.pretrained.packed_files import EVALUATION
from mini_bert.pretrained.shipped import HOME, NAMES


def shipped_results() -> str:
    """The table of all models that come with the package, and below it what their minimal pairs are of."""
    measured = {name: json.loads((HOME / name / EVALUATION).read_text("utf-8")) for name in NAMES}
    return f"{results_table(measured)}\n\n{paradigms_asked(measured)}"


def results_table(measured: Mapping[str, Mapping[str, Any]]) -> str:
    """A row for each exam, a column for each model; the rival is the best of all that stood beside any of them,
    and that were asked as much."""
    exams = {
        model: {
            exam.title: exam
            for name, result in (found.get("results") or {}).items()
            for exam in exams_in(result, name)
        }
        for model, found in measured.items()
    }
    rows = []
    for title in dict.fromkeys(title for found in exams.values() for title in found):
        sat = {model: found[title] for model, found in exams.items() if title in found}
        is_share = next(iter(sat.values())).is_share
        best = best_rival(sat)
        scores = [found[title].score if title in found else None for found in exams.values()]
        rows.append(
            [
                title,
                f"{score_told(best._replace(ends=()), is_share)}, {best.name}" if best else MISSING,
                *(score_told(score, is_share) if score else MISSING for score in scores),
            ]
        )
    return markdown_table(["exam", "best baseline", *measured], rows)


def best_rival(sat: Mapping[str, Exam]) -> Score | None:
    """One that is not the same for all models, like their own random weights, is told with the model's name."""
    rivals = [(rival, model) for model, exam in sat.items() for rival in exam.rivals if not rival.of_sample]
    if not rivals:
        return None
    best, model = max(rivals, key=lambda pair: pair[0].value)
    same = [
        (best.name, best.value) in [(one.name, one.value) for one in exam.rivals] for exam in sat.values()
    ]
    return best if all(same) else best._replace(name=f"{best.name} of {model}")


def paradigms_asked(measured: Mapping[str, Mapping[str, Any]]) -> str:
    """Of how many paradigms the scores of minimal pairs are, set by set."""
    results = [result for found in measured.values() for result in (found.get("results") or {}).values()]
    sets = [one for result in results if "paradigms" in result for one in sets_of_pairs(result)]
    told = f"Scores of minimal pairs are means over {', '.join(dict.fromkeys(map(paradigms_told, sets)))}."
    if any(rival.of_sample for one in sets for rival in of_pairs(one).rivals):
        told += " Random weights were asked about fewer of these pairs, and are not among the baselines here."
    return paragraph(told)
