"""Masking: which words are asked for, and what stands in their place."""

import numpy as np
import pytest

from mini_bert.tokenizers.special import CLS_ID, MASK_ID, SEP_ID
from mini_bert.training.masking import FIRST_WORD_ID, mask_for_training

V = 50


@pytest.fixture
def rng():
    return np.random.default_rng(3)


@pytest.fixture
def ids(rng):
    """Many sequences with a special token at each end and one inside."""
    ids = rng.integers(FIRST_WORD_ID, V, (2000, 20))
    ids[:, 0], ids[:, -1], ids[:, 9] = CLS_ID, SEP_ID, SEP_ID
    return ids


def test_asks_for_k_different_words_of_each_sequence(ids, rng):
    batch = mask_for_training(ids, 3, rng, V)
    assert batch.positions.shape == batch.labels.shape == batch.weights.shape == (2000, 3)
    assert (np.diff(batch.positions, axis=1) > 0).all()
    assert (batch.labels == np.take_along_axis(ids, batch.positions, 1)).all()
    assert (batch.labels >= FIRST_WORD_ID).all()


def test_changes_nothing_but_the_chosen_words(ids, rng):
    before = ids.copy()
    batch = mask_for_training(ids, 3, rng, V)
    assert (ids == before).all()
    chosen = np.zeros(ids.shape, bool)
    np.put_along_axis(chosen, batch.positions, True, 1)
    assert (batch.ids[~chosen] == ids[~chosen]).all()


def test_eight_in_ten_are_hidden_one_replaced_one_kept(ids, rng):
    batch = mask_for_training(ids, 3, rng, V)
    shown = np.take_along_axis(batch.ids, batch.positions, 1)
    hidden, kept = shown == MASK_ID, shown == batch.labels
    sigma = np.sqrt(0.8 * 0.2 / shown.size)
    assert hidden.mean() == pytest.approx(0.8, abs=4 * sigma)
    assert kept.mean() == pytest.approx(0.1 + 0.1 / (V - FIRST_WORD_ID), abs=4 * sigma)
    assert (shown[~hidden] >= FIRST_WORD_ID).all()
    assert set(shown[~hidden & ~kept]) == set(range(FIRST_WORD_ID, V))


def test_every_word_is_as_likely(ids, rng):
    batch = mask_for_training(ids, 3, rng, V)
    counts = np.bincount(batch.positions.reshape(-1), minlength=20)
    assert not counts[[0, 9, 19]].any()
    assert counts[counts > 0] == pytest.approx(2000 * 3 / 17, rel=0.25)


def test_weights_add_up_to_one(ids, rng):
    assert mask_for_training(ids[:7], 3, rng, V).weights.sum() == pytest.approx(1, rel=1e-12)


def test_a_sequence_short_of_words_has_places_of_weight_zero(rng):
    ids = np.array([[CLS_ID, 7, SEP_ID, CLS_ID], [8, 9, 10, 11]])
    batch = mask_for_training(ids, 2, rng, V, hidden=1.0, replaced=0.0)
    assert sorted(batch.weights[0]) == pytest.approx([0, 1 / 3])
    assert batch.weights[1] == pytest.approx([1 / 3, 1 / 3])
    assert batch.ids[0].tolist() == [CLS_ID, MASK_ID, SEP_ID, CLS_ID]


def test_the_same_generator_state_masks_alike(ids):
    one, two = (mask_for_training(ids, 3, np.random.default_rng(1), V) for _ in range(2))
    assert (one.ids == two.ids).all()
    assert (one.positions == two.positions).all()


@pytest.mark.parametrize("k", [0, 21])
def test_impossible_k_is_refused(ids, rng, k):
    with pytest.raises(ValueError, match="choose k from 1 to 20"):
        mask_for_training(ids, k, rng, V)
