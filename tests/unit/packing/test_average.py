"""The mean of several weights of one training, its record, and what its card says of it."""

import json
import shutil

import numpy as np
import pytest

from mini_bert import MiniBERT, ModelConfig, TrainingConfig, from_pretrained, new_run, resumed_run
from mini_bert.cli import main
from mini_bert.data.world import texts as world_texts
from mini_bert.models.digest import weights_digest
from mini_bert.pretrained.average import average, mean_of
from mini_bert.pretrained.packing import pack
from mini_bert.pretrained.training_record import record_in
from mini_bert.tokenizers import WordPieceTokenizer
from tests.unit.packing.samples import MANIFEST

FEW = {"most_rows": 4}
FURTHER = {"corpus": ["world:100"], "budget": {"steps": 6}, "logging": {"every": 2}, "seed": 3}


@pytest.fixture(scope="session")
def further(packed, tmp_path_factory):
    """A run that went on from the packed model."""
    folder = tmp_path_factory.mktemp("runs") / "further"
    with new_run(
        TrainingConfig.named("finetuning", FURTHER | {"init": str(packed.folder)}), folder
    ) as trainer:
        trainer.run()
    return folder


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
    again = average([tmp_path / "mean", further], tmp_path / "again", texts=["world:60"], **FEW)
    assert list(found.scores) == [str(packed.folder), str(further)]
    assert again.scores[str(tmp_path / "mean")] == found.mean
    assert again.scores[str(further)] == found.scores[str(further)]
    least = min(score.loss for score in found.scores.values())
    assert found.is_better is (found.mean.loss < least)
    assert found.scores[found.best].loss == least


def test_the_record_is_that_of_the_last_and_tells_what_the_mean_is_of(packed, further, tmp_path):
    found = average([further, packed.folder], tmp_path / "mean", **FEW)
    told, last, first = (
        record_in(one) for one in (found.folder, further / "checkpoints" / "best", packed.folder)
    )
    assert [stage["steps"] for stage in told["stages"]] == [20, 6]
    assert told["stages"][-1]["averaged"] == [first["tokens"], last["tokens"]]
    assert told["tokens"] == last["tokens"]
    assert told["manifest"]["sources"].keys() == MANIFEST["sources"].keys()
    shipped = pack(found.folder, tmp_path / "packed", **FEW)
    text = " ".join((shipped.folder / "README.md").read_text("utf-8").split())
    assert "The weights of stage 2 are the mean of those after 0.0 and 0.0 million tokens" in text
    assert "Training took 26 steps" in text
    assert json.loads((shipped.folder / "corpus.json").read_text("utf-8")) == MANIFEST


def test_a_run_that_goes_on_from_a_mean_still_tells_of_it(packed, further, tmp_path):
    average([packed.folder, further], tmp_path / "mean", **FEW)
    config = TrainingConfig.named("finetuning", FURTHER | {"init": str(tmp_path / "mean"), "seed": 4})
    with new_run(config, tmp_path / "third") as trainer:
        trainer.run()
    stages = record_in(tmp_path / "third" / "checkpoints" / "last")["stages"]
    assert ["averaged" in stage for stage in stages] == [False, True, False]
    found = average([tmp_path / "mean", tmp_path / "third"], tmp_path / "again", **FEW)
    stages = record_in(found.folder)["stages"]
    assert [len(stage.get("averaged", ())) for stage in stages] == [0, 2, 2]


def test_checkpoints_of_one_run(run, tmp_path):
    shutil.copytree(run, tmp_path / "run")
    with resumed_run(tmp_path / "run", budget={"steps": 24}) as trainer:
        trainer.run()
        spent = trainer.progress.spent.tokens
    ends = [tmp_path / "run" / "checkpoints" / name for name in ("step-00000020", "last")]
    found = average(ends, tmp_path / "mean", **FEW)
    (stage,) = record_in(found.folder)["stages"]
    assert stage["averaged"] == [spent * 20 // 24, spent]


def test_models_without_a_record(packed, further, tmp_path):
    for name, source in {"one": packed.folder, "two": further / "checkpoints" / "best"}.items():
        from_pretrained(source).save(tmp_path / name)
    found = average([tmp_path / "one", tmp_path / "two"], tmp_path / "mean", **FEW)
    assert record_in(found.folder) is None
    with pytest.raises(
        ValueError, match=r"one: no record tells how it was trained, as one does of the others"
    ):
        average([tmp_path / "one", further], tmp_path / "other", **FEW)


def test_separate_trainings_are_refused(packed, further, tmp_path):
    with new_run(
        TrainingConfig.named("finetuning", FURTHER | {"init": str(packed.folder), "seed": 5}),
        tmp_path / "other",
    ) as trainer:
        trainer.run()
    with pytest.raises(ValueError, match=r"did not go on from .*; average checkpoints of one run"):
        average([further, tmp_path / "other"], tmp_path / "mean", **FEW)
    assert not (tmp_path / "mean").exists()


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
    assert told["mean"]["loss"] > 0
    assert main(argv) == 2
    assert "or --replace it" in capsys.readouterr().err
    assert main([*argv, "--replace"]) == 0
    out = capsys.readouterr().out
    assert "the mean" in out
    assert max(map(len, out.splitlines())) <= 80
    assert main(["fill-mask", "the dog is [MASK] .", "--model", "mean"]) == 0


def test_a_mean_that_is_worse_is_told(packed, further, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("mini_bert.pretrained.average.mean_of", lambda models: negated(models[0]))
    argv = ["average", str(packed.folder), str(further), "--out", str(tmp_path / "mean"), "--max-rows", "4"]
    assert main(argv) == 0
    assert "✗ the mean has more loss than" in " ".join(capsys.readouterr().out.split())


def negated(model):
    other = mean_of([model])
    other.arena.flat[:] *= -3
    return other


@pytest.mark.parametrize(
    ("models", "remedy"),
    [
        (["mini"], "mini: a mean is one of two models or more; name another"),
        (["mini", "mini-best"], "mini-best: num_layers is 6, and 3 in mini; average models of one shape"),
        (["mini", "mini-bets"], "did you mean 'mini-best'?"),
    ],
)
def test_a_mistake_is_explained(tmp_path, capsys, models, remedy):
    assert main(["average", *models, "--out", str(tmp_path / "mean")]) == 2
    assert remedy in capsys.readouterr().err
