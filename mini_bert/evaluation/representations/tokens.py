"""Hidden states as plain rows, one for each token that counts."""

from __future__ import annotations

from typing import Any

import numpy as np

from mini_bert.core.array import Array


def as_tokens(states: Any, mask: Any = None) -> Array:
    """States (..., H) as rows (N, H) in float64; with a mask (...), those where it is true, so without padding."""
    found = np.asarray(states, np.float64)
    if found.ndim < 2 or not found.shape[-1]:
        raise ValueError(f"states of shape {found.shape}: give (tokens, hidden) or (batch, tokens, hidden)")
    if mask is None:
        rows: Array = found.reshape(-1, found.shape[-1])
    else:
        mask = np.asarray(mask, bool)
        if mask.shape != found.shape[:-1]:
            raise ValueError(f"mask of shape {mask.shape} for states {found.shape}; give {found.shape[:-1]}")
        rows = found[mask]
    if not len(rows):
        raise ValueError("no states: there is not a single token that counts")
    if not np.isfinite(rows).all():
        raise ValueError("states: some are not finite; `mini-bert diagnose` may tell where that comes from")
    return rows


def unit_rows(x: Array) -> Array:
    """x / ‖x‖; a row of zeros stays one"""
    lengths = np.sqrt(np.einsum("nh,nh->n", x, x))
    found: Array = x / np.where(lengths > 0, lengths, 1)[:, None]
    return found


def centred(x: Array) -> Array:
    """x − x̄"""
    found: Array = x - x.mean(0)
    return found
