"""The arithmetic of `mini-bert bench train`, and processes that answer questions."""

import json

import pytest

from mini_bert.cli.bench_batches import random_batches
from mini_bert.cli.bench_ours import SGEMM_SIZE
from mini_bert.cli.bench_train import CASES
from mini_bert.cli.contest import summary
from mini_bert.cli.turns import Contestant, take_turns


def test_ratios_are_medians_of_paired_rounds_and_above_one_where_ours_is_faster():
    seconds = {
        "ours": [0.1, 0.2, 0.1],
        "huggingface": [0.2, 0.6, 0.3],
        "pytorch": [0.05, 0.1, 0.08],
        "sgemm": [0.1, 0.2, 0.1],
    }
    found = summary(CASES["b8"], seconds, {"ours": 7, "huggingface": 9, "pytorch": 8})
    assert found["ours_ms"] == pytest.approx(100)
    assert found["ratio_huggingface"] == pytest.approx(3)
    assert found["ratio_pytorch"] == pytest.approx(0.5)
    assert found["ours_tokens_per_second"] == pytest.approx(5120)
    assert found["sgemm_fraction"] == pytest.approx(found["flops"] / (2 * SGEMM_SIZE**3))
    assert (found["ours_resident_bytes"], found["pytorch_resident_bytes"]) == (7, 8)


def test_flops_are_those_of_the_masked_positions():
    B, T, k, H, I, V = 8, 64, 10, 192, 768, 8192
    whole_layer = B * T * (4 * H * H + 2 * H * I) + 2 * B * T * T * H
    last_layer = B * T * 2 * H * H + B * k * (2 * H * H + 2 * H * I) + 2 * B * k * T * H
    assert CASES["b8"].flops == 6 * (2 * whole_layer + last_layer + B * k * H * V)
    assert CASES["logical32"].flops == 4 * CASES["b8"].flops


def test_batches_are_the_same_every_time_and_ask_for_the_words_at_their_positions():
    for (ids, positions, labels), again in zip(
        random_batches(8, 4, 8192, 64), random_batches(8, 4, 8192, 64), strict=True
    ):
        assert (ids == again[0]).all()
        assert positions.shape == (8, 10)
        assert all(len(set(row)) == 10 for row in positions.tolist())
        assert (labels == ids[range(8), positions.T].T).all()


class Recorded:
    def __init__(self, name, calls):
        self.name, self.calls = name, calls

    def ask(self, question):
        self.calls.append(self.name)
        return float(len(self.calls))


def test_the_order_turns_around_from_round_to_round():
    calls = []
    contestants = {name: Recorded(name, calls) for name in "ab"}
    assert take_turns(contestants, 2, lambda done, note: None) == {"a": [1, 4], "b": [2, 3]}
    assert calls == ["a", "b", "b", "a"]


def test_a_contestant_answers_until_it_ends(tmp_path):
    (tmp_path / "echo.py").write_text(
        "from mini_bert.cli.turns import serve\nserve({'step': lambda: 7, 'end': lambda: exit(0)})\n"
    )
    with Contestant("echo", folder=tmp_path) as echo:
        assert echo.ask("step") == 7
        with pytest.raises(ValueError, match="echo ended before its turn"):
            echo.ask("end")
    assert echo.process.returncode == 0


def test_ours_alone_says_why(monkeypatch):
    from click.testing import CliRunner

    from mini_bert.cli import bench_train

    monkeypatch.setattr(bench_train, "judge", lambda name: "no torch here")
    monkeypatch.setattr(bench_train, "run", lambda case, judges, rounds, report: {"judges": judges})
    done = CliRunner().invoke(bench_train.command, ["--json"])
    assert json.loads(done.output) == {
        "b8": {"judges": []},
        "logical32": {"judges": []},
        "note": "no torch here",
    }
