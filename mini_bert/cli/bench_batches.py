"""The same random batches for every contestant of `mini-bert bench train`."""

import numpy as np

from mini_bert.core.array import Array
from mini_bert.training.masking import masked_words

FIRST_ID = 5


def random_batches(B: int, count: int, V: int, T: int, seed: int = 0) -> list[tuple[Array, Array, Array]]:
    """[(ids (B, T), positions (B, k), labels (B, k))], with k = 15 % of the positions to predict in each row."""
    rng, k = np.random.default_rng(seed), masked_words(T)
    found = []
    for _ in range(count):
        ids = rng.integers(FIRST_ID, V, (B, T))
        positions = np.sort(np.argsort(rng.random((B, T)), axis=1)[:, :k], axis=1)
        found.append((ids, positions, np.take_along_axis(ids, positions, axis=1)))
    return found
