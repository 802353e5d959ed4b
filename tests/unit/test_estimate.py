"""The forecast: ghosts count what the code does, and what is counted is priced by hand-made rates."""

from collections import Counter
from math import prod

import numpy as np
import pytest

from mini_bert.core.functions.norm import layer_norm
from mini_bert.core.functions.softmax import softmax
from mini_bert.models.build import build_network
from mini_bert.models.config import ModelConfig, presets
from mini_bert.models.cost import rehearse_training
from mini_bert.profiling.dry_run import dry_run
from mini_bert.profiling.forecast import Forecast, Machine, plan
from mini_bert.profiling.ghosts import Tape
from mini_bert.profiling.operations import Operation
from mini_bert.profiling.overheads import Calls, Walks, measure_calls, measure_walks
from mini_bert.profiling.rates import ENTRIES, RECIPES, Curve, Rates, between, measure, recipe_of, smaller
from mini_bert.profiling.trial import Trial, masked_words
from mini_bert.training.parallel import Team
from tests.unit.variants import MODERN

VARIANTS = {
    "plain": {},
    "dropout": {"dropout": 0.1, "attention_dropout": 0.1},
    "checkpointing": {"checkpoint_activations": True},
    "relative": {"positions": "relative"},
    "disentangled": {"positions": "disentangled", "dropout": 0.1},
    "enhanced mask decoder": {"positions": "disentangled", "reach": 5, "mask_decoder": "enhanced"},
    "sharing": {"layer_groups": 1},
    "silu": {"activation": "silu"},
    "gelu-tanh": {"activation": "gelu-tanh"},
    "head transform": {"head_transform": True, "token_types": 2, "embedding_norm": True},
    "modern": MODERN,
}
ENTRY_SECONDS, ROW_SECONDS, FLOPS_PER_SECOND = 1e-9, 1e-8, 1e9


def debug(**settings: object) -> ModelConfig:
    return ModelConfig.preset("debug", **settings)


def can_be_foretold(preset: str) -> bool:
    """A discriminator without a generator has nothing to learn, and one pass tells little of several segments."""
    config = ModelConfig.preset(preset)
    return (config.head == "words" or config.generator is not None) and config.positions != "transformer-xl"


def even_machine(operations: Counter) -> Machine:
    """As fast at everything, and alone."""
    curve = Curve(tuple((n, n * ENTRY_SECONDS) for n in ENTRIES), ROW_SECONDS)
    products = {each: FLOPS_PER_SECOND for each in operations if each.kind == "product"}
    rates = Rates(dict.fromkeys(RECIPES, curve), products)
    return Machine(rates, Calls(1e-6, 0.0), 1e-4, Walks(2e-3, 3e-3), core_share=0.5)


def test_softmax_is_counted_as_it_is_written():
    tape = Tape()
    softmax(tape.ghost((2, 3, 5)))
    assert tape.operations == {
        Operation("largest", (30, 1, 5)): 1,
        Operation("arithmetic", (30, 2, 5)): 1,  # s − max, a new array
        Operation("exp", (30, 1, 30)): 1,  # in place
        Operation("vector product", (30, 1, 5)): 1,  # the sum
        Operation("divide", (30, 1, 5)): 1,  # in place
    }


def test_layer_norm_keeps_the_memory_it_returns():
    tape = Tape()
    x, gamma, beta = tape.ghost((4, 8)), tape.ghost((8,)), tape.ghost((8,))
    before = tape.live_bytes
    y, x_hat, inv_sigma = layer_norm(x, gamma, beta)
    assert (y.shape, x_hat.dtype, inv_sigma.shape) == ((4, 8), np.float32, (4, 1))
    assert tape.live_bytes - before == 4 * (2 * 4 * 8 + 4)
    del y, x_hat, inv_sigma
    assert tape.live_bytes == before


def test_products_have_shapes_and_flops():
    tape = Tape()
    a, b = tape.ghost((2, 3, 4)), tape.ghost((2, 4, 5))
    assert (a @ b).shape == (2, 3, 5)
    assert (tape.ghost((4,)) @ tape.ghost((4, 5))).shape == (5,)
    assert tape.flops == 2 * 2 * 3 * 4 * 5
    assert Operation("vector product", (20, 1, 5)) in tape.operations


def test_what_ghosts_do_not_know_is_refused():
    with pytest.raises(TypeError, match=r"np\.sort: its cost is not known; teach it to profiling/ghosts\.py"):
        np.sort(Tape().ghost((3,)))
    with pytest.raises(TypeError, match=r"np\.add\.accumulate: its cost is not known"):
        np.add.accumulate(Tape().ghost((3,)))


@pytest.mark.parametrize("name", ["transformer-xl-mini", "xlnet-mini"])
def test_segments_and_streams_are_not_foretold(name):
    with pytest.raises(ValueError, match="is not foretold yet; mini-bert profile measures a step"):
        plan(ModelConfig.preset(name), 2, 2, 1)


@pytest.mark.parametrize("name", [*filter(can_be_foretold, presets())])
def test_flops_of_presets_are_the_rehearsals(name):
    config = ModelConfig.preset(name)
    network = build_network(config.changed(num_layers=min(config.num_layers, 3)))
    T, k = config.max_seq_length, 5
    tape = dry_run(network, [2], T, k, noisy=True)
    cost = rehearse_training(network, 2, T, k)
    assert tape.flops == cost.forward_flops + cost.backward_flops
    assert tape.peak_bytes >= cost.kept_bytes


