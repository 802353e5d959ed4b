"""A run becomes a folder that can be shipped, with a card that says what was measured."""

import doctest
import json
import re

import numpy as np
import pytest
import yaml
from safetensors.numpy import load_file

from mini_bert import TrainingConfig, from_pretrained, new_run
from mini_bert.cli import main
from mini_bert.pretrained import card_tables, stages
from mini_bert.pretrained.card_tables import log_table, results_of
from mini_bert.pretrained.packing import pack

MANIFEST = {
    "format": 1,
    "sources": {
        "tatoeba": {
            "licence": "CC BY 2.0 FR",
            "attribution": "Tatoeba and its contributors",
            "train": {"file": "train/tatoeba.txt.gz", "documents": 9000, "characters": 1_500_000},
            "held_out": {"file": "held_out/tatoeba.txt.gz", "documents": 90, "characters": 15_000},
        }
    },
}
EXAM = {
    "text": "/somewhere/held_out/tatoeba.txt.gz",
    "masked_accuracy": 0.512,
    "perplexity": 17.25,
    "questions": 5120,
    "intervals": {"masked_accuracy": [0.5, 0.524]},
    "baselines": {
        "neighbours": {"masked_accuracy": 0.31, "perplexity": 90.5},
        "unigram": {"masked_accuracy": 0.08, "perplexity": 600.0},
    },
}


@pytest.fixture(scope="module")
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


@pytest.fixture(scope="module")
def packed(run, tmp_path_factory):
    folder = tmp_path_factory.mktemp("packed") / "tiny"
    exam = folder.parent / "hidden.json"
    exam.write_text(json.dumps(EXAM))
    manifest = folder.parent / "corpus.json"
    manifest.write_text(json.dumps(MANIFEST))
    return pack(run, folder, results=[exam], manifest=manifest, most_rows=16)


@pytest.mark.parametrize("module", [stages, card_tables], ids=lambda module: module.__name__)
def test_docstring_examples(module):
    result = doctest.testmod(module)
    assert result.attempted
    assert not result.failed


def test_the_files(packed):
    assert set(packed.files) == {
        "README.md",
        "config.json",
        "corpus.json",
        "curve.svg",
        "evaluation.json",
        "model.safetensors",
        "tokenizer.json",
        "tokenizer_config.json",
        "training.json",
        "vocab.txt",
    }
    assert [path.name for path in packed.folder.parent.iterdir() if path.name.startswith(".")] == []
    assert packed.bytes == sum(path.stat().st_size for path in packed.folder.iterdir())


def test_the_model_is_that_of_the_last_checkpoint_in_half_precision(packed, run):
    stored = load_file(packed.folder / "model.safetensors")
    assert {tensor.dtype for tensor in stored.values()} == {np.dtype("float16")}
    original, found = from_pretrained(run / "checkpoints" / "last"), from_pretrained(packed.folder)
    assert np.array_equal(found.arena.flat, original.arena.flat.astype(np.float16).astype(np.float32))
    assert found.tokenizer.fingerprint() == original.tokenizer.fingerprint()
    assert found.config == original.config


def test_what_was_measured(packed):
    assert packed.rounding.largest_relative_error <= 2.0**-11
    assert packed.agreement.same_first_guess.value > 0.95
    assert packed.agreement.loss_after == pytest.approx(packed.agreement.loss_before, abs=1e-3)
    told = json.loads((packed.folder / "evaluation.json").read_text("utf-8"))
    assert told["storage"]["positions"] == packed.agreement.positions > 50
    assert told["results"]["hidden"]["text"] == "tatoeba.txt.gz"
    assert [len(one["guesses"]) for one in told["examples"]] == [3] * 6
    for one in told["associations"]:
        assert set(one["probabilities"]) == {"he", "she", "tom", "mary"}
        assert all(value is None or 0 <= value <= 1 for value in one["probabilities"].values())


def test_the_log(packed):
    told = json.loads((packed.folder / "training.json").read_text("utf-8"))
    assert told["name"] == "tiny"
    assert (told["steps"], told["is_finished"]) == (20, True)
    assert told["log"][-1]["step"] == 20
    assert told["settings"]["budget"]["steps"] == 20
    assert told["facts"]["unigram_loss"] > 0


def test_the_card(packed):
    text = (packed.folder / "README.md").read_text("utf-8")
    _, front, body = text.split("---\n", 2)
    assert yaml.safe_load(front)["license"] == "mit"
    assert yaml.safe_load(front)["pipeline_tag"] == "fill-mask"
    for words in (
        "# tiny",
        "51,456 parameters",
        'mini_bert.load("./tiny")',
        "| tatoeba | CC BY 2.0 FR | 9,000 | 1.5 | 90 | Tatoeba and its contributors |",
        "Training took 20 steps",
        "![loss over the steps](curve.svg)",
        "| tatoeba.txt.gz | 51.2 % (50.0–52.4) | 17.2 | 31.0 % / 90.5 | 8.0 % / 600.0 | 5,120 |",
        "reads at most 32 tokens",
        "[MASK] is a nurse.",
        "28 % of the Tatoeba sentences",
    ):
        assert words in body
    assert " None" not in body
    assert "nan" not in body.split()


