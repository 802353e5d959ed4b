"""What a model puts in place of a hidden word: its best guesses, and how likely it finds some candidates.

[answer] = cloze_answers(subject, [Cloze("A dog can [MASK].")], [candidate_ids])
answer.best, answer.log_p                            # ids, the most probable first; ln p of each candidate
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from mini_bert.core.array import Array
from mini_bert.core.functions.softmax import log_softmax
from mini_bert.evaluation.exam import DoesNotApply
from mini_bert.evaluation.subject import Subject
from mini_bert.inference.fill_mask import check_fit, mask_of
from mini_bert.inference.reading import as_batch
from mini_bert.reports import Report, silent
from mini_bert.tokenizers.special import MASK
from mini_bert.tokenizers.tokenizer import Tokenizer
from mini_bert.training.masking import ordinary_ids

LOGITS_AT_ONCE = 1 << 22


class Cloze(NamedTuple):
    """A text with [MASK] in it; of several, the one with this number is asked for, counted from 0."""

    text: str
    number: int = 0


class Answer(NamedTuple):
    """The ids of the best guesses, and ln p of the candidates, in their order."""

    best: Array
    log_p: Array


def check_answers(subject: Subject) -> None:
    """Refuse a model that fills no gaps."""
    try:
        check_fit(subject.model)
    except ValueError as error:
        raise DoesNotApply(str(error)) from None


def cloze_answers(
    subject: Subject,
    clozes: Sequence[Cloze],
    candidates: Sequence[Sequence[int]],
    top: int = 5,
    report: Report = silent,
) -> list[Answer]:
    """An answer to each cloze; `candidates` are ids for each. Equal clozes are asked once; special tokens are no words.

    A cloze that is too long for the model is cut behind; its gap must be in what is left.
    """
    check_answers(subject)
    tokenizer, config = subject.tokenizer, subject.model.config
    sign = mask_of(tokenizer)
    asked = {cloze: number for number, cloze in enumerate(dict.fromkeys(clozes))}
    rows = [
        tokenizer.encoding(cloze.text.replace(MASK, sign), max_length=config.max_seq_length)
        for cloze in asked
    ]
    places = [
        place_of(row.ids, tokenizer.token_to_id[sign], cloze) for row, cloze in zip(rows, asked, strict=True)
    ]
    users: list[list[int]] = [[] for _ in asked]
    for number, cloze in enumerate(clozes):
        users[asked[cloze]].append(number)
    is_word = ordinary_ids(tokenizer.vocab_size, tokenizer.special_ids)
    found: list[Answer | None] = [None] * len(clozes)
    order = sorted(range(len(rows)), key=lambda number: len(rows[number]))
    at_once = max(1, LOGITS_AT_ONCE // config.vocab_size)
    for start in range(0, len(order), at_once):
        group = order[start : start + at_once]
        batch = as_batch(subject.model, [rows[number] for number in group])
        log_p = log_softmax(
            subject.predictor.logits(*batch, positions=[[places[number]] for number in group])[:, 0]
        )
        words = np.where(is_word, log_p[:, : len(is_word)], -np.inf)
        best = np.argsort(-words, axis=1, kind="stable")[:, :top]
        for row, number in enumerate(group):
            for user in users[number]:
                found[user] = Answer(best[row], log_p[row, list(candidates[user])])
        report((start + len(group)) / len(order), f"{start + len(group):,} of {len(order):,} gaps")
    return [answer for answer in found if answer is not None]


def place_of(ids: Sequence[int], mask: int, cloze: Cloze) -> int:
    places = [place for place, index in enumerate(ids) if index == mask]
    if cloze.number >= len(places):
        raise ValueError(
            f"{cloze.text!r}: no {MASK} number {cloze.number + 1} among the tokens that the model reads; shorten it"
        )
    return places[cloze.number]


def single_ids(words: Iterable[str], tokenizer: Tokenizer) -> dict[str, int]:
    """The words that are one piece of the vocabulary behind another word, with its id."""
    unknown = tokenizer.unk_id
    before = tokenizer.piece_ids("the")
    found = {}
    for word in words:
        ids = tokenizer.piece_ids(f"the {word}")[len(before) :]
        if len(ids) == 1 and ids[0] != unknown:
            found[word] = ids[0]
    return found
