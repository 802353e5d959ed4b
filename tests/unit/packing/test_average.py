"""The mean of several weights of one training, its record, and what its card says of it."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
import yaml
from rich.text import Text

from mini_bert import MiniBERT, ModelConfig, TrainingConfig, from_pretrained, new_run, resumed_run
from mini_bert.cli import main
from mini_bert.cli.average import verdict
from mini_bert.data.world import texts as world_texts
from mini_bert.evaluation.intrinsic.row_scores import RowScores, score
from mini_bert.models.digest import weights_digest
from mini_bert.pretrained.average import Averaged, average, mean_of
from mini_bert.pretrained.hidden_words import exam_on, text_of
from mini_bert.pretrained.packing import pack
from mini_bert.pretrained.places import model_folder
from mini_bert.pretrained.training_record import record_in
from mini_bert.reports import silent
from mini_bert.tokenizers import WordPieceTokenizer
from mini_bert.training.parallel import Team
from mini_bert.training.validation import examine
from tests.unit.packing.samples import MANIFEST

FEW = {"most_rows": 4}
FURTHER = {"corpus": ["world:100"], "budget": {"steps": 6}, "logging": {"every": 2}, "seed": 3}


@pytest.fixture(scope="session")
def further(packed, tmp_path_factory):
    """A run that went on from the packed model."""
    return gone_on(packed.folder, tmp_path_factory.mktemp("runs") / "further")


def flat(folder):
    return from_pretrained(folder).arena.flat


def test_the_weights_are_the_mean(packed, further, tmp_path):
    found = average([packed.folder, further], tmp_path / "mean", **FEW)
    ends = [flat(packed.folder), flat(further / "checkpoints" / "best")]
    np.testing.assert_array_equal(flat(found.folder), np.mean(ends, axis=0, dtype=np.float64).astype("f4"))
    assert found.weights == weights_digest(from_pretrained(found.folder))
    assert from_pretrained(found.folder).tokenizer.encode("a dog") == from_pretrained(
        packed.folder
    ).tokenizer.encode("a dog")


def test_in_a_bowl_the_mean_is_better_by_half_the_spread():
    """L(w) = ½ wᵀHw with its least loss at 0, and three weights around it."""
    rng = np.random.default_rng(0)
    models = [MiniBERT(ModelConfig.preset("debug"), seed=seed, dtype="float64") for seed in range(3)]
    H = rng.uniform(0.1, 2.0, models[0].arena.flat.size)

    def loss(w):
        return float(w @ (H * w)) / 2

    ends = [model.arena.flat for model in models]
    pairs = [(0, 1), (0, 2), (1, 2)]
    gain = sum(loss(ends[i] - ends[j]) for i, j in pairs) / 9
    assert loss(mean_of(models).arena.flat) == pytest.approx(
        np.mean([loss(w) for w in ends]) - gain, rel=1e-12
    )


def test_each_is_examined_and_so_is_the_mean(packed, further, tmp_path):
    found = average([packed.folder, further], tmp_path / "mean", texts=["world:60"], **FEW)
    assert list(found.scores) == [str(packed.folder), str(further)]
    told = found.as_dict()
    least = min(one["loss"]["value"] for one in told["scores"].values())
    assert told["scores"][found.best]["loss"]["value"] == least
    assert found.gain.value == pytest.approx(least - told["mean"]["loss"]["value"], rel=1e-9)
    assert found.gain.low < found.gain.value < found.gain.high
    exam = exam_on(from_pretrained(found.folder), text_of(["world:60"]), 4, silent)
    with Team(1) as team:
        for place, scores in {
            found.folder: found.mean,
            packed.folder: found.scores[str(packed.folder)],
        }.items():
            model = from_pretrained(place)
            by_trainer = examine(model.network, model.arena, exam, team)
            assert score(scores, "loss").value == pytest.approx(by_trainer.loss, rel=1e-5)
            assert score(scores, "found").value == pytest.approx(by_trainer.accuracy)


def test_the_record_is_that_of_the_last_and_tells_what_the_mean_is_of(packed, further, tmp_path):
    found = average([further, packed.folder], tmp_path / "mean", **FEW)
    told, last, first = (
        record_in(one) for one in (found.folder, further / "checkpoints" / "best", packed.folder)
    )
    assert [stage["steps"] for stage in told["stages"]] == [20, 6]
    assert told["stages"][-1]["averaged"] == [first["tokens"], last["tokens"]]
    assert told["tokens"] == last["tokens"]
    assert told["manifest"]["sources"].keys() == MANIFEST["sources"].keys()
    assert not {"name", "packed_by"} & told.keys()
    shipped = pack(found.folder, tmp_path / "packed", **FEW)
    text = " ".join((shipped.folder / "README.md").read_text("utf-8").split())
    assert f"the mean of those after {first['tokens']:,} and {last['tokens']:,} tokens; no line" in text
    assert "Training took 26 steps" in text
    assert json.loads((shipped.folder / "corpus.json").read_text("utf-8")) == MANIFEST


def gone_on(start, folder, **changes):
    """A run from a model, or from scratch."""
    begin = (
        {"preset": "debug", "tokenizer": str(folder.parent / "unknown")}
        if start is None
        else {"init": str(start)}
    )
    config = TrainingConfig.named("finetuning", FURTHER | begin | changes)
    with new_run(config, folder) as trainer:
        trainer.run()
    return folder


def test_three_ends_of_one_line(packed, further, tmp_path):
    third = gone_on(further, tmp_path / "third", seed=4)
    found = average([third, packed.folder, further], tmp_path / "mean", **FEW)
    moments = [record_in(model_folder(one))["tokens"] for one in (packed.folder, further, third)]
    assert [stage.get("averaged") for stage in record_in(found.folder)["stages"]] == [None, None, moments]


def test_a_run_that_goes_on_from_a_mean_still_tells_of_it(packed, further, tmp_path):
    average([packed.folder, further], tmp_path / "mean", **FEW)
    third = gone_on(tmp_path / "mean", tmp_path / "third", seed=4)
    stages = record_in(third / "checkpoints" / "last")["stages"]
    assert ["averaged" in stage for stage in stages] == [False, True, False]
    found = average([tmp_path / "mean", third], tmp_path / "again", **FEW)
    stages = record_in(found.folder)["stages"]
    assert [len(stage.get("averaged", ())) for stage in stages] == [0, 2, 2]


def test_checkpoints_of_one_run_though_a_setting_was_changed_on_the_way(run, tmp_path):
    shutil.copytree(run, tmp_path / "run")
    file = tmp_path / "run" / "config.yaml"
    settings = yaml.safe_load(file.read_text("utf-8"))
    settings["optimizer"]["weight_decay"] = 0.02
    file.write_text(yaml.safe_dump(settings), "utf-8")
    with resumed_run(tmp_path / "run", budget={"steps": 24}) as trainer:
        trainer.run()
        spent = trainer.progress.spent.tokens
    ends = [tmp_path / "run" / "checkpoints" / name for name in ("last", "step-00000020")]
    found = average(ends, tmp_path / "mean", **FEW)
    (stage,) = record_in(found.folder)["stages"]
    assert stage["averaged"] == [spent * 20 // 24, spent]
    assert any("optimizer.weight_decay" in change for change in stage["changes"])


def test_models_without_a_record(packed, further, tmp_path):
    for name, source in {"one": packed.folder, "two": further / "checkpoints" / "best"}.items():
        from_pretrained(source).save(tmp_path / name)
    found = average([tmp_path / "one", tmp_path / "two"], tmp_path / "mean", **FEW)
    assert record_in(found.folder) is None
    run = gone_on(tmp_path / "one", tmp_path / "run")
    found = average([tmp_path / "one", run], tmp_path / "other", **FEW)
    (stage,) = record_in(found.folder)["stages"]
    assert stage["averaged"] == [None, record_in(model_folder(run))["tokens"]]


def sibling(packed, further, folder):
    return [further, gone_on(packed.folder, folder / "sibling", seed=5)]


def branch(packed, further, folder):
    """One that left a run before the other, later checkpoint of it."""
    run = gone_on(packed.folder, folder / "run", budget={"steps": 8}, saving={"every": 4, "keep": 3})
    return [run / "checkpoints" / "last", gone_on(run / "checkpoints" / "step-00000004", folder / "branch")]


def twin(packed, further, folder):
    """The same settings and text, and another start."""
    model = from_pretrained(packed.folder)
    starts = []
    for number in (1, 2):
        model.arena.flat[:] *= 1.01
        model.save(folder / f"start-{number}")
        starts.append(gone_on(folder / f"start-{number}", folder / f"run-{number}"))
    return starts


def mean_and_one_of_its_own(packed, further, folder):
    average([packed.folder, further], folder / "first mean", **FEW)
    return [further, folder / "first mean"]


def one_of_a_mean_and_what_went_on_from_the_mean(packed, further, folder):
    average([packed.folder, further], folder / "first mean", **FEW)
    return [further, gone_on(folder / "first mean", folder / "third", seed=4)]


def packed_without_a_record_beside_a_run_from_scratch(packed, further, folder):
    from_pretrained(packed.folder).save(folder / "model")
    pack(folder / "model", folder / "unknown", **FEW)
    return [folder / "unknown", gone_on(None, folder / "scratch")]


def foreign_weights_in_the_folder_of_a_run(packed, further, folder):
    shutil.copytree(further, folder / "run")
    model = from_pretrained(packed.folder)
    model.arena.flat[:] *= 1.01
    model.save(folder / "run" / "exported")
    return [folder / "run", folder / "run" / "exported"]


def checkpoint_of_another_run_in_the_folder_of_a_run(packed, further, folder):
    shutil.copytree(further, folder / "run")
    other = gone_on(packed.folder, folder / "other", budget={"steps": 4}, seed=4)
    shutil.copytree(other / "checkpoints" / "last", folder / "run" / "kept" / "last")
    return [folder / "run", folder / "run" / "kept" / "last"]


def packed_beside_its_run(packed, further, folder):
    pack(further, folder / "packed", **FEW)
    return [folder / "packed", further]


NOT_ONE = [
    sibling,
    branch,
    twin,
    mean_and_one_of_its_own,
    one_of_a_mean_and_what_went_on_from_the_mean,
    packed_without_a_record_beside_a_run_from_scratch,
    foreign_weights_in_the_folder_of_a_run,
    checkpoint_of_another_run_in_the_folder_of_a_run,
    packed_beside_its_run,
]


@pytest.mark.parametrize("made", NOT_ONE)
def test_what_is_not_one_training_is_refused(packed, further, tmp_path, made):
    models = made(packed, further, tmp_path)
    with pytest.raises(
        ValueError, match=r"did not go on from .*; average checkpoints of one run, with the model"
    ):
        average(models, tmp_path / "mean", **FEW)
    assert not (tmp_path / "mean").exists()


def test_a_damaged_record_is_named(packed, further, tmp_path):
    place = tmp_path / "tiny"
    shutil.copytree(packed.folder, place)
    record = json.loads((place / "training.json").read_text("utf-8"))
    (place / "training.json").write_text(json.dumps(record | {"stages": 5}))
    with pytest.raises(ValueError, match=r"tiny.training\.json: damaged .*; restore it"):
        average([place, further], tmp_path / "mean", **FEW)


def test_a_checkpoint_is_not_replaced(packed, further, tmp_path):
    place = tmp_path / "run"
    shutil.copytree(further, place)
    with pytest.raises(
        ValueError, match=r"last: is there already, and no packed model; choose another --out"
    ):
        average([packed.folder, further], place / "checkpoints" / "last", replace=True, **FEW)


@pytest.mark.parametrize("out", ["tiny", "further/../tiny", "further", "further/checkpoints/best"])
def test_a_model_that_the_mean_is_of_is_not_replaced(packed, further, tmp_path, out):
    shutil.copytree(packed.folder, tmp_path / "tiny")
    shutil.copytree(further, tmp_path / "further")
    (tmp_path / "further" / "checkpoints" / "best" / "state.json").unlink()
    with pytest.raises(ValueError, match=r"holds .*, which the mean is of .*; choose another --out"):
        average([tmp_path / "tiny", tmp_path / "further"], tmp_path / out, replace=True, **FEW)
    assert weights_digest(from_pretrained(tmp_path / "tiny")) == packed.weights


def other_vocabulary(packed, place):
    model = from_pretrained(packed.folder)
    model.tokenizer = WordPieceTokenizer.train(list(world_texts(60))[::-1], model.config.vocab_size)
    model.save(place)


def other_shape(packed, place):
    model = MiniBERT(from_pretrained(packed.folder).config.changed(num_layers=1))
    model.tokenizer = from_pretrained(packed.folder).tokenizer
    model.save(place)


@pytest.mark.parametrize(
    ("made", "told"),
    [
        (other_vocabulary, "has another vocabulary than"),
        (other_shape, "num_layers is 1, and 2 in"),
        (lambda packed, place: from_pretrained(packed.folder).save(place), "has the weights of"),
    ],
    ids=["vocabulary", "shape", "weights"],
)
def test_what_has_no_mean_is_refused_by_name(packed, tmp_path, made, told):
    from_pretrained(packed.folder).save(tmp_path / "one")
    made(packed, tmp_path / "two")
    with pytest.raises(ValueError, match=rf"two: {told}"):
        average([tmp_path / "one", tmp_path / "two"], tmp_path / "mean", **FEW)


def test_the_command(packed, further, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    shutil.copytree(packed.folder, "tiny")
    shutil.copytree(further, "further")
    argv = ["average", "tiny", "further", "--out", "mean", "--max-rows", "8"]
    assert main([*argv, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert list(told["scores"]) == ["tiny", "further"]
    assert told["mean"]["loss"]["value"] > 0
    assert main(argv) == 2
    assert "or --replace it" in capsys.readouterr().err
    assert main([*argv, "--replace"]) == 0
    out = capsys.readouterr().out
    assert "the mean" in out
    assert max(map(len, out.splitlines())) <= 80
    assert main(["fill-mask", "the dog is [MASK] .", "--model", "mean"]) == 0


def rows(*losses):
    return RowScores(np.full(len(losses), 10), np.full(len(losses), 5), 10 * np.array(losses))


@pytest.mark.parametrize(
    ("mean", "told"),
    [
        ([2.0, 2.1, 1.8], "✓ the mean has 0.5333 nats less loss than one (0.3"),
        (
            [2.0, 2.9, 2.0],
            "– the mean has 0.2000 nats less loss than one, which may be chance (-0.8828 to +1.2828)",
        ),
        (
            [2.2, 3.4, 2.2],
            "– the mean has 0.1000 nats more loss than one, which may be chance (-1.4110 to +1.6110)",
        ),
        ([2.7, 2.8, 2.7], "✗ the mean has 0.2333 nats more loss than one (0.0"),
        ([2.7, 2.8, 2.7], "which is better by itself"),
        ([3.0, 3.1, 2.9], "which is better by itself"),
        ([3.6, 4.1, 3.4], "more than they have on average, so a ridge lies between them"),
    ],
)
def test_the_verdict(mean, told):
    scores = {"one": rows(2.5, 2.6, 2.4), "two": rows(3.0, 3.9, 2.7)}
    found = verdict(Averaged(Path("mean"), "", "some text", scores, rows(*mean)))
    assert told in Text.from_markup(found).plain


def test_a_single_row_tells_nothing():
    found = Averaged(Path("mean"), "", "some text", {"one": rows(2.5), "two": rows(3.0)}, rows(2.0))
    assert "one row of text cannot tell" in verdict(found)


@pytest.mark.parametrize(
    ("models", "remedy"),
    [
        (["mini"], "mini: a mean is one of two models or more; name another"),
        (["mini", "mini-best", "mini"], "mini: named more than once; name each model once"),
        (["mini", "mini-best"], "mini-best: num_layers is 6, and 3 in mini; average models of one shape"),
        (["mini", "mini-bets"], "did you mean 'mini-best'?"),
    ],
)
def test_a_mistake_is_explained(tmp_path, capsys, models, remedy):
    assert main(["average", *models, "--out", str(tmp_path / "mean")]) == 2
    assert remedy in capsys.readouterr().err
