"""A run, and what was packed of it."""

import json

import pytest

from mini_bert import TrainingConfig, new_run
from mini_bert.pretrained.packing import pack
from tests.unit.packing.samples import EXAM, MANIFEST, of


@pytest.fixture(scope="session")
def run(tmp_path_factory):
    """A debug model after 20 steps."""
    folder = tmp_path_factory.mktemp("runs") / "trained"
    changes = {
        "corpus": ["world:100"],
        "budget": {"steps": 20},
        "logging": {"every": 2, "evaluate_every": 5, "exam_rows": 8},
    }
    with new_run(TrainingConfig.named("debugging", changes), folder) as trainer:
        trainer.run()
    return folder


@pytest.fixture(scope="session")
def packed(run, tmp_path_factory):
    folder = tmp_path_factory.mktemp("packed") / "tiny"
    exam = folder.parent / "hidden.json"
    exam.write_text(json.dumps(EXAM | of(run)))
    manifest = folder.parent / "corpus.json"
    manifest.write_text(json.dumps(MANIFEST))
    return pack(run, folder, results=[exam], manifest=manifest, most_rows=16)
