"""Family: who there is, and one member beside another: parts, shapes for this text, and, if it has weights, words."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from pydantic import Field

from mini_bert.explorer.answers import Answer
from mini_bert.explorer.desk import Desk, check_length
from mini_bert.explorer.family.members import card_of, cards
from mini_bert.explorer.family.side_by_side import Side, compared
from mini_bert.explorer.question import Asked, Question
from mini_bert.explorer.same_question import encoded, question_for
from mini_bert.explorer.told import told
from mini_bert.inference.reading import tokenizer_of
from mini_bert.models.config import ModelConfig

MOST_PLACES = 8


class FamilyAsked(Asked):
    """Nothing more than the question."""


class MemberAsked(Asked):
    """A preset, beside the chosen model or beside another preset."""

    member: str
    beside: str = ""


class WordsAsked(Asked):
    """The sentence in a model that has weights here, by its name."""

    model: str
    top: int = Field(5, ge=1, le=20)


def give_family(desk: Desk, asked: FamilyAsked) -> dict[str, Any]:
    """All members, the oldest first, with the models here that are of their kind."""
    library = desk.library
    here = {name: card_of(library.model(name).config) for name in library.names}
    return {
        "members": [
            {**asdict(card), "here": [name for name, kind in here.items() if kind == card.name]}
            for card in cards()
        ],
        "chosen": card_of(desk.model(asked.question.model).config),
    }


def give_member(desk: Desk, asked: MemberAsked) -> dict[str, Any]:
    """Two sides for as many pieces as the chosen model cuts the text into."""
    check_length(asked.question.text, desk.limits)
    own = desk.model(asked.question.model)
    pieces = len(encoded(asked.question.text, tokenizer_of(own)))
    other = Side(asked.member, ModelConfig.preset(asked.member), pieces)
    if asked.beside:
        return compared(Side(asked.beside, ModelConfig.preset(asked.beside), pieces), other)
    return compared(Side(asked.question.model or desk.library.default, own.config, pieces), other)


def give_words(desk: Desk, asked: WordsAsked) -> dict[str, Any]:
    """The pieces of its own tokenizer, and its best words where something is hidden."""
    model = desk.model(asked.model)
    question = question_for(model, asked.question, desk.model(asked.question.model))
    own = Question(model=asked.model, text=question.text, hidden=question.hidden, target=question.target)
    reading = desk.reading(own)
    answer = {"model": asked.model, "pieces": list(reading.pieces), "tells": model.config.head, "places": []}
    if model.config.head != "words":
        return answer
    said = told(reading, own)
    best = said.best(asked.top)
    asked_at = [at for at, why in enumerate(said.why) if why != "itself"][-MOST_PLACES:]
    return answer | {
        "places": [{"place": said.places[at], "why": said.why[at], "best": best[at]} for at in asked_at]
    }


ANSWERS = (
    Answer("family", FamilyAsked, give_family),
    Answer("family_member", MemberAsked, give_member),
    Answer("family_words", WordsAsked, give_words),
)
