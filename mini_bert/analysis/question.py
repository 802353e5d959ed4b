"""What a model is asked about a text, as one number that analyses ask for again and again.

question = ask(read(model, "a cow says [MASK] .", target="moo"), measure="logit")
question.values(logits)                   # (N,), from what N passes told
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from mini_bert.analysis.reading import Reading, targets, word_id
from mini_bert.core.array import Array
from mini_bert.core.functions.softmax import log_softmax, log_softmax_backward
from mini_bert.core.trace import Trace
from mini_bert.errors import unknown
from mini_bert.inference.fill_mask import word_of
from mini_bert.inference.reading import tokenizer_of
from mini_bert.models.mini import MiniBERT

Measure = Literal["logit", "log-probability", "probability", "loss"]
MEASURES: tuple[Measure, ...] = ("logit", "log-probability", "probability", "loss")
Answer = str | int | Mapping[int, str]
REPLACED = 1


@dataclass(frozen=True)
class Question:
    """The mean, over `places`, of how well `answers` (numbers of words or classes, called `names`) are told.

    What is told is (N, k, C): of N passes, at k places, a logit for each of C words, classes or tags. A class of a
    whole text is told once, at place 0. Whether a token was replaced are two classes, the first with logit 0.
    """

    places: tuple[int, ...]
    answers: tuple[int, ...]
    names: tuple[str, ...]
    measure: Measure

    @property
    def is_better_lower(self) -> bool:
        return self.measure == "loss"

    def at_answers(self, told: Array) -> Array:
        """(N, k)"""
        found: Array = told[:, np.arange(len(self.places)), list(self.answers)]
        return found

    def values(self, told: Array) -> Array:
        """(N,): the mean of z, ln p, p or −ln p of the answers, as the measure says"""
        each = self.at_answers(told if self.measure == "logit" else log_softmax(told))
        if self.measure == "probability":
            each = np.exp(each)
        mean: Array = each.mean(1, dtype=np.float64)
        return -mean if self.measure == "loss" else mean

    def slopes(self, told: Array) -> Array:
        """dvalue/dtold (N, k, C)"""
        share = 1 / len(self.places)
        log_p = log_softmax(told)
        one = np.zeros_like(told)
        at = (slice(None), np.arange(len(self.places)), list(self.answers))
        one[at] = -share if self.measure == "loss" else share
        if self.measure == "logit":
            return one
        if self.measure == "probability":
            one[at] *= np.exp(log_p[at])
        return log_softmax_backward(one, log_p)


def ask(reading: Reading, answer: Answer | None = None, measure: Measure = "log-probability") -> Question:
    """What a reading is asked for: its target, its hidden pieces, or for each [MASK] the model's own best guess.

    A text without any of these is asked for all of its pieces. `answer` asks for something else: a word at the only
    [MASK], words or tags by place, or a class by name or number. A model of classes is asked for its own choice, one of
    tags for its tags, and one of replaced tokens for the piece it suspects most, unless told otherwise.
    """
    if measure not in MEASURES:
        raise ValueError(unknown("measure", measure, list(MEASURES)))
    check_tells(reading.model)
    head = reading.model.config.head
    if head == "words":
        asked = asked_words(reading, answer)
        names = tuple(word_of(i, tokenizer_of(reading.model)) for i in asked.values())
    else:
        asked = asked_classes(reading, answer)
        names = tuple(class_name(reading.model, number) for number in asked.values())
    return Question(tuple(asked), tuple(asked.values()), names, measure)


def check_tells(model: MiniBERT) -> None:
    """Refuse a model that answers nothing when it reads a text."""
    if model.config.head == "none":
        raise ValueError(
            "this model tells hidden states only, and has no answer to explain; load one with a head"
        )
    if model.config.streams == 2:
        raise ValueError(
            "this model asks for words in a second stream, which a plain reading has not; its attention and states "
            "can be looked at, its answers not; choose a model of one stream"
        )


def asked_words(reading: Reading, answer: Answer | None) -> dict[int, int]:
    """Ids by place."""
    tokenizer = tokenizer_of(reading.model)
    mask = tokenizer.mask_id
    if isinstance(answer, int):
        raise ValueError(
            f"answer {answer}: this model tells words; give a word, or words by place: {{4: 'mat'}}"
        )
    if answer is not None:
        given = targets(answer, reading.ids, mask)
        check_places(reading, given)
        return {place: word_id(tokenizer.token_to_id, word) for place, word in given.items()}
    is_untold = [place for place in reading.masked if reading.labels[place] == mask]
    if is_untold:
        best = reading.passed.logits[0, is_untold, : tokenizer.vocab_size].argmax(-1)
        return dict(zip(is_untold, best.tolist(), strict=True))
    if not reading.asked:
        raise ValueError("this text has nothing to be told; give one of at least two pieces, or an answer")
    return {place: int(reading.labels[place]) for place in reading.asked}


def asked_classes(reading: Reading, answer: Answer | None) -> dict[int, int]:
    """Numbers of classes by place."""
    model, logits = reading.model, reading.passed.logits
    kind = model.config.head
    if isinstance(answer, Mapping):
        if kind == "classes":
            raise ValueError("answer: this model tells one class of the whole text; give its name or number")
        check_places(reading, answer)
        return {place: class_number(model, name) for place, name in answer.items()}
    if kind == "classes":
        return {0: int(logits[0].argmax()) if answer is None else class_number(model, answer)}
    if answer is not None:
        raise ValueError(
            f"answer {answer!r}: this model tells something of each piece; give it by place: {{4: ...}}"
        )
    ordinary = ~reading.special
    places = np.flatnonzero(ordinary if ordinary.any() else np.ones_like(ordinary))
    if kind == "replaced":
        return {int(places[logits[0, places].argmax()]): REPLACED}
    return dict(zip(places.tolist(), logits[0, places].argmax(-1).tolist(), strict=True))


def class_names(model: MiniBERT) -> tuple[str, ...]:
    if model.config.head == "replaced":
        return ("original", "replaced")
    return model.label_names or tuple(map(str, range(model.config.classes)))


def class_name(model: MiniBERT, number: int) -> str:
    return class_names(model)[number]


def class_number(model: MiniBERT, answer: str | int) -> int:
    names = class_names(model)
    if isinstance(answer, int) and 0 <= answer < len(names):
        return answer
    if str(answer) not in names:
        raise ValueError(unknown("answer", str(answer), list(names)))
    return names.index(str(answer))


def check_places(reading: Reading, given: Mapping[int, str]) -> None:
    T = len(reading.pieces)
    for place in given:
        if not 0 <= place < T:
            raise ValueError(f"answer at place {place}: the text has places 0 to {T - 1}")


def tell(model: MiniBERT, hidden: Array, places: tuple[int, ...], t: Trace) -> Array:
    """(N, k, C) from hidden states (N, T, H): only what is asked goes through the head."""
    head, t = model.network.head, t / "head"
    if model.config.head == "classes":
        return head.forward(hidden, t)[:, None]
    told = head.forward(hidden[:, list(places)], t)
    return of_two(told) if model.config.head == "replaced" else told


def tell_backward(model: MiniBERT, dtold: Array, hidden: Array, places: tuple[int, ...], t: Trace) -> Array:
    """dhidden (N, T, H), zero at the places that were not asked"""
    head, t = model.network.head, t / "head"
    if model.config.head == "classes":
        return head.backward(dtold[:, 0], t)
    dhidden = np.zeros_like(hidden)
    dtold = dtold[..., REPLACED] if model.config.head == "replaced" else dtold
    dhidden[:, list(places)] = head.backward(dtold, t)
    return dhidden


def of_two(logits: Array) -> Array:
    """σ(z) = softmax(0, z): (N, k) → (N, k, 2)"""
    return np.stack([np.zeros_like(logits), logits], axis=-1)
