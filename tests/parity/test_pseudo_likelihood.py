"""Pseudo-log-likelihoods and log-likelihoods of sentences, as a plain loop over transformers' models finds them."""

from pathlib import Path

import pytest
import torch
from transformers import (
    BertConfig,
    BertForMaskedLM,
    GPT2Config,
    GPT2LMHeadModel,
    RobertaConfig,
    RobertaForMaskedLM,
)

from mini_bert.data.world import PHENOMENA, minimal_pairs, texts
from mini_bert.evaluation.linguistic.likelihood import sentence_scores
from mini_bert.evaluation.subject import Subject
from mini_bert.models.huggingface.reading import from_pretrained
from mini_bert.tokenizers import ByteLevelBPETokenizer, WordPieceTokenizer
from tests.parity.members.case import enlivened

STORIES = list(texts(200))
SENTENCES = [text for name in PHENOMENA[::6] for pair in minimal_pairs(name, 3, seed=5) for text in pair]
SIZES = {"hidden_size": 48, "num_hidden_layers": 3, "num_attention_heads": 4, "intermediate_size": 96}
ATOL = 1e-4
"""A sum of up to twenty logarithms, each of which agrees to 1e-5 in float32."""


@pytest.fixture(scope="module")
def wordpiece() -> WordPieceTokenizer:
    return WordPieceTokenizer.train(STORIES, 800)


@pytest.fixture(scope="module")
def bytes_bpe() -> ByteLevelBPETokenizer:
    return ByteLevelBPETokenizer.train(STORIES, 800)


def both(theirs, tokenizer, folder: Path):
    theirs = enlivened(theirs, seed=3).eval()
    theirs.save_pretrained(folder)
    ours = from_pretrained(folder)
    ours.tokenizer = tokenizer
    return ours, theirs


def hidden_one_by_one(theirs, ids: list[int], mask: int) -> float:
    """The plain loop: a row for each token between the first and the last."""
    total = 0.0
    with torch.no_grad():
        for place in range(1, len(ids) - 1):
            row = torch.tensor([ids])
            row[0, place] = mask
            total += float(theirs(row).logits[0, place].log_softmax(-1)[ids[place]])
    return total


def hidden_in_padded_rows(theirs, sentences: list[list[int]], mask: int, pad: int) -> list[float]:
    """All rows of all sentences at once, filled up to the longest."""
    rows, wanted = [], []
    for number, ids in enumerate(sentences):
        for place in range(1, len(ids) - 1):
            rows.append([*ids[:place], mask, *ids[place + 1 :]])
            wanted.append((number, place, ids[place]))
    longest = max(map(len, rows))
    filled = torch.tensor([row + [pad] * (longest - len(row)) for row in rows])
    seen = torch.tensor([[1] * len(row) + [0] * (longest - len(row)) for row in rows])
    with torch.no_grad():
        log_p = theirs(filled, attention_mask=seen).logits.log_softmax(-1)
    totals = [0.0] * len(sentences)
    for row, (number, place, word) in enumerate(wanted):
        totals[number] += float(log_p[row, place, word])
    return totals


def test_bert(wordpiece, tmp_path):
    config = BertConfig(vocab_size=wordpiece.vocab_size, max_position_embeddings=64, **SIZES)
    ours, theirs = both(BertForMaskedLM(config), wordpiece, tmp_path)
    with Subject(ours) as subject:
        found = [score.total for score in sentence_scores(subject, SENTENCES)]
    ids = [wordpiece.encode(text) for text in SENTENCES]
    mask, pad = wordpiece.token_to_id["[MASK]"], wordpiece.token_to_id["[PAD]"]
    assert found == pytest.approx([hidden_one_by_one(theirs, one, mask) for one in ids], abs=ATOL, rel=0)
    assert found == pytest.approx(hidden_in_padded_rows(theirs, ids, mask, pad), abs=ATOL, rel=0)
    assert len({round(total, 3) for total in found}) > len(found) / 2


def test_roberta(bytes_bpe, tmp_path):
    tokenizer = bytes_bpe
    pad = tokenizer.token_to_id[tokenizer.roles.pad]
    config = RobertaConfig(
        vocab_size=tokenizer.vocab_size, max_position_embeddings=64 + pad + 1, pad_token_id=pad, **SIZES
    )
    ours, theirs = both(RobertaForMaskedLM(config), tokenizer, tmp_path)
    with Subject(ours) as subject:
        found = [score.total for score in sentence_scores(subject, SENTENCES[:8])]
    mask = tokenizer.token_to_id[tokenizer.roles.mask]
    expected = [hidden_one_by_one(theirs, tokenizer.encode(text), mask) for text in SENTENCES[:8]]
    assert found == pytest.approx(expected, abs=ATOL, rel=0)


def test_gpt2(bytes_bpe, tmp_path):
    tokenizer = bytes_bpe
    config = GPT2Config(
        vocab_size=tokenizer.vocab_size, n_embd=48, n_layer=3, n_head=4, n_positions=64,
        bos_token_id=None, eos_token_id=None,
    )  # fmt: skip
    ours, theirs = both(GPT2LMHeadModel(config), tokenizer, tmp_path)
    with Subject(ours) as subject:
        scores = sentence_scores(subject, SENTENCES)
    for text, score in zip(SENTENCES, scores, strict=True):
        ids = torch.tensor([score.ids])
        with torch.no_grad():
            loss = theirs(ids, labels=ids).loss
        told = ids.shape[1] - 1
        special = len(score.ids) - len(score.pieces) - 1  # those before the first word but one
        assert special <= 0, "every token but the first is a word"
        assert score.total == pytest.approx(-float(loss) * told, abs=ATOL, rel=0), text
        assert score.tokens == told
