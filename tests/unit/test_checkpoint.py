"""A model on disk: what is saved is what is loaded, and what is damaged is refused by name."""

import json
import os
import re

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from mini_bert import files
from mini_bert.models.config import ModelConfig
from mini_bert.models.mini import MiniBERT

CONFIG, WEIGHTS = "config.json", "model.safetensors"
NAME = "encoder.layers.0.attn.query.weight"


@pytest.fixture
def model():
    return MiniBERT("debug", seed=3)


@pytest.fixture
def folder(model, tmp_path):
    model.save(tmp_path / "deep" / "model")
    return tmp_path / "deep" / "model"


def rewrite(folder, change):
    """Change the tensors of a saved model."""
    tensors = load_file(folder / WEIGHTS)
    change(tensors)
    save_file(tensors, folder / WEIGHTS)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("preset", ["debug", "modern", "bert-base"])
def test_round_trip_to_the_bit(preset, dtype, tmp_path):
    sizes = {"hidden_size": 8, "num_heads": 2, "num_layers": 2, "intermediate_size": 8, "vocab_size": 16}
    model = MiniBERT(ModelConfig.preset(preset, **sizes), dtype=dtype, seed=7)
    model.arena.flat[:] = np.random.default_rng(0).standard_normal(model.arena.flat.size)
    model.save(tmp_path)
    loaded = MiniBERT.load(tmp_path)
    assert loaded.config == model.config
    assert loaded.network == model.network
    assert loaded.dtype == dtype
    np.testing.assert_array_equal(loaded.arena.flat, model.arena.flat)


def test_the_tokenizer_is_kept_beside_the_weights(tokenizer, tmp_path):
    model = MiniBERT(ModelConfig.preset("debug", vocab_size=tokenizer.vocab_size))
    model.tokenizer = tokenizer
    model.save(tmp_path)
    loaded = MiniBERT.load(tmp_path)
    assert loaded.tokenizer.fingerprint() == tokenizer.fingerprint()


def test_a_model_without_a_tokenizer_has_none_when_it_is_loaded(folder):
    assert MiniBERT.load(folder).tokenizer is None


def test_files_are_open_formats_with_dotted_names(model, folder):
    assert sorted(path.name for path in folder.iterdir()) == [CONFIG, WEIGHTS]
    assert json.loads((folder / CONFIG).read_text())["hidden_size"] == 32
    tensors = load_file(folder / WEIGHTS)
    assert tensors.keys() == set(model.arena)
    np.testing.assert_array_equal(tensors[NAME], model.arena[NAME])


def test_loading_can_convert(model, folder):
    loaded = MiniBERT.load(folder, dtype=np.float64)
    assert loaded.dtype == np.float64
    np.testing.assert_array_equal(loaded.arena.flat, model.arena.flat)


def test_half_precision_is_widened(model, folder):
    rewrite(folder, lambda t: t.update({name: tensor.astype(np.float16) for name, tensor in t.items()}))
    loaded = MiniBERT.load(folder)
    assert loaded.dtype == np.float32
    np.testing.assert_array_equal(loaded.arena.flat, model.arena.flat.astype(np.float16))


def test_one_tensor_in_double_precision_makes_it_a_double_model(folder):
    rewrite(folder, lambda t: t.update({NAME: np.full((32, 32), 1 / 3)}))
    assert (MiniBERT.load(folder).arena[NAME] == 1 / 3).all()


def test_saving_again_replaces_and_leaves_nothing_beside(model, folder):
    model.arena.flat[:] = 1
    model.save(folder)
    assert (MiniBERT.load(folder).arena.flat == 1).all()
    assert sorted(path.name for path in folder.iterdir()) == [CONFIG, WEIGHTS]


def test_a_failed_write_leaves_the_old_file_and_nothing_beside(model, folder, monkeypatch):
    before = (folder / WEIGHTS).read_bytes()

    def full(*_):
        raise OSError("no space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(OSError, match="no space"):
        files.write_atomically(folder / WEIGHTS, b"half")
    assert (folder / WEIGHTS).read_bytes() == before
    assert sorted(path.name for path in folder.iterdir()) == [CONFIG, WEIGHTS]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda t: t.pop(NAME), rf"1 tensor missing, first {NAME}; does config.json belong to it"),
        (lambda t: t.clear(), r"38 tensors missing, first .*; does config.json"),
        (lambda t: t.update(extra=np.ones(1)), r"1 tensor unknown, first extra; does config.json"),
        (lambda t: t.update({NAME: np.ones((32, 31))}), rf"{NAME} has shape \(32, 31\), .* \(32, 32\); does"),
        (lambda t: t.update({NAME: np.ones(32)}), rf"{NAME} has shape \(32,\), .* \(32, 32\); does"),
        (
            lambda t: t[NAME].__setitem__((0, 0), np.nan),
            rf"{NAME} holds NaN or infinity in float32; load an earlier",
        ),
        (
            lambda t: t[NAME].__setitem__((0, 0), np.inf),
            rf"{NAME} holds NaN or infinity in float32; load an earlier",
        ),
        (lambda t: t.update({NAME: np.ones((32, 32), int)}), rf"{NAME} holds int64, not floating-point"),
        (lambda t: t.update({NAME: np.ones((32, 32), bool)}), rf"{NAME} holds bool, not floating-point"),
    ],
    ids=["missing", "empty", "extra", "mis-shaped", "broadcast", "NaN", "infinite", "integers", "booleans"],
)
def test_tensors_that_do_not_fit(folder, change, message):
    rewrite(folder, change)
    with pytest.raises(ValueError, match=message) as caught:
        MiniBERT.load(folder)
    assert str(folder / WEIGHTS) in str(caught.value)


