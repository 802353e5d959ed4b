"""A lesson of a minute: tales in, a model that has learned from them out, and a fair examination."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import exp
from time import perf_counter
from typing import NamedTuple

import numpy as np

from mini_bert.core.array import Array
from mini_bert.data.tales import tales
from mini_bert.models.config import InitializerConfig, ModelConfig
from mini_bert.models.mini import MiniBERT
from mini_bert.tokenizers.wordpiece import WordPieceTokenizer
from mini_bert.training.masking import FIRST_WORD_ID, mask_for_training
from mini_bert.training.objectives import MaskedBatch, masked_word_backward, masked_word_loss
from mini_bert.training.optimizers import AdamW, clip_gradients

TALES, HELD_OUT_TALES = 12_000, 2_000
BATCH, MASKED_SHARE = 32, 0.15
LEARNING_RATE, WARM_UP, MAX_NORM = 1e-2, 0.05, 1.0


class Score(NamedTuple):
    """How well hidden words are found: the share that is right, and e to the mean of −ln p(word)."""

    accuracy: float
    perplexity: float


@dataclass(frozen=True)
class Corpus:
    """Tales as token ids: a long row to train on; and an exam, words hidden in tales not among them."""

    tokenizer: WordPieceTokenizer
    stream: Array
    exam: MaskedBatch
    exam_tales: int

    @property
    def exam_words(self) -> int:
        return int((self.exam.weights > 0).sum())


@dataclass(frozen=True)
class Budget:
    """How long to train: a number of steps, or else of seconds."""

    seconds: float
    steps: int | None = None

    def spent(self, steps: int, seconds: float) -> float:
        """The fraction of the budget that is used up."""
        return steps / self.steps if self.steps else seconds / self.seconds


class Moment(NamedTuple):
    """The state of the training after a step."""

    spent: float
    step: int
    tokens: int
    seconds: float
    loss: float
    accuracy: float


def new_model(seed: int) -> MiniBERT:
    """The debug preset. BERT's spread of 0.02 is for wide layers: at H = 32 it would slow the start."""
    return MiniBERT(ModelConfig.preset("debug", initializer=InitializerConfig(std=0.1)), seed=seed)


def tell(config: ModelConfig, seed: int) -> Corpus:
    """Tales to learn from, a vocabulary for them, and other tales for the exam."""
    told = tales(TALES, 2 * seed)
    known = set(told)
    others = [tale for tale in tales(HELD_OUT_TALES, 2 * seed + 1) if tale not in known]
    tokenizer = WordPieceTokenizer.train(told, config.vocab_size)
    T = config.max_seq_length
    unseen = packed(others, tokenizer)
    rows = unseen[: len(unseen) // T * T].reshape(-1, T)
    rng = np.random.default_rng(seed)
    exam = mask_for_training(rows, masked_words(T), rng, tokenizer.vocab_size, hidden=1, replaced=0)
    return Corpus(tokenizer, packed(told, tokenizer), exam, len(others))


def packed(texts: list[str], tokenizer: WordPieceTokenizer) -> Array:
    """All texts in one row of ids, without padding."""
    return np.array([i for text in texts for i in tokenizer.encode(text)])


def masked_words(T: int) -> int:
    return max(1, round(MASKED_SHARE * T))


def train(model: MiniBERT, corpus: Corpus, budget: Budget, seed: int) -> Iterator[Moment]:
    """Train until the budget is spent, a step at a time."""
    rng = np.random.default_rng(seed)
    grads, optimizer = model.arena.zeros_like(), AdamW(model.arena)
    start, step, spent = perf_counter(), 0, 0.0
    while spent < 1:
        batch = drawn(corpus, model.config.max_seq_length, rng)
        grads.flat[:] = 0
        loss, trace = masked_word_loss(model.network, model.arena, batch)
        masked_word_backward(model.network, batch, trace, grads)
        clip_gradients(grads, MAX_NORM)
        optimizer.learning_rate = LEARNING_RATE * schedule(spent)
        optimizer.step(grads)
        step, seconds = step + 1, perf_counter() - start
        spent = budget.spent(step, seconds)
        right = accuracy(trace["word_probs"], batch)
        yield Moment(spent, step, step * batch.ids.size, seconds, float(loss), right)


def drawn(corpus: Corpus, T: int, rng: np.random.Generator) -> MaskedBatch:
    """Sequences of T tokens from anywhere in the stream, with some words hidden."""
    starts = rng.integers(0, len(corpus.stream) - T, BATCH)
    ids = corpus.stream[starts[:, None] + np.arange(T)]
    return mask_for_training(ids, masked_words(T), rng, corpus.tokenizer.vocab_size)


def schedule(spent: float) -> float:
    """The learning rate's share of its peak: up in a line while warming up, then down in a line to 0."""
    return min(spent / WARM_UP, (1 - spent) / (1 - WARM_UP))


def accuracy(probs: Array, batch: MaskedBatch) -> float:
    return float(((probs.argmax(-1) == batch.labels) * batch.weights).sum())


def examine(model: MiniBERT, exam: MaskedBatch) -> Score:
    loss, trace = masked_word_loss(model.network, model.arena, exam)
    return Score(accuracy(trace["word_probs"], exam), exp(loss))


def examine_frequency(corpus: Corpus) -> tuple[str, Score]:
    """The most frequent word, and the score of one who reads nothing but knows how often each word occurs."""
    counts = 1 + np.bincount(corpus.stream, minlength=corpus.tokenizer.vocab_size)[FIRST_WORD_ID:]
    words, weights = corpus.exam.labels - FIRST_WORD_ID, corpus.exam.weights
    surprise = -np.log(counts / counts.sum())
    commonest = int(counts.argmax())
    score = Score(float(((words == commonest) * weights).sum()), exp((surprise[words] * weights).sum()))
    return corpus.tokenizer.id_to_token[FIRST_WORD_ID + commonest], score
