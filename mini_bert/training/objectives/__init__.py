"""Objectives: what a model is asked to predict, and the loss and gradients that follow."""

from mini_bert.training.objectives.batch import MaskedBatch, Question
from mini_bert.training.objectives.masked_words import (
    MaskedWords,
    masked_word_backward,
    masked_word_loss,
    pretraining_backward,
    pretraining_loss,
)
from mini_bert.training.objectives.objective import Losses, Objective

__all__ = [
    "Losses",
    "MaskedBatch",
    "MaskedWords",
    "Objective",
    "Question",
    "masked_word_backward",
    "masked_word_loss",
    "pretraining_backward",
    "pretraining_loss",
]
