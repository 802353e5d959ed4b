"""Counted chance: uniform, independent, the same for ever, and different for each purpose."""

import numpy as np

from mini_bert.core.chance import bits, permutation, streams, uniform
from mini_bert.data.order import Shuffled
from mini_bert.data.tasks.batches import grouped
from mini_bert.training.draws import RowDraws


def test_permutations_are_permutations_and_look_random():
    for size in (0, 1, 2, 3, 64, 1000):
        assert sorted(permutation("a", size, 1, 2)) == list(range(size))
    firsts = np.bincount([permutation("a", 8, seed)[0] for seed in range(4000)], minlength=8)
    assert abs(firsts - 500).max() < 5 * np.sqrt(500)
    assert (permutation("a", 100, 1, 2) != permutation("a", 100, 2, 1)).any()


def test_permutations_stay_as_they_are():
    """Resumed training depends on it."""
    assert permutation("a", 10, 7, 3).tolist() == [9, 1, 2, 3, 6, 7, 5, 8, 0, 4]


def test_counted_numbers_are_uniform_and_independent():
    numbers = uniform(streams("a", 5, np.arange(4000)), 0, 50)
    n = numbers.size
    assert abs(numbers.mean() - 0.5) < 5 / np.sqrt(12 * n)
    histogram = np.histogram(numbers, 50, (0, 1))[0]
    assert abs(histogram - n / 50).max() < 5 * np.sqrt(n / 50)
    for one, other in ((numbers[1:], numbers[:-1]), (numbers[:, 1:], numbers[:, :-1])):
        assert abs(np.corrcoef(one.ravel(), other.ravel())[0, 1]) < 5 / np.sqrt(n)
    assert len(np.unique(bits(streams("a", 5, np.arange(4000)), 0, 50))) == n


def test_streams_for_different_purposes_share_nothing():
    """Number i of a stream is the start of the stream with i as a further key: the purpose must part them."""
    rows = np.arange(50)
    draws = bits(streams("a", 5, 7), 0, 50)[0]
    assert (draws == streams("a", 5, 7, rows)).all()
    assert not np.isin(draws, streams("b", 5, 7, rows)).any()
    assert not np.isin(bits(streams("b", 5, 7), 0, 50), draws).any()


def test_what_draws_does_so_for_a_purpose_of_its_own(monkeypatch):
    """Masks, the order of documents, of rows, of examples and of batches, all with seed 1 in epoch 2."""
    seen = []

    def noting(purpose, *keys):
        seen.append(purpose)
        return streams(purpose, *keys)

    monkeypatch.setattr("mini_bert.core.chance.streams", noting)
    monkeypatch.setattr("mini_bert.training.draws.streams", noting)
    RowDraws(1, [2])
    Shuffled(1).documents(np.ones(9), 2)
    Shuffled(1).rows(9, 2)
    list(grouped(np.full(9, 3), 2, 1, 2, 8))
    assert len(set(seen)) == len(seen) == 5
