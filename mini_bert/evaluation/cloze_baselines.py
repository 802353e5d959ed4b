"""What can be said of a hidden word without a model, by the two words beside it.

    neighbours = NeighbourCounts.of(rows, tokenizer)     # rows of the text that the model learned from
    score(neighbours, exam)                              # the exam of the model: same text, same hidden places
    neighbours.words                                     # how often words occur

It sees what the model sees: a neighbour that is hidden too tells it nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from mini_bert.core.array import Array
from mini_bert.data.rows import Rows
from mini_bert.tokenizers.tokenizer import Tokenizer
from mini_bert.training.baselines import WordFrequencies, epoch
from mini_bert.training.masking import ordinary_ids

MOST_TOKENS = 32_000_000
"""All of a text like that of the shipped models, in about 2 GB."""


@dataclass(frozen=True)
class ContextCounts:
    """How often each word was seen in each context; both are numbers."""

    keys: Array
    counts: Array
    vocab_size: int

    @classmethod
    def of(cls, contexts: Array, words: Array, vocab_size: int) -> Self:
        keys, counts = np.unique(contexts * vocab_size + words, return_counts=True)
        return cls(keys, counts, vocab_size)

    @classmethod
    def together(cls, parts: Sequence[Self]) -> Self:
        """The counts of several parts of a text, added."""
        keys = np.concatenate([part.keys for part in parts])
        order = np.argsort(keys, kind="stable")
        keys = keys[order]
        firsts = np.flatnonzero(np.diff(keys, prepend=-1))
        counts = np.add.reduceat(np.concatenate([part.counts for part in parts])[order], firsts)
        return cls(keys[firsts], counts, parts[0].vocab_size)

    def mixed(self, context: int, prior: Array, trust: float) -> Array:
        """p(w | context) = (count(w) + trust · prior(w)) / (Σ count + trust): the prior alone if it was never seen"""
        first, last = np.searchsorted(self.keys, [context * self.vocab_size, (context + 1) * self.vocab_size])
        counts = self.counts[first:last]
        probs: Array = trust * prior
        probs[self.keys[first:last] - context * self.vocab_size] += counts
        probs /= counts.sum() + trust
        return probs


@dataclass(frozen=True)
class NeighbourCounts:
    """p(w | l, r) = (count(l w r) + β q(w)) / (count(l · r) + β),   q(w) ∝ p(w | l) p(w | r) / p(w)

    p(w | l) = (count(l w) + α p(w)) / (count(l ·) + α), and p(w | r) alike: counts where there are many, else what
    each neighbour says by itself, else how often a word occurs (MacKay & Peto 1995). A hidden neighbour is a context
    that was never seen. `tokens` is how much text the neighbours were counted in.
    """

    words: WordFrequencies
    after: ContextCounts
    before: ContextCounts
    between: ContextCounts
    tokens: int
    alpha: float = 30.0
    beta: float = 2.0

    @classmethod
    def of(cls, rows: Rows, tokenizer: Tokenizer, most_tokens: int = MOST_TOKENS) -> Self:
        """From as many rows as have so many tokens, for each context that was seen takes memory; words from all."""
        some = epoch(rows, max(1, most_tokens // rows.T))
        return cls.counted(some, WordFrequencies.of(rows, tokenizer), tokenizer)

    @classmethod
    def counted(cls, blocks: Iterable[Array], words: WordFrequencies, tokenizer: Tokenizer) -> Self:
        """From rows of ids (n, T), a block at a time, and how often words occur."""
        V, ordinary = tokenizer.vocab_size, ordinary_ids(tokenizer.vocab_size, tokenizer.special_ids)
        parts: list[tuple[ContextCounts, ContextCounts, ContextCounts]] = []
        tokens = 0
        for ids in blocks:
            triples = np.stack([ids[:, :-2], ids[:, 1:-1], ids[:, 2:]]).reshape(3, -1)
            left, word, right = triples[:, ordinary[triples[1]]]
            contexts = left, right, left * V + right
            after, before, between = (ContextCounts.of(context, word, V) for context in contexts)
            parts.append((after, before, between))
            tokens += ids.size
        after, before, between = map(ContextCounts.together, zip(*parts, strict=True))
        return cls(words, after, before, between, tokens)

    def __call__(self, left: Array, right: Array) -> Array:
        return np.stack([self.between_two(*pair) for pair in zip(left.tolist(), right.tolist(), strict=True)])

    def between_two(self, left: int, right: int) -> Array:
        """p(w | left, right), (V,)"""
        p = self.words.probs
        by_either = self.after.mixed(left, p, self.alpha) * self.before.mixed(right, p, self.alpha)
        by_either /= np.maximum(p, np.finfo(p.dtype).tiny)  # special tokens: 0 / 0
        return self.between.mixed(left * len(p) + right, by_either / by_either.sum(), self.beta)
