"""The mini preset's sizes, and the random batches that every contestant gets."""

import numpy as np

from mini_bert.cli.bench_batches import random_batches

V, T, H, A, I, L = 8192, 64, 192, 4, 768, 3


def batches(B: int, micro: int, seed: int = 0) -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """[(ids (B, T), positions (B, k), labels (B, k))], one for each micro-batch."""
    return random_batches(B, micro, V, T, seed)
