"""Words in any order: who sees whom, and that nobody sees the word that is asked for."""

import numpy as np
import pytest

from mini_bert.core.terms import INVISIBLE
from mini_bert.models.config import ModelConfig
from mini_bert.models.mini import MiniBERT
from mini_bert.training.objectives import MaskedBatch, masked_word_loss
from mini_bert.training.verification import lively_weights
from tests.unit.test_recurrence import SIZES

B, T = 2, 7
IDS = np.random.default_rng(0).integers(0, 20, (B, T))
ORDER = np.array([[0, 2, 0, 1, 0, 3, 0], [3, 0, 0, 2, 0, 0, 1]])
"""Ranks: three words are asked for, one after the other; the others are given."""


def lively(**settings):
    config = ModelConfig.preset("xlnet-mini", **SIZES | settings)
    model = MiniBERT(config, dtype=np.float64)
    model.arena.flat[:] = lively_weights(model.network, 0).flat
    return model


def moved_by(model, place, order=ORDER):
    """Which predictions change when the word at `place` is another: (B, T)"""
    other = IDS.copy()
    other[:, place] = (other[:, place] + 1) % 20
    plain, changed = (model.trace(ids, order=order).logits for ids in (IDS, other))
    return (plain != changed).any(-1)


@pytest.mark.parametrize("positions", ["transformer-xl", "rotary", "relative"])
@pytest.mark.parametrize("place", range(T))
def test_a_prediction_depends_on_words_of_lower_rank_alone(positions, place):
    moved = moved_by(lively(positions=positions), place)
    asked = ORDER > 0
    np.testing.assert_array_equal(moved[asked], (ORDER[:, place : place + 1] < ORDER)[asked])


def test_who_sees_whom():
    scores = lively().trace(IDS, order=ORDER)["encoder.layers.0.attn.scores"]
    seen = (scores > INVISIBLE / 2).all(1)  # (B, rows, T), the same in all heads
    assert seen.shape == (B, 2 * T, T)
    np.testing.assert_array_equal(seen[:, :T], ORDER[:, None, :] <= ORDER[:, :, None])
    np.testing.assert_array_equal(seen[:, T:], ORDER[:, None, :] < ORDER[:, :, None])


def test_queries_stand_where_their_words_do():
    """Two that see the same words, and differ in nothing but their places, tell different words."""
    logits = lively().trace(np.arange(T), order=[[0, 1, 0, 0, 1, 0, 0]]).logits
    assert (logits[0, 1] != logits[0, 4]).all()


def test_the_words_asked_for_alone_are_as_among_all():
    model, asked = lively(), np.array([[5, 1], [3, 6]])
    every = model.trace(IDS, order=ORDER)
    batch = MaskedBatch(IDS, asked, asked, np.ones(asked.shape) / asked.size, {"order": ORDER})
    _, t = masked_word_loss(model.network, model.arena, batch, watch=("head.logits",))
    expected = np.take_along_axis(every.logits, asked[..., None], 1)
    np.testing.assert_allclose(t.acts["head.logits"], expected, rtol=0, atol=1e-12)


def test_without_an_order_everyone_sees_everyone():
    scores = lively().trace(IDS)["encoder.layers.0.attn.scores"]
    assert scores.shape == (B, 2, T, T)
    assert (scores > INVISIBLE / 2).all()


def test_what_is_given_is_not_asked_for():
    labels = lively().trace(IDS, order=ORDER).labels
    np.testing.assert_array_equal(labels, np.where(ORDER > 0, IDS, -100))


def test_an_order_moves_with_the_left_padding():
    """Padding in front, whatever its rank, changes nothing."""
    model = lively()
    padded, ranks = (np.pad(x, ((0, 0), (2, 0))) for x in (IDS, ORDER))
    mask = np.arange(T + 2) >= [[2], [2]]
    found = model.trace(padded, order=ranks, attention_mask=mask).logits[:, 2:]
    asked = ORDER > 0
    np.testing.assert_allclose(found[asked], model.trace(IDS, order=ORDER).logits[asked], rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    ("attempt", "complaint"),
    [
        (lambda: MiniBERT("debug").trace([[1, 2]], order=[[0, 1]]), "one stream; leave the order out or set"),
        (lambda: lively().trace(IDS, order=ORDER[:, 1:]), r"order: shape \(2, 6\) does not match ids"),
        (
            lambda: lively().trace(IDS, IDS, order=ORDER),
            r"labels\[0, 0\]: no token has a lower rank, .* write -100 there",
        ),
    ],
)
def test_orders_that_mean_nothing_are_refused(attempt, complaint):
    with pytest.raises(ValueError, match=complaint):
        attempt()
