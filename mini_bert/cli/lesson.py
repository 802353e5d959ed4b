"""A lesson of a minute: stories in, a model that has learned from them out, and a fair examination."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from math import exp
from time import perf_counter
from typing import NamedTuple

import numpy as np

from mini_bert.core.array import Array
from mini_bert.data.corpus import World
from mini_bert.data.packing import PackedRows
from mini_bert.data.rows import Layout
from mini_bert.data.split import split
from mini_bert.data.token_cache import TokenCache, tokenized
from mini_bert.data.vocabularies import learned_vocabulary
from mini_bert.data.world import story
from mini_bert.models.config import InitializerConfig, ModelConfig
from mini_bert.models.mini import MiniBERT
from mini_bert.reports import Report, part
from mini_bert.tokenizers.special import MASK
from mini_bert.tokenizers.wordpiece import WordPieceTokenizer
from mini_bert.training.masking import Disguise, Masking
from mini_bert.training.objectives import MaskedBatch, masked_word_backward, masked_word_loss
from mini_bert.training.optimizers import AdamW, clip_gradients
from mini_bert.training.stream import MaskedStream

STORIES, HELD_OUT, PIECES = 10_000, 0.05, 2048
T, BATCH, MASKED_SHARE = 32, 32, 0.15
LEARNING_RATE, WARM_UP, MAX_NORM = 5e-3, 0.05, 1.0
EXAM_ROWS = 1000
CLOZES = 8
SENTENCE, LONG_WORD = re.compile(r'[^.!?"]+[.!?]'), re.compile(r"\b[A-Za-z]{4,}\b")


class Score(NamedTuple):
    """How well hidden words are found: the share that is right, and e to the mean of −ln p(word)."""

    accuracy: float
    perplexity: float


class Cloze(NamedTuple):
    """A sentence with a hidden word."""

    text: str
    answer: str


@dataclass(frozen=True)
class Corpus:
    """Stories to learn from, and others for the exam: words hidden in rows of text, and a few sentences to look at."""

    tokenizer: WordPieceTokenizer
    cache: TokenCache
    rows: PackedRows
    exam: MaskedBatch
    exam_stories: int
    clozes: list[Cloze]
    sample: str

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


def new_model(corpus: Corpus, seed: int) -> MiniBERT:
    """A small model for the corpus. BERT's spread of 0.02 is for wide layers: at H = 64 it would slow the start."""
    config = ModelConfig(
        vocab_size=corpus.tokenizer.vocab_size,
        hidden_size=64,
        num_layers=2,
        num_heads=4,
        intermediate_size=256,
        max_seq_length=T,
        residual="pre-norm",
        positions="relative",
        initializer=InitializerConfig(std=0.05),
    )
    return MiniBERT(config, seed=seed)


def tell(seed: int, report: Report) -> Corpus:
    """Stories to learn from, a vocabulary for them, and other stories for the exam."""
    world = World(STORIES, seed)
    tokenizer, _ = learned_vocabulary(world, PIECES, part(report, 0.0, 0.6))
    cache = tokenized(world, tokenizer, report=part(report, 0.6, 1.0))
    training, held_out = split(cache, HELD_OUT)
    rng = np.random.default_rng(seed)
    unread = (story(int(number), seed).text for number in rng.permutation(held_out))
    layout = Layout.of(tokenizer)
    unseen = PackedRows(cache, held_out, T, layout, seed=None)
    hiding = Masking.of(tokenizer, disguise=Disguise(hidden=1, replaced=0))
    exam = MaskedStream(unseen, hiding, masked_words(), min(EXAM_ROWS, unseen.rows_per_epoch), seed)
    return Corpus(
        tokenizer=tokenizer,
        cache=cache,
        rows=PackedRows(cache, training, T, layout, seed),
        exam=next(exam),
        exam_stories=len(held_out),
        clozes=list(islice(clozes(unread, tokenizer, rng), CLOZES)),
        sample=next(iter(world)),
    )


def clozes(
    stories: Iterable[str], tokenizer: WordPieceTokenizer, rng: np.random.Generator
) -> Iterator[Cloze]:
    """A sentence of each story, drawn by lot, with a long word of it hidden."""
    for sentences in map(SENTENCE.findall, stories):
        if not sentences:
            continue
        sentence = str(rng.choice(sentences)).strip()
        words = [word for word in LONG_WORD.findall(sentence) if word.lower() in tokenizer.token_to_id]
        if words and len(tokenizer.encode(sentence)) <= T:
            word = str(rng.choice(words))
            yield Cloze(re.sub(rf"\b{word}\b", MASK, sentence, count=1), word.lower())


def masked_words() -> int:
    return round(MASKED_SHARE * T)


def train(model: MiniBERT, corpus: Corpus, budget: Budget, seed: int) -> Iterator[Moment]:
    """Train until the budget is spent, a step at a time."""
    stream = MaskedStream(corpus.rows, Masking.of(corpus.tokenizer), masked_words(), BATCH, seed)
    grads, optimizer = model.arena.zeros_like(), AdamW(model.arena)
    start, step, spent = perf_counter(), 0, 0.0
    while spent < 1:
        batch = next(stream)
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
    counts = 1 + np.bincount(corpus.cache.ids, minlength=corpus.tokenizer.vocab_size)
    counts[list(corpus.tokenizer.special_ids)] = 0
    words, weights = corpus.exam.labels, corpus.exam.weights
    commonest = int(counts.argmax())
    surprise = -np.log(np.maximum(counts, 1) / counts.sum())
    score = Score(float(((words == commonest) * weights).sum()), exp((surprise[words] * weights).sum()))
    return corpus.tokenizer.id_to_token[commonest], score
