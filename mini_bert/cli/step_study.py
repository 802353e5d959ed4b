"""A training step of a model: what it should cost, and what a real one does."""

from __future__ import annotations

import tracemalloc
from dataclasses import dataclass
from functools import cached_property
from time import perf_counter

import numpy as np

from mini_bert.cli.threads import one_blas_thread
from mini_bert.core.functions.dropout import Noise
from mini_bert.core.network import Network
from mini_bert.models.build import build_network
from mini_bert.models.config import ModelConfig
from mini_bert.models.cost import Rehearsal, measured_bytes, parameters, rehearse_training
from mini_bert.models.mini import MiniBERT
from mini_bert.training.masking import FIRST_WORD_ID, mask_for_training, masked_words
from mini_bert.training.objectives import MaskedBatch, masked_word_loss
from mini_bert.training.optimizers import AdamW
from mini_bert.training.parallel import Team
from mini_bert.training.step import TrainingStep

QUICK_FLOPS = 2e10
ITEMSIZE = np.dtype(np.float32).itemsize


@dataclass(frozen=True)
class Study:
    """A model, and a training step of B sequences of T tokens with k words to tell in each, as predicted.

    The sequences are split between the workers, who keep together what one would; only gradients each has of its own.
    """

    name: str
    config: ModelConfig
    B: int
    k: int
    workers: int

    @property
    def T(self) -> int:
        return self.config.max_seq_length

    @cached_property
    def network(self) -> Network:
        return build_network(self.config)

    @cached_property
    def parameters(self) -> dict[str, int]:
        return parameters(self.network)

    @cached_property
    def cost(self) -> Rehearsal:
        asked = self.k if self.k < self.T else None
        return rehearse_training(self.network, self.B, self.T, asked, itemsize=ITEMSIZE)

    @property
    def flops(self) -> dict[str, int]:
        forward, backward = self.cost.forward_flops, self.cost.backward_flops
        return {"forward": forward, "backward": backward, "step": forward + backward}

    @property
    def memory(self) -> dict[str, int]:
        """Bytes, by what they hold."""
        arena = ITEMSIZE * sum(self.parameters.values())
        return {
            "weights": arena,
            "gradients": self.workers * arena,
            "moments": 2 * arena,
            "activations": self.cost.kept_bytes,
        }

    @property
    def is_quick(self) -> bool:
        return self.flops["step"] <= QUICK_FLOPS


@dataclass(frozen=True)
class Measurement:
    """What a real training step took."""

    memory: dict[str, int]
    peak_bytes: int
    seconds: float


def finds_hidden_words(config: ModelConfig) -> bool:
    return config.head == "words" and not config.causal


def words_asked(config: ModelConfig, wanted: int | None) -> int:
    """How many words of a sequence are to be told: some, by the generator if there is one; all where none is chosen."""
    T = config.max_seq_length
    if wanted is not None and wanted > T:
        raise ValueError(f"--masked {wanted}: a sequence of this model has {T} tokens; choose from 1 to {T}")
    return wanted or (masked_words(T) if config.generator or finds_hidden_words(config) else T)


def measure_step(study: Study) -> Measurement:
    """Two training steps on random words: the memory of the first, the time of the second."""
    rng = np.random.default_rng(0)
    V = study.config.vocab_size
    batch = mask_for_training(rng.integers(FIRST_WORD_ID, V, (study.B, study.T)), study.k, rng, V)
    with Team(study.workers) as team:
        tracemalloc.start()
        try:
            model = MiniBERT(study.config)
            step, optimizer = TrainingStep(model.network, model.arena, team), AdamW(model.arena)
            tracemalloc.reset_peak()
            train(step, batch, optimizer)
            _, peak_bytes = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        start = perf_counter()
        train(step, batch, optimizer)
        seconds = perf_counter() - start
    held = {
        "weights": model.arena.flat.nbytes,
        "gradients": sum(arena.flat.nbytes for arena in step.arenas),
        "moments": sum(arena.flat.nbytes for arena in optimizer.moments().values()),
        "activations": kept_bytes(model, batch),
    }
    return Measurement(held, peak_bytes, seconds)


def train(step: TrainingStep, batch: MaskedBatch, optimizer: AdamW) -> None:
    """One step of the whole batch at once, by the step's team."""
    team, grads = step.team, step.gradients(batch, len(batch.ids), Noise()).grads
    optimizer.begin()
    team.each(lambda worker: optimizer.update(grads, worker, team.size))


def kept_bytes(model: MiniBERT, batch: MaskedBatch) -> int:
    """What a forward pass keeps for its backward pass."""
    with one_blas_thread():
        _, trace = masked_word_loss(model.network, model.arena, batch, Noise())
    return measured_bytes(trace.kept)
