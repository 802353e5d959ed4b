"""Folders of GPT-2 as they are found: old names, buffers, settings we do not have; and back to transformers."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.numpy import load_file, save_file
from transformers import AutoTokenizer, GPT2Config, GPT2ForSequenceClassification, GPT2LMHeadModel

from mini_bert import MiniBERT, ModelConfig, WordPieceTokenizer, from_pretrained, save_pretrained
from mini_bert.tokenizers.special import CLS_ID, PAD_ID, SEP_ID, SPECIAL_TOKENS
from tests.parity.members.case import enlivened
from tests.parity.members.gpt2 import SMALL

IDS = np.random.default_rng(0).integers(1, 101, (2, 9))


@pytest.fixture
def saved(tmp_path: Path) -> tuple[Path, GPT2LMHeadModel]:
    theirs = enlivened(GPT2LMHeadModel(GPT2Config(**SMALL))).eval()
    theirs.save_pretrained(tmp_path)
    return tmp_path, theirs


def change_settings(folder: Path, **changes: object) -> None:
    file = folder / "config.json"
    described = json.loads(file.read_text())
    file.write_text(
        json.dumps({name: value for name, value in (described | changes).items() if value != "gone"})
    )


def test_a_folder_as_openai_s_weights_were_first_saved(saved):
    """Without the prefix, with the buffers of masks, and with few settings."""
    folder, theirs = saved
    tensors = {
        name.removeprefix("transformer."): tensor
        for name, tensor in load_file(folder / "model.safetensors").items()
    }
    for layer in range(2):
        tensors[f"h.{layer}.attn.bias"] = np.tril(np.ones((1, 1, 16, 16), np.float32))
        tensors[f"h.{layer}.attn.masked_bias"] = np.array(-1e4, np.float32)
    save_file(tensors, folder / "model.safetensors")
    change_settings(
        folder, n_inner="gone", tie_word_embeddings="gone", n_ctx=16, activation_function="gelu_new"
    )
    ours = from_pretrained(folder)
    expected = theirs(torch.tensor(IDS)).logits.detach().numpy()
    np.testing.assert_allclose(ours.forward(IDS)[0], expected, rtol=0, atol=1e-5)


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("scale_attn_by_inverse_layer_idx", True),
        ("reorder_and_upcast_attn", True),
        ("add_cross_attention", True),
        ("scale_attn_weights", False),
        ("activation_function", "tanh"),
    ],
)
def test_what_we_do_not_have_is_refused_by_name(saved, setting, value):
    folder, _ = saved
    change_settings(folder, **{setting: value})
    with pytest.raises(ValueError, match=f"{setting}={value!r}"):
        from_pretrained(folder)


def test_a_model_of_ours_writes_the_same_in_transformers(tmp_path):
    """Its folder names no end of text that its vocabulary has not."""
    settings = {"vocab_size": 101, "hidden_size": 32, "num_heads": 2, "intermediate_size": 48}
    ours = MiniBERT(ModelConfig.preset("gpt2-mini", **settings), dtype=np.float64, seed=1)
    save_pretrained(ours, tmp_path)
    theirs = GPT2LMHeadModel.from_pretrained(tmp_path, dtype=torch.float64).eval()
    assert theirs.config.eos_token_id is None
    ids = torch.tensor(IDS[:1])
    expected = theirs.generate(
        ids, attention_mask=torch.ones_like(ids), do_sample=False, max_new_tokens=20, pad_token_id=0
    )
    assert ours.generate(IDS[0], greedy=True, max_new_tokens=20) == expected[0].tolist()


def test_the_tokenizer_s_end_of_text_is_the_model_s_too(tmp_path):
    """So that transformers stops where we do, and cuts a text to what the model reads."""
    tokenizer = WordPieceTokenizer([*SPECIAL_TOKENS, "a", "b"])
    settings = {"vocab_size": 7, "hidden_size": 32, "num_heads": 2, "intermediate_size": 48}
    ours = MiniBERT(ModelConfig.preset("gpt2-mini", **settings), seed=1)
    save_pretrained(ours, tmp_path, tokenizer)
    theirs = GPT2LMHeadModel.from_pretrained(tmp_path)
    told = theirs.generation_config
    assert (told.bos_token_id, told.eos_token_id, told.pad_token_id) == (CLS_ID, SEP_ID, PAD_ID)
    read = AutoTokenizer.from_pretrained(tmp_path)
    assert read.model_max_length == ours.config.max_seq_length
    assert len(read("a " * 1000, truncation=True)["input_ids"]) == ours.config.max_seq_length


def test_a_classifier_remembers_its_padding(tmp_path):
    theirs = GPT2ForSequenceClassification(GPT2Config(**SMALL | {"pad_token_id": 7}))
    theirs.save_pretrained(tmp_path / "theirs")
    save_pretrained(from_pretrained(tmp_path / "theirs"), tmp_path / "ours")
    assert GPT2ForSequenceClassification.from_pretrained(tmp_path / "ours").config.pad_token_id == 7
