"""Does a model know how sure it may be? Of all it is 80 % sure of, 80 % should be right."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mini_bert.core.array import Array

BINS = 10


class Reliability(NamedTuple):
    """What a reliability diagram shows: of each bin (M,) its ends, cases, mean confidence and share that is right.

    The last two are nan for a bin without cases.
    """

    low: Array
    high: Array
    cases: Array
    confidence: Array
    accuracy: Array


def reliability(confidences: Array, right: Array, bins: int = BINS) -> Reliability:
    """Confidences (N,) in bins ((m−1)/M, m/M] of equal width; right (N,) says whether each prediction was."""
    confidences, right = np.asarray(confidences, np.float64), np.asarray(right, np.float64)
    if confidences.shape != right.shape or confidences.ndim != 1 or not len(right):
        raise ValueError(
            f"confidences {confidences.shape}, right {right.shape}: give one of each for every case, at least one"
        )
    if not (
        confidences.min() >= 0 and confidences.max() <= 1 + 1e-6
    ):  # float32 may sum to a little more than 1
        raise ValueError(
            f"confidences from {confidences.min():.3g} to {confidences.max():.3g}: give probabilities"
        )
    edges = np.linspace(0, 1, bins + 1)
    place = np.searchsorted(edges[1:-1], confidences)
    cases = np.bincount(place, minlength=bins)
    some = np.where(cases, cases, np.nan)
    confidence = np.bincount(place, confidences, bins) / some
    return Reliability(edges[:-1], edges[1:], cases, confidence, np.bincount(place, right, bins) / some)


def expected_calibration_error(confidences: Array, right: Array, bins: int = BINS) -> float:
    """Σ_m (N_m / N) |right_m − confidence_m| over bins m of equal width (Naeini et al. 2015, Guo et al. 2017)"""
    found = reliability(confidences, right, bins)
    gaps = np.nan_to_num(np.abs(found.accuracy - found.confidence))
    return float((found.cases * gaps).sum() / found.cases.sum())


def brier_score(probs: Array, labels: Array) -> float:
    """(1/N) Σ_i Σ_c (p_ic − [y_i = c])²,   0 at best, 2 at worst (Brier 1950)          probs (N, C), labels (N,)

    For two classes this is twice the square error of one column, which some call by the same name.
    """
    probs, labels = checked(probs, labels)
    of_label = np.take_along_axis(probs, labels[:, None], 1)[:, 0]
    return float(((probs * probs).sum(1) - 2 * of_label + 1).mean())


def checked(probs: Array, labels: Array) -> tuple[Array, Array]:
    """Probabilities (N, C) in float64 and labels (N,) among their columns."""
    probs, labels = np.asarray(probs, np.float64), np.asarray(labels)
    if probs.ndim != 2 or labels.shape != probs.shape[:1] or not len(labels):
        raise ValueError(
            f"probs {probs.shape}, labels {labels.shape}: give (N, classes) and (N,), at least one case"
        )
    if labels.min() < 0 or labels.max() >= probs.shape[1]:
        raise ValueError(
            f"labels from {labels.min()} to {labels.max()}, but probs has {probs.shape[1]} columns; "
            "number the classes from 0"
        )
    return probs, labels
