"""Ranks that are threads train as one does; what MPI itself does is tested in tests/cluster."""

from __future__ import annotations

import json
from math import inf
from threading import BrokenBarrierError
from time import monotonic

import numpy as np
import pytest

from mini_bert.models.mini import MiniBERT
from mini_bert.training import blocks
from mini_bert.training import trainer as trainer_module
from mini_bert.training.checkpoints import Checkpoints
from mini_bert.training.cluster import beginning, early_sums
from mini_bert.training.cluster.ranks import Alone, OtherRankFailed
from mini_bert.training.config import TrainingConfig
from mini_bert.training.session import new_run, resumed_run
from mini_bert.training.trainer import Trainer, TrainingStopped
from tests.tolerances import assert_same_bits
from tests.unit.thread_ranks import PATIENCE, ThreadRanks, on_ranks

STEPS = 6
SMALL = {
    "corpus": ["world:200"],
    "budget": {"steps": STEPS},
    "batch": {"size": 10, "micro": 2},
    "logging": {"every": 1, "evaluate_every": 3, "exam_rows": 40, "inspect_every": 2},
    "saving": {"every": 2},
    "dtype": "float64",
    "workers": 1,
}


def config_of(**changes):
    return TrainingConfig.named("debugging", {**SMALL, **changes})


def train(folder, ranks, config=None, stop_at=None):
    begun = new_run(config, folder, ranks=ranks) if config else resumed_run(folder, ranks=ranks)
    with begun as trainer:
        if stop_at is not None and ranks.number == ranks.size - 1:
            trainer.listen = lambda now: trainer.stop() if now["step"] == stop_at else None
        return trainer.run(), trainer.progress.spent.steps, trainer.model.arena.flat.copy()


def trained(folder, size, **changes):
    """Train on so many ranks, all of which must say the same."""
    config = config_of(**changes)
    found = (
        [train(folder, Alone(), config)] if size == 1 else on_ranks(size, lambda r: train(folder, r, config))
    )
    for one in found:
        assert not isinstance(one, Exception), one
        assert one[0] == "finished"
        assert_same_bits(one[2], found[0][2])
    return found[0][2]


def lines(folder):
    return [json.loads(line) for line in (folder / "metrics.jsonl").read_text("utf-8").splitlines()]


def moments(folder):
    return (folder / "checkpoints" / "last" / "moments.safetensors").read_bytes()


VARIANTS = {
    "plain": {},
    "dropout": {"model": {"dropout": 0.1, "attention_dropout": 0.1}},
    "documents of unequal length": {"packed": False},
    "second task": {"second_task": {"kind": "sentence-order"}},
    "token order": {"second_task": {"kind": "token-order"}},
    "sophia": {"optimizer": {"kind": "sophia", "hessian_every": 2}, "second_task": {"kind": "token-order"}},
    "lamb and adaptive clipping": {"optimizer": {"kind": "lamb"}, "clipping": {"kind": "adaptive"}},
    "muon and layer-wise rates": {"optimizer": {"kind": "muon", "layer_decay": 0.9}},
    "tied": {"model": {"tied": True}},
    "summed at the end": {"cluster": {"overlap": False}},
    "averaged": {"averaging": {"kind": "ema"}},
    "lookahead": {"averaging": {"kind": "lookahead", "every": 2}},
    "short rows first": {"batch": {"size": 10, "micro": 2, "short_rows": 16}},
    "a growing batch": {"batch": {"size": 10, "micro": 2, "ramp_from": 4}},
    "adaptive masking": {"masking": {"adaptive": True}},
    "replaced tokens": {"preset": "electra-mini", "model": {"vocab_size": 512, "num_layers": 1}},
    "shared layers": {"preset": "albert-mini", "model": {"vocab_size": 512, "max_seq_length": 32}},
    "segments": {
        "preset": "transformer-xl-mini",
        "model": {"vocab_size": 512, "num_layers": 1, "max_seq_length": 16},
    },
    "two streams": {
        "preset": "xlnet-mini",
        "model": {"vocab_size": 512, "num_layers": 1, "max_seq_length": 32},
    },
}


