"""What holds for whole models whatever their weights; and Mini-BERT's own numbers."""

import tracemalloc
from collections import Counter
from math import log, prod

import numpy as np
import pytest

from mini_bert.core.arena import Arena
from mini_bert.core.functions.dropout import Noise
from mini_bert.core.trace import Trace
from mini_bert.models.build import build_network
from mini_bert.models.config import ModelConfig
from mini_bert.models.mini import MiniBERT
from mini_bert.training.objectives import MaskedBatch
from tests.mathematical import promises
from tests.mathematical.promises import IDS, MODELS, TINY, lively_model, masked_word_gradients
from tests.tolerances import assert_close

every_model = pytest.mark.parametrize("config", MODELS.values(), ids=MODELS)
NOISY = {"dropout": 0.3, "attention_dropout": 0.2}


@pytest.fixture(scope="module")
def mini():
    return MiniBERT()


def test_mini_bert_has_4_501_184_parameters(mini):
    table = Counter()
    for name, weight in mini.network.all_weights().items():
        part, *rest = name.split(".")
        table[f"{part}.{rest[0]}" if part == "embeddings" else part] += prod(weight.shape)
    assert table == {
        "embeddings.token": 8192 * 192,
        "embeddings.position": 64 * 192,
        "encoder": 3 * (4 * (192 * 192 + 192) + (192 * 768 + 768) + (768 * 192 + 192) + 2 * 2 * 192),
        "final_norm": 2 * 192,
        "head": 192 * 8192 + 8192,
    }
    assert table.total() == mini.num_parameters == 4_501_184


@pytest.mark.parametrize(
    ("preset", "parameters"),
    [("debug", 51_456), ("small", 1_020_544), ("modern", 2_901_312), ("bert-base", 110_106_428)],
)
def test_presets_have_their_size(preset, parameters):
    weights = build_network(ModelConfig.preset(preset)).all_weights()
    assert sum(prod(weight.shape) for weight in weights.values()) == parameters


def test_first_loss_is_that_of_a_blind_guess(mini):
    rng = np.random.default_rng(0)
    ids, labels = rng.integers(0, 8192, (2, 8, 64))
    assert mini.trace(ids, labels, watch=()).loss == pytest.approx(log(8192), rel=0.02)


@every_model
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_padding_never_shows(config, dtype):
    promises.check_padding_never_shows(config, dtype)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_padding_never_shows_at_full_size(dtype):
    """Matrix products of this size take other paths through BLAS."""
    promises.check_padding_never_shows(ModelConfig(), dtype)


@every_model
def test_ignored_labels_are_ignored(config):
    promises.check_ignored_labels_are_ignored(config)


@every_model
@pytest.mark.parametrize("cuts", [(0, 3, 6), (0, 1, 2, 3, 4, 5, 6), (0, 1, 4, 6)], ids=str)
def test_micro_batches_add_up(config, cuts):
    promises.check_micro_batches_add_up(config.changed(**NOISY), cuts)


@every_model
def test_asked_positions_suffice(config):
    promises.check_asked_positions_suffice(config)


@every_model
def test_checkpointing_changes_nothing(config):
    promises.check_checkpointing_changes_nothing(config.changed(**NOISY))


@every_model
def test_backward_passes_keep_apart(config):
    promises.check_backward_passes_keep_apart(config)


@every_model
def test_each_dropout_has_its_own_noise(config):
    promises.check_each_dropout_has_its_own_noise(config.changed(num_layers=3, layer_groups=1, **NOISY))


@pytest.mark.parametrize(
    ("groups", "homes"), [(1, [0, 0, 0, 0]), (2, [0, 0, 1, 1]), (3, [0, 0, 1, 2]), (4, [0, 1, 2, 3])]
)
def test_layers_that_share_weights_are_neighbours(groups, homes):
    encoder = build_network(TINY.changed(num_layers=4, layer_groups=groups)).encoder
    calls = [t for _, t in encoder.calls(Trace({}))]
    assert [t.home for t in calls] == [f"layers.{home}." for home in homes]
    assert [t.path for t in calls] == [f"layers.{i}." for i in range(4)]


def test_one_layer_called_twice_is_two_layers_alike():
    shared = lively_model(TINY.changed(layer_groups=1))
    apart = MiniBERT(TINY, dtype=np.float64)
    for name, weight in apart.arena.items():
        weight[...] = shared.arena[name.replace("layers.1", "layers.0")]
    one, two = shared.trace(IDS), apart.trace(IDS)
    np.testing.assert_array_equal(one.logits, two.logits)
    assert_close(one.gradients["W1_0"], two.gradients["W1_0"] + two.gradients["W1_1"])


def test_checkpointing_lowers_the_peak():
    config = TINY.changed(hidden_size=32, intermediate_size=128, max_seq_length=32, num_layers=6, **NOISY)
    plain, checkpointed = (
        peak_bytes(config.changed(checkpoint_activations=setting)) for setting in (False, True)
    )
    assert checkpointed < plain / 2


def peak_bytes(config: ModelConfig) -> int:
    """The most memory that one training step holds at a time, beyond its weights."""
    params, B, T = Arena(build_network(config).all_weights()), 8, config.max_seq_length
    ids = np.zeros((B, T), int)
    positions = np.tile(np.arange(4), (B, 1))
    batch = MaskedBatch(ids, positions, ids[:, :4], np.full((B, 4), 1 / (4 * B), np.float32))
    tracemalloc.start()
    try:
        masked_word_gradients(config, params, batch, Noise())
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


class TestNoise:
    SHAPE, RATE = (4, 50, 40), 0.3

    def draw(self, place="encoder.layers.0.dropout.", **key):
        return Noise(**key).dropout_mask(place, self.SHAPE, self.RATE, np.float64)

    def test_is_zero_or_one_over_the_chance_to_stay(self):
        mask = self.draw()
        assert set(np.unique(mask)) == {0, 1 / (1 - self.RATE)}

    def test_preserves_the_mean(self):
        spread = np.sqrt(self.RATE / (1 - self.RATE) / np.prod(self.SHAPE))
        assert self.draw().mean() == pytest.approx(1, abs=4 * spread)

    def test_is_redrawn_the_same(self):
        key = {"seed": 1, "step": 2, "first_row": 3}
        np.testing.assert_array_equal(self.draw(**key), self.draw(**key))

    @pytest.mark.parametrize(
        "key", [{"place": "encoder.layers.1.dropout."}, {"seed": 1}, {"step": 1}, {"first_row": 4}], ids=str
    )
    def test_differs_by_place_seed_step_and_row(self, key):
        self.assert_unlike(self.draw(**key), self.draw())

    def test_no_two_rows_are_alike(self):
        rows = self.draw()
        for row in rows[1:]:
            self.assert_unlike(row, rows[0])

    def test_belongs_to_the_row_of_the_global_batch(self):
        np.testing.assert_array_equal(self.draw(first_row=2)[:2], self.draw()[2:])

    def assert_unlike(self, one, other):
        """Two independent masks agree where both drop or both keep: r² + (1 − r)² = 58 % of the entries."""
        assert (one == other).mean() == pytest.approx(0.58, abs=0.05)
