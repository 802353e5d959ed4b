"""Generation against transformers: the same tokens, and the same distributions to draw from."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from transformers import GPT2Config, GPT2LMHeadModel
from transformers.generation.logits_process import (
    LogitsProcessorList,
    TemperatureLogitsWarper,
    TopKLogitsWarper,
    TopPLogitsWarper,
)

from mini_bert.generation.decoder import CachedDecoder
from mini_bert.generation.sampling import Sampling
from mini_bert.models.huggingface.reading import from_pretrained
from mini_bert.models.mini import MiniBERT
from tests.parity.members.case import enlivened

V, TOKENS = 300, 40
CONFIG = GPT2Config(
    vocab_size=V, n_embd=48, n_layer=3, n_head=4, n_positions=64, bos_token_id=None, eos_token_id=None
)
PROMPTS = [[5, 17, 200], [250], [9, 9, 8, 7, 120, 3, 44]]


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> tuple[MiniBERT, GPT2LMHeadModel]:
    folder: Path = tmp_path_factory.mktemp("gpt2")
    theirs = enlivened(GPT2LMHeadModel(CONFIG), seed=3).to(torch.float64).eval()
    theirs.transformer.wpe.weight.data *= 4  # or it would say one word over and over
    theirs.transformer.ln_f.bias.data *= 0.1
    theirs.save_pretrained(folder)
    return from_pretrained(folder), theirs


@pytest.mark.parametrize("prompt", PROMPTS, ids=len)
def test_greedy_tokens_are_theirs(prompt, pair):
    ours, theirs = pair
    ids = torch.tensor([prompt])
    expected = theirs.generate(
        ids, attention_mask=torch.ones_like(ids), do_sample=False, max_new_tokens=TOKENS, pad_token_id=0
    )[0].tolist()
    assert ours.generate(prompt, greedy=True, max_new_tokens=TOKENS) == expected
    assert len(set(expected)) > 10


def test_greedy_tokens_of_several_prompts_are_theirs(pair):
    ours, theirs = pair
    T = max(map(len, PROMPTS))
    ids = torch.tensor([[0] * (T - len(prompt)) + prompt for prompt in PROMPTS])
    mask = torch.tensor([[0] * (T - len(prompt)) + [1] * len(prompt) for prompt in PROMPTS])
    expected = theirs.generate(
        ids, attention_mask=mask, do_sample=False, max_new_tokens=TOKENS, pad_token_id=0
    )[:, T:].tolist()
    found = ours.generate(PROMPTS, greedy=True, max_new_tokens=TOKENS)
    assert [row[-TOKENS:] for row in found] == expected


def test_it_ends_where_theirs_ends(pair):
    ours, theirs = pair
    end = ours.generate(PROMPTS[0], greedy=True, max_new_tokens=12)[-1]
    ids = torch.tensor(PROMPTS[:1])
    expected = theirs.generate(
        ids,
        attention_mask=torch.ones_like(ids),
        do_sample=False,
        max_new_tokens=TOKENS,
        pad_token_id=0,
        eos_token_id=end,
    )[0].tolist()
    assert ours.generate(PROMPTS[0], greedy=True, max_new_tokens=TOKENS, stop=[end]) == expected
    assert len(expected) < len(PROMPTS[0]) + TOKENS


def test_logits_after_each_token_are_theirs(pair):
    ours, theirs = pair
    decoder, past, text = CachedDecoder(ours), None, np.random.default_rng(0).integers(0, V, 20)
    for token in text:
        answer = theirs(torch.tensor([[token]]), past_key_values=past, use_cache=True)
        past = answer.past_key_values
        found = decoder.feed(np.array([[token]]), np.array([[True]]))
        np.testing.assert_allclose(found, answer.logits[:, -1].detach(), rtol=0, atol=1e-9)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("temperature", [1.0, 0.7, 1.9])
@pytest.mark.parametrize("k", [None, 1, 7, 10_000])
@pytest.mark.parametrize("p", [None, 0.05, 0.5, 0.93, 1.0])
def test_what_is_drawn_from_is_theirs(temperature, k, p, dtype):
    logits = 3 * np.random.default_rng(1).standard_normal((6, 500)).astype(dtype)
    logits[:, 100:110] = logits[:, 90:91]  # equals
    warpers = LogitsProcessorList([TemperatureLogitsWarper(temperature)])
    if k is not None:
        warpers.append(TopKLogitsWarper(k))
    if p is not None:
        warpers.append(TopPLogitsWarper(p))
    expected = warpers(None, torch.tensor(logits)).numpy()
    found = Sampling(temperature, k, p).filtered(logits)
    assert found.dtype == logits.dtype
    np.testing.assert_array_equal(np.isneginf(found), np.isneginf(expected))
    np.testing.assert_allclose(found, expected, rtol=1e-6 if dtype == "float32" else 1e-15)
