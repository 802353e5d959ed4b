"""From logits to tokens."""

import numpy as np
import pytest

from mini_bert.core.functions.softmax import softmax
from mini_bert.generation.sampling import Greedy, Sampling, top_k, top_p

LOGITS = np.log([[0.1, 0.4, 0.05, 0.3, 0.15]])
MANY = 20_000


def kept(filtered):
    return np.flatnonzero(np.isfinite(filtered[0])).tolist()


def drawn_shares(sampling):
    texts = np.arange(MANY)
    ids = sampling(np.repeat(LOGITS, MANY, 0), texts, 0)
    return np.bincount(ids, minlength=5) / MANY


def test_greedy_takes_the_likeliest_and_of_equals_the_first():
    assert Greedy()(np.array([[1.0, 5.0, 2.0], [3.0, 0.0, 3.0]]), np.arange(2), 0).tolist() == [1, 0]


@pytest.mark.parametrize(
    ("k", "expected"), [(1, [1]), (3, [1, 3, 4]), (5, [0, 1, 2, 3, 4]), (99, [0, 1, 2, 3, 4])]
)
def test_top_k(k, expected):
    assert kept(top_k(LOGITS, k)) == expected


def test_equals_of_the_kth_stay():
    assert kept(top_k(np.array([[1.0, 2.0, 1.0, 0.0]]), 2)) == [0, 1, 2]


@pytest.mark.parametrize(
    ("p", "expected"),
    [(1e-9, [1]), (0.39, [1]), (0.41, [1, 3]), (0.69, [1, 3]), (0.71, [1, 3, 4]), (1.0, [0, 1, 2, 3, 4])],
)
def test_top_p_keeps_the_fewest_that_reach_it(p, expected):
    assert kept(top_p(LOGITS, p)) == expected


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_dtype_stays_and_logits_are_not_written_to(dtype):
    logits = LOGITS.astype(dtype)
    logits.flags.writeable = False
    assert Sampling(0.5, top_k=3, top_p=0.9).filtered(logits).dtype == dtype


def test_tokens_are_drawn_as_often_as_they_are_likely():
    np.testing.assert_allclose(drawn_shares(Sampling()), softmax(LOGITS)[0], atol=0.012)
    np.testing.assert_allclose(drawn_shares(Sampling(0.5)), softmax(2 * LOGITS)[0], atol=0.012)
    assert drawn_shares(Sampling(top_k=2))[[0, 2, 4]].tolist() == [0, 0, 0]
    assert drawn_shares(Sampling(top_p=0.5))[[0, 2, 4]].tolist() == [0, 0, 0]


def test_a_cold_model_is_greedy():
    assert drawn_shares(Sampling(temperature=1e-3))[1] == 1


def test_chance_belongs_to_seed_text_and_step():
    logits = np.zeros((8, 1000))
    texts = np.arange(8)
    first = Sampling(seed=1)(logits, texts, 3)
    assert Sampling(seed=1)(logits, texts, 3).tolist() == first.tolist()
    assert Sampling(seed=1)(logits[:2], texts[[5, 2]], 3).tolist() == first[[5, 2]].tolist()
    assert Sampling(seed=2)(logits, texts, 3).tolist() != first.tolist()
    assert Sampling(seed=1)(logits, texts, 4).tolist() != first.tolist()
    assert len(set(first.tolist())) > 4


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"temperature": 0}, "temperature 0: choose a number above 0; greedy=True"),
        ({"temperature": -1.0}, "temperature -1.0"),
        ({"temperature": float("nan")}, "temperature nan"),
        ({"temperature": float("inf")}, "temperature inf"),
        ({"top_k": 0}, "top_k 0: at least 1 token must remain"),
        ({"top_p": 0.0}, "top_p 0.0: choose a share above 0"),
        ({"top_p": 1.5}, "top_p 1.5: choose a share above 0, up to 1"),
    ],
)
def test_settings_that_mean_nothing_are_refused(settings, message):
    with pytest.raises(ValueError, match=message):
        Sampling(**settings)
