"""What a run works with, made from its configuration: vocabulary, text, held-out text, model, optimizer."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mini_bert.data.corpus import corpus
from mini_bert.data.document_rows import DocumentRows
from mini_bert.data.packing import PackedRows
from mini_bert.data.rows import Layout, Rows
from mini_bert.data.split import split
from mini_bert.data.token_cache import TokenCache, tokenized
from mini_bert.data.vocabularies import learned_vocabulary
from mini_bert.models.config import ModelConfig
from mini_bert.models.mini import MiniBERT
from mini_bert.reports import Report, part, silent
from mini_bert.tokenizers.files import load_tokenizer
from mini_bert.tokenizers.tokenizer import Tokenizer
from mini_bert.training.averaging import Lookahead
from mini_bert.training.config import TrainingConfig
from mini_bert.training.layer_rates import compute_layer_wise_learning_rates
from mini_bert.training.masking import AnyTokens, Chooser, Disguise, Masking, Spans, WholeWords
from mini_bert.training.optimizers import LAMB, SGD, AdamW, Lion, Optimizer

CHOOSERS: dict[str, Chooser] = {"tokens": AnyTokens(), "whole-words": WholeWords(), "spans": Spans()}
OPTIMIZERS: dict[str, type[Optimizer]] = {
    "adamw": AdamW,
    "lion": Lion,
    "lamb": LAMB,
    "sgd": SGD,
}


@dataclass(frozen=True)
class Materials:
    """Text as rows to learn from, other rows for the exam, and the vocabulary of both."""

    tokenizer: Tokenizer
    cache: TokenCache
    rows: Rows
    held_out: Rows


def materials(config: TrainingConfig, tokenizer_folder: Path, report: Report = silent) -> Materials:
    """Tokenize the corpus of a run. The run's own vocabulary comes first: a resumed run must not learn another."""
    text = corpus(*config.corpus, unit=config.unit, text_field=config.text_field)
    if tokenizer_folder.is_dir():
        tokenizer: Tokenizer = load_tokenizer(tokenizer_folder)
    elif config.tokenizer is not None:
        tokenizer = load_tokenizer(config.tokenizer)
    else:
        wanted = ModelConfig.preset(config.preset).changed(**config.model).vocab_size
        tokenizer, _ = learned_vocabulary(text, wanted, part(report, 0.0, 0.5))
    cache = tokenized(text, tokenizer, report=part(report, 0.5, 1.0))
    training, held_out = split(cache, config.held_out)
    T = config.model_config_of(tokenizer.vocab_size).max_seq_length
    layout, kind = Layout.of(tokenizer), PackedRows if config.packed else DocumentRows
    return Materials(
        tokenizer,
        cache,
        kind(cache, training, T, layout, seed=config.seed),
        kind(cache, held_out, T, layout, seed=None),
    )


def masking_of(config: TrainingConfig, tokenizer: Tokenizer) -> Masking:
    settings = config.masking
    return Masking.of(tokenizer, CHOOSERS[settings.kind], Disguise(settings.hidden, settings.replaced))


def optimizer_of(config: TrainingConfig, model: MiniBERT) -> Optimizer:
    """The optimizer with its settings; those left at None are its own."""
    settings = config.optimizer
    chosen = {"momentum": settings.momentum, "eps": settings.eps}
    options: dict[str, Any] = {name: value for name, value in chosen.items() if value is not None}
    if settings.beta1 is not None or settings.beta2 is not None:
        if settings.beta1 is None or settings.beta2 is None:
            raise ValueError("optimizer: beta1 and beta2 belong together; give both or none")
        options["betas"] = (settings.beta1, settings.beta2)
    rates = (
        compute_layer_wise_learning_rates(model, decay=settings.layer_decay)
        if settings.layer_decay < 1
        else None
    )
    try:
        made = OPTIMIZERS[settings.kind](
            model.arena,
            learning_rate=settings.learning_rate,
            weight_decay=settings.weight_decay,
            rates=rates,
            **options,
        )
    except TypeError as error:
        unwanted = str(error).rpartition("'")[0].rpartition("'")[2]
        raise ValueError(f"optimizer.{unwanted}: means nothing to {settings.kind}; leave it out") from None
    averaging = config.averaging
    return Lookahead(made, averaging.every, averaging.share) if averaging.kind == "lookahead" else made
