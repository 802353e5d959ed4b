"""Our own training step, as the contestants do theirs."""

from collections.abc import Callable

import numpy as np

from benchmarks.batches import batches
from mini_bert import MiniBERT
from mini_bert.training.objectives import MaskedBatch, masked_word_backward, masked_word_loss
from mini_bert.training.optimizers import AdamW, clip_gradients


def mini_bert(B: int, micro: int) -> Callable[[], float]:
    model = MiniBERT()
    network, params, grads = model.network, model.arena, model.arena.zeros_like()
    optimizer = AdamW(params, learning_rate=1e-3, weight_decay=0.01)
    work = [
        MaskedBatch(ids, positions, labels, np.full(labels.shape, 1 / (labels.size * micro), np.float32))
        for ids, positions, labels in batches(B, micro)
    ]

    def step() -> float:
        grads.flat[:] = 0
        for batch in work:
            loss, trace = masked_word_loss(network, params, batch)
            masked_word_backward(network, batch, trace, grads)
        clip_gradients(grads, 1.0)
        optimizer.step(grads)
        return float(loss)

    return step
