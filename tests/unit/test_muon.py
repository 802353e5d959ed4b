"""Muon: what is made orthogonal, how nearly, and what is left to AdamW."""

from __future__ import annotations

import numpy as np
import pytest

from mini_bert.core.arena import Arena
from mini_bert.core.array import Array
from mini_bert.core.layer import Weight
from mini_bert.models.config import ModelConfig
from mini_bert.models.mini import MiniBERT
from mini_bert.training.optimizers import AdamW, Muon
from mini_bert.training.optimizers.muon import orthogonalized, turns
from tests.tolerances import assert_close, assert_same_bits

IN_HEADS = ("head.decoder.weight", "second_head.output.weight", "generator.head.transform.dense.weight")
WITHIN = ("encoder.layers.0.ffn.up.weight", "generator.encoder.layers.0.ffn.up.weight")


def normal(*shape: int) -> Array:
    return np.random.default_rng(sum(shape)).normal(size=shape)


def filled(seed: int) -> Arena:
    arena = Arena({name: Weight((6, 4), "matrix") for name in (*IN_HEADS, *WITHIN)}, np.float64)
    arena.flat[:] = np.random.default_rng(seed).normal(size=arena.flat.size)
    return arena


def test_the_matrices_of_a_head_take_the_step_of_adamw() -> None:
    ours, theirs = filled(0), filled(0)
    muon, adamw = (kind(params, learning_rate=0.1) for kind, params in ((Muon, ours), (AdamW, theirs)))
    for seed in range(1, 4):
        muon.step(filled(seed))
        adamw.step(filled(seed))
    for name in IN_HEADS:
        assert_same_bits(ours[name], theirs[name])
    for name in WITHIN:
        assert abs(ours[name] - theirs[name]).min() > 1e-4


@pytest.mark.parametrize("preset", ["mini", "albert-mini", "electra-mini", "xlnet-mini", "deberta-mini"])
def test_no_row_of_what_turns_is_a_word_a_place_or_a_class(preset: str) -> None:
    config = ModelConfig.preset(preset, vocab_size=211, max_seq_length=17, num_layers=1)
    params = MiniBERT(config).arena
    turned = {name for name in params if turns(name, params)}
    assert any(name.startswith("encoder.") for name in turned)
    for name in turned:
        assert min(params[name].shape) > 2
        assert not {211, 17} & set(params[name].shape)


@pytest.mark.parametrize("shape", [(30, 30), (30, 70), (70, 30), (1, 9), (9, 1)])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_every_direction_becomes_about_as_long_unless_it_was_hardly_there(
    shape: tuple[int, int], dtype: type
) -> None:
    U, _, Vt = np.linalg.svd(normal(*shape), full_matrices=False)
    sigma = np.geomspace(1, 1e-4, min(shape))
    found = orthogonalized(((U * sigma) @ Vt).astype(dtype))
    assert found.dtype == dtype
    assert found.flags.c_contiguous
    lengths, was = np.diag(U.T @ found @ Vt.T), sigma / np.linalg.norm(sigma)
    assert ((lengths > 0.68) == (was > 0.0015)).all()
    assert lengths.max() < 1.21
    assert (lengths < 3.4445**5 * was).all()


def test_the_directions_stay_and_their_lengths_do_not_count() -> None:
    U, sigma, Vt = np.linalg.svd(normal(12, 8), full_matrices=False)
    found = U.T @ orthogonalized((U * sigma) @ Vt) @ Vt.T
    assert_close(found, np.diag(np.diag(found)))
    assert_close(orthogonalized(1000 * (U * sigma) @ Vt), orthogonalized((U * sigma) @ Vt))


def test_without_a_gradient_nothing_turns() -> None:
    assert not orthogonalized(np.zeros((3, 5), np.float32)).any()


def test_a_matrix_is_one_block_and_weighs_what_its_products_cost() -> None:
    shapes = {"wide": (64, 256), "small": (4, 4), "head.decoder.weight": (64, 256)}
    params = Arena({name: Weight(shape, "matrix") for name, shape in shapes.items()}, np.float64)
    work = {block.size: block.work for block in Muon(params).blocks if block.work > 1}
    assert work == {64 * 256: 8}
    assert {block.size for block in Muon(params).blocks} == {64 * 256, 16}


@pytest.mark.parametrize("momentum", [-0.1, 1.0])
def test_an_impossible_momentum_is_refused(momentum: float) -> None:
    with pytest.raises(ValueError, match=f"momentum={momentum}: choose from 0"):
        Muon(filled(0), momentum=momentum)