@pytest.mark.parametrize("settings", VARIANTS.values(), ids=VARIANTS.keys())
def test_flops_and_memory_of_variants(settings):
    """The memory is what `tracemalloc` finds in a real step."""
    config, rows = debug(**settings), 8
    with Team(1) as team:
        trial = Trial(config, rows, rows, team)
        trial.step()
        real = trial.peak_bytes() - sum(trial.arena_bytes.values())
    T, network = config.max_seq_length, trial.model.network
    tape = dry_run(network, [rows], T, masked_words(T), noisy=trial.noise is not None)
    cost = rehearse_training(network, rows, T, masked_words(T))
    assert tape.flops == cost.forward_flops + cost.backward_flops
    assert tape.peak_bytes == pytest.approx(real, rel=0.15)


def test_a_finished_dry_run_holds_no_memory():
    tape = dry_run(build_network(debug()), [2, 2], 32, 5, noisy=False)
    assert tape.live_bytes == 0


@pytest.mark.parametrize("micro", [2, 3])
def test_later_micro_batches_are_counted_once_and_multiplied(micro):
    made = plan(debug(), rows=8, micro_batch=micro, workers=1)
    hand = [2] * 4 if micro == 2 else [3, 3, 2]
    assert made.operations == dry_run(build_network(debug()), hand, 32, 5, noisy=False).operations


def test_memory_of_a_plan():
    one, two = (plan(debug(), 8, 8, workers) for workers in (1, 2))
    assert one.memory["weights"] == one.memory["gradients"] == 4 * one.weights
    assert two.memory["gradients"] == two.memory["moments"] == 8 * one.weights
    assert two.memory["activations"] == pytest.approx(one.memory["activations"], rel=0.05)
    assert one.flops == two.flops


def test_more_workers_than_rows_leave_some_idle():
    assert plan(debug(), 1, 8, 3).memory["activations"] == plan(debug(), 1, 8, 1).memory["activations"]


def test_the_price_of_a_step_by_hand():
    made = plan(debug(), 8, 8, 1)
    forecast = Forecast(made, even_machine(made.operations))
    parts = forecast.parts
    assert parts["matrix products"] == pytest.approx(2 * made.flops / FLOPS_PER_SECOND)  # with half of a core
    passes = sum(
        count * (entries * ENTRY_SECONDS + (entries / max(1, run) - 1) * ROW_SECONDS)
        for (kind, sizes), count in made.operations.items()
        if kind != "product"
        for entries, _, run in [sizes]
        if entries
    )
    assert parts["passes over arrays"] == pytest.approx(2 * passes, rel=0.01)
    assert (parts["sum of gradients"], parts["optimizer"]) == (4e-3, 6e-3)
    assert parts["Python and calls"] == pytest.approx(1e-6 * made.operations.total())
    assert parts["hand-over to workers"] == pytest.approx(3e-4)
    assert forecast.seconds == pytest.approx(sum(parts.values()))
    assert forecast.seconds_to(1000) == pytest.approx(4 * forecast.seconds)  # 256 tokens a step


def test_calls_contend_less_when_they_are_long():
    calls = Calls(alone=2e-6, contended=10e-6)
    assert calls.seconds(0.0) == pytest.approx(12e-6)
    assert calls.seconds(12e-6) == pytest.approx(7e-6)
    assert calls.seconds(1.0) == pytest.approx(2e-6, rel=1e-3)


def test_between_points():
    points = ((10, 1.0), (1000, 100.0), (2000, 400.0))
    assert [between(points, n) for n in (1, 10, 100, 1000, 2000, 4000)] == pytest.approx(
        [0.1, 1, 10, 100, 400, 800]
    )


def test_products_that_take_long_are_made_smaller():
    assert smaller((1, 64, 64, 64)) == (1, 64, 64, 64)
    found = smaller((1, 4096, 768, 3072))
    assert 2 * prod(found) <= 1e8
    assert found[0] == 1
    assert min(found[1:]) >= 256


def test_every_kind_that_a_variant_needs_has_a_recipe():
    for settings in VARIANTS.values():
        for operation in plan(debug(**settings), 4, 4, 1).operations:
            assert operation.kind == "product" or recipe_of(operation)[0] == operation.kind


def test_rates_are_measured_in_the_team():
    wanted = [
        Operation("product", (1, 64, 64, 64)),
        Operation("arithmetic", (4096, 3, 4096)),
        Operation("arithmetic", (4096, 1, 64)),
    ]
    with Team(2) as team:
        rates = measure(team, wanted, footprint=1 << 20)
    assert rates.curves.keys() == {("arithmetic", 3), ("arithmetic", 1)}
    assert 1e8 < rates.products[wanted[0]] < 1e13
    assert all(rates.seconds(each) > 0 for each in wanted)
    for curve in rates.curves.values():
        assert curve.points[-1][1] > 10 * curve.points[0][1]  # 512 times as many entries


def test_overheads_are_measured_in_the_team():
    with Team(2) as team:
        calls, walks = measure_calls(team, debug()), measure_walks(team, 1 << 20)
    assert 1e-7 < calls.alone < 1e-3
    assert 0 < walks.reduction < walks.optimizer < 1
