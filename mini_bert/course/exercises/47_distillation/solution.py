"""Distillation: a student learns what its teacher thinks of every word, not only which one is right."""

import numpy as np

from mini_bert.core.functions.softmax import log_softmax


def soften(logits, temperature):
    """p = softmax(logits / τ)          (..., V) → (..., V)"""
    # gap: log_softmax(s) = ln softmax(s) is given
    return np.exp(log_softmax(logits / temperature))
    # end of gap


def distillation_loss(student, teacher, temperature):
    """loss = τ² · mean over places of Σ_v p_v (ln p_v − ln q_v), p the teacher's, q the student's        (N, V) → ()"""
    # gap: the logarithms come from log_softmax, never from np.log of a softened number, which may be 0
    log_p, log_q = log_softmax(teacher / temperature), log_softmax(student / temperature)
    per_place = (np.exp(log_p) * (log_p - log_q)).sum(-1)
    return temperature**2 * per_place.mean()
    # end of gap


def distillation_backward(student, teacher, temperature):
    """dstudent = τ (q − p) / N          (N, V) → (N, V)"""
    # gap: what is left of τ² when the slope of logits / τ has been multiplied in?
    p, q = soften(teacher, temperature), soften(student, temperature)
    return temperature * (q - p) / len(student)
    # end of gap
