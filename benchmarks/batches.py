"""The same random batches for every contestant: k = 10 of 64 positions to predict in each row."""

import numpy as np

V, T, H, A, I, L = 8192, 64, 192, 4, 768, 3
K = round(0.15 * T)


def batches(B: int, micro: int, seed: int = 0) -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """[(ids (B, T), positions (B, k), labels (B, k))], one for each micro-batch."""
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(micro):
        ids = rng.integers(5, V, (B, T))
        positions = np.sort(np.argsort(rng.random((B, T)), axis=1)[:, :K], axis=1)
        found.append((ids, positions, np.take_along_axis(ids, positions, axis=1)))
    return found
