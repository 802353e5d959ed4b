"""Going on from a model: what it knows is carried over, also into another vocabulary."""

import numpy as np
import pytest
import yaml

from mini_bert.data.world import texts
from mini_bert.models.checkpoint import save_model
from mini_bert.models.config import ModelConfig
from mini_bert.models.mini import MiniBERT
from mini_bert.tokenizers import WordPieceTokenizer
from mini_bert.training.config import TrainingConfig, template
from mini_bert.training.goals import goal_of
from mini_bert.training.going_on import carried_over, copy_layers, going_on, origin_of
from mini_bert.training.verification import awkward_batch


@pytest.fixture(scope="module")
def stories():
    return list(texts(150))


@pytest.fixture
def old(stories, tmp_path):
    """A model on disk, with its vocabulary."""
    tokenizer = WordPieceTokenizer.train(stories[:75], 400)
    model = MiniBERT(ModelConfig.preset("debug", vocab_size=tokenizer.vocab_size), seed=5)
    save_model(model, tmp_path / "model")
    tokenizer.save(tmp_path / "model")
    return model, tokenizer, tmp_path / "model"


def test_the_same_vocabulary_carries_every_weight_over(old):
    model, tokenizer, folder = old
    again = carried_over(origin_of(folder), tokenizer, model.config, seed=9)
    assert np.array_equal(again.arena.flat, model.arena.flat)


def test_another_vocabulary_keeps_shared_pieces_and_builds_new_ones_from_their_parts(old, stories):
    model, tokenizer, folder = old
    other = WordPieceTokenizer.train(stories[75:], 700)
    config = model.config.changed(vocab_size=other.vocab_size)
    made = carried_over(origin_of(folder), other, config)
    shared = set(tokenizer.token_to_id) & set(other.token_to_id)
    new = sorted(set(other.token_to_id) - shared)
    assert len(shared) > 100
    assert len(new) > 50
    for name in ("embeddings.token.weight", "head.decoder.weight", "head.decoder.bias"):
        for piece in shared:
            before = model.arena[name][tokenizer.token_to_id[piece]]
            assert np.array_equal(made.arena[name][other.token_to_id[piece]], before)
    word = next(piece for piece in new if piece.isalpha())
    parts = tokenizer.encode(word, add_special_tokens=False)
    expected = model.arena["embeddings.token.weight"][parts].mean(0)
    assert np.allclose(made.arena["embeddings.token.weight"][other.token_to_id[word]], expected)
    assert np.array_equal(
        made.arena["encoder.layers.1.ffn.up.weight"], model.arena["encoder.layers.1.ffn.up.weight"]
    )


@pytest.mark.parametrize("spare", [50, -50], ids=["spare rows", "pieces without a row"])
def test_a_table_may_have_other_rows_than_the_vocabulary_has_pieces(old, stories, tmp_path, spare):
    _, tokenizer, _ = old
    pieces = tokenizer.vocab_size
    model = MiniBERT(ModelConfig.preset("debug", vocab_size=pieces + spare), seed=5)
    save_model(model, tmp_path / "other")
    tokenizer.save(tmp_path / "other")
    origin = origin_of(tmp_path / "other")
    config = model.config.changed(vocab_size=pieces)
    drawn, table = MiniBERT(config, seed=9).arena, "embeddings.token.weight"
    shared = min(pieces, pieces + spare)

    same = carried_over(origin, tokenizer, config, seed=9).arena[table]
    assert np.array_equal(same[:shared], model.arena[table][:shared])
    assert np.array_equal(same[shared:], drawn[table][shared:])

    other = WordPieceTokenizer.train(stories[75:], 700)
    made = carried_over(origin, other, config.changed(vocab_size=other.vocab_size)).arena[table]
    without_a_row = [token for token, number in tokenizer.token_to_id.items() if number >= pieces + spare]
    unknown = [token for token in without_a_row if token.isalpha() and token in other.token_to_id]
    assert bool(unknown) == (spare < 0)
    for token in unknown:
        assert np.allclose(made[other.token_to_id[token]], model.arena[table][:shared].mean(0), atol=1e-6)
    assert np.array_equal(made[other.token_to_id["the"]], model.arena[table][tokenizer.token_to_id["the"]])