@pytest.mark.parametrize("changes", VARIANTS.values(), ids=VARIANTS.keys())
def test_three_ranks_learn_what_one_learns(tmp_path, monkeypatch, changes):
    monkeypatch.setattr(early_sums, "BUCKET", 1000)  # so that a small model has several
    one = trained(tmp_path / "one", 1, **changes)
    three = trained(tmp_path / "three", 3, **changes)
    np.testing.assert_allclose(three, one, rtol=1e-9, atol=1e-12)
    for mine, theirs in zip(lines(tmp_path / "one"), lines(tmp_path / "three"), strict=True):
        for told in (mine, theirs):
            for clock in ("seconds", "tokens_per_second"):
                told.pop(clock)
            told.get("inspection", {}).pop("resident_bytes", None)
        assert_alike(theirs, mine)


def assert_alike(found, wanted):
    """The same keys and the same numbers, but for rounding, however deep."""
    if isinstance(wanted, dict):
        assert found.keys() == wanted.keys()
        for name in wanted:
            assert_alike(found[name], wanted[name])
    elif isinstance(wanted, list):
        assert len(found) == len(wanted)
        for pair in zip(found, wanted, strict=True):
            assert_alike(*pair)
    elif wanted is None:
        assert found is None
    else:
        assert found == pytest.approx(wanted, rel=1e-7, abs=1e-12)


@pytest.mark.parametrize("kind", ["adamw", "lion", "muon", "sophia", "lamb", "sgd"])
@pytest.mark.parametrize("averaging", ["none", "lookahead"])
def test_a_sharded_optimizer_has_the_bits_of_a_whole_one(tmp_path, monkeypatch, kind, averaging):
    monkeypatch.setattr(blocks, "BLOCK", 1 << 10)  # so that every rank owns some of a small model
    changes = {"optimizer": {"kind": kind}, "averaging": {"kind": averaging}}
    whole = trained(tmp_path / "whole", 3, **changes)
    sharded = trained(tmp_path / "sharded", 3, **changes, cluster={"shard_optimizer": True})
    assert_same_bits(sharded, whole)
    assert moments(tmp_path / "sharded") == moments(tmp_path / "whole")


def test_of_a_sharded_optimizer_each_rank_holds_its_own_stretch(tmp_path, monkeypatch):
    monkeypatch.setattr(blocks, "BLOCK", 1 << 10)
    config = config_of(cluster={"shard_optimizer": True})

    def touched(ranks):
        with new_run(config, tmp_path / "run", ranks=ranks) as trainer:
            trainer.run()
            return trainer.updating.own, trainer.optimizer.m.flat != 0

    found = on_ranks(3, touched)
    assert [at.start for at, _ in found[1:]] == [at.stop for at, _ in found[:-1]]
    assert found[0][0].start == 0
    assert found[-1][0].stop == found[0][1].size
    for at, is_used in found:
        assert is_used[at].mean() > 0.5
        assert not np.delete(is_used, at).any()


@pytest.mark.parametrize("sharded", [False, True])
@pytest.mark.parametrize(("before", "after"), [(1, 3), (3, 2), (2, 1)])
def test_a_run_goes_on_with_another_number_of_ranks(tmp_path, before, after, sharded):
    config = config_of(cluster={"shard_optimizer": sharded})
    one = trained(tmp_path / "one", 1, cluster={"shard_optimizer": sharded})
    stopped = on_ranks(before, lambda ranks: train(tmp_path / "run", ranks, config, stop_at=3))
    assert {found[:2] for found in stopped} == {("interrupted", 3)}
    found = on_ranks(after, lambda ranks: train(tmp_path / "run", ranks))
    assert {each[:2] for each in found} == {("finished", STEPS)}
    np.testing.assert_allclose(found[0][2], one, rtol=1e-9, atol=1e-12)
    losses = [[line["loss"] for line in lines(tmp_path / run)] for run in ("one", "run")]
    assert losses[1] == pytest.approx(losses[0], rel=1e-9)