def test_a_run_that_went_on_from_a_packed_model_tells_of_both_stages(packed, tmp_path):
    changes = {
        "init": str(packed.folder),
        "corpus": ["world:100"],
        "budget": {"steps": 10},
        "optimizer": {"learning_rate": 5e-4},
        "logging": {"every": 2},
    }
    with new_run(TrainingConfig.named("finetuning", changes), tmp_path / "run") as trainer:
        trainer.run()
    again = pack(tmp_path / "run", tmp_path / "longer", most_rows=4)
    before, now = (json.loads((one.folder / "training.json").read_text("utf-8")) for one in (packed, again))
    assert [stage["steps"] for stage in now["stages"]] == [20, 10]
    assert now["tokens"] == before["tokens"] + sum(stage["tokens"] for stage in now["stages"][1:])
    assert [line["step"] for line in now["log"]] == [
        *(line["step"] for line in before["log"]),
        *range(22, 31, 2),
    ]
    text = (again.folder / "README.md").read_text("utf-8")
    assert "Training took 30 steps" in text
    assert re.search(r"\| 2 \| 0.0 \| 10 \| 0.00 \| 0.0005 \|", text)


def test_nothing_tells_of_the_machine(packed):
    for path in packed.folder.iterdir():
        assert str(packed.folder.parent).encode() not in path.read_bytes()
        assert b"/somewhere" not in path.read_bytes()


def test_results_can_be_added_to_a_packed_model(packed, tmp_path):
    more = tmp_path / "classes.json"
    more.write_text(json.dumps({"accuracy": 0.82, "baselines": {"bag_of_words": 0.8}}))
    again = pack(packed.folder, tmp_path / "tiny", results=[more], most_rows=4)
    before, now = (json.loads((one.folder / "evaluation.json").read_text("utf-8")) for one in (packed, again))
    assert now["storage"] == before["storage"]
    assert list(now["results"]) == ["hidden", "classes"]
    assert "| baselines › bag_of_words | 0.8 |" in (again.folder / "README.md").read_text("utf-8")
    for name in ("training.json", "corpus.json", "model.safetensors"):
        assert (again.folder / name).read_bytes() == (packed.folder / name).read_bytes()


def test_a_model_without_a_run_has_a_shorter_card(run, tmp_path):
    model = from_pretrained(run / "checkpoints" / "last")
    model.save(tmp_path / "model")
    model.tokenizer.save(tmp_path / "model")
    found = pack(tmp_path / "model", tmp_path / "packed", most_rows=4)
    text = (found.folder / "README.md").read_text("utf-8")
    assert "## Recipe" not in text
    assert "## Data" not in text
    assert "curve.svg" not in found.files


def test_a_failure_leaves_nothing_behind(run, tmp_path, monkeypatch):
    monkeypatch.setattr("mini_bert.pretrained.packing.write_card", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        pack(run, tmp_path / "packed", most_rows=4)
    assert list(tmp_path.iterdir()) == []


def test_the_command(run, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    argv = ["pack", str(run), "--out", "tiny", "--max-rows", "8"]
    assert main([*argv, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["bytes"] == sum(told["files"].values())
    assert told["same_first_guess"]["value"] > 0.9
    assert main(argv) == 2
    assert "or --replace it" in capsys.readouterr().err
    assert main([*argv, "--replace"]) == 0
    out = capsys.readouterr().out
    assert "same first guess as the original" in out
    assert max(map(len, out.splitlines())) <= 80
    assert main(["fill-mask", "the dog is [MASK] .", "--model", "tiny"]) == 0


@pytest.mark.parametrize(
    ("argv", "remedy"),
    [
        (["nowhere", "--out", "tiny"], "nowhere: no model here; name a run's folder"),
        (["mini-bets", "--out", "tiny"], "did you mean 'mini-best'?"),
        (["RUN", "--out", "taken"], "taken: is there already, and no packed model"),
        (["RUN", "--out", "tiny", "--results", "broken.json"], "broken.json: not JSON"),
        (["RUN", "--out", "tiny", "--results", "list.json"], "list.json: expected one object"),
        (["RUN", "--out", "tiny", "--corpus", "gone.json"], "gone.json: no such file"),
        (["RUN", "--out", "tiny", "--text", "gone.txt"], "gone.txt: no such file"),
    ],
)
def test_a_mistake_is_explained(run, tmp_path, monkeypatch, capsys, argv, remedy):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "letter.txt").write_text("mine")
    (tmp_path / "broken.json").write_text("{")
    (tmp_path / "list.json").write_text("[]")
    assert main(["pack", *(str(run) if one == "RUN" else one for one in argv)]) == 2
    told = capsys.readouterr()
    assert remedy in told.err
    assert told.out == ""
    assert not (tmp_path / "tiny").exists()


def test_results_of_an_evaluation():
    rivals = [
        {"name": "random weights", "kind": "control", "value": 0.7, "low": 0.69, "high": 0.71},
        {"name": "majority", "kind": "baseline", "value": 0.861, "low": None, "high": None},
    ]
    one = {
        "title": "Parts of speech",
        "measure": "right",
        "score": {"value": 0.91, "low": 0.9, "high": 0.92},
        "rivals": rivals,
        "beats_its_baselines": "yes",
    }
    assert results_of("full", {"summary": [one]}).splitlines()[-1] == (
        "| Parts of speech (right) | 91.0 % (90.0–92.0) | 86.1 % | majority | yes |"
    )


def test_exams_of_several_texts_are_found_wherever_they_stand():
    found = results_of("hidden", {"model": "x", "texts": [EXAM, {**EXAM, "text": "tales"}], "overall": EXAM})
    assert len(found.splitlines()) == 2 + 3


@pytest.mark.parametrize("count", [1, 3, 12, 13, 100])
def test_a_dozen_points_of_a_log_with_the_last(count):
    log = [{"step": step, "loss": 5.0, "held_out_loss": 4.0} for step in range(1, count + 1)]
    rows = log_table(log).splitlines()[2:]
    assert len(rows) == min(count, 12)
    assert rows[-1].startswith(f"| {count} |")
