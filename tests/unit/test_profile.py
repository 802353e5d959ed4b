"""A step taken apart: the parts add up, belong where they are said to be, and leave no mark."""

import time
from collections import Counter
from functools import wraps
from xml.etree import ElementTree

import numpy as np
import pytest

from mini_bert.core import layers
from mini_bert.core.layers import Linear
from mini_bert.models.config import ModelConfig
from mini_bert.models.cost import rehearse_training
from mini_bert.profiling.flame import block_of, html, scopes, svg
from mini_bert.profiling.profile import ATTENTION, Profile, by_function, by_layer, layer_of, profile
from mini_bert.profiling.spans import BACKWARD, FORWARD, OPTIMIZER, REDUCTION, Times, watching
from mini_bert.profiling.trial import Trial
from mini_bert.training.parallel import Team
from tests.unit.variants import MODERN

ROWS, T, K = 4, 32, 5
VARIANTS = {
    "plain": {},
    "dropout": {"dropout": 0.1, "attention_dropout": 0.1},
    "checkpointing": {"checkpoint_activations": True, "dropout": 0.1},
    "modern": MODERN,
}


def debug_trial(team: Team, micro: int = ROWS, **settings: object) -> Trial:
    return Trial(ModelConfig.preset("debug", **settings), ROWS, micro, team)


def made_up(own: dict, flops: dict | None = None) -> Profile:
    times = Times(sum(own.values()), own, Counter())
    return Profile(times, 1.0, 0.0, Counter(flops or {}), Counter(), Counter(), 0, {})


@pytest.mark.parametrize("workers", [1, 2])
def test_the_times_of_a_real_step_nest_and_add_up(workers):
    with Team(workers) as team, watching() as recorder:
        trial = debug_trial(team)
        steps = [recorder.take(trial.step, workers) for _ in range(8)]
    for step in steps:
        assert sum(step.own.values()) == pytest.approx(step.seconds)
        assert min(step.own.values()) > -1e-9  # no span is longer than the one around it
        assert {phase for phase, _, _ in step.own} >= {FORWARD, BACKWARD, REDUCTION, OPTIMIZER}
    assert max(step.explained for step in steps) > 0.95  # the best: another process may interrupt any one


def test_every_layer_function_and_worker_is_seen():
    with Team(2) as team, watching() as recorder:
        calls = recorder.take(debug_trial(team).step, 2).calls
    assert calls[FORWARD, "encoder.layers.0.attn.query.", "linear"] == 2  # once by each worker
    assert calls[BACKWARD, "encoder.layers.1.ffn.down.", "linear_backward"] == 2
    assert calls[FORWARD, "encoder.layers.1.attn.", "take_positions"] == 4  # attention and residual
    assert calls[BACKWARD, "final_norm.", "layer_norm_backward"] == 2
    assert calls[FORWARD, "", "cross_entropy"] == calls[OPTIMIZER, "", "adamw"] == 2


def test_a_slow_function_is_found_where_it_was_planted(monkeypatch):
    quick = layers.relu

    @wraps(quick)
    def slow(x):
        time.sleep(0.05)
        return quick(x)

    monkeypatch.setattr(layers, "relu", slow)
    with Team(1) as team:
        found = profile(debug_trial(team), steps=1)
    name, row = next(iter(by_function(found).items()))
    assert name == "relu"
    assert row["seconds"] >= 2 * 0.05
    assert row["backward_seconds"] == 0
    slowest = sorted(by_layer(found).items(), key=lambda row: -row[1]["seconds"])[:2]
    assert {layer for layer, _ in slowest} == {"encoder.layers.0.ffn", "encoder.layers.1.ffn"}


def test_watching_leaves_everything_as_it_was():
    before = layers.linear, Linear.forward, Team.each

    def fail_inside() -> None:
        with watching():
            assert layers.linear is not before[0]
            assert Linear.forward is not before[1]
            raise KeyError

    with pytest.raises(KeyError):
        fail_inside()
    assert (layers.linear, Linear.forward, Team.each) == before


