"""Predictions: the words for each hidden piece, what each layer would say, and which pieces made the model say so."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
from pydantic import Field

from mini_bert.analysis.attribution import Baseline, gradient_times_input, integrated_gradients
from mini_bert.analysis.logit_lens import logit_lens
from mini_bert.analysis.question import check_tells, class_name
from mini_bert.analysis.reading import Reading
from mini_bert.explorer.answers import Answer
from mini_bert.explorer.desk import Desk
from mini_bert.explorer.question import Asked
from mini_bert.explorer.told import Told, named, told
from mini_bert.inference.reading import tokenizer_of

LENS_TOP = 5
NUMBERS_OF_A_LENS = 8_000_000
"""At so many words of all layers and places together the lens ends: a large model is asked at fewer places."""


class PredictionsAsked(Asked):
    """The `top` best words of each place; `place` has its layers shown in a text where nothing is hidden."""

    top: int = Field(10, ge=1, le=100)
    place: int | None = None


class AttributionAsked(Asked):
    """For the answer at `place`; by default that of the first place asked for."""

    place: int | None = None
    way: Literal["gradient", "integrated"] = "gradient"
    measure: Literal["logit", "log-probability"] = "logit"


def give_predictions(desk: Desk, asked: PredictionsAsked) -> dict[str, Any]:
    """By `kind` what the model tells: words, classes, tags, which pieces were replaced, or nothing, with a `note`.

    Of words, `asks` is hidden, itself (nothing is hidden: each piece is told itself) or next (a causal model).
    """
    reading = desk.reading(asked.question)
    kind = reading.model.config.head
    answer: dict[str, Any] = {
        "kind": kind,
        "pieces": list(reading.pieces),
        "special": reading.special.tolist(),
    }
    try:
        check_tells(reading.model)
    except ValueError as refused:
        return answer | {"kind": "nothing", "note": str(refused)}
    found = told(reading, asked.question)
    places = [of_place(found, i, words) for i, words in enumerate(found.best(asked.top))]
    answer |= {"vocabulary": found.log_p.shape[1], "places": places}
    if kind != "words":
        return answer
    asks = "next" if reading.model.config.causal else "itself" if "itself" in found.why else "hidden"
    return answer | {"asks": asks, "lens": lens(found, lens_places(found, asks, asked.place))}


def of_place(found: Told, i: int, words: list[dict[str, Any]]) -> dict[str, Any]:
    place = found.places[i]
    answer = {
        "place": place,
        "piece": found.reading.pieces[place],
        "why": found.why[i],
        "answer": named(found.reading, found.answers[i]),
        "probability": float(found.probability[i]),
        "rank": int(found.rank[i]),
        "entropy": float(found.entropy[i]),
        "words": words,
    }
    original = found.reading.encoding.ids[place]
    if found.why[i] == "target" and original != found.reading.ids[place]:
        log_p = found.log_p[i]
        answer["original"] = named(found.reading, original) | {
            "probability": float(np.exp(log_p[original])),
            "rank": int((log_p > log_p[original]).sum()),
        }
    return answer


def lens_places(found: Told, asks: str, chosen: int | None) -> dict[int, int]:
    """Answers by place: all that is hidden; of a text where nothing is, one piece alone."""
    answers = dict(zip(found.places, found.answers, strict=True))
    if asks != "hidden":
        if chosen not in answers:
            ordinary = np.flatnonzero(~found.reading.special).tolist()
            some = [place for place in ordinary if place in answers] or list(answers)
            chosen = some[-1] if asks == "next" else some[0]
        return {chosen: answers[chosen]}
    layers = found.reading.model.config.num_layers + 1
    room = max(1, NUMBERS_OF_A_LENS // (layers * found.log_p.shape[1]))
    return dict(list(answers.items())[:room])


def lens(found: Told, answers: Mapping[int, int]) -> dict[str, Any]:
    """Row 0 is what the first layer reads, row l + 1 what layer l makes of it; see analysis/logit_lens.py."""
    reading = found.reading
    seen = logit_lens(reading, answers=answers, top=min(LENS_TOP, tokenizer_of(reading.model).vocab_size))
    return {
        "places": list(seen.places),
        "words": [[list(words) for words in layer] for layer in seen.words],
        "probabilities": seen.probabilities,
        "answer_probability": seen.answer_probability,
        "rank": seen.rank,
        "divergence": seen.divergence,
    }


def give_attribution(desk: Desk, asked: AttributionAsked) -> dict[str, Any]:
    """`scores` (T,): positive ones raised the answer. Edits are left out: no gradient knows of them."""
    plain = asked.question.unedited
    reading = desk.reading(plain)
    check_tells(reading.model)
    found = told(reading, plain)
    place = found.places[0] if asked.place is None else asked.place
    if place not in found.places:
        raise ValueError(f"place {place}: nothing is asked for there; choose from {list(found.places)}")
    number = found.answers[found.places.index(place)]
    answer = analysed_answer(reading, place, number)
    if asked.way == "gradient":
        seen = gradient_times_input(reading, answer=answer, measure=asked.measure)
    else:
        baseline: Baseline = "mask" if tokenizer_of(reading.model).roles.mask else "mean"
        seen = integrated_gradients(
            reading, answer=answer, measure=asked.measure, baseline=baseline, go_on=desk.go_on
        )
    return {
        "pieces": list(reading.pieces),
        "place": place,
        "answer": named(reading, number),
        "measure": asked.measure,
        "scores": seen.scores,
        "value": seen.value,
        "baseline_value": seen.baseline_value,
        "error": seen.error,
        "steps": seen.steps,
        "edits_left_out": bool(asked.question.edits),
    }


def analysed_answer(reading: Reading, place: int, number: int) -> str | dict[int, str]:
    model = reading.model
    if model.config.head == "classes":
        return class_name(model, number)
    name = named(reading, number)["token"] if model.config.head == "words" else class_name(model, number)
    return {place: name}


ANSWERS = (
    Answer("predictions", PredictionsAsked, give_predictions),
    Answer("attribution", AttributionAsked, give_attribution),
)
