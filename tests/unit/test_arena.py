"""One buffer, many names."""

import copy

import numpy as np
import pytest

from mini_bert.core.arena import Arena
from mini_bert.core.layer import Weight

WEIGHTS = {
    "norm.weight": Weight((3,), "gain"),
    "map.weight": Weight((2, 3), "matrix"),
    "map.bias": Weight((2,), "bias"),
    "table": Weight((4, 3), "table"),
}


@pytest.fixture
def arena():
    return Arena(WEIGHTS)


def test_the_views_cover_the_buffer_once_each(arena):
    for view in arena.values():
        view += 1
    np.testing.assert_array_equal(arena.flat, np.ones(3 + 6 + 2 + 12))
    assert {name: view.shape for name, view in arena.items()} == {
        name: weight.shape for name, weight in WEIGHTS.items()
    }


def test_names_keep_the_order_of_the_model(arena):
    assert list(arena) == list(WEIGHTS)


def test_weights_that_decay_come_first_in_the_buffer(arena):
    arena.flat[: arena.decaying] = 1
    assert {name: view.all() for name, view in arena.items()} == {
        name: weight.decays for name, weight in WEIGHTS.items()
    }


def test_views_are_contiguous(arena):
    assert all(view.flags.c_contiguous for view in arena.values())


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_dtype_is_given_or_inherited(dtype):
    arena = Arena(WEIGHTS, dtype)
    assert arena.flat.dtype == arena["table"].dtype == arena.zeros_like().flat.dtype == dtype
    assert arena.zeros_like(np.float64).flat.dtype == np.float64


def test_a_copy_is_another_buffer_with_the_same_layout(arena):
    arena.flat[:] = np.arange(arena.flat.size)
    twin = arena.copy(np.float64)
    arena.flat[:] = 0
    np.testing.assert_array_equal(twin.flat, np.arange(arena.flat.size))
    assert list(twin) == list(arena)
    assert not arena.zeros_like().flat.any()


def test_a_deep_copy_keeps_views_and_buffer_together(arena):
    arena.flat[:] = np.arange(arena.flat.size)
    twin = copy.deepcopy(arena)
    twin.flat[:] += 1
    np.testing.assert_array_equal(twin["table"], arena["table"] + 1)
    assert np.shares_memory(twin["table"], twin.flat)
    assert not np.shares_memory(twin.flat, arena.flat)
