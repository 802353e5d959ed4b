"""The words of several texts, as every layer of a model sees them.

read = words_in(model, ["The cat sat.", "A dog ran."])
read.words[1].spelled             # "cat"
read.layers[2][1]                 # (H,): its vector after layer 2; 0 is the embeddings
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mini_bert.core.array import Array
from mini_bert.core.trace import Trace
from mini_bert.evaluation.layer_states import EMBEDDED, READ_BY_HEAD
from mini_bert.inference.reading import as_batch, tokenizer_of
from mini_bert.inference.sentence_vectors import batches
from mini_bert.models.inputs import check_weights, checked_ids, checked_inputs
from mini_bert.models.mini import MiniBERT
from mini_bert.tokenizers.encoding import Encoding

TOKENS_AT_ONCE = 2048


class Word(NamedTuple):
    """A word as it is written in a text, by the text's number, and the places of its first and last piece."""

    spelled: str
    text: int
    first: int
    last: int


@dataclass(frozen=True)
class WordsRead:
    """Words of texts, and their vectors (L + 1, W, H): a word of several pieces is the mean of theirs."""

    texts: tuple[str, ...]
    words: tuple[Word, ...]
    layers: Array

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(word.spelled for word in self.words)

    def find(self, word: str | int, text: int = 0) -> int:
        """The number of a word among all: by its number in a text, or the first that is spelled so."""
        of_text = [number for number, one in enumerate(self.words) if one.text == text]
        if isinstance(word, int):
            if not 0 <= word < len(of_text):
                raise ValueError(f"word {word}: the text has words 0 to {len(of_text) - 1}")
            return of_text[word]
        for number in of_text:
            if self.words[number].spelled.lower() == word.lower():
                return number
        known = ", ".join(self.words[number].spelled for number in of_text[:12])
        raise ValueError(f"word {word!r}: the text has no such word; choose one of: {known}")


class PassOver(NamedTuple):
    """One pass over some of the texts: their numbers, their pieces, and what was watched, (B, T, …) each."""

    numbers: list[int]
    encodings: list[Encoding]
    acts: Mapping[str, Array]


def passes_over(model: MiniBERT, texts: Sequence[str], watch: tuple[str, ...]) -> Iterator[PassOver]:
    """Texts of like length together; each is cut to what the model reads at once."""
    tokenizer = tokenizer_of(model)
    if isinstance(texts, str) or not texts:
        raise ValueError("texts: give a list with at least one text")
    check_weights(model.arena)
    rows = [tokenizer.encoding(text, max_length=model.config.max_seq_length) for text in texts]
    for numbers in batches([len(row) for row in rows], TOKENS_AT_ONCE):
        some = [rows[number] for number in numbers]
        batch = as_batch(model, some)
        ids = checked_ids(batch.ids, model.config)
        inputs = checked_inputs(ids, batch.attention_mask, batch.token_type_ids, model.config)
        t = Trace(model.arena, inputs=inputs, watch=watch, keeps=False)
        model.network.encode(ids, t)
        yield PassOver(list(numbers), some, t.acts)


def layer_names(model: MiniBERT) -> tuple[str, ...]:
    """Of the states before the first layer, after each, and as the head reads them."""
    between = (f"encoder.layers.{layer}.out" for layer in range(model.config.num_layers - 1))
    return EMBEDDED, *between, READ_BY_HEAD


def words_in(model: MiniBERT, texts: Sequence[str]) -> WordsRead:
    """The words of all texts, one text after the other, with their vectors in all layers."""
    names = layer_names(model)
    found: dict[int, tuple[list[Word], Array]] = {}
    for passed in passes_over(model, texts, names):
        states = np.stack([passed.acts[name] for name in names])  # (L + 1, B, T, H)
        for row, (number, encoding) in enumerate(zip(passed.numbers, passed.encodings, strict=True)):
            own = words_of(encoding, texts[number], number)
            vectors = [states[:, row, word.first : word.last + 1].mean(1) for word in own]
            H = states.shape[-1]
            found[number] = own, np.stack(vectors, 1) if vectors else np.empty((len(names), 0, H))
    everything = [found[number] for number in range(len(texts))]
    words = tuple(word for some, _ in everything for word in some)
    if not words:
        raise ValueError("texts: there is not a single word in them")
    return WordsRead(tuple(texts), words, np.concatenate([vectors for _, vectors in everything], axis=1))


def words_of(encoding: Encoding, text: str, number: int) -> list[Word]:
    """The words of one text; special tokens are none."""
    places: dict[int, list[int]] = {}
    for place, word in enumerate(encoding.word_ids):
        if word is not None and not encoding.special_tokens_mask[place]:
            places.setdefault(word, []).append(place)
    return [
        Word(text[encoding.offsets[at[0]][0] : encoding.offsets[at[-1]][1]], number, at[0], at[-1])
        for at in places.values()
    ]
