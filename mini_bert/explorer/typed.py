"""What the page asks, view by view, when another sentence is typed; the e2e tests compare it with what it does ask.

A view is a generator: it yields requests that go out together, and is sent their answers before it yields the next.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from typing import Any, NamedTuple

Body = Mapping[str, Any]
Answers = Sequence[Mapping[str, Any]]


class Wanted(NamedTuple):
    """POST /api/NAME with a body."""

    name: str
    body: Body


Requests = Generator[list[Wanted], Answers, None]


def question_of(text: str, model: str = "") -> dict[str, Any]:
    return {"model": model, "text": text, "hidden": [], "target": {}, "edits": []}


def words(question: Body) -> Requests:
    """Every view has the row of pieces above it."""
    yield [Wanted("words", {"question": question})]


def forward(question: Body) -> Requests:
    (found,) = yield [Wanted("forward", {"question": question})]
    first = found["steps"][0]["name"]
    yield [Wanted("tensor", {"question": question, "name": first, "of": "value", "slice": {}})]


def attention(question: Body) -> Requests:
    yield [Wanted("attention", {"question": question}), Wanted("effect", {"question": question})]


def predictions(question: Body) -> Requests:
    yield [Wanted("predictions", {"question": question})]
    yield [Wanted("attribution", {"question": question})]


def backward(question: Body) -> Requests:
    (found,) = yield [Wanted("backward", {"question": question})]
    first = found["steps"][0]["dotted"]
    yield [Wanted("tensor", {"question": found["question"], "name": first, "of": "gradient", "slice": {}})]


def learn(question: Body) -> Requests:
    """The page waits 150 ms before the last one: a slider may still be on its way."""
    (found,) = yield [Wanted("learn", {"question": question, "steps": [], "others": []})]
    asked = {"question": found["question"], "steps": []}
    weight = next(one["name"] for one in found["weights"] if len(one["shape"]) > 1)
    rates = {**asked, "optimizer": "adamw"}
    yield [Wanted("change", {**asked, "name": weight}), Wanted("rates", rates)]
    yield [Wanted("rates", {**rates, "rates": [0.001]})]


def training(question: Body) -> Requests:
    """The run that came with a model has no checkpoints to follow a sentence through: only the pieces are new."""
    yield from ()


def representations(question: Body) -> Requests:
    yield [Wanted("representations", {"question": question})]


def family(question: Body, models: Sequence[str]) -> Requests:
    yield [
        Wanted("family_member", {"question": question, "member": "bert-base", "beside": ""}),
        *(Wanted("family_words", {"question": question, "model": name, "top": 4}) for name in models),
    ]


def views(models: Sequence[str]) -> dict[str, Callable[[Body], Requests]]:
    """By the names of the tabs; `models` are those that the server has."""
    return {
        "words": words,
        "forward": forward,
        "attention": attention,
        "predictions": predictions,
        "backward": backward,
        "learn": learn,
        "training": training,
        "representations": representations,
        "family": lambda question: family(question, models),
    }