def test_only_the_leader_writes(tmp_path):
    places = [tmp_path / "leader", tmp_path / "other"]
    config = config_of()

    def job(ranks):
        with new_run(config, places[ranks.number], ranks=ranks) as trainer:
            trainer.run()
            return trainer.folder.path

    assert on_ranks(2, job) == [places[0], places[0]]
    assert MiniBERT.load(places[0] / "checkpoints" / "last").config.vocab_size == 512
    assert not places[1].exists()


def test_a_checkpoint_that_cannot_be_written_stops_all(tmp_path, monkeypatch):
    def full(*_, **__):
        raise OSError(28, "No space left on device")

    config = config_of()

    def job(ranks):
        with new_run(config, tmp_path / "run", ranks=ranks) as trainer:
            trainer.checkpoints.save = full
            trainer.run()

    leader, other = on_ranks(2, job)
    assert isinstance(leader, ValueError)
    assert "No space left on device; no checkpoint was written yet. Make room" in str(leader)
    assert isinstance(other, OtherRankFailed)
    assert "No space left" in str(other)


def test_a_number_that_is_not_finite_stops_all_and_is_found_on_whichever_rank_has_it(tmp_path, monkeypatch):
    config, real = config_of(model={"dropout": 0.1}), trainer_module.next_share

    def spoiled(stream, ranks, *asked):
        share = real(stream, ranks, *asked)
        if ranks.number == 1:
            share.batch.weights[...] = np.inf
        return share

    monkeypatch.setattr(trainer_module, "next_share", spoiled)

    def job(ranks):
        with new_run(config, tmp_path / "run", ranks=ranks) as trainer:
            trainer.run()

    found = on_ranks(2, job)
    assert all(isinstance(error, TrainingStopped) for error in found)
    assert str(found[0]) == str(found[1])
    assert "first in the gradients of " in str(found[0])


def test_weights_that_drift_apart_are_not_saved(tmp_path):
    config = config_of()

    def job(ranks):
        with new_run(config, tmp_path / "run", ranks=ranks) as trainer:
            trainer.model.arena.flat[ranks.number] += ranks.number
            trainer.run()

    leader, other = on_ranks(2, job)
    assert "rank 1 has another state of the weights at step 2 than rank 0" in str(leader)
    assert isinstance(other, OtherRankFailed)
    assert not (tmp_path / "run" / "checkpoints").exists()


def test_a_rank_that_fails_alone_ends_the_others(tmp_path, monkeypatch):
    config = config_of()

    def job(ranks):
        with new_run(config, tmp_path / "run", ranks=ranks) as trainer:
            if ranks.number == 1:
                raise MemoryError("no room")
            trainer.run()

    start = monotonic()
    leader, other = on_ranks(2, job)
    assert isinstance(other, MemoryError)
    assert isinstance(leader, BrokenBarrierError)
    assert monotonic() - start < PATIENCE / 2


def test_a_listener_that_has_gone_ends_all_and_saves_nothing_that_ranks_have_not_agreed_on(tmp_path):
    config = config_of(saving={"every": 1})

    def job(ranks):
        with new_run(config, tmp_path / "run", ranks=ranks) as trainer:

            def listen(now):
                if ranks.leads and now["step"] == 3:
                    raise BrokenPipeError

            trainer.listen = listen
            trainer.run()

    leader, other = on_ranks(2, job)
    assert isinstance(leader, BrokenPipeError)
    assert isinstance(other, BrokenBarrierError)
    assert Checkpoints(tmp_path / "run" / "checkpoints").newest().step == 2


def test_ranks_that_begin_and_ranks_that_resume_do_not_wait_for_each_other(tmp_path):
    trained(tmp_path / "run", 1)
    found = on_ranks(2, lambda ranks: train(tmp_path / "run", ranks, None if ranks.leads else config_of()))
    assert "rank 1 has another task than rank 0 (a new run, not a run to resume)" in str(found[0])
    assert isinstance(found[1], OtherRankFailed)


