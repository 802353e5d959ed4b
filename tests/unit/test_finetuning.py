"""Fine-tuning: what is learned, what is carried over, what is refused."""

from pathlib import Path

import numpy as np
import pytest

import mini_bert
from mini_bert.core.trace import Trace
from mini_bert.data.tasks import Labelled, TaggedSentence
from mini_bert.evaluation.downstream import exam as downstream
from mini_bert.evaluation.downstream.contest import as_dict, contest
from mini_bert.evaluation.downstream.simple_answers import simple_answers
from mini_bert.evaluation.estimate import Estimate
from mini_bert.evaluation.exam import DoesNotApply, Pace
from mini_bert.evaluation.forgetting import measure_catastrophic_forgetting, with_encoder_of
from mini_bert.evaluation.subject import Subject
from mini_bert.evaluation.task_folder import TaskFolder
from mini_bert.finetuning.config import FinetuningConfig
from mini_bert.finetuning.encoded import encoded_task, training_batches
from mini_bert.finetuning.heads import with_head
from mini_bert.finetuning.learning import finetune
from mini_bert.finetuning.saving import free_folder, save_finetuned
from mini_bert.finetuning.scores import point_score
from mini_bert.finetuning.sources import world_task
from mini_bert.finetuning.tasks import Task, answers_of, labelled_task
from mini_bert.inference.labels import classes_of, label_names, tags_of
from mini_bert.models.config import ModelConfig
from mini_bert.models.huggingface.reading import from_pretrained
from mini_bert.models.mini import MiniBERT
from mini_bert.reports import silent
from mini_bert.tokenizers import WordPieceTokenizer
from tests.unit.small_zoo import small_model

GLAD = ["She smiled all day.", "The picnic was lovely.", "He was so happy.", "They won a prize."]
SAD = ["It rained all day.", "The soup was awful.", "She was very sad.", "He lost his coat."]
MOODS = [*(Labelled(text, "glad") for text in GLAD), *(Labelled(text, "sad") for text in SAD)]
NAMES = [
    TaggedSentence(
        ("Amy", "Everett", "lives", "in", "Ostwick", "."), ("B-PER", "I-PER", "O", "O", "B-LOC", "O"), ""
    ),
    TaggedSentence(("The", "dog", "saw", "Ivan", "."), ("O", "O", "O", "B-PER", "O"), ""),
    TaggedSentence(("Ostwick", "is", "far", "."), ("B-LOC", "O", "O", "O"), ""),
]
THOROUGH = FinetuningConfig(epochs=25, batch=4, learning_rate=5e-3)
BRIEF = FinetuningConfig(epochs=2, batch=4, learning_rate=1e-3)


def model_with(tokenizer: WordPieceTokenizer, preset: str = "debug", **settings: object) -> MiniBERT:
    model = MiniBERT(ModelConfig.preset(preset, vocab_size=tokenizer.vocab_size, **settings))
    model.tokenizer = tokenizer
    return model


@pytest.fixture
def model(tokenizer: WordPieceTokenizer) -> MiniBERT:
    return model_with(tokenizer)


@pytest.fixture
def moods() -> Task:
    return labelled_task("moods", MOODS, MOODS)


def test_overfits_eight_examples(model: MiniBERT, moods: Task) -> None:
    result = finetune(model, moods, THOROUGH)
    assert result.epochs[-1].dev == 1
    assert result.epochs[-1].loss < 0.1 < 0.5 < result.epochs[0].loss
    assert [one.labels[0].name for one in classes_of(result.model, GLAD + SAD)] == ["glad"] * 4 + ["sad"] * 4


