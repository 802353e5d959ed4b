"""A real training step on random words, to be timed and weighed."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace
from time import perf_counter

import numpy as np

from mini_bert.core.functions.dropout import Noise
from mini_bert.core.heads import ClassifierHead
from mini_bert.core.network import Network
from mini_bert.models.config import ModelConfig
from mini_bert.models.mini import MiniBERT
from mini_bert.training.clipping import clipping_scale
from mini_bert.training.cluster.ranks import Ranks
from mini_bert.training.goals import practice_goal
from mini_bert.training.masking import FIRST_WORD_ID, masked_words
from mini_bert.training.objectives import Question
from mini_bert.training.optimizers import AdamW
from mini_bert.training.parallel import Team
from mini_bert.training.step import TrainingStep

MAX_NORM = 1.0


class Trial:
    """A new model with AdamW and one batch of random words, which it learns over and over; each rank has its own."""

    def __init__(
        self,
        config: ModelConfig,
        rows: int,
        micro_batch: int,
        team: Team,
        ranks: Ranks | None = None,
        *,
        overlap: bool = False,
    ) -> None:
        self.model, self.team, self.micro_batch = MiniBERT(config), team, micro_batch
        goal = practice_goal(config)
        self.work = TrainingStep(
            self.model.network, self.model.arena, team, goal.objective, ranks, overlap=overlap
        )
        self.optimizer = AdamW(self.model.arena)
        self.noise = noise_of(config)
        V, T, rng = config.vocab_size, config.max_seq_length, np.random.default_rng(0)
        words = rng.integers(FIRST_WORD_ID, V, (rows, T))
        self.batch = goal.exercise(words, masked_words(T), rng)
        if asks_about_text(self.model.network):
            labels = rng.integers(0, 2, rows)
            question = Question(np.zeros((rows, 1), np.int64), labels, np.full(rows, 1 / rows))
            self.batch = replace(self.batch, question=question)

    def step(self) -> float:
        """Forward, backward, clipping, optimizer; returns the seconds."""
        start = perf_counter()
        grads = self.work.gradients(self.batch, self.micro_batch, self.noise).grads
        scale = clipping_scale(self.work.norm, MAX_NORM)
        self.optimizer.begin()
        self.team.each(lambda worker: self.optimizer.update(grads, worker, self.team.size, scale))
        return perf_counter() - start

    @property
    def arena_bytes(self) -> dict[str, int]:
        """What stays from step to step."""
        return {
            "weights": self.model.arena.flat.nbytes,
            "gradients": sum(arena.flat.nbytes for arena in self.work.arenas),
            "moments": sum(arena.flat.nbytes for arena in self.optimizer.moments().values()),
        }

    def peak_bytes(self, steps: int = 1) -> int:
        """The arrays of some steps at their most: what stays, and what comes and goes.

        Workers are not always at their peaks at the same time; in more steps it is more likely that they are once.
        """
        tracemalloc.start()
        try:
            for _ in range(steps):
                self.step()
            _, passing = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        return sum(self.arena_bytes.values()) + passing


def asks_about_text(network: Network) -> bool:
    """Whether its second head tells something about a whole text."""
    return isinstance(network.second_head, ClassifierHead)


def noise_of(config: ModelConfig) -> Noise | None:
    """A model without dropout needs no noise."""
    return Noise() if config.dropout or config.attention_dropout else None
