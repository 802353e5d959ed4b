"""Causes between the text and the model."""

from __future__ import annotations

from math import inf

from mini_bert.diagnosis.bands import Band
from mini_bert.diagnosis.causes.cause import Cause, Evidence, Look, Weight, together

MASK_ERROR = 0.1
"""Of the 600 asked words that are the least we judge by, a tenth is six standard errors of the share that is hidden."""
KEPT_LOST = 0.5
"""Half of the words that should be kept: with a tenth of 600, that is four standard errors."""
NEIGHBOUR = 0.1
MANY_UNKNOWN = 0.2
"""One word in five. Text that fits its vocabulary has less than one in a hundred."""
MOSTLY_SEEN = 0.5
OFTEN = 10
MEMORIZED = 0.4
"""Nats: on other text the perplexity is e^0.4 = 1.5 times as high. Other text may be harder, but after ten readings
that is no longer the likelier reason."""
OTHER_TEXT = 0.5
"""Nats: at least e^0.5 = 1.6 times the perplexity, on the text the model has just been trained on."""


def mask_inverted(look: Look) -> list[Evidence]:
    """An asked word shows itself far more often, and [MASK] far less often, than was asked for."""
    return together(
        look.beyond("hidden", Band(-MASK_ERROR, inf)),
        look.beyond("kept", Band(-inf, MASK_ERROR)),
    )


def labels_shifted(look: Look) -> list[Evidence]:
    """Some asked words stay visible, to be repeated: if none of these is its own label, labels are of other places.

    A model that was trained long enough also gives itself away: it knows the neighbour better than the word.
    """
    masking = look.case.config.masking
    kept = max(0.0, 1 - masking.hidden - masking.replaced)
    lost = look.beyond("kept", Band(-KEPT_LOST * kept, inf)) if kept else []
    return lost + look.above("shifted", NEIGHBOUR)


def data_repeated(look: Look) -> list[Evidence]:
    """The very same rows come again; or the text is read often, and the model knows it and no other.

    Two batches of a text that is long enough hardly ever share a row.
    """
    return look.above("repeated", MOSTLY_SEEN) + together(
        look.beyond("gap", Band(-inf, MEMORIZED)), look.beyond("epochs", Band(-inf, OFTEN))
    )


def tokenizer_mismatch(look: Look) -> list[Evidence]:
    """Words that the vocabulary lacks; or ids that mean other words than those of the saved vocabulary do.

    In the second case the text, tokenized again with the saved vocabulary, is as strange to the model as held-out
    text is.
    """
    return look.above("unknown", MANY_UNKNOWN) + together(
        look.above("replayed_loss", OTHER_TEXT), look.above("gap", OTHER_TEXT)
    )


CAUSES = (
    Cause(
        "mask-inverted",
        "The mask is inverted: the loss is asked on words that are visible",
        Weight.SEEN,
        "The model can read the answer and learns to copy. The training loss falls below anything that is possible"
        " for hidden words, and held-out text gains nothing.",
        "Check which positions get [MASK] and at which positions the loss is taken: they must be the same ones.",
        mask_inverted,
    ),
    Cause(
        "labels-shifted",
        "The labels belong to other positions than the ones that are asked",
        Weight.SEEN,
        "The model is asked for a neighbour of the hidden word, as in a model that writes from left to right. The loss"
        " falls, but to the wrong task.",
        "Take the labels from the text before it is masked, at the very positions that are asked:"
        " labels = ids[positions].",
        labels_shifted,
    ),
    Cause(
        "data-repeated",
        "The same text comes again and again",
        Weight.SEEN,
        "The model learns its few rows by heart: the training loss goes on falling, held-out text gets worse.",
        "Draw each batch inside the loop; use more text, a smaller model or fewer steps; mask anew in each epoch"
        " (masking.static=false).",
        data_repeated,
    ),
    Cause(
        "tokenizer-mismatch",
        "Text and model do not have the same vocabulary",
        Weight.RECOMPUTED,
        "Most words are unknown, or ids stand for other words than in the tokenizer that is saved with the model.",
        "Tokenize training text, held-out text and new text with one and the same tokenizer, learned from text of the"
        " same language: leave out --tokenizer, or train one with `mini-bert tokenizer train`.",
        tokenizer_mismatch,
    ),
)
