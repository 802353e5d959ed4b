"""Small members of the family, with weights so large that their attention and answers are not all alike."""

import numpy as np

from mini_bert import MiniBERT
from mini_bert.models.zoo import MEMBERS

SIZES = {
    "vocab_size": 1000,
    "hidden_size": 16,
    "num_layers": 2,
    "num_heads": 2,
    "intermediate_size": 24,
    "max_seq_length": 32,
    "dropout": 0.0,
    "attention_dropout": 0.0,
    "initializer": {"kind": "normal", "std": 0.3},
}
OWN = {"albert": {"embedding_size": 12}, "deberta": {"mask_decoder": "enhanced"}}
TELLING_WORDS = [name for name in MEMBERS if name not in ("electra", "xlnet")]
"""The members whose plain reading ends in words."""


def small_model(tokenizer, member="mini", dtype=np.float64, **settings):
    model = MiniBERT(MEMBERS[member].build(**SIZES | OWN.get(member, {}) | settings), dtype=dtype, seed=3)
    model.tokenizer = tokenizer
    return model
