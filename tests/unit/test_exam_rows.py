"""The rows of a run's own exam: drawn from all of its text, the same for every run, and at every resumption."""

import json

import pytest

from mini_bert import TrainingConfig, new_run, resumed_run
from mini_bert.training.materials import materials

TALES = [f"The {animal} number {n} sleeps by the old river." for n in range(60) for animal in ("cat", "dog")]
LISTS = [f"In {year} the town had {year * 7 % 991} houses and one bridge." for year in range(1700, 1820)]
SETTINGS = {
    "unit": "line",
    "held_out": 0.5,
    "model": {"max_seq_length": 16, "vocab_size": 220},
    "budget": {"steps": 4},
    "logging": {"every": 1, "evaluate_every": 2, "exam_rows": 40},
    "saving": {"every": 2},
    "workers": 1,
}


@pytest.fixture
def corpus(tmp_path):
    for name, lines in (("1_tales", TALES), ("2_lists", LISTS)):
        (tmp_path / f"{name}.txt").write_text("\n".join(lines) + "\n", "utf-8")
    return str(tmp_path / "*.txt")


def config(corpus, **changes):
    return TrainingConfig.named("debugging", {**SETTINGS, "corpus": [corpus], **changes})


def documents_of(rows, count):
    return set(rows.places(0, min(count, rows.rows_per_epoch)).documents.ravel().tolist())


@pytest.mark.parametrize("changes", [{}, {"packed": False}])
def test_some_rows_of_many_come_from_all_files(corpus, tmp_path, changes):
    made = materials(config(corpus, **changes), tmp_path / "none")
    assert made.held_out.rows_per_epoch > 40
    asked = documents_of(made.held_out, 40)
    tales = sum(document < len(TALES) for document in asked)
    assert 0.25 < tales / len(asked) < 0.75


def test_the_same_rows_for_every_seed_and_none_that_is_trained_on(corpus, tmp_path):
    one, other = (materials(config(corpus, seed=seed), tmp_path / "none") for seed in (0, 1))
    assert (one.held_out[0:40] == other.held_out[0:40]).all()
    assert (one.rows[0:40] != other.rows[0:40]).any()
    assert not documents_of(one.held_out, 40) & set(one.rows.documents.tolist())


def test_rows_to_learn_from_may_begin_where_a_document_does_and_those_of_the_exam_stay_the_same(
    corpus, tmp_path
):
    cut, aligned = (materials(config(corpus, aligned=flag), tmp_path / "none") for flag in (False, True))
    begins_cut, begins_aligned = (
        (made.rows.places(0, made.rows.rows_per_epoch).offsets[:, 0] == 0).mean() for made in (cut, aligned)
    )
    assert begins_cut < 0.3 < 0.8 < begins_aligned
    assert (cut.held_out[0:40] == aligned.held_out[0:40]).all()


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"packed": False}, "packed=false each document has its own row"),
        ({"second_task": {"kind": "sentence-order"}}, "sentence-order are two passages each"),
    ],
)
def test_rows_that_are_not_packed_text_cannot_be_aligned(corpus, changes, told):
    with pytest.raises(ValueError, match=told):
        config(corpus, aligned=True, **changes)


def test_all_rows_come_as_they_stand_in_the_text(corpus, tmp_path):
    made = materials(config(corpus, logging={"exam_rows": 4000}), tmp_path / "none")
    places = made.held_out.places(0, made.held_out.rows_per_epoch).documents.ravel()
    assert (places[1:] >= places[:-1]).all()


def test_stories_of_the_world_come_as_they_are_told(tmp_path):
    made = materials(config("world:60", logging={"exam_rows": 10}), tmp_path / "none")
    assert made.held_out.rows_per_epoch > 10
    asked = documents_of(made.held_out, 10)
    assert asked == set(made.held_out.documents[: len(asked)].tolist())


def test_what_was_best_in_another_exam_is_not_what_is_to_be_beaten(corpus, tmp_path):
    with new_run(config(corpus), tmp_path / "run") as trainer:
        trainer.listen = lambda told: trainer.stop() if told["step"] == 2 else None
        trainer.run()
    saved = tmp_path / "run" / "config.yaml"
    with resumed_run(tmp_path / "run") as trainer:
        assert trainer.progress.best is not None
    saved.write_text(saved.read_text("utf-8").replace("exam_rows: 40", "exam_rows: 30"), "utf-8")
    with resumed_run(tmp_path / "run") as trainer:
        assert trainer.progress.best is None
        assert trainer.run() == "finished"
    state = json.loads((tmp_path / "run/checkpoints/best/state.json").read_text("utf-8"))
    assert state["progress"]["spent"]["steps"] == 4


@pytest.mark.parametrize("named", [False, True])
def test_old_text_is_told_from_what_the_model_before_has_not_seen(corpus, tmp_path, named):
    """However the new text is cut, and however much of it is held out."""
    with new_run(config(corpus, held_out=0.25), tmp_path / "old") as trainer:
        trainer.run()
        seen = set(trainer.materials.rows.documents.tolist())
    new = {"corpus": ["world:40"], "unit": "paragraph", "init": str(tmp_path / "old"), "budget": {"steps": 1}}
    text = {"old_corpus": [corpus]} if named else {}
    with new_run(
        TrainingConfig.named("finetuning", {**SETTINGS, **new, **text}), tmp_path / "new"
    ) as trainer:
        old = trainer.materials.old
        assert len(old.documents) == 60
        assert not set(old.documents.tolist()) & seen
        trainer.run()
    with resumed_run(tmp_path / "new") as again:
        assert again.materials.old.documents.tolist() == old.documents.tolist()


def test_a_run_that_does_not_say_how_its_old_text_was_cut_cuts_it_as_the_new(corpus, tmp_path):
    written = config(corpus, old_corpus=[corpus], init="mini").model_dump()
    del written["old_cut"]
    made = materials(TrainingConfig.parse(written), tmp_path / "none")
    assert made.old.documents.tolist() == made.held_out.documents.tolist()