def test_a_watched_step_computes_the_same_bits():
    with Team(2) as team:
        plain, watched = debug_trial(team, dropout=0.1), debug_trial(team, dropout=0.1)
        plain.step()
        with watching():
            watched.step()
    np.testing.assert_array_equal(plain.model.arena.flat, watched.model.arena.flat)


@pytest.mark.parametrize("settings", VARIANTS.values(), ids=VARIANTS.keys())
def test_flops_and_memory_are_those_of_the_rehearsal(settings):
    with Team(1) as team:
        trial = debug_trial(team, **settings)
        found = profile(trial, steps=1)
    cost = rehearse_training(trial.model.network, ROWS, T, K)
    assert found.flops.total() == cost.forward_flops + cost.backward_flops
    assert sum(row["forward_flops"] for row in by_layer(found).values()) == cost.forward_flops
    assert by_function(found)[ATTENTION]["flops"] > 0
    assert sum(row["flops"] for row in by_function(found).values()) == found.flops.total()
    assert found.kept_measured == found.kept_predicted
    assert found.kept_predicted.total() == cost.kept_bytes
    for row in (*by_layer(found).values(), *by_function(found).values()):
        assert row["seconds"] >= row["forward_seconds"] + row["backward_seconds"] - 1e-9


def test_only_rows_that_are_at_work_at_once_are_kept():
    with Team(1) as team:
        whole, halves = (profile(debug_trial(team, micro), steps=1) for micro in (ROWS, ROWS // 2))
    assert 2 * halves.kept_measured.total() == whole.kept_measured.total()
    assert halves.flops == whole.flops


@pytest.mark.parametrize(
    ("path", "function", "layer"),
    [
        ("encoder.layers.3.attn.query.", "linear", "encoder.layers.3.attn"),
        ("encoder.layers.3.attn.norm.", "layer_norm", "encoder.layers.3.norms"),
        ("encoder.layers.3.", "EncoderLayer", "between layers"),
        ("embeddings.token.", "embedding", "embeddings"),
        ("final_norm.", "layer_norm", "final_norm"),
        ("head.decoder.", "linear", "head"),
        ("", "cross_entropy", "loss"),
        ("", "Network", "between layers"),
        ("word_probs", "", "loss"),
    ],
)
def test_the_layer_of_a_place(path, function, layer):
    assert layer_of(path, function) == layer


def test_scopes_of_a_path():
    assert scopes("encoder.layers.0.attn.query.") == ["encoder", "layers.0", "attn", "query"]
    assert scopes("") == []


def test_blocks_hold_what_is_inside_them():
    place = FORWARD, "head.decoder.", "linear"
    step = block_of(
        made_up({place: 3.0, (FORWARD, "head.", "Head"): 1.0, ("other", "", "x"): 2.0}, {place: 6e9})
    )
    forward = step.inside[FORWARD]
    assert (step.seconds, forward.seconds) == (6.0, 4.0)
    assert forward.inside["head"].inside["decoder"].inside["linear"].flops == step.flops == 6e9


def test_the_figure_is_sound_nested_and_escaped():
    place, evil = (FORWARD, "head.decoder.", "linear"), ("other", "", "<b>&")
    drawn = made_up({place: 0.003, evil: 0.001}, {place: 6e6})
    root = ElementTree.fromstring(svg(drawn, "a < b & c"))
    notes = [element.text for element in root.iter() if element.tag.endswith("title")]
    assert "linear: 3.000 ms, 75.0 % of the step, 2.0 GFLOP/s" in notes
    assert "<b>&: 1.000 ms, 25.0 % of the step" in notes
    rectangles = [each for each in root.iter() if each.get("rx")]
    spans = [(float(each.get("x")), float(each.get("x")) + float(each.get("width"))) for each in rectangles]
    left, right = spans[0]
    assert right - left == pytest.approx(1180)
    assert all(left - 0.02 <= x0 < x1 <= right + 0.02 for x0, x1 in spans)
    assert "<title>a &lt; b</title>" in html(drawn, "a < b")