def test_pairs_are_told_apart_by_their_second_text(tokenizer: WordPieceTokenizer) -> None:
    model = model_with(
        tokenizer,
        "bert-tiny",
        hidden_size=32,
        num_layers=1,
        num_heads=2,
        intermediate_size=64,
        max_seq_length=32,
        dropout=0.0,
        attention_dropout=0.0,
        second_head="none",
    )
    pairs = [Labelled("He ate.", pair, text) for text, pair in zip(GLAD + SAD, "aaaabbbb", strict=True)]
    result = finetune(model, labelled_task("pairs", pairs, pairs), THOROUGH)
    assert result.answers == list("aaaabbbb")
    told = classes_of(result.model, ["He ate."] * 2, [GLAD[0], SAD[0]])
    assert [one.labels[0].name for one in told] == ["a", "b"]


def test_same_seed_same_bits(model: MiniBERT, moods: Task) -> None:
    before = model.arena.flat.copy()
    first, again, other = (finetune(model, moods, BRIEF, seed=seed) for seed in (1, 1, 2))
    assert np.array_equal(first.model.arena.flat, again.model.arena.flat)
    assert first.epochs == again.epochs
    assert not np.array_equal(first.model.arena.flat, other.model.arena.flat)
    assert np.array_equal(model.arena.flat, before)


def test_encoder_is_carried_over_and_the_head_is_drawn(model: MiniBERT) -> None:
    new, other = (with_head(model, "classes", ["a", "b", "c"], seed) for seed in (1, 2))
    for name, weight in new.arena.items():
        if name.startswith("head."):
            assert not name.endswith("weight") or not np.array_equal(weight, other.arena[name])
        else:
            assert np.array_equal(weight, model.arena[name]), name
    assert new.arena["head.output.weight"].shape == (3, model.config.hidden_size)


def test_a_pretrained_pooler_is_kept(tokenizer: WordPieceTokenizer) -> None:
    sizes = {
        "hidden_size": 32,
        "num_layers": 1,
        "num_heads": 2,
        "intermediate_size": 64,
        "max_seq_length": 32,
    }
    model = model_with(tokenizer, "bert-tiny", **sizes)
    assert model.config.second_head == "pairs"
    new = with_head(model, "classes", ["a", "b"])
    assert np.array_equal(
        new.arena["head.pooler.dense.weight"], model.arena["second_head.pooler.dense.weight"]
    )


def test_a_causal_model_speaks_with_its_last_token(tokenizer: WordPieceTokenizer, moods: Task) -> None:
    model = model_with(tokenizer, causal=True)
    new = with_head(model, "classes", ["a", "b"])
    assert new.config.pooled == "last"
    material = encoded_task(moods, new)
    batch = next(training_batches(material, new, 8, 0, 0))
    assert batch.inputs is not None
    assert np.array_equal(batch.positions[:, 0], batch.inputs["attention_mask"].sum(1) - 1)
    assert finetune(model, moods, THOROUGH).epochs[-1].dev == 1


def test_tags_stand_at_the_first_piece_of_each_word(model: MiniBERT) -> None:
    task = labelled_task("names", NAMES, NAMES, metric="f1")
    material = encoded_task(task, model)
    batch = next(training_batches(material, with_head(model, "tags", task.names), 8, None, 0))  # type: ignore[arg-type]
    assert float(batch.weights.sum()) == pytest.approx(1)
    assert np.count_nonzero(batch.weights) == 15
    tokenizer = model.tokenizer
    assert tokenizer is not None
    for ids, positions, labels, weights in zip(
        batch.ids, batch.positions, batch.labels, batch.weights, strict=True
    ):
        shown = [tokenizer.id_to_token[i] for i in ids[positions[weights > 0]]]
        assert not any(piece.startswith("##") or piece == "[CLS]" for piece in shown)
        told = [task.names[label] for label in labels[weights > 0]]
        assert tuple(told) in [one.tags for one in NAMES]


def test_learns_to_tag(model: MiniBERT) -> None:
    task = labelled_task("names", NAMES, NAMES, metric="f1")
    result = finetune(model, task, FinetuningConfig(epochs=60, batch=2, learning_rate=5e-3))
    assert result.answers == answers_of(NAMES)
    (words,) = tags_of(result.model, ["Amy Everett lives in Ostwick ."])
    assert [(one.word, one.tag.name) for one in words if one.tag and one.tag.name != "O"] == [
        ("Amy", "B-PER"), ("Everett", "I-PER"), ("Ostwick", "B-LOC"),
    ]  # fmt: skip


