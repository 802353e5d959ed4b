"""How likely a model finds a sentence.

    PLL(s) = Σ_t ln p(w_t | s with w_t hidden)             pseudo-log-likelihood (Salazar et al. 2020)
    LL(s)  = Σ_t ln p(w_t | w_1 ... w_{t-1})               of a causal model

    good, bad = sentence_scores(subject, ["The dog barks.", "The dog bark."])
    good.total > bad.total                                 # the model prefers the first

The special tokens around a sentence are neither hidden nor counted; a word that the vocabulary does not know is asked
for as [UNK]. With `within_word` the later pieces of the same word are hidden too: else a rare word of several pieces is
found likely, because each piece gives the others away (Kauf & Ivanova 2023).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from mini_bert.evaluation.exam import DoesNotApply
from mini_bert.evaluation.intrinsic.metrics import compute_perplexity
from mini_bert.evaluation.linguistic.hidden_words import Reading, answered
from mini_bert.evaluation.subject import Subject
from mini_bert.inference.fill_mask import check_fit
from mini_bert.reports import Report, silent


class SentenceScore(NamedTuple):
    """ln p of a sentence, and of how many tokens.

    `pieces` are its ids as far as the model reads, and `is_cut` says that there were more; `ids` have the special
    tokens around them.
    """

    total: float
    tokens: int
    pieces: tuple[int, ...]
    ids: tuple[int, ...]
    is_cut: bool


def sentence_scores(
    subject: Subject, texts: Sequence[str], report: Report = silent, *, within_word: bool = False
) -> list[SentenceScore]:
    """The log-likelihood of each text. What is longer than the model reads is cut; equal texts are scored once."""
    check_scores(subject)
    reading = Reading(subject)
    whole = [tuple(subject.tokenizer.encode(text, add_special_tokens=False)) for text in texts]
    known = {pieces: number for number, pieces in enumerate(dict.fromkeys(map(reading.cut, whole)))}
    totals, tokens = np.zeros(len(known)), np.zeros(len(known), int)
    groups = list(reading.questions(list(known), within_word))
    all_words, done = sum(len(group.word) for group in groups), 0
    for group in groups:
        for log_p, sentence in answered(subject.predictor, group):
            np.add.at(totals, sentence, log_p)
            np.add.at(tokens, sentence, 1)
            done += len(log_p)
            report(done / all_words, f"{done:,} of {all_words:,} words")

    def score(pieces: tuple[int, ...]) -> SentenceScore:
        read = reading.cut(pieces)
        number = known[read]
        return SentenceScore(
            float(totals[number]), int(tokens[number]), read, reading.framed(read), len(read) < len(pieces)
        )

    return [score(pieces) for pieces in whole]


def pseudo_perplexity(subject: Subject, texts: Sequence[str], report: Report = silent) -> float:
    """exp(−Σ PLL / Σ tokens) of all texts together; of a causal model, its perplexity."""
    scores = sentence_scores(subject, texts, report)
    tokens = sum(score.tokens for score in scores)
    if not tokens:
        raise ValueError("there is no word in these texts, so they have no perplexity; give sentences")
    return compute_perplexity(max(0.0, -sum(score.total for score in scores) / tokens))


def check_scores(subject: Subject) -> None:
    """Refuse a model that gives words no probability."""
    config = subject.model.config
    if config.causal and config.head == "words":
        return
    try:
        check_fit(subject.model)
    except ValueError as error:
        raise DoesNotApply(str(error)) from None
