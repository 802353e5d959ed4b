"""The bug museum: real runs with one mistake each, on seeds the bands were not measured with, and sound runs beside.

`python -m benchmarks.museum` is the full proof; these are short runs of the smallest model.
"""

import json
import os
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from mini_bert.cli.diagnose import command
from mini_bert.core.attention import Attention
from mini_bert.diagnosis.diagnosis import diagnose
from mini_bert.diagnosis.figures import Figure
from mini_bert.diagnosis.museum.exhibit import Exhibit
from mini_bert.diagnosis.museum.exhibits import EXHIBITS, exhibit
from mini_bert.diagnosis.parts import exchange_attention

SOUND = Exhibit("sound", "There is none.", "")
SEED = 11
OTHER_OPTIMIZERS = ((19, "sgd"), (20, "lion"), (21, "sophia"), (23, "muon"))


class ThirtyTimes(Attention):
    def scores(self, q, k, t):
        return super().scores(q, k, t) * 30

    def scores_backward(self, dscores, q, k, t):
        return super().scores_backward(dscores * 30, q, k, t)


@pytest.mark.parametrize("entry", EXHIBITS, ids=lambda entry: entry.name)
def test_each_mistake_is_recognized(entry, tmp_path):
    found = diagnose(entry.train(tmp_path / "run", SEED))
    assert found.top == entry.cause, found.as_dict()


@pytest.mark.parametrize(
    ("seed", "settings"),
    [
        (12, {}),
        (13, {"corpus": ["python-docs"]}),
        (14, {"optimizer": {"learning_rate": 1.5e-2}, "model": {"residual": "pre-norm"}}),
        (15, {"second_task": {"kind": "sentence-order"}}),
        (18, {"curriculum": {"kind": "rarity", "until": 1.0}, "masking": {"adaptive": True}}),
        *((seed, {"optimizer": {"kind": kind, "learning_rate": None}}) for seed, kind in OTHER_OPTIMIZERS),
    ],
    ids=[
        "plain",
        "other-text",
        "other-rate",
        "second-task",
        "moving",
        *(kind for _, kind in OTHER_OPTIMIZERS),
    ],
)
def test_a_sound_run_is_healthy(seed, settings, tmp_path):
    found = diagnose(SOUND.train(tmp_path / "run", seed, **settings))
    assert found.is_healthy, found.as_dict()
    assert not found.case.notes


@pytest.mark.skipif("MINI_BERT_DATA" not in os.environ, reason="MINI_BERT_DATA is not set: no real text")
def test_a_sound_run_on_real_text_is_healthy(tmp_path):
    text = Path(os.environ["MINI_BERT_DATA"]) / "text" / "storybooks.txt.gz"
    found = diagnose(SOUND.train(tmp_path / "run", 16, corpus=[str(text)]))
    assert found.is_healthy, found.as_dict()


def test_the_command_tells_what_is_wrong_and_without_the_checkpoint_says_so(tmp_path):
    run = SOUND.train(tmp_path / "run", 17, steps=40)
    healthy = CliRunner().invoke(command, [str(run), "--json"])
    assert healthy.exit_code == 0
    assert json.loads(healthy.stdout)["healthy"] is True
    shutil.rmtree(run / "checkpoints")
    blind = CliRunner().invoke(command, [str(run), "--figures"])
    assert blind.exit_code == 0
    assert "no autopsy" in blind.stdout


def test_a_run_that_burst_needs_no_checkpoint(tmp_path):
    run = exhibit("learning-rate-absurd").train(tmp_path / "run", SEED)
    assert not (run / "checkpoints").exists()
    told = CliRunner().invoke(command, [str(run)])
    assert told.exit_code == 1
    assert "learning-rate-too-high" in told.stdout
    assert "step 2: not finite: loss nan" in told.stdout


def test_an_inspected_step_is_recomputed_from_a_checkpoint_of_its_own(tmp_path):
    run = SOUND.train(tmp_path / "run", 22, steps=40, saving={"every": 20})
    lines = [json.loads(line) for line in (run / "metrics.jsonl").read_text("utf-8").splitlines()]
    del lines[-1]["inspection"]
    (run / "metrics.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    found = diagnose(run)
    assert found.case.figures["replayed_attention"] == Figure(pytest.approx(0, abs=1e-4), 20)
    assert found.case.figures["replayed_update"] == Figure(pytest.approx(1, abs=1e-3), 20)
    assert not found.case.notes
    shutil.rmtree(run / "checkpoints" / "step-00000020")
    blind = diagnose(run)
    assert "replayed_attention" not in blind.case.figures
    assert any("no step that was inspected" in note for note in blind.case.notes)


def test_attention_thirty_times_too_sharp_is_not_healthy(tmp_path):
    def sharpen(model):
        exchange_attention(model, ThirtyTimes)

    found = diagnose(Exhibit("sharp", "Scores × 30.", "", in_model=sharpen).train(tmp_path / "run", SEED))
    assert found.top == "computed-otherwise", found.as_dict()


def test_a_skipped_step_is_no_wrong_update(tmp_path):
    """The guard skips all steps that it calls spikes; the last one is made one."""

    def spike_at_the_end(trainer):
        sound = trainer.guard.judge
        trainer.guard.judge = lambda loss, norm: (
            "spike" if trainer.progress.spent.steps == 39 else sound(loss, norm)
        )

    entry = Exhibit("skipped", "None: a step is skipped.", "", in_training=spike_at_the_end)
    run = entry.train(tmp_path / "run", 23, steps=40, guard={"spikes": "skip"}, logging={"every": 1})
    found = diagnose(run)
    assert found.is_healthy, found.as_dict()


def test_a_faulty_run_ends_with_1(tmp_path):
    run = exhibit("layer-detached").train(tmp_path / "run", SEED, steps=20)
    told = CliRunner().invoke(command, [str(run)])
    assert told.exit_code == 1
    assert "encoder.layers.0" in told.stdout
    assert "What to do" in told.stdout
