"""What a run works with, made from its configuration: vocabulary, text, held-out text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from mini_bert.core.array import Array
from mini_bert.data.corpus import Corpus, World, corpus
from mini_bert.data.document_rows import DocumentRows
from mini_bert.data.packing import AlignedRows, PackedRows
from mini_bert.data.pair_rows import PairRows
from mini_bert.data.rows import Layout, Rows
from mini_bert.data.split import split
from mini_bert.data.token_cache import TokenCache, tokenized
from mini_bert.data.vocabularies import learned_vocabulary
from mini_bert.reports import Report, part, silent
from mini_bert.tokenizers.files import has_tokenizer, load_tokenizer
from mini_bert.tokenizers.tokenizer import Tokenizer
from mini_bert.training.config import LEARNED, SECOND_HEADS, TrainingConfig
from mini_bert.training.going_on import origin_of

OWN_VOCABULARIES = {"roberta": "roberta", "gpt2": "gpt2", "albert": "albert", "xlnet": "xlnet"}
"""Which kind of vocabulary a member of the family learns; all others learn word pieces."""
EXAM_SEED = 0
"""Draws the rows of exams, whatever the seed of a run is."""


@dataclass(frozen=True)
class Materials:
    """Text as rows to learn from, other rows for the exam, and the vocabulary of both.

    `short` are the rows of the first stage, if there is one. `held_out_pairs` are the exam of a second task about two
    passages; `old` is that of the text before `--init`.
    """

    tokenizer: Tokenizer
    cache: TokenCache
    rows: Rows
    held_out: Rows
    held_out_pairs: Rows | None = None
    old: Rows | None = None
    short: Rows | None = None


def materials(config: TrainingConfig, tokenizer_folder: Path, report: Report = silent) -> Materials:
    """Tokenize the corpus of a run. The run's own vocabulary comes first: a resumed run must not learn another."""
    T, short_T = config.row_length, config.short_row_length
    text = corpus(*config.corpus, unit=config.unit, text_field=config.text_field)
    tokenizer = vocabulary(config, text, tokenizer_folder, part(report, 0.0, 0.5))
    cache = tokenized(text, tokenizer, report=part(report, 0.5, 1.0))
    training, held_out = split(cache, config.held_out)
    layout, kind = Layout.of(tokenizer), PackedRows if config.packed else DocumentRows
    most, task = config.logging.exam_rows, config.second_kind
    exam = examined(lambda seed: kind(cache, held_out, T, layout, seed), text, most)
    old = old_rows(config, tokenizer, T, report) if config.old_corpus else None

    def rows_of(documents: Array, length: int, seed: int | None) -> Rows:
        if task == "next-sentence" or task == "sentence-order":
            return PairRows(cache, documents, length, layout, seed, task=task)
        return (AlignedRows if config.aligned else kind)(cache, documents, length, layout, seed)

    rows = rows_of(training, T, config.seed)
    short = None if short_T is None else rows_of(training, short_T, config.seed)
    asks_pairs = SECOND_HEADS[task] == "pairs"
    pairs = examined(lambda seed: rows_of(held_out, T, seed), text, most) if asks_pairs else None
    return Materials(tokenizer, cache, rows, exam, pairs, old, short)


def examined(rows_by: Callable[[int | None], Rows], text: Corpus, most: int) -> Rows:
    """Rows for an exam of at most so many: as they come if that is all of them, else drawn from all the text.

    Text lies file after file, so that the first rows would be those of the first file. The stories of the embedded
    world stand in no order, and need not be drawn.
    """
    rows = rows_by(None)
    return rows if rows.rows_per_epoch <= most or isinstance(text, World) else rows_by(EXAM_SEED)


def vocabulary(
    config: TrainingConfig, text: Corpus, tokenizer_folder: Path, report: Report = silent
) -> Tokenizer:
    if has_tokenizer(tokenizer_folder):
        return load_tokenizer(tokenizer_folder)
    if config.tokenizer is not None and config.tokenizer != LEARNED:
        return load_tokenizer(config.tokenizer)
    if config.init is not None and config.tokenizer != LEARNED:
        return origin_of(config.init).tokenizer
    if config.distillation.teacher is not None and config.tokenizer != LEARNED:
        return origin_of(config.distillation.teacher).tokenizer
    model = config.described_model
    kind = OWN_VOCABULARIES.get(model.family, "wordpiece")
    tokenizer, _ = learned_vocabulary(text, model.vocab_size, report, kind=kind)
    return tokenizer


def old_rows(config: TrainingConfig, tokenizer: Tokenizer, T: int, report: Report = silent) -> Rows:
    """Rows of the old text that the model before has not seen, in the vocabulary of this run."""
    cut = config.old_cut or config.cut
    text = corpus(*config.old_corpus, unit=cut.unit, text_field=cut.text_field)
    cache = tokenized(text, tokenizer, report=part(report, 0.5, 1.0))
    _, held_out = split(cache, cut.held_out)
    kind = PackedRows if config.packed else DocumentRows
    layout = Layout.of(tokenizer)
    return examined(lambda seed: kind(cache, held_out, T, layout, seed), text, config.logging.exam_rows)
