"""The gradients of a team are those of one pass, however the batch is dealt."""

from dataclasses import replace
from itertools import chain

import numpy as np
import pytest

from mini_bert.core.functions.dropout import Noise
from mini_bert.models.build import build_network
from mini_bert.models.config import ModelConfig
from mini_bert.training.objectives import masked_word_backward, masked_word_loss
from mini_bert.training.parallel import Team
from mini_bert.training.step import TrainingStep, deal
from mini_bert.training.verification import awkward_batch, lively_weights
from tests.tolerances import assert_close, assert_same_bits

ROWS = 6
CONFIG = ModelConfig.preset("debug", vocab_size=11, max_seq_length=6, dropout=0.2, attention_dropout=0.2)
MODELS = {
    "mini": CONFIG,
    "tied and shared": CONFIG.changed(tied=True, layer_groups=1, num_layers=3),
    "checkpointed": CONFIG.changed(checkpoint_activations=True),
    "relative, no biases": CONFIG.changed(positions="relative", bias=False, token_types=2),
}
NOISE = Noise(seed=3, step=7, first_row=100)


def one_pass(config, batch, noise=NOISE):
    network = build_network(config)
    params = lively_weights(network, 0)
    grads = params.zeros_like()
    loss, t = masked_word_loss(network, params, batch, noise)
    hits = (t["word_probs"].argmax(-1) == batch.labels) * batch.weights
    masked_word_backward(network, batch, t, grads)
    return float(loss), float(hits.sum()), grads


def by_team(config, batch, micro_batch, workers, noise=NOISE):
    network = build_network(config)
    with Team(workers) as team:
        step = TrainingStep(network, lively_weights(network, 0), team)
        for arena in step.arenas:
            arena.flat[:] = np.nan  # whatever is left there of the step before
        return (*step.gradients(batch, micro_batch, noise)[:3], step.norm)


@pytest.mark.parametrize("config", MODELS.values(), ids=MODELS.keys())
@pytest.mark.parametrize(
    ("micro_batch", "workers"), [(ROWS, 1), (2, 1), (ROWS, 2), (2, 2), (1, 2), (4, 3), (ROWS, 8)]
)
def test_gradients_of_a_team_are_those_of_one_pass(config, micro_batch, workers):
    batch = awkward_batch(config, 0, B=ROWS)
    loss, accuracy, grads = one_pass(config, batch)
    found_loss, found_accuracy, found, norm = by_team(config, batch, micro_batch, workers)
    assert_close(found_loss, loss, rtol=1e-12)
    assert_close(found_accuracy, accuracy, rtol=1e-12)
    assert_close(found.flat, grads.flat, rtol=1e-12)
    assert_close(norm, np.linalg.norm(grads.flat), rtol=1e-12)


@pytest.mark.parametrize(("micro_batch", "workers"), [(2, 1), (2, 2), (4, 3)])
def test_the_same_team_gives_the_same_bits(micro_batch, workers):
    batch = awkward_batch(CONFIG, 0, B=ROWS)
    one, two = (by_team(CONFIG, batch, micro_batch, workers) for _ in range(2))
    assert (one[0], one[1], one[3]) == (two[0], two[1], two[3])
    assert_same_bits(one[2].flat, two[2].flat)


def test_dropout_is_at_work_and_belongs_to_the_row():
    batch = awkward_batch(CONFIG, 0, B=ROWS)
    loss, *_ = by_team(CONFIG, batch, 2, 2)
    assert loss != pytest.approx(by_team(CONFIG, batch, 2, 2, noise=None)[0])
    assert loss != pytest.approx(by_team(CONFIG, batch, 2, 2, noise=replace(NOISE, first_row=0))[0])


def test_gradients_do_not_add_up_over_steps():
    network, batch = build_network(CONFIG), awkward_batch(CONFIG, 0, B=ROWS)
    with Team(2) as team:
        step = TrainingStep(network, lively_weights(network, 0), team)
        first = step.gradients(batch, 2).grads.flat.copy()
        assert_same_bits(step.gradients(batch, 2).grads.flat, first)


def test_a_weight_that_nothing_reads_has_no_gradient():
    """The second token type never occurs, and with one row some workers stay idle."""
    config = CONFIG.changed(token_types=2)
    batch = awkward_batch(config, 0, B=1)
    batch = replace(batch, inputs={**batch.inputs, "token_type_ids": np.zeros_like(batch.ids)})
    *_, grads, _ = by_team(config, batch, 1, 3)
    assert not grads["embeddings.token_type.weight"][1].any()
    assert np.isfinite(grads.flat).all()


def test_whole_micro_batches_are_dealt_in_turn_and_the_rest_is_split():
    assert deal(32, 8, 2) == [[(0, 8), (16, 24)], [(8, 16), (24, 32)]]
    assert deal(8, 8, 2) == [[(0, 4)], [(4, 8)]]
    assert deal(24, 8, 2) == [[(0, 8), (16, 20)], [(8, 16), (20, 24)]]
    assert deal(2, 8, 3) == [[(0, 1)], [(1, 2)], []]


@pytest.mark.parametrize("rows", range(1, 20))
@pytest.mark.parametrize("micro_batch", [1, 3, 8])
@pytest.mark.parametrize("workers", [1, 2, 5])
def test_every_row_is_dealt_once_in_pieces_that_are_not_too_large(rows, micro_batch, workers):
    hands = deal(rows, micro_batch, workers)
    pieces = list(chain.from_iterable(hands))
    assert sorted(chain.from_iterable(range(*piece) for piece in pieces)) == list(range(rows))
    assert all(0 < stop - start <= micro_batch for start, stop in pieces)
    assert len(hands) == workers
    assert hands[0]


def test_a_micro_batch_has_a_sequence():
    network = build_network(CONFIG)
    with Team(1) as team, pytest.raises(ValueError, match="micro_batch=0: choose 1"):
        TrainingStep(network, lively_weights(network, 0), team).gradients(awkward_batch(CONFIG, 0), 0)
