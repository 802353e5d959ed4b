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
from mini_bert.diagnosis.diagnosis import diagnose
from mini_bert.diagnosis.museum.exhibit import Exhibit
from mini_bert.diagnosis.museum.exhibits import EXHIBITS

SOUND = Exhibit("sound", "There is none.", "")
SEED = 11


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
    ],
    ids=["plain", "other-text", "other-rate", "second-task"],
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


def test_a_faulty_run_ends_with_1(tmp_path):
    frozen = next(entry for entry in EXHIBITS if entry.name == "layer-detached")
    run = frozen.train(tmp_path / "run", SEED, steps=20)
    told = CliRunner().invoke(command, [str(run)])
    assert told.exit_code == 1
    assert "encoder.layers.0" in told.stdout
    assert "What to do" in told.stdout