def test_other_settings_or_text_are_refused_by_name(tmp_path, monkeypatch):
    config = config_of()
    found = on_ranks(2, lambda ranks: train(tmp_path / "run", ranks, config_of(seed=ranks.number)))
    assert "rank 1 has another seed than rank 0 (1, not 0); start the same command" in str(found[0])
    files = [tmp_path / f"{number}.txt" for number in range(2)]
    for number, file in enumerate(files):
        file.write_text("\n\n".join(f"a cat sees {n * (number + 1)} dogs today" for n in range(400)), "utf-8")

    def other_text(ranks):
        with new_run(config, tmp_path / "run", ranks=ranks):
            pass

    real = beginning.materials
    monkeypatch.setattr(
        beginning,
        "materials",
        lambda config, folder, *report: real(
            config.model_copy(update={"corpus": [str(files[folder.parent != tmp_path / "run"])]}),
            folder,
            *report,
        ),
    )
    found = on_ranks(2, other_text)
    assert "rank 1 has another text than rank 0" in str(found[0])
    assert "let all ranks read the same files" in str(found[0])
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("tied", [False, True])
def test_gradients_that_are_summed_early_are_those_that_are_summed_late(tmp_path, monkeypatch, tied):
    """Bucket by bucket, the upper layers first, each begun while gradients are still to come, with the same bits.

    The first step sends the same messages, at its end.
    """
    monkeypatch.setattr(early_sums, "BUCKET", 1000)
    begun = []
    start_sum = ThreadRanks.start_sum

    def noted(ranks, array):
        sums = running[ranks.number].work.early
        begun.append(sum(bucket.awaited for bucket in sums.waiting))
        return start_sum(ranks, array)

    monkeypatch.setattr(ThreadRanks, "start_sum", noted)
    running = {}

    def job(ranks, overlap):
        config = config_of(model={"tied": tied}, cluster={"overlap": overlap})
        with new_run(config, tmp_path / f"{overlap}", ranks=ranks) as trainer:
            running[ranks.number] = trainer
            trainer.run()
            return trainer.model.arena.flat.copy()

    late, early = (on_ranks(2, lambda ranks, so=so: job(ranks, so)) for so in (False, True))
    assert_same_bits(early[0], late[0])
    assert_same_bits(early[1], late[0])
    buckets = running[0].work.early.order
    assert len(buckets) > 10
    sent = sum(len(list(early_sums.pieces(bucket.at))) for bucket in buckets)
    assert sent > len(buckets)
    assert len(begun) == 2 * STEPS * sent
    assert np.mean([awaited > 0 for awaited in begun]) > 0.5


def test_every_rank_needs_a_row(tmp_path):
    config = config_of(batch={"size": 2, "micro": 2})
    found = on_ranks(3, lambda ranks: train(tmp_path / "run", ranks, config))
    assert "a batch of 2 sequences for 3 ranks: some would have none; choose --batch 3 or more" in str(
        found[0]
    )


def test_a_second_run_in_a_process_begins_as_the_first_did(tmp_path):
    """Patience is for training alone, and what all ranks knew of the first run says nothing of the second."""

    def job(ranks):
        with (
            pytest.raises((ValueError, OtherRankFailed)),
            new_run(config_of(batch={"size": 1, "micro": 1}), tmp_path / "bad", ranks=ranks),
        ):
            pass
        assert ranks.leaving
        with new_run(config_of(), tmp_path / "run", ranks=ranks) as trainer:
            assert not ranks.leaving
            assert ranks.patience == inf
            trainer.listen = lambda now: noticed.append(ranks.patience)
            trainer.run()
        return ranks.patience

    noticed = []
    assert on_ranks(2, job) == [inf, inf]
    assert set(noticed) == {600.0}


def test_a_trainer_alone_is_a_rank_of_one(tmp_path):
    with new_run(config_of(), tmp_path / "run") as trainer:
        assert isinstance(trainer, Trainer)
        assert (trainer.ranks.size, trainer.ranks.leads) == (1, True)
