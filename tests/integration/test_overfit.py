"""A model that cannot learn one batch by heart cannot learn."""

import numpy as np

from mini_bert.models.mini import MiniBERT
from mini_bert.training.objectives import MaskedBatch, masked_word_backward, masked_word_loss
from mini_bert.training.optimizers import AdamW


def test_one_batch_is_learned_by_heart():
    rng = np.random.default_rng(0)
    B, T, k = 8, 64, 10
    ids = rng.integers(5, 8192, (B, T))
    positions = np.sort(rng.permuted(np.tile(np.arange(T), (B, 1)), axis=1)[:, :k], axis=1)
    labels = np.take_along_axis(ids, positions, 1)
    np.put_along_axis(ids, positions, 4, 1)  # [MASK]
    batch = MaskedBatch(ids, positions, labels, np.full((B, k), 1 / (B * k), np.float32))

    model = MiniBERT()
    optimizer, grads = AdamW(model.arena, learning_rate=1e-3), model.arena.zeros_like()
    steps, loss = 0, np.inf
    while steps < 200 and loss >= 0.01:
        loss, t = masked_word_loss(model.network, model.arena, batch)
        grads.flat[:] = 0
        masked_word_backward(model.network, batch, t, grads)
        optimizer.step(grads)
        steps += 1
    assert loss < 0.01, f"after {steps} steps"