def test_the_best_epoch_on_dev_is_kept_only_where_there_is_a_test(model: MiniBERT) -> None:
    config = FinetuningConfig(epochs=4, batch=4, learning_rate=2e-3)
    with_test = finetune(model, labelled_task("moods", MOODS, MOODS, MOODS), config)
    devs = [epoch.dev for epoch in with_test.epochs]
    assert with_test.chosen == devs.index(max(devs))
    without = finetune(model, labelled_task("moods", MOODS, MOODS), config)
    assert without.chosen == 3


def test_words_beyond_the_models_reach_get_the_most_frequent_tag(model: MiniBERT) -> None:
    T = model.config.max_seq_length
    long = TaggedSentence(("dog",) * (2 * T), ("O",) * (2 * T), "")
    task = labelled_task("names", NAMES, [long], metric="f1")
    result = finetune(model, task, FinetuningConfig(epochs=1))
    (told,) = result.answers
    assert len(told) == 2 * T
    assert set(told[T:]) == {"O"}


def test_long_texts_are_cut_and_counted(model: MiniBERT) -> None:
    long = Labelled("happy " * 200, "glad")
    material = encoded_task(labelled_task("moods", MOODS, [*MOODS, long]), model)
    assert material.cut == 1
    assert max(len(one.ids) for one in material.dev.encodings) == model.config.max_seq_length


def test_label_names_and_tokenizer_round_trip(model: MiniBERT, moods: Task, tmp_path: Path) -> None:
    result = finetune(model, moods, BRIEF)
    place = save_finetuned(result.model, tmp_path / "runs" / "moods-1", {"task": "moods"})
    again = from_pretrained(place)
    assert again.label_names == ("glad", "sad") == label_names(again)
    assert classes_of(again, GLAD) == classes_of(result.model, GLAD)
    assert [path.name for path in (tmp_path / "runs").iterdir()] == ["moods-1"]
    assert free_folder("moods", tmp_path / "runs").name == "moods-2"
    with pytest.raises(ValueError, match="is there already; choose another"):
        save_finetuned(result.model, place)


