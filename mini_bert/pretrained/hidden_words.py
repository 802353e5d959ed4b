"""The exam of models that are packed or averaged: words of held-out text, all behind [MASK], the same for each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from mini_bert.core.array import Array
from mini_bert.data.corpus import Corpus, World, corpus, is_a_name
from mini_bert.data.packing import PackedRows
from mini_bert.data.rows import Layout
from mini_bert.data.text_files import found as files_named
from mini_bert.data.token_cache import tokenized
from mini_bert.data.world.parts import WORLD_SEEDS
from mini_bert.evaluation.intrinsic.answers import judged
from mini_bert.evaluation.intrinsic.row_scores import RowScores
from mini_bert.inference.forward import Predictor
from mini_bert.inference.reading import tokenizer_of
from mini_bert.models.mini import MiniBERT
from mini_bert.reports import Report
from mini_bert.training.objectives import MaskedBatch
from mini_bert.training.validation import exam_of

ROWS, WORLD_STORIES = 1024, 2_000
ROWS_AT_ONCE = 32
SEED = 0


def text_of(texts: Sequence[str | Path]) -> Corpus:
    """The texts that are named, by their own names; stories of the embedded world if there are none."""
    if not texts:
        return World(WORLD_STORIES, WORLD_SEEDS["test"])
    made = corpus(*texts)
    files = [path for text in texts if not is_a_name(text) for path in files_named(text)]
    if files:
        made.name = ", ".join("/".join(path.resolve().parts[-2:]) for path in files)
    return made


def exam_on(model: MiniBERT, text: Corpus, most_rows: int, report: Report) -> MaskedBatch:
    """Packed rows of the text, 15 % of the tokens hidden."""
    tokenizer = tokenizer_of(model)
    cache = tokenized(text, tokenizer, report=report)
    rows = PackedRows(
        cache, np.arange(len(cache)), model.config.max_seq_length, Layout.of(tokenizer), seed=SEED
    )
    exam = exam_of(rows, tokenizer, most_rows)
    if not (exam.weights > 0).any():
        raise ValueError(f"{text.name}: not a word in it that the vocabulary knows; give another --text")
    return exam


def answers(model: MiniBERT, exam: MaskedBatch) -> Iterator[tuple[Array, Array, Array]]:
    """Of some rows at a time: logits (n, V) at the hidden words, the words (n,), and the row of each (n,)."""
    with Predictor(model) as predictor:
        for start in range(0, len(exam.ids), ROWS_AT_ONCE):
            batch = exam.rows(start, start + ROWS_AT_ONCE)
            asked = batch.weights > 0
            mask = (batch.inputs or {}).get("attention_mask")
            logits = predictor.logits(batch.ids, mask, positions=batch.positions)  # (B, k, V)
            yield logits[asked], batch.labels[asked], start + np.nonzero(asked)[0]


def scores_in(model: MiniBERT, exam: MaskedBatch) -> RowScores:
    """How well a model finds the words, row by row."""
    found = [(row, judged(logits, labels)) for logits, labels, row in answers(model, exam)]
    row = np.concatenate([row for row, _ in found])
    right = np.concatenate([one.right for _, one in found])
    log_prob = np.concatenate([one.log_prob for _, one in found])
    return RowScores.of(row, right, log_prob, len(exam.ids))
