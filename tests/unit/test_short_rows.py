"""Short rows first: as many tokens in each step, and the same bits whether or not a run was stopped on the way."""

import json
from pathlib import Path

import numpy as np
import pytest

from mini_bert.data.document_rows import DocumentRows
from mini_bert.data.packing import PackedRows
from mini_bert.data.rows import Layout
from mini_bert.diagnosis.autopsy import autopsy
from mini_bert.models.mini import MiniBERT
from mini_bert.run_reports.panels import driving
from mini_bert.training.config import TrainingConfig
from mini_bert.training.curriculum import Curriculum, by_length
from mini_bert.training.masking import Masking
from mini_bert.training.run_folder import RunFolder
from mini_bert.training.session import new_run, resumed_run
from mini_bert.training.staged_stream import StagedStream
from mini_bert.training.stream import MaskedStream
from tests.tolerances import assert_close

FULL, SHORT = 24, 8
HALF = 10
"""Of 20 steps, so many are in short rows."""
SMALL = {"hidden_size": 16, "num_heads": 2, "intermediate_size": 32, "max_seq_length": 32, "vocab_size": 400}


@pytest.fixture
def staged(cache, tokenizer):
    """A new stream of two stages over all documents."""

    def make(short=SHORT, full=FULL, until=0.5, kind=PackedRows, seed=0, curriculum=False):
        def stream(T):
            rows = kind(cache, np.arange(len(cache)), T, Layout.of(tokenizer), seed=0)
            easy = Curriculum("length", by_length(rows)) if curriculum else None
            return MaskedStream(rows, Masking.of(tokenizer), T // 8, 4 * FULL // T, seed, curriculum=easy)

        return StagedStream(stream(short), stream(full), until)

    return make


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def arrays(batch):
    return batch.ids, batch.positions, batch.labels, batch.weights


def taken(stream, steps, total=HALF * 2):
    """The batches of some steps of a run, as a trainer asks for them."""
    found = []
    for step in steps:
        done = (step + 0.5) / total
        T = stream.at(done).rows.T
        found.append(stream.take(4 * FULL // T, T // 8, done))
    return found


@pytest.mark.parametrize("kind", [PackedRows, DocumentRows])
def test_short_rows_come_first_and_as_many_tokens_in_each_step(staged, kind):
    batches = taken(staged(kind=kind), range(20))
    assert [batch.ids.shape for batch in batches] == HALF * [(12, SHORT)] + HALF * [(4, FULL)]
    assert {batch.positions.size for batch in batches} == {12}
    for batch in batches:
        assert batch.weights.sum() == pytest.approx(1)
    if kind is PackedRows:
        assert {batch.tokens for batch in batches} == {4 * FULL}


def test_each_stage_gives_the_very_rows_that_its_own_stream_gives(staged):
    batches, alone = taken(staged(), range(20)), staged()
    first_full = alone.full.rows.rows_per_epoch * 12 * HALF / alone.short.rows.rows_per_epoch
    for step, batch in enumerate(batches[:HALF]):
        assert all(map(np.array_equal, arrays(batch), arrays(alone.short.batch(12 * step, 12))))
    for step, batch in enumerate(batches[HALF:]):
        expected = alone.full.batch(int(np.ceil(first_full)) + 4 * step, 4)
        assert all(map(np.array_equal, arrays(batch), arrays(expected)))


def test_epochs_are_counted_on_where_the_short_rows_end(staged):
    stream = staged()
    stream.take(int(2.5 * stream.short.rows.rows_per_epoch), done=0.4)
    assert stream.epoch == 2
    stream.take(1, done=0.6)
    assert stream.epoch == 2
    assert stream.full.next_row == pytest.approx(2.5 * stream.full.rows.rows_per_epoch, abs=3)


def test_full_rows_stay_though_a_clock_may_step_back(staged):
    stream = staged()
    shapes = [stream.take(2, done=done).ids.shape[1] for done in (0.4, 0.51, 0.49, 0.6)]
    assert shapes == [SHORT, FULL, FULL, FULL]


def test_a_run_may_be_too_short_for_its_first_stage(staged):
    stream = staged(until=0.1)
    assert stream.take(4, done=0.5).ids.shape[1] == FULL
    assert stream.full.next_row == 4


@pytest.mark.parametrize("stop", [0, 1, 9, 10, 11, 19])
@pytest.mark.parametrize("curriculum", [False, True])
def test_resumes_exactly_through_json(staged, stop, curriculum):
    expected = taken(staged(curriculum=curriculum), range(20))
    before, after = staged(curriculum=curriculum), staged(curriculum=curriculum)
    taken(before, range(stop))
    after.resume(json.loads(json.dumps(before.state())))
    for one, other in zip(expected[stop:], taken(after, range(stop, 20)), strict=True):
        assert all(map(np.array_equal, arrays(one), arrays(other)))


@pytest.mark.parametrize(
    ("other", "name"),
    [
        ({"short": 12}, "T"),
        ({"full": 48}, "T"),
        ({"until": 0.9}, "short_until"),
        ({"seed": 1}, "masking_seed"),
        ({"kind": DocumentRows}, "rows"),
        ({"curriculum": True}, "curriculum"),
    ],
)
def test_the_state_of_another_stream_is_refused(staged, other, name):
    with pytest.raises(ValueError, match=f"cannot resume: {name} is .* or begin anew"):
        staged().resume(staged(**other).state())


def test_stages_and_no_stages_refuse_each_other(staged):
    with pytest.raises(ValueError, match=r"T is 24 here, and was \[8, 24\] when"):
        staged().full.resume(staged().state())
    with pytest.raises(ValueError, match=r"T is \[8, 24\] here, and was 24 when"):
        staged().resume(staged().full.state())


def config(**changes):
    settings = {
        "corpus": ["world:120"],
        "model": SMALL,
        "budget": {"steps": 2 * HALF},
        "batch": {"size": 8, "micro": 4, "short_rows": 8},
        "logging": {"every": 1, "evaluate_every": 5, "inspect_every": 4, "exam_rows": 16},
        "saving": {"every": 100},
        "workers": 1,
    }
    model = {**SMALL, **changes.pop("model", {})}
    return TrainingConfig.named("debugging", {**settings, **changes, "model": model})


def train(settings, out, stop_at=()):
    """The lines of a run that is stopped after so many steps, and each time resumed."""
    stops = list(stop_at)
    with new_run(settings, out) as trainer:
        outcome = run_until(trainer, stops)
    while outcome == "interrupted":
        with resumed_run(out) as trainer:
            outcome = run_until(trainer, stops)
    return list(RunFolder(Path(out)).metrics())


def run_until(trainer, stops):
    if stops:
        at = stops.pop(0)
        trainer.listen = lambda told: trainer.stop() if told["step"] == at else None
    return trainer.run()


def timeless(lines):
    clocks = ("seconds", "tokens_per_second", "resident_bytes")
    inside = [{**line, "inspection": {**line.get("inspection", {}), "resident_bytes": 0}} for line in lines]
    return [{name: value for name, value in line.items() if name not in clocks} for line in inside]


def weights(run):
    return MiniBERT.load(f"{run}/checkpoints/last").arena.flat


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"workers": 2, "model": {"dropout": 0.1}, "masking": {"kind": "whole-words", "final_share": 0.3}},
        {"packed": False, "curriculum": {"kind": "length", "until": 0.7}, "averaging": {"kind": "ema"}},
        {
            "budget": {"tokens": 20 * 8 * 32},
            "batch": {"size": 8, "micro": 4, "short_rows": 8, "ramp_from": 4},
        },
        {"second_task": {"kind": "next-sentence"}, "batch": {"size": 8, "micro": 4, "short_rows": 16}},
        {"second_task": {"kind": "token-order"}, "masking": {"adaptive": True}},
        {"optimizer": {"kind": "sophia", "hessian_every": 3}},
    ],
    ids=["plain", "workers", "documents", "ramp", "pairs", "order", "sophia"],
)
def test_stopped_in_either_stage_or_at_the_border_is_the_same_as_never_stopped(changes):
    whole = train(config(**changes), "whole")
    stopped = train(config(**changes), "stopped", stop_at=(3, HALF, HALF + 1, 17))
    assert np.array_equal(weights("whole"), weights("stopped"))
    assert timeless(whole) == timeless(stopped)
    assert [line["row_length"] for line in (whole[0], whole[-1])] == [config(**changes).batch.short_rows, 32]


