"""What many ranks cost is what the formula says, with the figures it is given."""

import json

import pytest
from click.testing import CliRunner

from mini_bert.cli import estimate_ranks
from mini_bert.cli.estimate import command
from mini_bert.cli.estimate_ranks import rank_counts
from mini_bert.models.config import ModelConfig
from mini_bert.profiling import scaling
from mini_bert.profiling.forecast import plan
from mini_bert.profiling.scaling import SMALL_BYTES, SMALL_SUMS, Cluster, Link, fitted, memory_link

NEAR, FAR = Link(1e-6, 4e9), Link(1e-4, 1e9)


def test_a_sum_takes_two_latencies_a_round_and_sends_the_array_about_twice(monkeypatch):
    monkeypatch.setattr(scaling, "PIECE", 1 << 40)
    assert NEAR.sum_seconds(1, 1e9) == 0
    assert NEAR.sum_seconds(2, 4e9) == pytest.approx(2e-6 + 1.0)
    assert NEAR.sum_seconds(8, 4e9) == pytest.approx(6e-6 + 1.75)
    assert NEAR.sum_seconds(1024, 4e9) == pytest.approx(20e-6 + 2 * 1023 / 1024)
    monkeypatch.setattr(scaling, "PIECE", 1e9)
    assert NEAR.sum_seconds(8, 4e9) == pytest.approx(4 * 6e-6 + 1.75)


@pytest.mark.parametrize("ranks", [2, 4, 7])
def test_a_link_is_found_again_from_its_sums(ranks):
    points = [(nbytes, FAR.sum_seconds(ranks, nbytes)) for nbytes in (16, 1e3, 1e5, 4e6)]
    found = fitted(points, ranks)
    assert found.latency == pytest.approx(FAR.latency, rel=1e-6)
    assert found.bandwidth == pytest.approx(FAR.bandwidth, rel=1e-6)


def test_ranks_of_a_machine_add_up_first_and_share_its_cores():
    wanted = plan(ModelConfig.preset("debug"), 8, 8, 1)
    nbytes = 4 * wanted.weights
    cluster = Cluster(NEAR, FAR, per_machine=4, cores=4)
    alone, beside, far = (cluster.scaled(wanted, 1.0, 0.1, ranks) for ranks in (1, 4, 16))
    assert (alone.compute, alone.reduce, alone.update) == (1.0, 0.0, 0.1)
    assert beside.reduce == pytest.approx(
        NEAR.sum_seconds(4, nbytes) + SMALL_SUMS * NEAR.sum_seconds(4, SMALL_BYTES)
    )
    between = FAR.sum_seconds(4, nbytes) + SMALL_SUMS * FAR.sum_seconds(4, SMALL_BYTES)
    assert far.reduce == pytest.approx(beside.reduce + between)
    assert far.tokens_per_second == pytest.approx(16 * wanted.tokens / far.seconds)
    assert far.seconds_to(16 * wanted.tokens + 1) == pytest.approx(2 * far.seconds)
    crowded = Cluster(NEAR, FAR, per_machine=4, cores=2).scaled(wanted, 1.0, 0.1, 4)
    assert (crowded.compute, crowded.update) == (2.0, 0.2)


def test_a_sharded_optimizer_updates_less_and_sends_more():
    wanted = plan(ModelConfig.preset("debug"), 8, 8, 1)
    whole, sharded = (
        Cluster(NEAR, FAR, 4, 4, sharded=sharded).scaled(wanted, 1.0, 0.1, 4) for sharded in (False, True)
    )
    assert sharded.update == pytest.approx(whole.update / 4)
    assert sharded.reduce - whole.reduce == pytest.approx(NEAR.sum_seconds(4, 4 * wanted.weights) / 2)


def test_without_mpi_sums_are_taken_to_be_as_fast_as_memory():
    assert 1e7 < memory_link().bandwidth < 1e13


def test_ranks_from_one_to_1024_and_the_one_asked_for():
    assert rank_counts(6) == [1, 2, 4, 6, 8, 16, 32, 64, 128, 256, 512, 1024]
    assert rank_counts(3000)[-2:] == [1024, 3000]


def test_the_command_tells_every_number_of_ranks_and_what_it_assumes(monkeypatch):
    monkeypatch.setattr(estimate_ranks, "LOOKS", 1)
    options = [
        "--preset",
        "debug",
        "--ranks",
        "6",
        "--latency",
        "50",
        "--bandwidth",
        "1",
        "--per-machine",
        "2",
    ]
    told = json.loads(CliRunner().invoke(command, [*options, "--json"], catch_exceptions=False).output)
    assert [step["ranks"] for step in told["ranks"]] == rank_counts(6)
    assert told["far"] == pytest.approx({"latency": 5e-5, "bandwidth": 1.25e8})
    assert told["ranks"][0]["reduce"] == 0
    assert all(a["reduce"] < b["reduce"] for a, b in zip(told["ranks"], told["ranks"][1:], strict=False))
    shown = CliRunner().invoke(command, options, catch_exceptions=False).output
    assert "1,024" in shown
    assert "between machines 50.0 µs and 1.0 Gbit/s" in " ".join(shown.split())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--ranks", "9"], "--check of 9 ranks on one machine: choose 8 at most"),
        (["--latency", "5"], "--latency is about several ranks: say how many with --ranks"),
        (["--shard-optimizer"], "--shard-optimizer is about several ranks"),
        (["--ranks", "2", "--shard-optimizer"], "--check with --shard-optimizer"),
    ],
)
def test_what_cannot_be_checked_is_refused_before_anything_is_measured(options, message, monkeypatch):
    monkeypatch.setattr(estimate_ranks, "estimated", None)
    with pytest.raises(ValueError, match=message):
        CliRunner().invoke(command, ["--preset", "debug", "--check", *options], catch_exceptions=False)


def test_one_rank_is_checked_without_a_launcher_and_as_it_runs_here(monkeypatch):
    monkeypatch.setattr(estimate_ranks, "LOOKS", 1)
    monkeypatch.setattr(estimate_ranks, "launcher", lambda: None)
    options = ["--preset", "debug", "--seq", "16", "--ranks", "1", "--per-machine", "1", "--check", "--json"]
    told = json.loads(CliRunner().invoke(command, options, catch_exceptions=False).output)
    assert told["checked"]["ranks"] == 1
    assert told["checked"]["predicted"] == pytest.approx(told["ranks"][0]["seconds"])
    assert told["checked"]["measured"] > 0
