"""Training: the curves of a run that goes on or has ended, what is sound in them, and how a sentence was learned."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from pydantic import Field

from mini_bert.analysis.attention import PROBS, attention
from mini_bert.analysis.reading import read
from mini_bert.explorer.answers import Answer
from mini_bert.explorer.desk import Desk, check_length
from mini_bert.explorer.question import Asked
from mini_bert.explorer.runs.course import Course, saved_steps, why_none
from mini_bert.explorer.runs.found import Found, chosen_run, found_runs
from mini_bert.explorer.runs.judged import from_log, thorough, told
from mini_bert.explorer.runs.log import KEPT_LOGS, Log, Stamp, content, log_of, pace_of
from mini_bert.explorer.runs.panel import Panel
from mini_bert.explorer.runs.panels import panels_of
from mini_bert.explorer.runs.probe import probe
from mini_bert.explorer.same_question import question_for
from mini_bert.explorer.told import Told, named
from mini_bert.explorer.told import told as what_is_told
from mini_bert.run_reports.verdict import verdict_of

EVERY_HEAD = PROBS.replace("{i}", "*")
MOST_PLACES = 8
"""Of a sentence in which more is asked, such as of a model that writes on, the first ones are shown."""


class RunsAsked(Asked):
    """Nothing more than the question: its model's own run comes first."""


class RunAsked(Asked):
    """`run` is an id from the list; of the curves only what came after a step is sent, −1 for all."""

    run: str
    after: int = Field(-1, ge=-1)


class DiagnosisAsked(Asked):
    run: str


class CheckpointsAsked(Asked):
    """The sentence in every checkpoint: one head's attention, and the `top` words.

    `layer` and `head` stay as they are from run to run: of a run with fewer, the last ones are taken, and told.
    """

    run: str
    layer: int = Field(0, ge=0)
    head: int = Field(0, ge=0)
    top: int = Field(5, ge=1, le=20)


class ProbeAsked(Asked):
    """One checkpoint, by its step."""

    run: str
    step: int = Field(ge=0)


def give_runs(desk: Desk, asked: RunsAsked) -> dict[str, Any]:
    return {"runs": [line for one in found_runs(desk, asked.question).values() if (line := in_short(one))]}


def in_short(found: Found) -> dict[str, Any] | None:
    """A run on one line; None if its folder cannot be read."""
    try:
        log = log_of(found)
    except (ValueError, OSError):
        return None
    run = log.run
    return {
        "id": found.id,
        "name": found.name,
        "of_model": found.of_model,
        "is_record": found.is_record,
        "state": log.state,
        "model": run.model,
        "corpus": corpus_of(log),
        "steps": run.steps,
        "seconds": run.seconds,
        "loss": run.loss,
        "held_out_loss": run.held_out.loss if run.held_out else None,
        "held_out_accuracy": run.held_out.accuracy if run.held_out else None,
        "date": run.date.astimezone().isoformat(timespec="seconds"),
    }


def corpus_of(log: Log) -> str:
    """Names without the folders they are in; of a pattern, the files that it found."""
    names = log.facts.get("corpus") or log.run.corpus
    return ", ".join(name.replace("\\", "/").rstrip("/").rpartition("/")[2] for name in names.split(", "))


def give_run(desk: Desk, asked: RunAsked) -> dict[str, Any]:
    """`lines` of the log there are by now, `before` of them up to the step that was named: whoever has another number
    of them must ask for all, for the run was taken up again from an earlier step. `checkpoints` are the steps that
    were saved: if they change, there is more to be seen of how the run learned."""
    found = chosen_run(desk, asked.question, asked.run)
    log = log_of(found)
    lines, pace, verdict = log.run.lines, pace_of(log), verdict_of(log.run, log.facts)
    return {
        "run": in_short(found),
        "is_whole": asked.after < 0,
        "lines": len(lines),
        "before": sum(line["step"] <= asked.after for line in lines),
        "last": lines[-1]["step"] if lines else -1,
        "share": pace.share,
        "checkpoints": saved_steps(found),
        "no_course": why_none(found),
        "budget": pace.budget,
        "seconds_left": pace.seconds_left,
        "tokens": log.run.tokens,
        "verdict": {"text": verdict.text, "tone": verdict.tone},
        "facts": {name: log.facts.get(name) for name in ("parameters", "vocab_size", "tokens", "documents")},
        "panels": [panel.after(asked.after).as_dict() for panel in panels(found, log.stamp)],
        "diagnosis": from_log(log, is_record=found.is_record),
    }


