"""The words a model puts in place of hidden ones.

    fill_mask(model, "The cat sat on the [MASK].")       # a Blank for each [MASK], with its best guesses

Only the hidden positions are answered: the last layer and the vocabulary see no others.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from mini_bert.core.array import Array
from mini_bert.core.functions.softmax import softmax
from mini_bert.inference.forward import Predictor
from mini_bert.inference.reading import as_batch, tokenizer_of
from mini_bert.models.huggingface.settings import GENERATOR
from mini_bert.models.mini import MiniBERT
from mini_bert.tokenizers.arguments import checked_text
from mini_bert.tokenizers.special import MASK
from mini_bert.tokenizers.tokenizer import Tokenizer

TELLS = {
    "classes": "a class of the whole text",
    "tags": "a tag of each token",
    "replaced": "which tokens were replaced",
    "none": "hidden states only",
}


class Guess(NamedTuple):
    """A word, how probable it is, and its piece as the vocabulary spells it."""

    word: str
    probability: float
    token: str


@dataclass(frozen=True)
class Blank:
    """A hidden word: its place among the tokens of the text, and what may stand there, the most probable first."""

    place: int
    guesses: list[Guess]


def fill_mask(model: MiniBERT, text: str, top: int = 5) -> list[Blank]:
    """The `top` most probable words for each [MASK] in a text, or for the tokenizer's own sign, such as <mask>."""
    check_fit(model)
    with Predictor(model) as predictor:
        return blanks_in(text, predictor, top)


def blanks_in(text: str, predictor: Predictor, top: int = 5) -> list[Blank]:
    """The same by a predictor that is there already, of a model that fills gaps; for many texts."""
    if top < 1:
        raise ValueError(f"top={top}: how many words to tell; choose 1 or more")
    model = predictor.model
    tokenizer, config = tokenizer_of(model), model.config
    mask = mask_of(tokenizer)
    encoding = tokenizer.encoding(checked_text(text, "fill_mask").replace(MASK, mask))
    if len(encoding) > config.max_seq_length:
        raise ValueError(
            f"the text has {len(encoding)} tokens, but the model reads at most {config.max_seq_length}; shorten it"
        )
    places = [place for place, i in enumerate(encoding.ids) if i == tokenizer.token_to_id[mask]]
    if not places:
        refuse_misspelt_mask(text, mask)
        raise ValueError(
            f'no {MASK} in the text; write one for each hidden word: "The cat sat on the {MASK}."'
        )
    logits = predictor.logits(*as_batch(model, [encoding]), positions=[places])
    return [Blank(place, guesses(row, tokenizer, top)) for place, row in zip(places, logits[0], strict=True)]


def refuse_misspelt_mask(text: str, mask: str) -> None:
    """Refuse a text that has the sign in other letters, such as [mask]."""
    for sign in (MASK, mask):
        if found := re.search(re.escape(sign), text, re.IGNORECASE):
            how = "in capitals" if sign.isupper() else "as the vocabulary does"
            raise ValueError(f"{found[0]} hides no word; write it {how}: {sign}")


def check_fit(model: MiniBERT) -> None:
    """Refuse a model that cannot fill in hidden words, and say why."""
    if model.config.generator:
        beside = (model.folder or Path()) / GENERATOR
        remedy = (
            f"load {beside}"
            if model.folder and beside.is_dir()
            else f'model.save_pretrained("electra") writes it to electra/{GENERATOR}, which can be loaded'
        )
        raise ValueError(
            f"this model tells {TELLS[model.config.head]}; its generator fills in hidden words: {remedy}"
        )
    if model.config.head != "words":
        raise ValueError(
            f"this model tells {TELLS[model.config.head]}, and no words; load one with head=words, whose class in "
            "transformers ends in ForMaskedLM (of ELECTRA, that is the generator)"
        )
    if model.config.causal:
        raise ValueError(
            "this model sees only what comes before a word, so it cannot fill a gap; it writes on: mini-bert generate"
        )
    mask_of(tokenizer_of(model))


def mask_of(tokenizer: Tokenizer) -> str:
    if tokenizer.roles.mask is None:
        raise ValueError(
            "this vocabulary has no sign for a hidden word, like [MASK] or <mask>; load a model that was trained "
            "to find hidden words"
        )
    return tokenizer.roles.mask


def guesses(logits: Array, tokenizer: Tokenizer, top: int) -> list[Guess]:
    """The `top` most probable of the pieces that the tokenizer knows; logits (V,) may have more."""
    probs = softmax(logits)
    best = np.argsort(-probs[: tokenizer.vocab_size], kind="stable")[:top].tolist()
    return [Guess(word_of(i, tokenizer), float(probs[i]), tokenizer.id_to_token[i]) for i in best]


def word_of(index: int, tokenizer: Tokenizer) -> str:
    """A piece as it would stand in a text; one that is nothing but white space or half a letter, as it is spelled."""
    word = tokenizer.decode([index]).strip()
    return word if word and "\ufffd" not in word else tokenizer.id_to_token[index]