@pytest.mark.parametrize("settings", [{"activation": "gelu"}, {"num_heads": 2}, {"dropout": 0.1}], ids=str)
def test_files_that_were_not_saved_together(model, folder, settings):
    """Each tensor would fit; only the weights' own copy of the configuration tells."""
    (folder / CONFIG).write_text(json.dumps({**model.config.model_dump(), **settings}))
    with pytest.raises(
        ValueError, match=r"config\.json and model\.safetensors were not saved together"
    ) as caught:
        MiniBERT.load(folder)
    assert str(folder) in str(caught.value)
    [(name, value)] = settings.items()
    assert f"{name} is {value} in config.json, {getattr(model.config, name)} with the weights" in str(
        caught.value
    )


@pytest.mark.parametrize(
    ("settings", "misfit"),
    [
        (
            {"hidden_size": 48},
            "embeddings.token.weight has shape (512, 32), the configuration says (512, 48)",
        ),
        ({"num_layers": 3}, "tensors missing, first encoder.layers.2."),
        ({"num_layers": 10**9}, "num_layers is 1000000000 in config.json, 2 with the weights;"),
    ],
    ids=str,
)
def test_a_configuration_that_was_edited_names_the_first_tensor(model, folder, settings, misfit):
    (folder / CONFIG).write_text(json.dumps({**model.config.model_dump(), **settings}))
    with pytest.raises(ValueError, match=re.escape(misfit)) as caught:
        MiniBERT.load(folder)
    assert "; restore config.json, or save the model again" in str(caught.value)


def test_weights_without_a_copy_of_the_configuration_are_taken(model, folder):
    rewrite(folder, lambda t: None)
    (folder / CONFIG).write_text(json.dumps({**model.config.model_dump(), "activation": "gelu"}))
    assert MiniBERT.load(folder).config.activation == "gelu"


@pytest.mark.parametrize("length", [0, 5, 1000, -1])
def test_a_truncated_file(folder, length):
    whole = (folder / WEIGHTS).read_bytes()
    (folder / WEIGHTS).write_bytes(whole[:length])
    with pytest.raises(ValueError, match=r"truncated or not a safetensors file .*; copy or save it again"):
        MiniBERT.load(folder)


def test_a_pointer_of_git_lfs(folder):
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n"
    (folder / WEIGHTS).write_text(pointer)
    with pytest.raises(
        ValueError, match="a git-lfs pointer in place of the weights; fetch them: git lfs pull"
    ):
        MiniBERT.load(folder)


def test_a_file_of_another_kind(folder):
    (folder / WEIGHTS).write_bytes(b"\x80\x04pickle? never" * 100)
    with pytest.raises(ValueError, match="not a safetensors file"):
        MiniBERT.load(folder)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"{", r"not valid JSON \(.*\); restore the file or save the model again"),
        (b"\xff\xfe", r"not valid JSON \(.*\); restore the file"),
        (b"[1, 2]", r"expected settings by name, got \[1, 2\]; restore the file"),
        (b"null", r"expected settings by name, got None; restore the file"),
        (b'{"hiden_size": 8}', r"unknown setting 'hiden_size'; did you mean 'hidden_size'"),
        (b'{"num_heads": 5}', r"H=192 is not divisible by A=5; choose"),
    ],
    ids=str,
)
def test_a_damaged_configuration(folder, text, message):
    (folder / CONFIG).write_bytes(text)
    with pytest.raises(ValueError, match=message) as caught:
        MiniBERT.load(folder)
    assert str(folder / CONFIG) in str(caught.value)


@pytest.mark.parametrize("name", [CONFIG, WEIGHTS])
def test_a_file_that_is_not_there(folder, name):
    (folder / name).unlink()
    with pytest.raises(
        ValueError,
        match=rf"{name}: no such file or directory; a model folder holds config.json and model\.safetensors$",
    ):
        MiniBERT.load(folder)


def test_a_name_is_told_what_opens_names(folder, monkeypatch):
    monkeypatch.chdir(folder)
    with pytest.raises(ValueError, match=r"model\.safetensors; models by name are opened by mini_bert\.load"):
        MiniBERT.load("mini")


def test_a_damaged_copy_of_the_configuration_is_refused(folder):
    tensors = dict(MiniBERT.load(folder).arena)
    save_file(tensors, folder / WEIGHTS, {"config": "{"})
    with pytest.raises(ValueError, match="were not saved together"):
        MiniBERT.load(folder)
