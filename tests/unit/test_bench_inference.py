"""The arithmetic of `mini-bert bench inference`, and what its contestants are given."""

import json

import pytest
from click.testing import CliRunner

from mini_bert.cli import bench_inference
from mini_bert.cli.bench_ours import SGEMM_SIZE
from mini_bert.cli.bench_shapes import SHAPES
from mini_bert.cli.contest import quartiles, summary


def test_ratios_are_medians_of_paired_rounds_and_above_one_where_ours_is_faster():
    seconds = {"ours": [0.1, 0.4, 0.1], "huggingface": [0.2, 0.6, 0.3], "sgemm": [0.1, 0.4, 0.1]}
    found = summary(SHAPES["mini-8"], seconds, {"ours": 7, "huggingface": None})
    assert (found["ours_ms"], found["ours_min_ms"]) == pytest.approx((100, 100))
    assert found["ratio_huggingface"] == pytest.approx(2)
    assert found["ratio_huggingface_quartiles"] == pytest.approx([1.75, 2.5])
    assert found["ratio_huggingface_fastest"] == pytest.approx(2)
    assert found["ours_tokens_per_second"] == pytest.approx(5120)
    assert found["sgemm_fraction"] == pytest.approx(found["flops"] / (2 * SGEMM_SIZE**3))
    assert (found["ours_resident_bytes"], found["huggingface_resident_bytes"]) == (7, None)


def test_a_single_round_has_no_spread():
    assert quartiles([0.3], [0.1]) == pytest.approx([3, 3])


def test_flops_are_those_of_the_words_that_are_asked():
    B, T, H, I, V = 8, 64, 192, 768, 8192
    whole_layer = B * T * (4 * H * H + 2 * H * I) + 2 * B * T * T * H
    assert SHAPES["mini-8"].flops == 2 * (3 * whole_layer + B * T * H * V)
    last_layer = B * T * 2 * H * H + B * (2 * H * H + 2 * H * I) + 2 * B * T * H
    assert SHAPES["fill-mask"].flops == 2 * (2 * whole_layer + last_layer + B * H * V)


def test_the_pooler_that_a_forward_pass_does_not_call_is_not_counted():
    T, H, I, V = 128, 768, 3072, 30522
    layer = T * (4 * H * H + 2 * H * I) + 2 * T * T * H
    assert SHAPES["base-1"].flops == 2 * (12 * layer + T * (H * H + H * V))
    assert SHAPES["base-8"].flops == 8 * SHAPES["base-1"].flops


@pytest.mark.parametrize("name", SHAPES)
def test_all_contestants_get_the_same_texts(name):
    texts = SHAPES[name]
    ids, positions = texts.draw()
    again, positions_again = texts.draw()
    assert ids.shape == (texts.rows, texts.length)
    assert (ids == again).all()
    if texts.hidden is None:
        assert positions is positions_again is None
    else:
        assert positions.shape == (texts.rows, texts.hidden)
        assert (positions == positions_again).all()
        assert positions.max() < texts.length


def test_ours_alone_says_why_and_only_the_chosen_shapes_run(monkeypatch):
    monkeypatch.setattr(bench_inference, "judge", lambda name: "no torch here")
    monkeypatch.setattr(bench_inference, "run", lambda shape, judges, rounds, report: {"judges": judges})
    done = CliRunner().invoke(bench_inference.command, ["--shape", "mini-8", "--json"])
    assert json.loads(done.stdout) == {"mini-8": {"judges": []}, "note": "no torch here"}
    done = CliRunner().invoke(bench_inference.command, ["--json"])
    assert list(json.loads(done.stdout)) == [*SHAPES, "note"]


def test_an_unknown_shape_is_refused_by_name():
    done = CliRunner().invoke(bench_inference.command, ["--shape", "huge"])
    assert done.exit_code == 2
    assert "'huge' is not one of" in done.stderr