def test_no_half_written_folder(
    model: MiniBERT, moods: Task, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    result = finetune(model, moods, BRIEF)

    def fail(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("mini_bert.models.checkpoint.save_tokenizer", fail)
    with pytest.raises(OSError, match="No space"):
        save_finetuned(result.model, tmp_path / "moods")
    assert list(tmp_path.iterdir()) == []


def test_contest_has_every_baseline(model: MiniBERT) -> None:
    task = labelled_task("moods", MOODS * 3, MOODS, MOODS)
    found = contest(model, task, BRIEF, seeds=(0, 1, 2))
    assert [one.key for one in found.standings] == ["model", "random_model", "bag_of_words", "majority"]
    figures = as_dict(found)
    assert figures["majority"] == 0.5
    assert figures["bag_of_words"] == 1
    assert figures["accuracy"] == sorted(figures["by_seed"])[1]
    assert len(figures["random_model_by_seed"]) == 3
    assert figures["settings"]["pooling"] == "mean", "what was done, though the settings leave it open"


def test_an_epoch_is_kept_however_badly_dev_goes(model: MiniBERT) -> None:
    other = {"glad": "sad", "sad": "glad"}
    exchanged = [Labelled(one.text, other[one.label]) for one in MOODS]
    task = labelled_task("moods", MOODS * 24, exchanged, exchanged, metric="matthews")
    result = finetune(model, task, FinetuningConfig(epochs=1, batch=2, learning_rate=5e-3))
    assert result.epochs[0].dev == -1
    assert point_score("matthews", answers_of(task.test), result.answers) == -1


def test_word_majority_is_by_lower_case_and_unknown_words_get_the_most_frequent() -> None:
    dev = [TaggedSentence(("AMY", "met", "Everett"), ("B-PER", "O", "B-PER"), "")]
    found = {key: told for key, _, told in simple_answers(labelled_task("names", NAMES, dev, metric="f1"))}
    assert found == {"word_majority": [("B-PER", "O", "I-PER")], "majority": [("O", "O", "O")]}


def test_world_splits_share_no_sentence() -> None:
    task = world_task("sentiment", {"train": 300, "dev": 100, "test": 100})
    texts = [[one.text for one in split] for split in (task.train, task.dev, task.test)]
    assert [len(split) for split in texts] == [300, 100, 100]
    assert len({text for split in texts for text in split}) == 500
    assert task.names == ("negative", "neutral", "positive")


def test_limited_takes_the_same_examples_each_time(moods: Task) -> None:
    assert len(moods.limited(5).train) == 5
    assert moods.limited(5) == moods.limited(5)
    assert moods.limited(100) is moods
    with pytest.raises(ValueError, match=r"max_samples=1: all of them have the label 'glad|sad'"):
        moods.limited(1)
    with pytest.raises(ValueError, match="max_samples=0: nothing to learn from"):
        moods.limited(0)


def test_bad_tasks_are_refused(model: MiniBERT) -> None:
    with pytest.raises(ValueError, match="moods: dev is empty"):
        labelled_task("moods", MOODS, [])
    with pytest.raises(ValueError, match="all of train has the label 'glad'"):
        labelled_task("moods", MOODS[:4], MOODS[:4])
    with pytest.raises(ValueError, match="dev example 2 has the label 'odd', which train has not"):
        labelled_task("moods", MOODS, [MOODS[0], Labelled("Hm.", "odd")])
    model.tokenizer = None
    with pytest.raises(ValueError, match="no tokenizer beside this model"):
        finetune(model, labelled_task("moods", MOODS, MOODS))
    with pytest.raises(ValueError, match="not a class of the whole text; fine-tune it first"):
        classes_of(model, ["Hm."])


def test_a_rate_too_high_is_told(model: MiniBERT, moods: Task) -> None:
    config = replace_rate(BRIEF, 1e30)
    with pytest.raises(ValueError, match="choose a lower learning rate than 1e"):
        finetune(model, moods, config)


def replace_rate(config: FinetuningConfig, rate: float) -> FinetuningConfig:
    return FinetuningConfig(**{**config.model_dump(), "learning_rate": rate})


def test_rates_follow_the_width() -> None:
    rates = {H: FinetuningConfig().rate_for(ModelConfig(hidden_size=H, num_heads=4)) for H in (64, 256, 768)}
    assert rates[64] == 3e-3
    assert 2e-5 < rates[768] < 5e-5 < rates[256] < 4e-4
    assert BRIEF.rate_for(ModelConfig()) == 1e-3


def test_forgetting_is_measured_under_the_old_head(model: MiniBERT) -> None:
    def first_word(model: MiniBERT) -> float:
        return float(model.forward([[2, 9, 10, 3]])[0][0, 1, 9])

    found = measure_catastrophic_forgetting(model, {"a logit": first_word}, {"moods": MOODS}, THOROUGH)
    one = found["moods"]["a logit"]
    assert one.before == first_word(model)
    tuned = finetune(model, labelled_task("moods", MOODS, MOODS[:1]), THOROUGH).model
    assert one.after == first_word(with_encoder_of(model, tuned)) != one.before
    untouched = with_head(model, "classes", ["glad", "sad"])
    same = measure_catastrophic_forgetting(model, {"a logit": first_word}, {"none": untouched})
    assert same["none"]["a logit"].change == 0
    with pytest.raises(ValueError, match="old_tasks: there is none"):
        measure_catastrophic_forgetting(model, {}, {"moods": MOODS})


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"num_layers": 1}, "2 layers before and 1 after"),
        ({"num_layers": 3}, "2 layers before and 3 after"),
        ({"bias": False}, "bias is in one of the two models only"),
    ],
)
def test_an_encoder_of_another_build_does_not_fit_under_the_old_head(
    tokenizer: WordPieceTokenizer, model: MiniBERT, change: dict[str, object], told: str
) -> None:
    with pytest.raises(ValueError, match=told):
        with_encoder_of(model, model_with(tokenizer, **change))


