"""The questions that a sentence's likelihood is the sum of, each asked once, and their answers.

Sentences of one length go together, so that nothing is filled up. Two sentences that differ in one word share the
question for that word.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from mini_bert.core.array import Array
from mini_bert.core.functions.softmax import log_softmax
from mini_bert.core.trace import Trace
from mini_bert.evaluation.subject import Subject
from mini_bert.inference.fill_mask import mask_of
from mini_bert.inference.forward import Predictor

Ids = tuple[int, ...]

LOGITS_AT_ONCE = 1 << 22
"""16 MB of float32: rows enough for every core, few enough to stay near them."""


class Questions(NamedTuple):
    """Rows (R, T), of which the words at places (R, k) are asked for, and what counts of the answers.

    ln p of `word[i]` at place number `slot[i]` of row `row[i]` counts for sentence `sentence[i]`; `row` never falls.
    """

    rows: Array
    types: Array | None
    places: Array
    row: Array
    slot: Array
    word: Array
    sentence: Array


class Reading:
    """How a model reads sentences: in its frame, and no longer than it can."""

    def __init__(self, subject: Subject) -> None:
        self.tokenizer, self.config = subject.tokenizer, subject.model.config
        tokenizer = self.tokenizer
        before, after = tokenizer.frame.around()
        if self.config.causal:
            after = []
            if not before and tokenizer.roles.end is not None:
                before = [tokenizer.roles.end]  # as GPT-2 begins: behind the end of another text
        self.before, self.after = (
            [tokenizer.token_to_id[token] for token in part] for part in (before, after)
        )
        self.room = self.config.max_seq_length - len(self.before) - len(self.after)

    def cut(self, pieces: Ids) -> Ids:
        """As many pieces as the model can read."""
        return pieces[: self.room]

    def framed(self, pieces: Ids) -> Ids:
        return (*self.before, *pieces, *self.after)

    def types(self, R: int, T: int) -> Array | None:
        """Segments (R, T) of framed sentences, if the model is told them."""
        if not self.config.token_types:
            return None
        template = [segment for _, segment in self.tokenizer.frame.template(False)]
        before = len(self.tokenizer.frame.around()[0])
        segments = np.full(T, template[before])
        segments[:before] = template[:before]
        if self.after:
            segments[-len(self.after) :] = template[before + 1 :]
        return np.tile(segments, (R, 1))

    def questions(self, sentences: Sequence[Ids], within_word: bool) -> Iterator[Questions]:
        """All questions, sentences of one length after the other; a sentence is named by its number."""
        lengths = np.array([len(sentence) for sentence in sentences])
        for T in np.unique(lengths):
            numbers = np.flatnonzero(lengths == T)
            ids = np.array([self.framed(sentences[number]) for number in numbers.tolist()])
            first, last = len(self.before), len(self.before) + int(T)
            if self.config.causal:
                first = max(first, 1)  # nothing comes before the very first token
            if first >= last:
                continue
            if self.config.causal:
                yield self.next_words(ids, numbers, first, last)
            else:
                yield self.hidden_words(ids, numbers, np.arange(first, last), within_word)

    def next_words(self, ids: Array, numbers: Array, first: int, last: int) -> Questions:
        """Each word is asked for at the place before it."""
        N, k = len(ids), last - first
        row, slot = np.divmod(np.arange(N * k), k)
        places = np.tile(np.arange(first - 1, last - 1), (N, 1))
        word = ids[:, first:last].ravel()
        return Questions(ids, self.types(*ids.shape), places, row, slot, word, numbers[row])

    def hidden_words(self, ids: Array, numbers: Array, places: Array, within_word: bool) -> Questions:
        """Each sentence once for each of its words, which is hidden."""
        (N, T), k = ids.shape, len(places)
        is_hidden = np.broadcast_to(np.arange(T) == places[:, None], (N, k, T))
        if within_word:
            is_hidden = is_hidden | self.rest_of_word(ids, places)
        mask = self.tokenizer.token_to_id[mask_of(self.tokenizer)]
        rows = np.where(is_hidden, mask, ids[:, None])  # (N, k, T)
        asked = np.concatenate([rows, np.broadcast_to(places[:, None], (N, k, 1))], axis=2).reshape(
            N * k, T + 1
        )
        known: dict[bytes, int] = {}
        row = np.array([known.setdefault(one.tobytes(), len(known)) for one in asked])
        order = np.argsort(row, kind="stable")
        _, firsts = np.unique(row, return_index=True)
        asked, sentence, word = asked[firsts], np.repeat(numbers, k)[order], ids[:, places].ravel()[order]
        types = self.types(len(asked), T)
        return Questions(asked[:, :T], types, asked[:, T:], row[order], np.zeros_like(row), word, sentence)

    def rest_of_word(self, ids: Array, places: Array) -> Array:
        """(N, k, T): for each place, the later pieces of the same word."""
        starts = np.array(self.tokenizer.starts_word())
        word_of_piece = np.cumsum(starts[ids], axis=1)
        word_of_piece[:, : len(self.before)] = -1
        word_of_piece[:, ids.shape[1] - len(self.after) :] = -1
        is_same: Array = word_of_piece[:, places, None] == word_of_piece[:, None]
        return is_same & (np.arange(ids.shape[1]) > places[:, None])


def answered(predictor: Predictor, questions: Questions) -> Iterator[tuple[Array, Array]]:
    """(ln p, number of the sentence) of all that counts, some rows at a time."""
    forward = predictor.model.network.forward

    def log_probs(ids: Array, t: Trace) -> Array:
        return log_softmax(forward(ids, t))

    R, k = questions.places.shape
    at_once = max(1, LOGITS_AT_ONCE // (k * predictor.model.config.vocab_size))
    for start in range(0, R, at_once):
        rows = slice(start, start + at_once)
        types = None if questions.types is None else questions.types[rows]
        log_p = predictor.run(log_probs, questions.rows[rows], None, types, questions.places[rows])
        first, last = np.searchsorted(questions.row, [start, start + at_once])
        at = slice(first, last)
        found = log_p[questions.row[at] - start, questions.slot[at], questions.word[at]]
        yield found, questions.sentence[at]
