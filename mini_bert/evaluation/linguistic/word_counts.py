"""Which of two sentences would one prefer who has only counted words in a text?

    counts = WordCounts.of(sentences, tokenizer)
    counts.unigram(ids), counts.bigram(ids)          # ln p of each sentence

What counting can do, a model must beat.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Self

import numpy as np

from mini_bert.core.array import Array
from mini_bert.data.tasks.conllu import read_conllu
from mini_bert.data.world import stories
from mini_bert.evaluation.task_folder import TaskFolder
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
    def of(cls, sentences: Iterable[str], tokenizer: Tokenizer) -> Self:
        V = tokenizer.vocab_size
        ids, _ = joined([tokenizer.encode(text, add_special_tokens=False) for text in sentences], V)
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


def text_to_count(tasks: TaskFolder | None, most_stories: int) -> tuple[str, list[str]]:
    """Sentences in which words may be counted, and what they are: of the labelled sets at hand, else of the world."""
    treebank = tasks.split("ud_ewt", "train") if tasks else None
    if treebank:
        sentences = [sentence.text for sentence in read_conllu(treebank)]
        return f"{len(sentences):,} sentences of UD English EWT", sentences
    told = [s.text for story in islice(stories(seed=0), most_stories) for s in story.sentences]
    return f"{len(told):,} sentences of the embedded world", told