@pytest.mark.parametrize("preset", ["gpt2-mini", "xlnet-mini", "electra-mini", "albert-mini"])
def test_relatives_read_short_rows_too(preset):
    own = {"embedding_size": 16} if preset in ("electra-mini", "albert-mini") else {}
    lines = train(config(preset=preset, model=own, batch={"size": 8, "micro": 4, "short_rows": 16}), "run")
    assert [line["row_length"] for line in (lines[0], lines[-1])] == [16, 32]
    assert all(np.isfinite(line["loss"]) for line in lines)


def test_a_run_counts_the_same_tokens_and_tells_the_shape_of_its_rows():
    lines = train(config(), "short")
    plain = train(config(batch={"size": 8, "micro": 4}), "plain")
    assert [line["tokens"] for line in lines] == [line["tokens"] for line in plain]
    assert [line["row_length"] for line in lines] == HALF * [8] + HALF * [32]
    assert [line["batch_size"] for line in lines] == HALF * [32] + HALF * [8]
    assert [line["masked_share"] for line in lines] == HALF * [1 / 8] + HALF * [5 / 32]
    assert all("row_length" not in line for line in plain)
    assert "held_out_loss" in lines[4]


def test_the_exam_is_in_full_rows_from_the_beginning():
    with new_run(config(), "run") as trainer:
        assert trainer.exams["held_out"].ids.shape[1] == 32


