"""Small models in float64 with a vocabulary, whose weights are large enough for every part to matter."""

import numpy as np

from mini_bert.models.config import ModelConfig
from mini_bert.models.mini import MiniBERT
from mini_bert.models.zoo import MEMBERS

SIZES = {
    "hidden_size": 16,
    "num_layers": 3,
    "num_heads": 2,
    "intermediate_size": 24,
    "max_seq_length": 40,
    "dropout": 0.0,
    "attention_dropout": 0.0,
}
OWN = {
    "albert": {"embedding_size": 8},
    "transformer-xl": {"memory": 8},
    "deberta": {"mask_decoder": "enhanced"},
    "deberta-v2": {"buckets": 4},
    "electra": {
        "generator": {"hidden_size": 8, "num_layers": 1, "num_heads": 2, "intermediate_size": 16},
    },
}


def member(name, tokenizer, **settings):
    """A member of the family, tiny."""
    sizes = SIZES | OWN.get(name, {}) | {"vocab_size": tokenizer.vocab_size} | settings
    return lively(MEMBERS[name].build(**sizes), tokenizer)


def lively(config: ModelConfig, tokenizer, seed=0, dtype=np.float64):
    model = MiniBERT(config, dtype=dtype, seed=seed)
    model.arena.flat[:] += 0.2 * np.random.default_rng(seed).standard_normal(model.arena.flat.size)
    model.tokenizer = tokenizer
    return model
