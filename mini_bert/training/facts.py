"""What is known of a run before its first step: sizes, and the scores of a model that knows nothing but frequencies."""

from __future__ import annotations

from collections.abc import Iterator
from math import log
from typing import Any

import numpy as np

from mini_bert import __version__
from mini_bert.core.array import Array
from mini_bert.data.token_cache import TokenCache
from mini_bert.models.mini import MiniBERT
from mini_bert.training.baselines import WordFrequencies, score
from mini_bert.training.materials import Materials
from mini_bert.training.objectives import MaskedBatch

TOKENS_AT_ONCE = 1 << 20


def facts_of(model: MiniBERT, materials: Materials, exam: MaskedBatch, workers: int) -> dict[str, Any]:
    """For RUN/facts.json."""
    contents, vocab_size = materials.cache.contents, model.config.vocab_size
    counts = token_counts(materials.cache, vocab_size)
    counts -= counts_in(materials.cache, materials.held_out.documents, vocab_size)
    unigram = score(WordFrequencies.counted(counts, materials.tokenizer), exam)
    return {
        "parameters": model.num_parameters,
        "vocab_size": vocab_size,
        "uniform_loss": log(vocab_size),
        "unigram_loss": unigram.loss,
        "unigram_accuracy": unigram.accuracy,
        "corpus": contents.source_name,
        "tokens": contents.tokens,
        "documents": contents.documents,
        "workers": workers,
        "version": __version__,
    }


def token_counts(cache: TokenCache, vocab_size: int) -> Array:
    """How often each id occurs in the text (V,)."""
    counts: Array = np.zeros(vocab_size, np.int64)
    for block in cache.blocks():
        counts += np.bincount(block, minlength=vocab_size)
    return counts


def counts_in(cache: TokenCache, documents: Array, vocab_size: int) -> Array:
    """How often each id occurs in some documents (V,)."""
    counts: Array = np.zeros(vocab_size, np.int64)
    for block in gathered(cache, documents):
        counts += np.bincount(block, minlength=vocab_size)
    return counts


def gathered(cache: TokenCache, documents: Array) -> Iterator[Array]:
    """The ids of some documents, many short ones or a part of a long one at a time."""
    parts: list[Array] = []
    size = 0
    for start, end in zip(cache.starts[documents].tolist(), cache.ends[documents].tolist(), strict=True):
        for first in range(start, end, TOKENS_AT_ONCE):
            parts.append(cache.ids[first : min(first + TOKENS_AT_ONCE, end)])
            size += len(parts[-1])
            if size >= TOKENS_AT_ONCE:
                yield np.concatenate(parts)
                parts, size = [], 0
    if parts:
        yield np.concatenate(parts)