@pytest.mark.parametrize("steps", [HALF - 2, HALF + 2])
def test_an_autopsy_finds_the_rows_of_the_stage_that_was_saved(steps):
    settings = config(logging={"every": 1, "inspect_every": 4})
    with new_run(settings, "run") as trainer:
        run_until(trainer, [steps])
    run = RunFolder(Path("run"))
    figures, notes = autopsy(run, settings.with_workers(1), list(run.metrics()))
    assert not notes
    assert figures["replayed_attention"].value < 1e-6
    assert figures["replayed_update"].value == pytest.approx(1, abs=1e-3)


def test_the_report_shows_where_rows_grow_longer():
    lines = train(config(), "run")
    panels = {panel.title: panel for panel in driving(lines, config().model_dump())}
    assert {"Row length", "Batch size"} <= panels.keys()


@pytest.mark.parametrize("workers", [1, 2])
def test_micro_batches_of_short_rows_add_up_to_the_whole_batch(workers):
    with new_run(config(dtype="float64", workers=workers), "run") as trainer:
        size, done = trainer.next_step()
        batch = trainer.stream.take(size, trainer.masked_words(done), done)
        assert (batch.ids.shape, trainer.micro_batch(batch)) == ((32, 8), 16)
        found = trainer.work.gradients(batch, trainer.micro_batch(batch))
        loss, gradient = found.loss, found.grads.flat.copy()
        whole = trainer.work.gradients(batch, len(batch.ids))
        assert_close(loss, whole.loss)
        assert_close(gradient, whole.grads.flat)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"batch": {"short_rows": 12}}, r"short_rows=12: .* which has 32 tokens; choose 8 or 16"),
        ({"batch": {"short_rows": 32}}, r"short_rows=32: .* choose 8 or 16"),
        (
            {"batch": {"short_rows": 8}, "preset": "transformer-xl-mini"},
            "in segments of one length; leave it out",
        ),
    ],
)
def test_rows_that_do_not_fit_are_refused_and_leave_no_run_behind(changes, message):
    with pytest.raises(ValueError, match=message), new_run(config(**changes), "run"):
        pass
    assert not Path("run").exists()


@pytest.mark.parametrize("batch", [{"short_rows": 4}, {"short_until": 0.0}, {"short_until": 1.0}])
def test_impossible_stages_are_refused(batch):
    with pytest.raises(ValueError, match=rf"batch\.{next(iter(batch))}: "):
        config(batch=batch)
