"""One table of what the shipped models reach: from each one's evaluation.json, beside the best baseline."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from mini_bert.pretrained.card_tables import MISSING, hidden_words, markdown_table, percentage
from mini_bert.pretrained.packing import EVALUATION
from mini_bert.pretrained.shipped import HOME, NAMES

RIVALS = {"neighbours": "trigrams", "unigram": "word frequencies"}
ENDINGS = (".gz", ".bz2", ".txt")


class Score(NamedTuple):
    """What a model, or a way to do without one, reaches in an exam."""

    value: float
    ends: Sequence[float] = ()
    name: str = ""


class Exam(NamedTuple):
    """An exam by its title: the model's score, and those of its rivals."""

    title: str
    score: Score
    rivals: list[Score]


def shipped_results() -> str:
    """The table of all models that come with the package."""
    return results_table({name: json.loads((HOME / name / EVALUATION).read_text("utf-8")) for name in NAMES})


def results_table(measured: Mapping[str, Mapping[str, Any]]) -> str:
    """A row for each exam, a column for each model; the rival is the best of all that stood beside any of them."""
    exams = {model: {exam.title: exam for exam in exams_in(found)} for model, found in measured.items()}
    rows = []
    for title in dict.fromkeys(title for found in exams.values() for title in found):
        sat = [found[title] for found in exams.values() if title in found]
        rivals = [rival for exam in sat for rival in exam.rivals]
        best = max(rivals, key=lambda rival: rival.value, default=None)
        scores = [found[title].score if title in found else None for found in exams.values()]
        rows.append(
            [
                title,
                f"{percentage(best.value)}, {best.name}" if best else MISSING,
                *(percentage(score.value, score.ends) if score else MISSING for score in scores),
            ]
        )
    return markdown_table(["exam", "best baseline", *measured], rows)


def exams_in(measured: Mapping[str, Any]) -> Iterator[Exam]:
    """Abilities as `mini-bert evaluate` sums them up, and hidden words as `mini-bert metrics` asks for them."""
    for name, result in (measured.get("results") or {}).items():
        if summary := result.get("summary"):
            yield from map(of_summary, summary)
        else:
            for text, found in hidden_words(result, name):
                yield of_hidden_words(text, found)


def of_summary(one: Mapping[str, Any]) -> Exam:
    rivals = [Score(rival["value"], name=rival["name"]) for rival in one.get("rivals") or ()]
    return Exam(f"{one['title']} ({one['measure']})", score_in(one["score"]), rivals)


def score_in(told: Mapping[str, Any]) -> Score:
    return Score(told["value"], [told[end] for end in ("low", "high") if told.get(end) is not None])


def of_hidden_words(text: str, found: Mapping[str, Any]) -> Exam:
    for ending in ENDINGS:
        text = text.removesuffix(ending)
    rivals = [
        Score(found["baselines"][key]["masked_accuracy"], name=name)
        for key, name in RIVALS.items()
        if key in found["baselines"]
    ]
    ends = (found.get("intervals") or {}).get("masked_accuracy") or ()
    return Exam(f"hidden words found, {text}", Score(found["masked_accuracy"], ends), rivals)
