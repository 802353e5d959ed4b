"""Perplexity: as many words as a model hesitates between that guesses as badly by choosing among them at random."""

from __future__ import annotations

from math import exp

LARGEST_EXPONENT = 700.0
"""e to more than this is no number any more."""


def perplexity_of_loss(loss: float) -> float:
    """exp(loss), of the mean of −ln p; a loss beyond all use counts as 700, so that there is a number.

    >>> perplexity_of_loss(0.0), perplexity_of_loss(1e9) == perplexity_of_loss(700.0)
    (1.0, True)
    """
    return exp(min(loss, LARGEST_EXPONENT))
