"""Which of two sentences would one prefer who has only counted words in a text?

    counts = WordCounts.of(text, tokenizer)
    counts.unigram(ids), counts.bigram(ids)          # ln p of each sentence

What counting can do, a model must beat.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from mini_bert.core.array import Array
from mini_bert.data.corpus import Corpus, World
from mini_bert.data.token_cache import tokenized
from mini_bert.evaluation.cloze_baselines import MOST_TOKENS
from mini_bert.evaluation.intrinsic.exam_text import (
    TRAINING_SEED,
    Texts,
    behind_told,
    paragraph_texts,
    text_behind,
)
from mini_bert.evaluation.task_folder import TaskFolder
from mini_bert.models.mini import MiniBERT
from mini_bert.reports import Report, silent
from mini_bert.tokenizers.tokenizer import Tokenizer

TRUST = 30.0
"""As many words as the frequencies alone count for, beside what was seen behind a word (MacKay & Peto 1995)."""


@dataclass(frozen=True)
class WordCounts:
    """p(w) = (count(w) + 1) / Σ,    p(w | l) = (count(l w) + α p(w)) / (count(l) + α)

    A sentence begins and ends with a word of its own, number V. `keys` are l · (V + 1) + w of the pairs that were seen.
    """

    words: Array
    left: Array
    keys: Array
    pairs: Array

    @classmethod
    def of(cls, text: Corpus, tokenizer: Tokenizer, report: Report = silent) -> Self:
        """From as many tokens as `MOST_TOKENS`, kept on disk as in training: what was tokenized once need not be."""
        V, cache = tokenizer.vocab_size, tokenized(text, tokenizer, report=report)
        some = cache.ids[:MOST_TOKENS].astype(np.int64)
        ends = cache.breaks[cache.breaks <= len(some)].astype(np.int64)
        ids = np.concatenate([[V], np.insert(some, ends, V)])
        keys, pairs = np.unique(ids[:-1] * (V + 1) + ids[1:], return_counts=True)
        counts = np.bincount(ids, minlength=V + 1)
        return cls((counts + 1) / (counts + 1).sum(), counts, keys, pairs)

    def unigram(self, sentences: Sequence[Sequence[int]]) -> Array:
        """Σ ln p(w) of each sentence, (N,)"""
        ids, sentence = joined(sentences, len(self.words) - 1)
        is_word = ids < len(self.words) - 1
        found: Array = np.bincount(
            sentence[is_word], np.log(self.words[ids[is_word]]), minlength=len(sentences)
        )
        return found

    def bigram(self, sentences: Sequence[Sequence[int]]) -> Array:
        """Σ ln p(w | word before it) of each sentence and its end, (N,)"""
        ids, sentence = joined(sentences, len(self.words) - 1)
        left, word = ids[:-1], ids[1:]
        keys = left * len(self.words) + word
        at = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        seen = np.where(self.keys[at] == keys, self.pairs[at], 0)
        log_p = np.log((seen + TRUST * self.words[word]) / (self.left[left] + TRUST))
        is_inside = sentence[1:] < len(sentences)
        found: Array = np.bincount(sentence[1:][is_inside], log_p[is_inside], minlength=len(sentences))
        return found


def joined(sentences: Sequence[Sequence[int]], edge: int) -> tuple[Array, Array]:
    """All sentences in a row, an edge before the first and behind each; and the number of each word's sentence.

    An edge belongs to the sentence that it ends; the first belongs to none.
    """
    ids = np.array([edge, *(index for sentence in sentences for index in (*sentence, edge))])
    lengths = [len(sentence) + 1 for sentence in sentences]
    return ids, np.concatenate([[len(sentences)], np.repeat(np.arange(len(sentences)), lengths)])


def text_to_count(model: MiniBERT, tasks: TaskFolder | None, most_stories: int) -> tuple[str, Corpus]:
    """What the text is called in which words are counted, and the text.

    That which the model has learned from, if it is known: who counts shall have seen as much. Else of the labelled sets
    at hand, else as many stories as models learn from.
    """
    learned = text_behind(model)
    if learned is not None:
        return behind_told(learned), learned
    treebank = tasks.split("ud_ewt", "train") if tasks else None
    if treebank:
        return "UD English EWT", Texts(str(treebank), paragraph_texts(treebank))
    return f"{most_stories:,} stories of the embedded world", World(most_stories, TRAINING_SEED)
