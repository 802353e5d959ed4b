"""What is known of a run before its first step: sizes, and the scores of a model that knows nothing but frequencies."""

from __future__ import annotations

from math import log
from typing import Any

import numpy as np

from mini_bert import __version__
from mini_bert.core.array import Array
from mini_bert.data.token_cache import TokenCache
from mini_bert.evaluation.cloze_baselines import WordFrequencies, score
from mini_bert.models.mini import MiniBERT
from mini_bert.training.materials import Materials
from mini_bert.training.objectives import MaskedBatch


def facts_of(model: MiniBERT, materials: Materials, exam: MaskedBatch, workers: int) -> dict[str, Any]:
    """For RUN/facts.json."""
    contents, vocab_size = materials.cache.contents, model.config.vocab_size
    counts = token_counts(materials.cache, vocab_size)
    for document in materials.held_out.documents:
        counts -= np.bincount(materials.cache.document(document), minlength=vocab_size)
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
