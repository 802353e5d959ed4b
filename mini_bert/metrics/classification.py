"""How often a classifier is right, and where it is not. Labels (N,) are numbers of classes, from 0."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mini_bert.core.array import Array


class ClassScores(NamedTuple):
    """Of each class (C,): precision, recall and their harmonic mean, and how many examples it has."""

    precision: Array
    recall: Array
    f1: Array
    support: Array


def accuracy(labels: Array, predicted: Array) -> float:
    """(1/N) Σ [ŷ_i = y_i]"""
    labels, predicted = checked(labels, predicted)
    return float((labels == predicted).mean())


def confusion_matrix(labels: Array, predicted: Array, classes: int | None = None) -> Array:
    """M_ct = how many of class c were told to be t          (C, C)

    `classes` is C, by default one more than the highest number that occurs.
    """
    labels, predicted = checked(labels, predicted)
    C = classes or int(max(labels.max(), predicted.max())) + 1
    if max(labels.max(), predicted.max()) >= C:
        raise ValueError(
            f"class {max(labels.max(), predicted.max())} with classes={C}: they are numbered from 0; name more classes"
        )
    return np.bincount(labels * C + predicted, minlength=C * C).reshape(C, C)


def class_scores(labels: Array, predicted: Array, classes: int | None = None) -> ClassScores:
    """P_c = M_cc / Σ_t M_tc,   R_c = M_cc / Σ_t M_ct,   F_c = 2 M_cc / (Σ_t M_tc + Σ_t M_ct);   0/0 counts as 0"""
    M = confusion_matrix(labels, predicted, classes)
    right, told, support = np.diag(M), M.sum(0), M.sum(1)
    return ClassScores(ratio(right, told), ratio(right, support), ratio(2 * right, told + support), support)


def macro_f1(labels: Array, predicted: Array) -> float:
    """(1/|K|) Σ_{c∈K} F_c, K the classes that occur among labels or predictions: small ones count like large ones"""
    scores = class_scores(labels, predicted)
    occurs = (scores.support > 0) | np.isin(np.arange(len(scores.f1)), predicted)
    return float(scores.f1[occurs].mean())


def matthews_correlation(labels: Array, predicted: Array) -> float:
    """(s·c − Σ t_k p_k) / √(s² − Σ p_k²) / √(s² − Σ t_k²);   0 where a side has one class only

    s examples, c of them right, t_k of class k, p_k told to be k. For two classes this is the correlation of two
    columns of 0 and 1 (Matthews 1975), for more the R_K of Gorodkin (2004).
    """
    M = confusion_matrix(labels, predicted).astype(float)
    true, told, total = M.sum(1), M.sum(0), M.sum()
    covariance = total * np.trace(M) - true @ told
    spread = (total**2 - told @ told) * (total**2 - true @ true)
    return float(covariance / np.sqrt(spread)) if spread > 0 else 0.0


def ratio(part: Array, whole: Array) -> Array:
    """part / whole, 0 where the whole is 0"""
    found: Array = np.divide(part, whole, out=np.zeros(np.shape(whole)), where=np.asarray(whole) > 0)
    return found


def checked(labels: Array, predicted: Array) -> tuple[Array, Array]:
    """Both as arrays of whole numbers, equally many, at least one."""
    labels, predicted = np.asarray(labels), np.asarray(predicted)
    if labels.shape != predicted.shape or labels.ndim != 1:
        raise ValueError(
            f"labels {labels.shape} and predictions {predicted.shape}: give one of each for every example, (N,)"
        )
    if not len(labels):
        raise ValueError("no labels: a score needs at least one example")
    for name, given in (("labels", labels), ("predictions", predicted)):
        if not np.issubdtype(given.dtype, np.integer) or given.min() < 0:
            raise ValueError(f"{name}: give numbers of classes, from 0; label_numbers makes them of names")
    return labels, predicted
