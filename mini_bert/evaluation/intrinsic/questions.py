"""The questions of an exam: 15 % of the tokens of each row, all behind [MASK], the same for every model.

    questions_for(subject, text, 1024, seed=0)                             # packed rows
    questions_for(subject, text, 1024, seed=0, layout="documents")         # a row for each document
    questions_for(subject, text, 1024, seed=0, disguise=BERTS_DISGUISE)    # the same words, as most papers hide them

A model that sees only what comes before is asked for every next word instead.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from threading import Lock
from typing import Literal

import numpy as np

from mini_bert.core.array import Array
from mini_bert.core.trace import Trace
from mini_bert.data.corpus import Corpus
from mini_bert.data.document_rows import DocumentRows
from mini_bert.data.packing import PackedRows
from mini_bert.data.rows import Layout, Rows
from mini_bert.data.token_cache import tokenized
from mini_bert.errors import counted
from mini_bert.evaluation.exam import DoesNotApply
from mini_bert.evaluation.intrinsic.answers import Answers, judged
from mini_bert.evaluation.intrinsic.exam_text import ExamText
from mini_bert.evaluation.subject import Subject
from mini_bert.inference.fill_mask import check_fit
from mini_bert.inference.forward import asked_last
from mini_bert.models.inputs import checked_ids
from mini_bert.models.mini import MiniBERT
from mini_bert.reports import Report, silent
from mini_bert.tokenizers.tokenizer import Tokenizer
from mini_bert.training.masking import Disguise, Exercise, Masking, masked_words
from mini_bert.training.next_words import NextWords
from mini_bert.training.objectives import MaskedBatch
from mini_bert.training.stream import MaskedStream

LONGEST_ROW = 128
"""Tokens. BERT was trained on rows of 128 for nine steps of ten; longer ones take long and change little."""
FEWEST_ROWS = 2
ROWS_AT_ONCE = 8
"""Of one pass in one worker."""
ALL_HIDDEN = Disguise(hidden=1.0, replaced=0.0)
RowLayout = Literal["packed", "documents"]
"""Documents one after the other, cut into full rows; or a row for each."""


@dataclass(frozen=True)
class Questions:
    """n words of B rows that a model is asked for. `place` is where each stands in its row, `row` which row that is."""

    text: ExamText
    rows: Rows
    batch: MaskedBatch
    is_causal: bool
    unknown_id: int | None

    @cached_property
    def asked(self) -> Array:
        """(B, k): False where a row had fewer words than are asked for."""
        return self.batch.weights > 0

    @cached_property
    def row(self) -> Array:
        return np.nonzero(self.asked)[0]

    @cached_property
    def labels(self) -> Array:
        return self.batch.labels[self.asked]

    @cached_property
    def place(self) -> Array:
        place: Array = self.batch.positions[self.asked] + self.is_causal
        return place

    @cached_property
    def true_text(self) -> Array:
        """The rows as they were written (B, T)."""
        return self.batch.ids if self.is_causal else self.batch.text()

    @property
    def neighbours(self) -> tuple[Array, Array]:
        """The ids that are seen to the left and to the right of each word (n,)."""
        edged = np.pad(self.with_ends(self.batch.ids), ((0, 0), (1, 1)), mode="edge")
        return edged[self.row, self.place], edged[self.row, self.place + 2]

    def with_ends(self, ids: Array) -> Array:
        """Ids in which a row that begins with a document begins as the document would behind another one.

        So counts in packed text, where few documents stand at the beginning of a row, know what begins one.
        """
        layout = self.rows.layout
        if not isinstance(self.rows, DocumentRows) or not (layout.before and layout.between):
            return ids
        return np.where(ids == layout.before[-1], layout.between[-1], ids)

    @cached_property
    def unknown_share(self) -> float:
        """Of the text, the tokens that the vocabulary does not know: they are never asked for."""
        if self.unknown_id is None:
            return 0.0
        return int((self.true_text == self.unknown_id).sum()) / self.batch.tokens

    @property
    def layout(self) -> RowLayout:
        return "documents" if isinstance(self.rows, DocumentRows) else "packed"

    @cached_property
    def cut(self) -> int:
        """How many of the documents that have a row each are longer than that."""
        if not isinstance(self.rows, DocumentRows):
            return 0
        documents, _ = self.rows.places(0, len(self.batch.ids))
        return int((self.rows.cache.lengths[documents[:, 0]] > self.rows.room).sum())

    @property
    def asks(self) -> str:
        return "next words" if self.is_causal else "hidden words"

    def __len__(self) -> int:
        return len(self.row)


def questions_for(
    subject: Subject,
    text: ExamText,
    most_rows: int,
    seed: int,
    report: Report = silent,
    *,
    layout: RowLayout = "packed",
    disguise: Disguise = ALL_HIDDEN,
) -> Questions:
    """At most so many rows of a text, drawn and masked by a seed."""
    check_tells_words(subject)
    config, tokenizer = subject.model.config, subject.tokenizer
    lay = packed_rows if layout == "packed" else document_rows
    rows = lay(text.corpus, tokenizer, row_length(subject), seed, report)
    exercise: Exercise = (
        NextWords.of(tokenizer, words_only=True)
        if config.causal
        else Masking.of(tokenizer, disguise=disguise)
    )
    count = min(most_rows, rows.rows_per_epoch)
    batch = MaskedStream(rows, exercise, masked_words(rows.T), count, seed).take(count)
    if not (batch.weights > 0).any():
        raise ValueError(f"{text.told}: there are no words in it that the vocabulary knows; give other text")
    found = Questions(text, rows, batch, config.causal, tokenizer.unk_id)
    checked_ids(found.true_text, config)
    return found


def check_tells_words(subject: Subject) -> None:
    """Refuse a model that cannot be asked for words."""
    if subject.model.config.causal and subject.model.config.head == "words":
        return
    try:
        check_fit(subject.model)
    except ValueError as error:
        raise DoesNotApply(str(error)) from None


def row_length(subject: Subject) -> int:
    return min(subject.model.config.max_seq_length, LONGEST_ROW)


def packed_rows(text: Corpus, tokenizer: Tokenizer, T: int, seed: int, report: Report = silent) -> PackedRows:
    """Documents in random order, one after the other, cut into rows of T tokens."""
    cache, layout = tokenized(text, tokenizer, report=report), Layout.of(tokenizer)
    room = layout.room(T)
    tokens = cache.contents.tokens + len(layout.between) * (len(cache) - 1)
    if tokens < FEWEST_ROWS * room:
        raise ValueError(
            f"{text.name}: {counted(tokens, 'token')}, and the exam needs {FEWEST_ROWS} rows of {room} at least; "
            "give more text"
        )
    return PackedRows(cache, np.arange(len(cache)), T, layout, seed)


def document_rows(
    text: Corpus, tokenizer: Tokenizer, T: int, seed: int, report: Report = silent
) -> DocumentRows:
    """Documents in random order, each in a row of its own: cut at T tokens, or filled up with padding."""
    cache = tokenized(text, tokenizer, report=report)
    written = np.flatnonzero(cache.lengths)
    if len(written) < FEWEST_ROWS:
        raise ValueError(
            f"{text.name}: {counted(len(written), 'document')}, and the exam needs {FEWEST_ROWS} at least, each in a "
            "row of its own; give more text, or have it packed"
        )
    return DocumentRows(cache, written, T, Layout.of(tokenizer), seed)


def answers_of(subject: Subject, questions: Questions, report: Report = silent) -> Answers:
    """What a model says to all questions; each worker judges the rows that it has read."""
    model, team = subject.model, subject.predictor.team
    B = len(questions.batch.ids)
    starts, left = range(0, B, ROWS_AT_ONCE), Countdown(B, report)

    def share(worker: int) -> list[tuple[int, Answers]]:
        found = []
        for start in starts[worker :: team.size]:
            cut = slice(start, start + ROWS_AT_ONCE)
            logits, labels = logits_of(model, questions, cut)
            found.append((start, judged(logits, labels)))
            left.finished(min(ROWS_AT_ONCE, B - start))
        return found

    parts = sorted((one for some in team.each(share) for one in some), key=lambda one: one[0])
    return Answers.joined([answers for _, answers in parts])


def logits_of(model: MiniBERT, questions: Questions, cut: slice) -> tuple[Array, Array]:
    """Logits (m, V) and labels (m,) of the questions in some rows, in their order."""
    batch = without_padding(questions.batch.rows(cut.start, cut.stop))
    inputs = {**(batch.inputs or {}), "order": asked_last(batch.ids, batch.positions)}
    t = Trace(model.arena, inputs=inputs, queries=batch.positions, keeps=False)
    asked = questions.asked[cut]
    return model.network.forward(batch.ids, t)[asked], batch.labels[asked]


def without_padding(batch: MaskedBatch) -> MaskedBatch:
    """The same rows, only as long as the longest of them, or as the last place that is named."""
    mask = (batch.inputs or {}).get("attention_mask")
    if mask is None:
        return batch
    T = max(int(mask.sum(1).max()), int(batch.positions.max()) + 1)
    inputs = {name: values[:, :T] for name, values in (batch.inputs or {}).items()}
    return replace(batch, ids=batch.ids[:, :T], inputs=inputs)


class Countdown:
    """Tells a report how far several workers have come together."""

    def __init__(self, total: int, report: Report) -> None:
        self.total, self.report, self.done, self.lock = total, report, 0, Lock()

    def finished(self, some: int) -> None:
        with self.lock:
            self.done += some
            self.report(self.done / self.total, f"{self.done:,} of {self.total:,} rows")
