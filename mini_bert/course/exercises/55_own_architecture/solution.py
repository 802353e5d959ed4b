"""Your own architecture: the same number of weights, the same text, the same steps, and a lower loss."""

from mini_bert.models.config import ModelConfig

BUDGET = 107_072
"""weights: as many as the baseline has"""


def baseline(vocab_size, max_seq_length):
    """The learning guide's design, made small."""
    return ModelConfig(
        vocab_size=vocab_size,
        max_seq_length=max_seq_length,
        hidden_size=48,
        num_layers=2,
        num_heads=4,
        intermediate_size=192,
    )


def design(vocab_size, max_seq_length):
    """A ModelConfig of at most BUDGET weights that learns faster than the baseline."""
    # gap: choose; every setting of ModelConfig is yours, but the vocabulary and the length of texts are given
    return ModelConfig(
        vocab_size=vocab_size,
        max_seq_length=max_seq_length,
        hidden_size=60,  # what tying saves is spent on width
        num_layers=2,
        num_heads=2,
        intermediate_size=180,
        positions="rotary",  # distances need not be learned from pairs of places
        tied=True,  # each word is seen once as input and once as output
        initializer={"std": 0.1},  # 0.02 is for models that are much wider
    )
    # end of gap
