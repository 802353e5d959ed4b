"""What counting alone can say of the words that a model is asked for, and in which text was counted."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mini_bert.core.array import Array
from mini_bert.evaluation.cloze_baselines import MOST_TOKENS, NeighbourCounts
from mini_bert.evaluation.intrinsic.answers import Answers, judged
from mini_bert.evaluation.intrinsic.exam_text import ExamText
from mini_bert.evaluation.intrinsic.questions import Questions, packed_rows
from mini_bert.reports import Report, part, silent
from mini_bert.tokenizers.tokenizer import Tokenizer
from mini_bert.training.baselines import QUESTIONS_AT_ONCE, ROWS_AT_ONCE, Baseline, WordFrequencies

FOLDS = 2


class ByCounts(NamedTuple):
    """Answers by how often words occur, and by the words beside the hidden one.

    `counts` (V,) are those of all words, `count_of_word` (n,) of those asked for. `baseline` is who knows the words
    beside, if it counted in other text than the one that is asked about.
    """

    words: Answers
    neighbours: Answers
    counts: Array
    count_of_word: Array
    baseline: Baseline | None
    told: str = ""


@dataclass(frozen=True)
class WordBefore:
    """p(w | l) = (count(l w) + α p(w)) / (count(l ·) + α): for a model that sees nothing to the right."""

    counts: NeighbourCounts

    def __call__(self, left: Array, right: Array) -> Array:
        known = self.counts
        return np.stack([known.after.mixed(word, known.words.probs, known.alpha) for word in left.tolist()])


@dataclass(frozen=True)
class Counted:
    """How often words occur in a text, alone (V,) and beside others; `tokens` of it were counted."""

    counts: Array
    words: WordFrequencies
    near: NeighbourCounts
    tokens: int
    told: str = ""

    @classmethod
    def of(cls, blocks: Iterable[Array], tokenizer: Tokenizer, told: str = "") -> Counted:
        """From rows of ids (n, T), a block at a time."""
        kept = list(blocks)
        counts = np.zeros(tokenizer.vocab_size, np.int64)
        for block in kept:
            counts += np.bincount(block.ravel(), minlength=len(counts))
        words = WordFrequencies.counted(counts, tokenizer)
        return cls(counts, words, NeighbourCounts.counted(kept, words, tokenizer), int(counts.sum()), told)


def counted_text(
    text: ExamText,
    tokenizer: Tokenizer,
    T: int,
    seed: int,
    report: Report = silent,
    most_tokens: int = MOST_TOKENS,
) -> Counted | None:
    """Counts of the text in which baselines of a text count, or of so many tokens of it; None if there is none."""
    if text.counted is None:
        return None
    rows = packed_rows(text.counted, tokenizer, T, seed, report)
    most = min(rows.rows_per_epoch, max(1, most_tokens // T))
    share = f"{most * T:,} of " if most < rows.rows_per_epoch else ""
    told = f"{text.counted_told}, {share}{rows.rows_per_epoch * T:,} tokens with [CLS] and [SEP]"
    return Counted.of(blocks(rows.numbered, np.arange(most)), tokenizer, told)


def by_counts(
    questions: Questions,
    tokenizer: Tokenizer,
    seed: int,
    report: Report = silent,
    counted: Counted | None = None,
) -> ByCounts:
    """The answers of both baselines, which count in other text of the same kind, or in the half that is not asked.

    What was `counted` already is not counted again.
    """
    rows = questions.rows
    counted = counted or counted_text(questions.text, tokenizer, rows.T, seed, part(report, 0.0, 0.5))
    if counted is not None:
        return counted_answers(questions, np.arange(len(questions)), counted, part(report, 0.5, 1.0))
    numbers = np.arange(min(rows.rows_per_epoch, MOST_TOKENS // rows.T))
    parts, order = [], []
    for fold in range(FOLDS):
        asked = np.flatnonzero(questions.row % FOLDS == fold)
        others = map(questions.with_ends, blocks(rows.numbered, numbers[numbers % FOLDS != fold]))
        within = part(report, 0.5 + 0.5 * fold / FOLDS, 0.5 + 0.5 * (fold + 1) / FOLDS)
        parts.append(counted_answers(questions, asked, Counted.of(others, tokenizer), within))
        order.append(asked)
    back = np.argsort(np.concatenate(order), kind="stable")
    return ByCounts(
        Answers.joined([one.words for one in parts]).at(back),
        Answers.joined([one.neighbours for one in parts]).at(back),
        np.sum([one.counts for one in parts], axis=0),
        np.concatenate([one.count_of_word for one in parts])[back],
        None,
        questions.text.counted_told,
    )


def counted_answers(questions: Questions, asked: Array, counted: Counted, report: Report) -> ByCounts:
    baseline: Baseline = WordBefore(counted.near) if questions.is_causal else counted.near
    return ByCounts(
        answered_by(counted.words, questions, asked),
        answered_by(baseline, questions, asked, report),
        counted.counts,
        counted.counts[questions.labels[asked]],
        baseline,
        counted.told,
    )


def answered_by(baseline: Baseline, questions: Questions, asked: Array, report: Report = silent) -> Answers:
    """What a baseline says to some of the questions, by their numbers."""
    left, right = questions.neighbours
    found = []
    for start in range(0, len(asked), QUESTIONS_AT_ONCE):
        some = asked[start : start + QUESTIONS_AT_ONCE]
        with np.errstate(divide="ignore"):  # ln 0 of special tokens, which are never asked for
            log_p = np.log(baseline(left[some], right[some]))
        found.append(judged(log_p, questions.labels[some]))
        report((start + len(some)) / len(asked), "counting")
    return Answers.joined(found)


def blocks(numbered: Callable[[Array], Array], numbers: Array) -> Iterator[Array]:
    """Rows by their numbers, some at a time."""
    for start in range(0, len(numbers), ROWS_AT_ONCE):
        yield numbered(numbers[start : start + ROWS_AT_ONCE])
