"""Labelled examples as a model reads them, and as it is asked about them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from mini_bert.core.array import Array
from mini_bert.data.tasks import Labelled, TaggedSentence, TaskBatch, align, task_batches, token_labels
from mini_bert.data.tasks.alignment import IGNORED, AlignedWords
from mini_bert.data.tasks.batches import Encoded
from mini_bert.finetuning.tasks import Answer, Example, Task
from mini_bert.finetuning.word_dropout import WordDropout
from mini_bert.inference.forward import Predictor
from mini_bert.inference.labels import logits_of
from mini_bert.inference.reading import tokenizer_of
from mini_bert.models.mini import MiniBERT
from mini_bert.tokenizers.tokenizer import Tokenizer
from mini_bert.training.objectives import MaskedBatch

PADDED_TO = 1
"""Texts of one length stand together: filled up to 8 tokens, a fifth of what is computed for SST-2 would be padding."""


@dataclass(frozen=True)
class EncodedSplit:
    """Examples as ids with their labels as numbers: one for each text, or (T,) for its tokens.

    `cut` examples were longer than the model reads: their ends are left out.
    """

    encodings: Sequence[Encoded]
    labels: Sequence[Any]
    cut: int

    @property
    def tokens(self) -> int:
        return sum(len(one.ids) for one in self.encodings)


@dataclass(frozen=True)
class EncodedTask:
    """A task in the ids of one tokenizer."""

    task: Task
    train: EncodedSplit
    dev: EncodedSplit
    test: EncodedSplit | None
    pad_id: int

    @property
    def judged(self) -> EncodedSplit:
        return self.test or self.dev

    @property
    def cut(self) -> int:
        return sum(split.cut for split in (self.train, self.dev, self.test) if split)


def encoded_task(task: Task, model: MiniBERT, max_length: int | None = None) -> EncodedTask:
    tokenizer = tokenizer_of(model)
    longest = model.config.max_seq_length
    length = longest if max_length is None else min(max_length, longest)
    numbers = {name: number for number, name in enumerate(task.names)}

    def encoded(examples: Sequence[Example]) -> EncodedSplit:
        return encoded_split(examples, tokenizer, numbers, length)

    test = encoded(task.test) if task.test else None
    pad_id = tokenizer.pad_id or 0
    return EncodedTask(task, encoded(task.train), encoded(task.dev), test, pad_id)


def encoded_split(
    examples: Sequence[Example], tokenizer: Tokenizer, numbers: dict[str, int], length: int
) -> EncodedSplit:
    encodings: list[Encoded] = []
    labels: list[Any] = []
    cut = 0
    for example in examples:
        if isinstance(example, TaggedSentence):
            aligned = align(example.words, tokenizer, length)
            encodings.append(aligned)
            labels.append(token_labels(aligned, [numbers[tag] for tag in example.tags]))
            cut += aligned.words_cut > 0
        else:
            encoding = tokenizer.encoding(example.text, example.pair)
            if len(encoding) > length:
                cut += 1
                encoding = tokenizer.encoding(example.text, example.pair, max_length=length)
            encodings.append(encoding)
            labels.append(numbers[example.label])
    return EncodedSplit(encodings, labels, cut)


def training_batches(
    material: EncodedTask,
    model: MiniBERT,
    batch_size: int,
    seed: int,
    epoch: int,
    word_dropout: WordDropout | None = None,
) -> Iterator[MaskedBatch]:
    """The batches of an epoch, as a training step takes them."""
    split = material.train
    batches = task_batches(
        split.encodings,
        split.labels,
        batch_size,
        seed,
        epoch,
        pad_id=material.pad_id,
        multiple=PADDED_TO,
    )
    for batch in batches:
        if word_dropout:
            batch = replace(batch, ids=word_dropout(batch.ids, batch.indices, seed, epoch))
        yield asked(batch, model)


def asked(batch: TaskBatch, model: MiniBERT) -> MaskedBatch:
    """What is to be told, and where: at the token that speaks for the text, or at the first piece of each word.

    Other places are not computed in the last layer; where all tokens speak, all are.
    """
    assert batch.labels is not None
    inputs = {"attention_mask": batch.attention_mask.astype(bool)}
    if model.config.token_types:
        inputs["token_type_ids"] = batch.type_ids
    if batch.labels.ndim == 1:
        B, T = batch.ids.shape
        speaking = {
            "first": np.zeros((B, 1), np.int64),
            "last": batch.attention_mask.sum(1, keepdims=True) - 1,
            "mean": np.broadcast_to(np.arange(T), (B, T)),
        }
        weights: Array = np.full(B, 1 / B, model.dtype)
        return MaskedBatch(batch.ids, speaking[model.config.pooled], batch.labels, weights, inputs)
    is_label = batch.labels != IGNORED
    positions = np.argsort(~is_label, axis=1, kind="stable")[:, : max(1, int(is_label.sum(1).max()))]
    labels = np.take_along_axis(batch.labels, positions, 1)
    weights = ((labels != IGNORED) / max(1, is_label.sum())).astype(model.dtype)
    return MaskedBatch(batch.ids, positions, np.where(labels == IGNORED, 0, labels), weights, inputs)


def answers(predictor: Predictor, split: EncodedSplit, material: EncodedTask) -> list[Answer]:
    """What the model says of each example. Words that were cut off get the tag that is most frequent in train."""
    names, usual = material.task.names, most_frequent(material.task.train)
    found: list[Answer] = [""] * len(split.encodings)
    for i, logits in logits_of(predictor, split.encodings):
        one, best = split.encodings[i], logits.argmax(-1)
        if isinstance(one, AlignedWords):
            told = tuple(names[number] for number in best[one.spans.first].tolist())
            found[i] = told + (usual,) * one.words_cut
        else:
            found[i] = names[int(best)]
    return found


def most_frequent(examples: Sequence[Example]) -> str:
    """The label that occurs most often; of several, the first in the alphabet."""
    counts = Counter(
        label
        for example in examples
        for label in ([example.label] if isinstance(example, Labelled) else example.tags)
    )
    return min(counts, key=lambda label: (-counts[label], label))