@lru_cache(KEPT_LOGS)
def panels(found: Found, stamp: Stamp) -> list[Panel]:
    run, facts = content(found, stamp)
    return panels_of(run.lines, run.settings, facts)


def give_diagnosis(desk: Desk, asked: DiagnosisAsked) -> dict[str, Any]:
    """The thorough one, which opens the last checkpoint and the run's text."""
    found = chosen_run(desk, asked.question, asked.run)
    log = log_of(found)
    if found.is_record:
        raise ValueError("the checkpoints of this run did not come with the model; examine a run of your own")
    return {"diagnosis": told(thorough(found.path, log.stamp), opened=True)}


def give_checkpoints(desk: Desk, asked: CheckpointsAsked) -> dict[str, Any]:
    """For each checkpoint: the head's weights (n, T, T), entropies of all heads (n, L, A), and the words told."""
    check_length(asked.question.text, desk.limits)
    course = Course(chosen_run(desk, asked.question, asked.run))
    last = course.last()
    question = question_for(last, asked.question, desk.model(asked.question.model))
    answers: Told | None = None
    weights, entropies, tellings = [], [], []
    for step in reversed(course.steps):  # the last one decides which word the others are asked for
        desk.go_on()
        reading = read(
            course.model(step),
            question.text,
            hidden=question.hidden,
            target=question.target or None,
            watch=(EVERY_HEAD,),
        )
        seen = attention(reading)
        L, A = seen.weights.shape[:2]
        layer, head = min(asked.layer, L - 1), min(asked.head, A - 1)
        weights.append(seen.of_head(layer, head))
        entropies.append(seen.relative_entropy)
        if last.config.head == "words":
            said = what_is_told(reading, question, like=answers)
            answers = answers or said
            tellings.append((said, said.best(asked.top)))
    tellings.reverse()
    return {
        "steps": list(course.steps),
        "pieces": list(seen.pieces),
        "weights": np.stack(weights[::-1]),
        "relative_entropy": np.stack(entropies[::-1]),
        "layers": L,
        "heads": A,
        "layer": layer,
        "head": head,
        "places": [place_over_time(tellings, at) for at in places_shown(answers)],
        "same_pieces": question == asked.question.unedited,
    }


def places_shown(answers: Told | None) -> list[int]:
    """Which of the places told are worth a look: those that are asked for, not the pieces that stand there anyway."""
    if answers is None:
        return []
    asked = [at for at, why in enumerate(answers.why) if why != "itself"]
    return asked[:MOST_PLACES]


def place_over_time(tellings: list[tuple[Told, list[list[dict[str, Any]]]]], at: int) -> dict[str, Any]:
    last, _ = tellings[-1]
    return {
        "place": last.places[at],
        "why": last.why[at],
        "answer": named(last.reading, last.answers[at]),
        "probability": np.array([said.probability[at] for said, _ in tellings]),
        "rank": [int(said.rank[at]) for said, _ in tellings],
        "best": [best[at] for _, best in tellings],
    }


def give_probe(desk: Desk, asked: ProbeAsked) -> dict[str, Any]:
    """Parts of speech read from the states of one checkpoint."""
    course = Course(chosen_run(desk, asked.question, asked.run))
    return {"step": asked.step, **probe(course.model(asked.step), desk)}


ANSWERS = (
    Answer("runs", RunsAsked, give_runs),
    Answer("run", RunAsked, give_run),
    Answer("run_diagnosis", DiagnosisAsked, give_diagnosis),
    Answer("run_checkpoints", CheckpointsAsked, give_checkpoints),
    Answer("run_probe", ProbeAsked, give_probe),
)