def test_a_teacher_may_have_spare_rows_but_needs_one_for_each_piece(old, tmp_path):
    _, tokenizer, _ = old
    for name, spare in (("more", 8), ("fewer", -8)):
        save_model(
            MiniBERT(ModelConfig.preset("debug", vocab_size=tokenizer.vocab_size + spare)), tmp_path / name
        )
        tokenizer.save(tmp_path / name)

    def taught_by(name):
        return TrainingConfig.named("debugging", {"distillation": {"teacher": str(tmp_path / name)}})

    config = taught_by("more")
    student = MiniBERT(config.model_config_of(tokenizer))
    batch = awkward_batch(student.config, 0)
    losses, _ = goal_of(config, tokenizer).objective.loss(student.network, student.arena, batch)
    assert np.isfinite(losses.second)
    teacher = origin_of(tmp_path / "more").model
    copy_layers(teacher, student)
    assert np.array_equal(student.token_embeddings, teacher.token_embeddings[: tokenizer.vocab_size])
    with pytest.raises(ValueError, match="train it on with --init first"):
        goal_of(taught_by("fewer"), tokenizer)


def test_longer_rows_keep_the_positions_there_are_and_a_new_head_is_drawn(old):
    model, tokenizer, folder = old
    config = model.config.changed(max_seq_length=2 * model.config.max_seq_length, second_head="pairs")
    made = carried_over(origin_of(folder), tokenizer, config, seed=1)
    T = model.config.max_seq_length
    assert np.array_equal(made.position_embeddings[:T], model.position_embeddings)
    assert made.arena["second_head.output.weight"].any()


@pytest.mark.parametrize(("before", "after"), [(1, 0), (0, 1), (2, 5)])
def test_places_are_counted_from_behind_the_padding(stories, tmp_path, before, after):
    """Another vocabulary may have its padding elsewhere, and a token its place in another row."""
    tokenizer = WordPieceTokenizer.train(stories[:20], 200)
    config = ModelConfig.preset("debug", vocab_size=tokenizer.vocab_size, positions="after-padding")
    model = MiniBERT(config.changed(padding_id=before), seed=5)
    save_model(model, tmp_path / "model")
    tokenizer.save(tmp_path / "model")
    made = carried_over(origin_of(tmp_path / "model"), tokenizer, config.changed(padding_id=after))
    assert np.array_equal(made.position_embeddings[after:], model.position_embeddings[before:])


@pytest.mark.parametrize(
    ("theirs", "ours", "copied"),
    [(None, None, (0, 2, 4)), (None, 1, (0,)), (None, 2, (0, 3)), (2, 2, (0, 1))],
)
def test_a_student_s_layers_are_taken_from_all_of_its_teacher(theirs, ours, copied):
    """Every so many, also where layers share their weights: the second of two groups is the teacher's upper half."""
    teacher = MiniBERT(ModelConfig.preset("debug", num_layers=6, layer_groups=theirs), seed=1)
    student = MiniBERT(ModelConfig.preset("debug", num_layers=3, layer_groups=ours), seed=2)
    copy_layers(teacher, student)
    name = "encoder.layers.{}.ffn.up.weight"
    for number, of_teacher in enumerate(copied):
        assert np.array_equal(student.arena[name.format(number)], teacher.arena[name.format(of_teacher)]), (
            number
        )


def test_the_settings_of_the_model_are_written_out(old):
    model, tokenizer, folder = old
    config = going_on(TrainingConfig.named("finetuning", {"init": str(folder), "model": {"dropout": 0.1}}))
    assert config.model["hidden_size"] == model.config.hidden_size
    made = config.model_config_of(tokenizer)
    assert made == model.config.changed(dropout=0.1)


def test_its_own_preset_may_be_named(old):
    _, _, folder = old
    named = going_on(TrainingConfig.named("finetuning", {"init": str(folder), "preset": "debug"}))
    assert named.model == going_on(TrainingConfig.named("finetuning", {"init": str(folder)})).model


def test_what_cannot_be_carried_over_is_refused(old, tmp_path):
    model, tokenizer, folder = old
    with pytest.raises(ValueError, match="leave changes of its sizes out"):
        carried_over(origin_of(folder), tokenizer, model.config.changed(intermediate_size=99))
    with pytest.raises(ValueError, match="no model here; name a run's folder"):
        origin_of(tmp_path / "nothing")
    with pytest.raises(ValueError, match="leave --preset out"):
        going_on(TrainingConfig.named("finetuning", {"init": str(folder), "preset": "small"}))


def test_the_preset_of_a_configuration_is_named_with_a_remedy_that_works(old, tmp_path):
    model, tokenizer, folder = old
    with pytest.raises(
        ValueError, match=r"preset mini-best is another model than .*; leave --preset out, .* a copy without"
    ):
        going_on(TrainingConfig.named("mini-best", {"init": str(folder)}))
    copy = tmp_path / "mine.yaml"
    copy.write_text(
        yaml.safe_dump({k: v for k, v in template("mini-best").items() if k != "preset"}), "utf-8"
    )
    for name in ("finetuning", str(copy)):
        made = going_on(TrainingConfig.named(name, {"init": str(folder)}))
        assert made.model_config_of(tokenizer) == model.config
