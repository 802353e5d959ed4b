"""A model that was trained in stages, or otherwise than it was begun, tells of all that made it."""

import json
import re
import shutil

import pytest

from mini_bert import ModelConfig, TrainingConfig, from_pretrained, new_run, resumed_run
from mini_bert.evaluation.intrinsic.exam_text import text_behind
from mini_bert.pretrained import stages
from mini_bert.pretrained.average import average
from mini_bert.pretrained.card import recipe
from mini_bert.pretrained.packing import pack
from mini_bert.pretrained.places import model_folder
from mini_bert.pretrained.training_record import record_in
from mini_bert.run_reports.summary import summary_of
from mini_bert.training.going_on import origin_of
from mini_bert.training.run_folder import RunFolder
from tests.unit.packing.samples import MANIFEST


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
    assert "| tatoeba | CC BY 2.0 FR | 95 | 1.5 | 90 |" in text
    for stage in stages:
        assert re.search(rf"\| {stage['text']['tokens']:,} \| [\d.]+ % \| {stage['tokens']:,} \|", text)
    mine = tmp_path / "mine.json"
    books = MANIFEST["sources"]["books"]
    given = {"format": 1, "sources": {"mine": books | {"train": books["train"] | {"documents": 120}}}}
    mine.write_text(json.dumps(MANIFEST))
    with pytest.raises(ValueError, match=r"tells of 100 documents .*, and the model read 120 \(world:120\)"):
        pack(again.folder, again.folder, manifest=mine, replace=True)
    mine.write_text(json.dumps(given))
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


def seldom_logged(folder, stop_at=None):
    """A run of 20 steps that logs every 10 and saves every 3, and may be stopped before."""
    changes = {
        "corpus": ["world:100"],
        "budget": {"steps": 20},
        "logging": {"every": 10, "evaluate_every": 100, "inspect_every": 100, "exam_rows": 8},
        "saving": {"every": 3, "keep": 20},
    }
    with new_run(TrainingConfig.named("debugging", changes), folder) as trainer:
        trainer.listen = lambda metrics: trainer.stop() if metrics["step"] == stop_at else None
        trainer.run()
    return folder


@pytest.fixture(scope="module")
def seldom(tmp_path_factory):
    return seldom_logged(tmp_path_factory.mktemp("runs") / "seldom")


def spent_at(checkpoint):
    return json.loads((checkpoint / "state.json").read_text("utf-8"))["progress"]["spent"]


def test_a_checkpoint_between_two_lines_of_the_log_tells_what_it_spent_itself(seldom, tmp_path):
    for step in (3, 9, 18):
        checkpoint = seldom / "checkpoints" / f"step-{step:08d}"
        found = record_in(checkpoint)
        assert {name: found[name] for name in stages.COUNTED} == spent_at(checkpoint)
        assert (found["steps"], found["is_finished"]) == (step, False)
        assert [line["step"] for line in found["log"]] == [10] * (step > 10)
    packed = pack(seldom / "checkpoints" / "step-00000009", tmp_path / "nine", most_rows=4)
    text = " ".join((packed.folder / "README.md").read_text("utf-8").split())
    tokens = record_in(packed.folder)["tokens"]
    assert tokens > 0
    assert re.search(r"Training took 9 steps and .*, and was not finished when the model was packed;", text)
    assert f"Training saw {tokens:,} tokens" in text
    last = record_in(seldom / "checkpoints" / "last")
    assert (last["steps"], last["is_finished"]) == (20, True)


def test_the_mean_of_checkpoints_between_two_lines_tells_their_own_tokens(seldom, tmp_path):
    ends = [seldom / "checkpoints" / f"step-{step:08d}" for step in (12, 18)]
    found = average(ends, tmp_path / "mean", most_rows=4)
    (stage,) = record_in(found.folder)["stages"]
    assert stage["averaged"] == [spent_at(end)["tokens"] for end in ends]
    assert stage["averaged"][0] < stage["averaged"][1]


def test_a_run_that_was_stopped_is_told_on_its_card_as_in_the_list_of_runs(tmp_path):
    run = seldom_logged(tmp_path / "run", stop_at=17)
    found, listed = record_in(model_folder(run)), summary_of(RunFolder(run))
    assert (found["steps"], found["tokens"], found["seconds"]) == (17, listed.tokens, listed.seconds)
    assert (found["is_finished"], listed.state) == (False, "unfinished")