@pytest.mark.parametrize("member", ["electra", "deberta"])
def test_what_only_pretraining_needs_stays_as_it_was(tokenizer: WordPieceTokenizer, member: str) -> None:
    model = small_model(tokenizer, member)
    again = with_encoder_of(model, with_head(model, "classes", ["glad", "sad"]))
    assert np.array_equal(again.arena.flat, model.arena.flat)


def test_exam_has_a_section_for_each_task_and_one_for_what_was_forgotten(
    model: MiniBERT, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("mini_bert.finetuning.sources.WORLD_SIZES", {"train": 60, "dev": 20, "test": 30})
    monkeypatch.setattr("mini_bert.evaluation.forgetting.EXAM_STORIES", 20)
    monkeypatch.setattr("mini_bert.evaluation.forgetting.PROBED_SENTENCES", 60)
    settings = downstream.Settings(seeds=2, max_samples=40, finetuning=BRIEF)
    with Subject(model) as subject:
        task, forgotten = downstream.examine(subject, None, settings, silent)
        pace = Pace(forward_tokens=3000.0, training_tokens=1000.0, multiplications=1e9)
        twice = downstream.Settings(**{**settings.model_dump(), "seeds": 4, "finetuning": BRIEF})
        short, long = (downstream.seconds(subject, None, one, pace) for one in (settings, twice))
        (tmp_path / "blimp").mkdir()
        with pytest.raises(DoesNotApply, match="neither sst2 nor cola"):
            downstream.examine(subject, TaskFolder(tmp_path), settings, silent)
    beside = downstream.SECONDS_OF_FORGETTING
    assert 0 < long - beside == pytest.approx(2 * (short - beside))
    assert [row.kind for row in task.tables[0].rows] == ["model", *["baseline"] * 3]
    assert {"accuracy", "random_model", "bag_of_words", "majority", "by_seed"} <= task.figures.keys()
    assert task.pictures[0].draw().axes[0].get_xlabel() == "accuracy on test (%)"
    losses = [row.cells[1] for row in forgotten.tables[0].rows]
    assert all(isinstance(loss, Estimate) and loss.low is not None for loss in losses)
    before, after = forgotten.figures["before"], forgotten.figures["after"]["sentiment"]
    assert before.keys() == {"masked_word_loss", "masked_accuracy", "pos_accuracy"}
    assert before["masked_word_loss"] != after["masked_word_loss"]
    assert 0 < forgotten.figures["random_model"]["pos_accuracy"] < 1


def test_asked_places_are_all_that_is_computed(model: MiniBERT, moods: Task) -> None:
    """The class told at the asked place is the one that a whole pass tells."""
    new = with_head(model, "classes", moods.names)
    batch = next(training_batches(encoded_task(moods, new), new, 8, 0, 0))
    t = Trace(new.arena, inputs=batch.inputs, queries=batch.positions, keeps=False)
    whole = new.forward(batch.ids, batch.inputs and batch.inputs["attention_mask"])[0]
    np.testing.assert_allclose(new.network.forward(batch.ids, t), whole, rtol=1e-4, atol=1e-6)


def test_what_learns_does_not_know_who_judges() -> None:
    """Evaluation fine-tunes and draws, so neither finetuning nor metrics may import it."""
    for package in ("finetuning", "metrics"):
        for path in (Path(mini_bert.__file__).parent / package).glob("*.py"):
            assert "mini_bert.evaluation" not in path.read_text("utf-8"), path
