"""A run becomes a folder that can be shipped, with a card that says what was measured."""

import doctest
import json
import re
import shutil
from pathlib import Path

import numpy as np
import pytest
import yaml
from safetensors.numpy import load_file

from mini_bert import ModelConfig, TrainingConfig, from_pretrained, new_run, resumed_run
from mini_bert.cli import main
from mini_bert.models.digest import weights_digest
from mini_bert.pretrained import card, card_recipe, card_tables, exams, stages
from mini_bert.pretrained.card import card_of, recipe
from mini_bert.pretrained.card_prose import LEANINGS_OF
from mini_bert.pretrained.card_tables import log_table, stage_table
from mini_bert.pretrained.packing import pack
from mini_bert.pretrained.places import model_folder
from mini_bert.pretrained.training_record import record_in
from mini_bert.tokenizers.wordpiece import WordPieceTokenizer
from mini_bert.training import changes

MANIFEST = {
    "format": 1,
    "sources": {
        "tatoeba": {
            "licence": "CC BY 2.0 FR",
            "attribution": "Tatoeba and its contributors",
            "train": {
                "file": "train/tatoeba.txt.gz",
                "documents": 9000,
                "characters": 1_500_000,
                "sha256": next(iter(LEANINGS_OF)),
            },
            "held_out": {"file": "held_out/tatoeba.txt.gz", "documents": 90, "characters": 15_000},
        },
        "books": {
            "licence": "public domain",
            "attribution": "their authors",
            "train": {"file": "train/books.txt.gz", "documents": 5, "characters": 500_000, "sha256": "other"},
            "held_out": {"file": "held_out/books.txt.gz", "documents": 2, "characters": 9_000},
        },
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


def of(source) -> dict[str, str]:
    """What a result says of the weights that it tells of."""
    return {"weights": weights_digest(from_pretrained(model_folder(source)))}


@pytest.fixture(scope="module")
def packed(run, tmp_path_factory):
    folder = tmp_path_factory.mktemp("packed") / "tiny"
    exam = folder.parent / "hidden.json"
    exam.write_text(json.dumps(EXAM | of(run)))
    manifest = folder.parent / "corpus.json"
    manifest.write_text(json.dumps(MANIFEST))
    return pack(run, folder, results=[exam], manifest=manifest, most_rows=16)


@pytest.mark.parametrize(
    "module", [card, stages, card_tables, card_recipe, changes, exams], ids=lambda module: module.__name__
)
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


def test_the_model_is_the_one_that_commands_examine_in_half_precision(packed, run):
    stored = load_file(packed.folder / "model.safetensors")
    assert {tensor.dtype for tensor in stored.values()} == {np.dtype("float16")}
    original, found = from_pretrained(run / "checkpoints" / "best"), from_pretrained(packed.folder)
    assert np.array_equal(found.arena.flat, original.arena.flat.astype(np.float16).astype(np.float32))
    assert found.tokenizer.fingerprint() == original.tokenizer.fingerprint()
    assert found.config == original.config


def test_what_was_measured(packed, run):
    told = json.loads((packed.folder / "evaluation.json").read_text("utf-8"))
    assert told["storage"] == packed.storage
    assert told["storage"]["largest_relative_error"] <= 2.0**-11
    assert told["storage"]["same_first_guess"]["value"] > 0.95
    assert told["storage"]["loss_after"] == pytest.approx(told["storage"]["loss_before"], abs=1e-3)
    assert told["storage"]["positions"] > 50
    assert told["weights"] == packed.weights == of(packed.folder)["weights"]
    assert told["packed_from"] == of(run)["weights"] != packed.weights
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
    assert text == card_of(packed.folder)
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
        "is asked to name all 2 sources",
        "| 1 | 0.0 | 20 | 0.00 | 1 | adamw |",
        "The held-out text of books is 2 documents",
        "| tatoeba | 51.2 % (50.0–52.4) | 17.2 | 31.0 % / 90.5 | 8.0 % / 600.0 | 5,120 |",
        "reads at most 32 tokens",
        "[MASK] is a nurse.",
        "28 % of the Tatoeba sentences",
        "First guesses: ",
    ):
        assert words in body
    assert "19.8 %" not in body  # counted with five sources, of which these are one and another
    assert "a hundred years old" not in body  # said of other books than these
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
    assert re.search(r"\| 2 \| 0.0 \| 10 \| 0.00 \| 1 \| adamw \| 0.0005 \|", text)
    assert f"Training saw {now['tokens']:,} tokens" in text


def test_a_run_on_other_text_keeps_the_licences_of_the_model_it_went_on_from(packed, tmp_path):
    changes = {"init": str(packed.folder), "corpus": ["world:120"], "budget": {"steps": 4}}
    with new_run(TrainingConfig.named("finetuning", changes), tmp_path / "run") as trainer:
        trainer.run()
    again = pack(tmp_path / "run", tmp_path / "longer", most_rows=4)
    assert json.loads((again.folder / "corpus.json").read_text("utf-8")) == MANIFEST
    stages = json.loads((again.folder / "training.json").read_text("utf-8"))["stages"]
    assert [stage["text"].get("sources") for stage in stages] == [["tatoeba", "books"], None]
    text = (again.folder / "README.md").read_text("utf-8")
    assert "| tatoeba | CC BY 2.0 FR | 9,000 | 1.5 | 90 |" in text
    for stage in stages:
        assert re.search(rf"\| {stage['text']['tokens']:,} \| [\d.]+ % \| {stage['tokens']:,} \|", text)
    mine = tmp_path / "mine.json"
    mine.write_text(json.dumps({"format": 1, "sources": {"mine": MANIFEST["sources"]["books"]}}))
    pack(again.folder, again.folder, manifest=mine, replace=True)
    told = json.loads((again.folder / "corpus.json").read_text("utf-8"))
    assert list(told["sources"]) == ["tatoeba", "books", "mine"]


def test_what_was_changed_on_the_way_is_told_of_the_weights_that_it_made(run, tmp_path):
    shutil.copytree(run, tmp_path / "run")
    shutil.rmtree(tmp_path / "run" / "checkpoints" / "best")
    with resumed_run(tmp_path / "run", budget={"steps": 24}) as trainer:
        trainer.run()
        spent = trainer.progress.spent.tokens
    change = {"step": 20, "tokens": spent * 20 // 24, "budget.steps": [20, 24]}
    folders = {
        step: tmp_path / "run" / "checkpoints" / name
        for step, name in {20: "step-00000020", 24: "last"}.items()
    }
    told = {}
    for step, folder in folders.items():
        packed = pack(folder, tmp_path / str(step), most_rows=4)
        told[step] = json.loads((packed.folder / "training.json").read_text("utf-8"))
        assert told[step]["settings"]["budget"]["steps"] == step
    assert (told[20]["changes"], told[24]["changes"]) == ([], [change])
    text = (tmp_path / "24" / "README.md").read_text("utf-8")
    assert "Changed in stage 1, after step 20 and 0.0 million tokens: budget.steps 20 → 24; warm-up," in text
    assert "Changed in" not in (tmp_path / "20" / "README.md").read_text("utf-8")


def test_a_checkpoint_that_has_spent_its_budget_is_finished_though_the_run_goes_on(run, tmp_path):
    shutil.copytree(run, tmp_path / "run")
    with resumed_run(tmp_path / "run", budget={"steps": 40}) as trainer:
        trainer.progress.spent.steps += 1
        trainer.save()
    for name, finished in {"step-00000020": True, "last": False}.items():
        assert record_in(tmp_path / "run" / "checkpoints" / name)["is_finished"] is finished


@pytest.mark.parametrize("state", ["{", "[]", '{"settings": {}, "progress": 3}'])
def test_a_damaged_state_is_named_with_the_remedy(run, tmp_path, state):
    shutil.copytree(run, tmp_path / "run")
    checkpoint = tmp_path / "run" / "checkpoints" / "best"
    (checkpoint / "state.json").unlink()
    (checkpoint / "state.json").write_text(state)
    with pytest.raises(ValueError, match=r"state\.json: .*; restore it, or remove it: the settings are then"):
        record_in(checkpoint)
    (checkpoint / "state.json").unlink()
    assert record_in(checkpoint)["settings"]["budget"]["steps"] == 20


def test_a_change_is_told_of_its_own_stage(packed):
    training = json.loads((packed.folder / "training.json").read_text("utf-8"))
    change = {"step": 5, "tokens": 900_000, "seed": [0, 1]}
    both = stages.continued(training | {"changes": [change]}, training)
    (text,) = recipe(ModelConfig(), both)
    before, after = text.split("The settings of the last:")
    assert "Changed in stage 1, after step 5 and 0.9 million tokens: seed 0 → 1." in before
    assert "→ 1" not in after
    (text,) = recipe(ModelConfig(), stages.continued(both, training | {"changes": [change]}))
    assert re.findall(r"Changed in stage (\d), after step 5", text) == ["1", "3"]


def test_a_run_remembers_how_it_began_whatever_lies_there_later(packed, tmp_path):
    place = tmp_path / "model"
    shutil.copytree(packed.folder, place)
    changes = {"init": str(place), "corpus": ["world:100"], "budget": {"steps": 4}, "logging": {"every": 2}}
    with new_run(TrainingConfig.named("finetuning", changes), tmp_path / "run") as trainer:
        trainer.run()
    further = changes | {"init": str(tmp_path / "run")}
    with new_run(TrainingConfig.named("finetuning", further), tmp_path / "further") as trainer:
        trainer.run()
    stages = []
    for run in ("run", "run", "further"):
        pack(tmp_path / run, place, replace=True, most_rows=4)
        told = json.loads((place / "training.json").read_text("utf-8"))
        stages.append([stage["steps"] for stage in told["stages"]])
    assert stages == [[20, 4], [20, 4], [20, 4, 4]]
    shutil.rmtree(place)
    (tmp_path / "run" / "before.json").unlink()
    pack(tmp_path / "run", place, most_rows=4)
    text = " ".join((place / "README.md").read_text("utf-8").split())
    assert "of whose training no record was kept" in text


def test_what_was_not_recorded_is_not_counted_as_nothing():
    settings = {"optimizer": {"kind": "muon"}, "batch": {"size": 64}, "masking": {"share": 0.15}}
    stage = {"tokens": 2_000_000, "steps": 10, "seconds": None, "settings": settings}
    assert stage_table([stage]).splitlines()[-1] == (
        "| 1 | 2.0 | 10 | not recorded | not recorded | muon | not recorded | not recorded | 64 | 0.15 | not recorded |"
    )


def test_nothing_tells_of_the_machine(packed):
    for path in packed.folder.iterdir():
        assert str(packed.folder.parent).encode() not in path.read_bytes()
        assert b"/somewhere" not in path.read_bytes()


def test_results_can_be_added_to_a_packed_model(packed, tmp_path):
    more = tmp_path / "classes.json"
    more.write_text(json.dumps({"accuracy": 0.82, "by_seed": [0.81, 0.82], **of(packed.folder)}))
    shutil.copytree(packed.folder, tmp_path / "tiny")
    again = pack(tmp_path / "tiny", tmp_path / "tiny", results=[more], replace=True)
    before, now = (json.loads((one.folder / "evaluation.json").read_text("utf-8")) for one in (packed, again))
    assert now["storage"] == before["storage"]
    assert (packed.compared_before, again.compared_before) == (False, True)
    assert list(now["results"]) == ["hidden", "classes"]
    assert "| by_seed › 1 | 0.81 |" in (again.folder / "README.md").read_text("utf-8")
    for name in ("training.json", "corpus.json", "model.safetensors"):
        assert (again.folder / name).read_bytes() == (packed.folder / name).read_bytes()


def test_a_newer_result_of_an_exam_takes_the_place_of_the_older(packed, tmp_path):
    newer = tmp_path / "again.json"
    newer.write_text(
        json.dumps(EXAM | {"text": "/elsewhere/tatoeba.txt.gz", "masked_accuracy": 0.6} | of(packed.folder))
    )
    again = pack(packed.folder, tmp_path / "tiny", results=[newer])
    assert again.replaced == again.as_dict()["replaced"] == ["hidden"]
    assert list(json.loads((again.folder / "evaluation.json").read_text("utf-8"))["results"]) == ["again"]
    assert (again.folder / "README.md").read_text("utf-8").count("### Hidden words") == 1


def test_text_to_compare_on_is_refused_where_the_original_is_gone(packed, tmp_path):
    with pytest.raises(
        ValueError, match=r"was compared with its original when it was packed.*leave --text out"
    ):
        pack(packed.folder, tmp_path / "again", texts=["world:100"])


DAMAGE = {
    "no steps": (
        "training.json",
        {"steps": ...},
        r"training\.json: 'steps' is missing; restore it, or remove it:",
    ),
    "no count": (
        "training.json",
        {"facts": {"tokens": 3}},
        r"training\.json: 'documents' is missing; restore it",
    ),
    "text for a log": ("training.json", {"log": "none"}, r"training\.json: damaged \(.*\); restore it"),
    "no JSON": ("training.json", "{", r"training\.json: not JSON .*; restore it, or remove it:"),
    "a list": ("training.json", "[]", r"training\.json: expected one object with names; restore it"),
    "no text": (
        "corpus.json",
        {"sources": {"x": {"licence": "", "attribution": ""}}},
        r"corpus\.json: not a corpus",
    ),
    "no loss": (
        "evaluation.json",
        {"storage": {}},
        r"evaluation\.json: 'same_first_guess' is missing; restore it",
    ),
    "no storage": (
        "evaluation.json",
        {"storage": ...},
        r"evaluation\.json: 'storage' is missing; restore it",
    ),
    "no score": (
        "evaluation.json",
        {"results": {"a": {"paradigms": {}}}},
        r"evaluation\.json, a: 'baselines' is missing",
    ),
    "of others": (
        "evaluation.json",
        {"results": {"a": {"weights": "0"}}},
        r"evaluation\.json: a tells of other weights",
    ),
}


@pytest.mark.parametrize(("file", "changes", "told"), DAMAGE.values(), ids=DAMAGE)
def test_a_damaged_file_is_named_with_the_remedy(packed, tmp_path, file, changes, told):
    place = tmp_path / "tiny"
    shutil.copytree(packed.folder, place)
    content = changes
    if isinstance(changes, dict):
        whole = json.loads((place / file).read_text("utf-8")) | changes
        content = json.dumps({key: value for key, value in whole.items() if value is not ...})
    (place / file).write_text(content)
    with pytest.raises(ValueError, match=told):
        pack(place, tmp_path / "again")
    assert not (tmp_path / "again").exists()


@pytest.mark.parametrize("gone", [None, "evaluation.json"])
def test_other_weights_do_not_get_the_results_of_those_that_were_packed(packed, tmp_path, gone):
    place = tmp_path / "tiny"
    shutil.copytree(packed.folder, place)
    other = from_pretrained(place)
    other.arena.flat[:] *= 1.5
    other.save(place)
    if gone:
        (place / gone).unlink()
    refused = pytest.raises(
        ValueError, match=r"tiny: evaluation\.json and training\.json are not of the weights"
    )
    with refused:
        pack(place, tmp_path / "again", most_rows=4)
    with refused, new_run(TrainingConfig.named("debugging", {"init": str(place)}), tmp_path / "further"):
        pytest.fail("the record of other weights was taken over")
    assert not (tmp_path / "further").exists()
    for name in ("evaluation.json", "training.json", "corpus.json"):
        (place / name).unlink(missing_ok=True)
    again = pack(place, tmp_path / "again", most_rows=4)
    assert json.loads((again.folder / "evaluation.json").read_text("utf-8"))["results"] == {}


def test_a_weight_that_float16_cannot_hold_is_named(run, tmp_path):
    model = from_pretrained(model_folder(run))
    model.arena["final_norm.weight"][0] = 7e4
    model.save(tmp_path / "model")
    model.tokenizer.save(tmp_path / "model")
    with pytest.raises(ValueError, match=r"final_norm\.weight holds 70000, and float16 ends at 65504"):
        pack(tmp_path / "model", tmp_path / "packed", most_rows=4)


def test_a_text_of_unknown_words_alone_says_so(run, tmp_path):
    (tmp_path / "foreign.txt").write_text("\n\n".join(["☃ " * 40] * 40), "utf-8")
    with pytest.raises(ValueError, match=r"foreign\.txt: not a word in it that the vocabulary knows"):
        pack(run, tmp_path / "packed", texts=[tmp_path / "foreign.txt"], most_rows=4)


def test_a_model_without_a_run_has_a_shorter_card(run, tmp_path):
    model = from_pretrained(run / "checkpoints" / "last")
    model.save(tmp_path / "model")
    found = pack(tmp_path / "model", tmp_path / "packed", most_rows=4)
    text = (found.folder / "README.md").read_text("utf-8")
    assert "## Recipe" not in text
    assert "## Data" not in text
    assert "curve.svg" not in found.files


def test_a_run_that_went_on_from_a_model_without_a_run_tells_its_own_text(run, tmp_path):
    from_pretrained(run / "checkpoints" / "last").save(tmp_path / "model")
    manifest = tmp_path / "corpus.json"
    manifest.write_text(json.dumps(MANIFEST))
    pack(tmp_path / "model", tmp_path / "first", manifest=manifest, most_rows=4)
    changes = {"init": str(tmp_path / "first"), "corpus": ["world:120"], "budget": {"steps": 2}}
    with new_run(TrainingConfig.named("finetuning", changes), tmp_path / "run") as trainer:
        trainer.run()
    found = pack(tmp_path / "run", tmp_path / "then", most_rows=4)
    text = " ".join((found.folder / "README.md").read_text("utf-8").split())
    assert "of whose training no record was kept" in text
    assert "| tatoeba | CC BY 2.0 FR |" in text
    assert "in no part of training before stage 1." in text
    assert "Of the text of stage 1 nobody has told the sources" in text


def test_commands_on_the_card_name_the_folder_whatever_the_model_is_called(run, tmp_path):
    found = pack(run, tmp_path / "my first", name="My BERT", most_rows=4)
    text = (found.folder / "README.md").read_text("utf-8")
    assert text == card_of(found.folder)
    assert "# My BERT" in text
    assert 'mini_bert.load("./my first")' in text
    assert text.count("--model './my first'") == 3
    assert "Text is lowercased and cut" in text


def test_commands_on_the_card_of_a_folder_that_is_called_like_a_shipped_model_are_for_the_folder(
    run, tmp_path
):
    found = pack(run, tmp_path / "mini", most_rows=4)
    text = (found.folder / "README.md").read_text("utf-8")
    assert text == card_of(found.folder)
    assert 'mini_bert.load("./mini")' in text
    assert text.count("--model ./mini\n") == 3


def test_a_model_that_reads_capital_letters_is_not_said_to_lower_them(packed, tmp_path):
    place = tmp_path / "cased"
    shutil.copytree(packed.folder, place)
    tokenizer = WordPieceTokenizer.load(place, lowercase=False)
    for name in ("tokenizer.json", "tokenizer_config.json", "vocab.txt"):
        (place / name).unlink()
    tokenizer.save(place)
    text = card_of(place)
    assert "Text is cut into word pieces" in text
    assert "lowercased" not in text
    assert "without capital letters" not in text


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


def test_the_command_tells_what_is_not_new(packed, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    shutil.copytree(packed.folder, "tiny")
    hidden = json.loads(Path("tiny/evaluation.json").read_text("utf-8"))["results"]["hidden"]
    Path("newer.json").write_text(json.dumps(hidden | of(packed.folder)))
    assert main(["pack", "tiny", "--out", "tiny", "--replace", "--results", "newer.json"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "same first guess as the original, when it was first packed: ✓" in out
    assert "in the place of older results: hidden" in out


def test_another_model_than_before_is_no_success(run, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("mini_bert.pretrained.half_precision.WANTED_AGREEMENT", 1.1)
    assert main(["pack", str(run), "--out", str(tmp_path / "tiny"), "--max-rows", "4"]) == 1
    assert "✗" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("argv", "remedy"),
    [
        (["nowhere", "--out", "tiny"], "nowhere: no model here; name a run's folder"),
        (["mini-bets", "--out", "tiny"], "did you mean 'mini-best'?"),
        (["RUN", "--out", "."], ".: stands for a folder that is there; choose another --out"),
        (["RUN", "--out", "tiny", "--name", "two\nlines"], "'two\\nlines': a name is one line"),
        (
            ["RUN", "--out", "two\nlines"],
            "'two\\nlines': a name is one line of plain signs; give such a --name",
        ),
        (["RUN", "--out", "taken"], "taken: is there already, and no packed model"),
        (["RUN", "--out", "tiny", "--results", "broken.json"], "broken.json: not JSON"),
        (["RUN", "--out", "tiny", "--results", "list.json"], "list.json: expected one object"),
        (["RUN", "--out", "tiny", "--results", "silent.json"], "silent.json: does not say of which weights"),
        (["RUN", "--out", "tiny", "--results", "other.json"], "other.json: tells of other weights (0123)"),
        (
            ["RUN", "--out", "tiny", "--results", "half.json"],
            "half.json: 'baselines' is missing; examine the model again",
        ),
        (
            ["RUN", "--out", "tiny", "--results", "one.json", "--results", "two.json"],
            "two.json: tells of the same exam as one.json; give one of the two",
        ),
        (["RUN", "--out", "tiny", "--corpus", "gone.json"], "gone.json: no such file"),
        (
            ["RUN", "--out", "tiny", "--corpus", "silent.json"],
            "silent.json: not a corpus.json; mini-bert data build",
        ),
        (["RUN", "--out", "tiny", "--corpus", "sourceless.json"], "sourceless.json: not a corpus.json"),
        (["RUN", "--out", "tiny", "--corpus", "unlicensed.json"], "unlicensed.json: not a corpus.json"),
        (["RUN", "--out", "tiny", "--text", "gone.txt"], "gone.txt: no such file"),
    ],
)
def test_a_mistake_is_explained(run, tmp_path, monkeypatch, capsys, argv, remedy):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "letter.txt").write_text("mine")
    (tmp_path / "broken.json").write_text("{")
    (tmp_path / "list.json").write_text("[]")
    (tmp_path / "sourceless.json").write_text('{"format": 1, "sources": {}}')
    (tmp_path / "unlicensed.json").write_text('{"format": 1, "sources": {"mine": {}}}')
    (tmp_path / "half.json").write_text('{"paradigms": {}}')
    for name in ("one.json", "two.json"):
        (tmp_path / name).write_text(json.dumps(EXAM))
    (tmp_path / "silent.json").write_text('{"accuracy": 1.0}')
    (tmp_path / "other.json").write_text('{"accuracy": 1.0, "weights": "0123"}')
    assert main(["pack", *(str(run) if one == "RUN" else one for one in argv)]) == 2
    told = capsys.readouterr()
    assert remedy in told.err
    assert told.out == ""
    assert not (tmp_path / "tiny").exists()


@pytest.mark.parametrize("count", [1, 3, 12, 13, 100])
def test_a_dozen_points_of_a_log_with_the_last(count):
    log = [{"step": step, "loss": 5.0, "held_out_loss": 4.0} for step in range(1, count + 1)]
    rows = log_table(log).splitlines()[2:]
    assert len(rows) == min(count, 12)
    assert rows[-1].startswith(f"| {count} |")
