"""A run becomes a folder that can be shipped, and results of its own weights go into it."""

import json
import os
import shutil
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file

from mini_bert import TrainingConfig, from_pretrained, new_run
from mini_bert.pretrained.packing import pack
from mini_bert.pretrained.places import model_folder
from tests.unit.packing.samples import EXAM, of


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


def test_nothing_tells_of_the_machine(packed):
    for path in packed.folder.iterdir():
        assert str(packed.folder.parent).encode() not in path.read_bytes()
        assert b"/somewhere" not in path.read_bytes()


def test_files_that_are_not_the_models_are_not_lost(packed, tmp_path):
    shutil.copytree(packed.folder, tmp_path / "tiny")
    (tmp_path / "tiny/my_notes.txt").write_text("mine")
    with pytest.raises(ValueError, match=r"also holds my_notes\.txt, which --replace would delete"):
        pack(tmp_path / "tiny", tmp_path / "tiny", replace=True)
    assert (tmp_path / "tiny/my_notes.txt").read_text() == "mine"


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


@pytest.mark.parametrize("told", ["the original", "nothing", "the rounded weights"])
def test_rounded_weights_are_never_told_as_their_own_original(packed, run, tmp_path, told):
    place = tmp_path / "tiny"
    shutil.copytree(packed.folder, place)
    measured = json.loads((place / "evaluation.json").read_text("utf-8"))
    assert measured["storage"]["largest_relative_error"] > 0
    original = measured.pop("packed_from")
    measured["results"] = {}
    names = {"the original": original, "the rounded weights": packed.weights}
    if told in names:
        measured["packed_from"] = names[told]
    (place / "evaluation.json").write_text(json.dumps(measured))
    pack(place, tmp_path / "again")
    again = json.loads((tmp_path / "again" / "evaluation.json").read_text("utf-8"))
    assert again.get("packed_from") == (original if told == "the original" else None)


def test_a_result_without_weights_is_refused_where_the_original_is_unknown(packed, tmp_path):
    place, result = tmp_path / "tiny", tmp_path / "hidden.json"
    shutil.copytree(packed.folder, place)
    measured = json.loads((place / "evaluation.json").read_text("utf-8"))
    del measured["packed_from"]
    (place / "evaluation.json").write_text(json.dumps(measured | {"results": {}}))
    result.write_text(json.dumps(EXAM))
    with pytest.raises(ValueError, match="does not say of which weights it tells"):
        pack(place, tmp_path / "again", results=[result])


def test_a_newer_result_of_an_exam_takes_the_place_of_the_older(packed, tmp_path):
    newer = tmp_path / "again.json"
    newer.write_text(
        json.dumps(EXAM | {"text": "/elsewhere/tatoeba.txt.gz", "masked_accuracy": 0.6} | of(packed.folder))
    )
    again = pack(packed.folder, tmp_path / "tiny", results=[newer])
    assert again.replaced == again.as_dict()["replaced"] == ["hidden"]
    assert list(json.loads((again.folder / "evaluation.json").read_text("utf-8"))["results"]) == ["again"]
    assert (again.folder / "README.md").read_text("utf-8").count("### Hidden words") == 1


@pytest.mark.parametrize(
    ("given", "named"), [({"texts": ["world:100"]}, "--text"), ({"most_rows": 4}, "--max-rows")]
)
def test_a_comparison_is_refused_where_the_original_is_gone(given, named, packed, tmp_path):
    with pytest.raises(
        ValueError, match=rf"was compared with its original when it was packed.*leave {named} out"
    ):
        pack(packed.folder, tmp_path / "again", **given)


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
    "no settings": (
        "training.json",
        {"settings": ...},
        r"training\.json: 'settings' is missing; restore it, or remove it:",
    ),
    "something else": ("training.json", '{"a": 3}', r"training\.json: 'settings' is missing; restore it"),
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
    "a word for a score": (
        "evaluation.json",
        {"results": {"a": EXAM | {"masked_accuracy": "high"}}},
        r"evaluation\.json, a: damaged \(.*\); ",
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


def test_a_failure_leaves_nothing_behind(run, tmp_path, monkeypatch):
    monkeypatch.setattr("mini_bert.pretrained.packing.write_card", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        pack(run, tmp_path / "packed", most_rows=4)
    assert list(tmp_path.iterdir()) == []


def test_a_model_that_was_to_be_replaced_stands_if_the_new_one_cannot(packed, tmp_path, monkeypatch):
    place = tmp_path / "tiny"
    shutil.copytree(packed.folder, place)
    before = (place / "model.safetensors").read_bytes()
    rename = os.replace

    def full(source, target):
        if Path(source).suffix == ".tmp" and Path(target) == place:
            raise OSError("no room")
        rename(source, target)

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(OSError, match="no room"):
        pack(place, place, remarks=["A remark."], replace=True)
    assert (place / "model.safetensors").read_bytes() == before
    assert list(tmp_path.iterdir()) == [place]