@pytest.mark.parametrize("place", [".", "kept", "kept/model", "checkpoints/of-another/model"])
def test_a_model_that_merely_lies_in_a_run_is_not_told_as_its_checkpoint(run, tmp_path, place):
    shutil.copytree(run, tmp_path / "run")
    folder = tmp_path / "run" / place
    from_pretrained(model_folder(run)).save(folder)
    checkpoint = tmp_path / "run" / "checkpoints" / "last"
    assert record_in(folder) is None
    assert record_in(checkpoint)["steps"] == 20
    assert text_behind(from_pretrained(folder)) is None
    assert text_behind(from_pretrained(checkpoint)) is not None
    assert origin_of(folder).corpus == ()
    assert origin_of(checkpoint).corpus


def test_a_checkpoint_tells_what_it_can_if_its_state_is_old_or_gone(seldom, tmp_path):
    shutil.copytree(seldom, tmp_path / "run")
    checkpoint = tmp_path / "run" / "checkpoints" / "step-00000018"
    spent, file = spent_at(checkpoint), checkpoint / "state.json"
    file.write_text(json.dumps({"progress": {"spent": spent}}))
    found = record_in(checkpoint)
    assert (found["steps"], found["tokens"], found["is_finished"]) == (18, spent["tokens"], False)
    assert found["settings"]["budget"]["steps"] == 20
    file.unlink()
    found = record_in(checkpoint)
    assert (found["steps"], found["tokens"], found["is_finished"]) == (10, found["log"][-1]["tokens"], False)


@pytest.mark.parametrize("state", ["{", "[]", '{"settings": {}, "progress": 3}', '{"progress": {}}'])
def test_a_damaged_state_is_named_with_the_remedy(run, tmp_path, state):
    shutil.copytree(run, tmp_path / "run")
    checkpoint = tmp_path / "run" / "checkpoints" / "best"
    (checkpoint / "state.json").unlink()
    (checkpoint / "state.json").write_text(state)
    with pytest.raises(ValueError, match=r"state\.json: .*; restore it, or remove it: the settings are then"):
        record_in(checkpoint)
    (checkpoint / "state.json").unlink()
    assert record_in(checkpoint)["settings"]["budget"]["steps"] == 20


def written_into(run, folder, name, content):
    """A file of a copy of the run, with this content."""
    shutil.copytree(run, folder)
    (folder / name).write_text(content)
    return folder / name


@pytest.mark.parametrize(
    ("before", "wrong"), [("{", r"not JSON \(.*\)"), ("[]", "expected one object with names")]
)
def test_a_damaged_record_of_what_was_before_is_named_with_the_remedy(packed, run, tmp_path, before, wrong):
    file = written_into(run, tmp_path / "run", "before.json", before)
    told = rf"before\.json: {wrong}; restore it, or remove it: the model that the run went on from"
    with pytest.raises(ValueError, match=told):
        pack(tmp_path / "run", tmp_path / "packed", most_rows=4)
    with pytest.raises(ValueError, match=told):
        average([packed.folder, tmp_path / "run"], tmp_path / "mean", most_rows=4)
    file.unlink()
    assert "stages" not in record_in(tmp_path / "run" / "checkpoints" / "best")


@pytest.mark.parametrize(
    ("facts", "wrong"),
    [
        ("{", r"not JSON \(.*\)"),
        ("[]", "expected one object with names"),
        ('{"tokens": 3}', "'corpus' is missing"),
    ],
)
def test_damaged_facts_are_named_with_the_remedy(run, tmp_path, facts, wrong):
    file = written_into(run, tmp_path / "run", "facts.json", facts)
    told = rf"facts\.json: {wrong}; restore it, or remove it: the card then tells nothing of the text"
    with pytest.raises(ValueError, match=told):
        pack(tmp_path / "run", tmp_path / "packed", most_rows=4)
    file.unlink()
    assert record_in(tmp_path / "run" / "checkpoints" / "best")["facts"] == {}


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
    assert "in no part of training before stage 1 is not known" in text
    assert "Of the text of stage 1 nobody has told the sources" in text
