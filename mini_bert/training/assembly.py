"""The moving parts of a run, put together as its configuration says: optimizer, masking, stream and exams."""

from __future__ import annotations

from typing import Any

import numpy as np

from mini_bert.data.rows import Rows
from mini_bert.models.mini import MiniBERT
from mini_bert.tokenizers.tokenizer import Tokenizer
from mini_bert.training.averaging import Lookahead
from mini_bert.training.config import TrainingConfig
from mini_bert.training.curriculum import Curriculum, by_length, by_rarity
from mini_bert.training.facts import token_counts
from mini_bert.training.goals import Goal, masking_of
from mini_bert.training.layer_rates import compute_layer_wise_learning_rates
from mini_bert.training.masking import masked_words
from mini_bert.training.materials import Materials
from mini_bert.training.objectives import MaskedBatch
from mini_bert.training.optimizers import LAMB, SGD, AdamW, Lion, Muon, Optimizer, SophiaG
from mini_bert.training.staged_stream import StagedStream
from mini_bert.training.stream import MaskedStream
from mini_bert.training.token_order import TokenOrder
from mini_bert.training.validation import HELD_OUT, OLD, SECOND, exam_of
from mini_bert.training.workers import suitable_workers

OPTIMIZERS: dict[str, type[Optimizer]] = {
    "adamw": AdamW,
    "lion": Lion,
    "muon": Muon,
    "sophia": SophiaG,
    "lamb": LAMB,
    "sgd": SGD,
}


def workers_of(config: TrainingConfig, tokenizer: Tokenizer, ranks: int = 1, cores: int | None = None) -> int:
    """The threads of each rank that share a step: as many as are asked for, or as many as help."""
    model, rows = config.model_config_of(tokenizer), -(-config.batch.size // ranks)
    return config.workers or suitable_workers(model, rows, config.batch.micro, cores)


def optimizer_of(config: TrainingConfig, model: MiniBERT) -> Optimizer:
    """The optimizer with its settings; those left at None are its own."""
    settings = config.optimizer
    known = ("learning_rate", "weight_decay", "momentum", "nesterov", "eps", "gamma", "hessian_every")
    chosen = {name: getattr(settings, name) for name in known}
    options: dict[str, Any] = {name: value for name, value in chosen.items() if value is not None}
    if settings.beta1 is not None:
        options["betas"] = (settings.beta1, settings.beta2)
    if settings.layer_decay < 1:
        options["rates"] = compute_layer_wise_learning_rates(model, decay=settings.layer_decay)
    made = OPTIMIZERS[settings.kind](model.arena, **options)
    averaging = config.averaging
    return Lookahead(made, averaging.every, averaging.share) if averaging.kind == "lookahead" else made


def stream_of(
    config: TrainingConfig, materials: Materials, goal: Goal, share: float
) -> MaskedStream | StagedStream:
    """The exercises of a run, with a share of the words asked for unless it is told otherwise; short rows first, if
    there are any."""
    full = stream_over(materials.rows, config, materials, goal, share)
    if materials.short is None:
        return full
    short = stream_over(materials.short, config, materials, goal, share)
    return StagedStream(short, full, config.batch.short_until)


def stream_over(
    rows: Rows, config: TrainingConfig, materials: Materials, goal: Goal, share: float
) -> MaskedStream:
    tokenizer, by_words = materials.tokenizer, config.masking.kind == "whole-words"
    return MaskedStream(
        rows,
        goal.exercise,
        masked_words(rows.T, share),
        config.batch.size * (materials.rows.T // rows.T),
        config.seed,
        np.array(tokenizer.starts_word()) if by_words else None,
        static=config.masking.static,
        token_order=token_order_of(config, tokenizer),
        importance=config.second_task.importance,
        curriculum=curriculum_of(rows, config, materials),
    )


def curriculum_of(rows: Rows, config: TrainingConfig, materials: Materials) -> Curriculum | None:
    settings = config.curriculum
    if settings.kind == "none":
        return None
    if settings.kind == "length":
        difficulty = by_length(rows)
    else:
        difficulty = by_rarity(rows, token_counts(materials.cache, materials.tokenizer.vocab_size))
    return Curriculum(settings.kind, difficulty, config.seed, settings.until)


def token_order_of(config: TrainingConfig, tokenizer: Tokenizer) -> TokenOrder | None:
    is_asked = config.second_kind == "token-order"
    return TokenOrder(masking_of(config, tokenizer).ordinary) if is_asked else None


def exams_of(config: TrainingConfig, materials: Materials, goal: Goal) -> dict[str, MaskedBatch]:
    """By the name under which metrics tell the score: held-out text, the second task on it, and the old text.

    A model that reads pairs of passages is examined on pairs, words and question together; the order of tokens is asked
    apart from words, for they must not stand in another one.
    """
    tokenizer, most = materials.tokenizer, config.logging.exam_rows
    held_out = materials.held_out_pairs or materials.held_out
    exams = {HELD_OUT: exam_of(held_out, tokenizer, most, exercise=goal.exam)}
    if order := token_order_of(config, tokenizer):
        exams[SECOND] = exam_of(held_out, tokenizer, most, order)
    if materials.old is not None:
        exams[OLD] = exam_of(materials.old, tokenizer, most, exercise=goal.exam)
    return exams
