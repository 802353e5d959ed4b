"""Our side of `mini-bert bench train`, as a process: python -m mini_bert.cli.bench_ours ROWS MICRO_BATCH, or sgemm."""

from __future__ import annotations

import sys
import tracemalloc

import numpy as np

from mini_bert.cli.bench_batches import random_batches
from mini_bert.cli.turns import seconds_of, serve
from mini_bert.core.functions.dropout import Noise
from mini_bert.models.config import ModelConfig
from mini_bert.models.mini import MiniBERT
from mini_bert.training.clipping import clipping_scale
from mini_bert.training.memory import peak_resident_bytes
from mini_bert.training.objectives import MaskedBatch
from mini_bert.training.optimizers import AdamW
from mini_bert.training.parallel import Team
from mini_bert.training.step import TrainingStep

MAX_NORM = 1.0
SGEMM_SIZE = 1536


class Trainer:
    """The mini preset with AdamW on all cores, and one logical batch that it learns over and over."""

    def __init__(self, rows: int, micro_batch: int) -> None:
        config = ModelConfig()
        model = MiniBERT(config)
        self.team, self.micro_batch = Team(), micro_batch
        self.gradients = TrainingStep(model.network, model.arena, self.team)
        self.optimizer = AdamW(model.arena, learning_rate=1e-3, weight_decay=0.01)
        found = random_batches(micro_batch, rows // micro_batch, config.vocab_size, config.max_seq_length)
        ids, positions, labels = map(np.concatenate, zip(*found, strict=True))
        self.batch = MaskedBatch(ids, positions, labels, np.full(labels.shape, 1 / labels.size, np.float32))

    def step(self, noise: Noise | None = None) -> float:
        loss, _, grads, _ = self.gradients.gradients(self.batch, self.micro_batch, noise)
        scale = clipping_scale(self.gradients.norm, MAX_NORM)
        self.optimizer.begin()
        self.team.each(lambda worker: self.optimizer.update(grads, worker, self.team.size, scale))
        return loss

    def memory(self) -> dict[str, int | None]:
        """Bytes of the process at its largest, and of the arrays of a step at theirs."""
        resident = peak_resident_bytes()
        arenas = [self.gradients.params, *self.gradients.arenas, *self.optimizer.moments().values()]
        tracemalloc.start()
        try:
            self.step()
            _, passing = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        return {"resident": resident, "arrays": sum(arena.flat.nbytes for arena in arenas) + passing}


def main(arguments: list[str]) -> None:
    if arguments == ["sgemm"]:
        a, b = np.ones((2, SGEMM_SIZE, SGEMM_SIZE), np.float32)
        product = np.empty_like(a)
        serve({"step": seconds_of(lambda: np.matmul(a, b, out=product))})
    else:
        rows, micro_batch = map(int, arguments)
        trainer = Trainer(rows, micro_batch)
        serve({"step": seconds_of(trainer.step), "memory": trainer.memory})


if __name__ == "__main__":
    main(sys.argv[1:])
