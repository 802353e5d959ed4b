"""Small folders as transformers writes them, made without it."""

import json

from safetensors.numpy import load_file, save_file

from mini_bert.models.huggingface.families import FAMILIES
from mini_bert.models.mini import MiniBERT
from tests.tolerances import assert_same_bits

SIZES = {
    "vocab_size": 40,
    "hidden_size": 8,
    "num_layers": 2,
    "num_heads": 2,
    "intermediate_size": 12,
    "max_seq_length": 10,
}
IDS = [[5, 6, 7, 8], [9, 10, 11, 12]]
WEIGHTS, CONFIG = "model.safetensors", "config.json"
AS_BERT = {
    "activation": "gelu",
    "token_types": 2,
    "embedding_norm": True,
    "final_norm": False,
    "head_transform": True,
}
"""A Mini-BERT with the parts of BERT."""


def model_of(family, architecture, **settings):
    made = FAMILIES[family]
    chosen = {**SIZES, **made.architectures[architecture].settings}
    if made.architectures[architecture].counts_classes:
        chosen["classes"] = 3
    model = MiniBERT(made.build(**chosen | settings), seed=3)
    model.architecture = architecture
    return model


def bert(architecture="BertForMaskedLM", **settings):
    return model_of("bert", architecture, **settings)


def told(folder, **changes):
    """Change what config.json says; None takes a setting out."""
    described = json.loads((folder / CONFIG).read_text())
    left = {name: value for name, value in described.items() if name not in changes}
    given = {name: value for name, value in changes.items() if value is not None}
    (folder / CONFIG).write_text(json.dumps(left | given))


def rewritten(folder, change):
    """Change the tensors, a dict by name."""
    tensors = load_file(folder / WEIGHTS)
    save_file(change(tensors), folder / WEIGHTS)


def assert_same_model(found, wanted):
    assert found.config == wanted.config
    assert found.arena.keys() == wanted.arena.keys()
    assert_same_bits(found.arena.flat, wanted.arena.flat)
    assert_same_bits(found.forward(IDS)[0], wanted.forward(IDS)[0])
