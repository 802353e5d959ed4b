"""Our side of `mini-bert bench train`, as a process: python -m mini_bert.cli.bench_ours ROWS MICRO_BATCH, or sgemm."""

from __future__ import annotations

import sys

import numpy as np

from mini_bert.cli.bench_batches import random_batches
from mini_bert.cli.turns import seconds_of, serve
from mini_bert.models.config import ModelConfig
from mini_bert.profiling.trial import Trial
from mini_bert.training.memory import peak_resident_bytes
from mini_bert.training.objectives import MaskedBatch
from mini_bert.training.parallel import Team

SGEMM_SIZE = 1536


def trial(rows: int, micro_batch: int) -> Trial:
    """The mini preset with AdamW on all cores, and the logical batch of all contestants."""
    config = ModelConfig()
    made = Trial(config, rows, micro_batch, Team())
    found = random_batches(micro_batch, rows // micro_batch, config.vocab_size, config.max_seq_length)
    ids, positions, labels = map(np.concatenate, zip(*found, strict=True))
    made.batch = MaskedBatch(ids, positions, labels, np.full(labels.shape, 1 / labels.size, np.float32))
    return made


def memory(made: Trial) -> dict[str, int | None]:
    """Bytes of the process at its largest, and of the arrays of a step at theirs."""
    return {"resident": peak_resident_bytes(), "arrays": made.peak_bytes()}


def main(arguments: list[str]) -> None:
    if arguments == ["sgemm"]:
        a, b = np.ones((2, SGEMM_SIZE, SGEMM_SIZE), np.float32)
        product = np.empty_like(a)
        serve({"step": seconds_of(lambda: np.matmul(a, b, out=product))})
    else:
        rows, micro_batch = map(int, arguments)
        made = trial(rows, micro_batch)
        serve({"step": made.step, "memory": lambda: memory(made)})


if __name__ == "__main__":
    main(sys.argv[1:])
