"""A text as a model reads it, and the pass that all analyses of it look into.

reading = read(model, "The cat sat on the [MASK].", target="mat")
reading.pieces                            # ("[CLS]", "the", "cat", ...)
reading.passed["attention_weights_0"]     # every activation by name
reading.passed.gradients["W_Q_0"]         # of −ln p(target), for every weight
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from mini_bert.analysis.graph.graph import Graph
from mini_bert.analysis.graph.walk import graph_of
from mini_bert.core.arena import Arena
from mini_bert.core.array import Array
from mini_bert.core.trace import Hook, Trace
from mini_bert.inference.reading import as_batch, tokenizer_of
from mini_bert.models.mini import EVERYTHING, MiniBERT
from mini_bert.models.passes import IGNORED, Pass, fingerprint
from mini_bert.tokenizers.encoding import Encoding
from mini_bert.tokenizers.special import MASK


@dataclass(frozen=True)
class Reading:
    """The pieces of a text, its row of ids (T,), what was to be told at each place (−100: nothing), and the pass."""

    model: MiniBERT
    encoding: Encoding
    pieces: tuple[str, ...]
    ids: Array
    labels: Array
    passed: Pass
    wide_weights: Callable[[], Arena] | None = None
    """The model's weights in float64, where somebody keeps them; else each exact pass makes its own."""

    @property
    def masked(self) -> list[int]:
        """The places of [MASK]."""
        return np.flatnonzero(self.ids == tokenizer_of(self.model).mask_id).tolist()

    @property
    def special(self) -> Array:
        """Which places hold no text (T,)."""
        return np.isin(self.ids, tokenizer_of(self.model).special_ids)

    @property
    def asked(self) -> list[int]:
        """The places where a word was to be told."""
        return np.flatnonzero(self.labels != IGNORED).tolist()

    @cached_property
    def graph(self) -> Graph:
        """Which number of the pass was made of which others."""
        return graph_of(self.passed)

    @property
    def exact(self) -> Reading:
        """The same pass in float64, for numbers that are compared to many digits; this one, if it is so already."""
        return self if self.passed.logits.dtype == np.float64 else self.twin

    @cached_property
    def twin(self) -> Reading:
        """The same pass once more, in float64."""
        wide = self.wide_weights() if self.wide_weights else None
        return replace(self, passed=in_float64(self.passed, wide))


def read(
    model: MiniBERT,
    text: str,
    *,
    hidden: Sequence[int] = (),
    target: str | Mapping[int, str] | None = None,
    watch: Iterable[str] = EVERYTHING,
    hooks: Mapping[str, Hook] | None = None,
) -> Reading:
    """One pass over a text.

    `hidden` are places whose pieces are replaced by [MASK] and asked for. `target` is the word to be told at the only
    [MASK] of the text, or words by place. Where nothing is asked for, every piece is to be told itself.
    """
    tokenizer = tokenizer_of(model)
    encoding = tokenizer.encoding(text.replace(MASK, tokenizer.roles.mask or MASK))
    check_fits(encoding, text, model.config.max_seq_length)
    batch = as_batch(model, [encoding])
    ids, labels = batch.ids.copy(), np.full(batch.ids.shape, IGNORED)
    T = ids.shape[1]
    mask = tokenizer.mask_id
    if hidden and mask is None:
        raise ValueError(
            "hidden: this vocabulary has no sign for a hidden word, like [MASK]; leave it out, and what comes next is "
            "asked for"
        )
    for place in hidden:
        if not 0 <= place < T:
            raise ValueError(f"hidden place {place}: the text has places 0 to {T - 1}")
        labels[0, place] = ids[0, place]
        ids[0, place] = mask
    for place, word in targets(target, ids[0], mask).items():
        if not 0 <= place < T:
            raise ValueError(f"target {word!r} at place {place}: the text has places 0 to {T - 1}")
        labels[0, place] = word_id(tokenizer.token_to_id, word)
    asked = bool((labels != IGNORED).any())
    passed = model.trace(
        ids,
        labels if asked else None,
        token_type_ids=batch.token_type_ids,
        watch=watch,
        hooks=hooks,
    )
    told = labels if asked else passed.labels
    pieces = tuple(tokenizer.id_to_token[int(one)] for one in ids[0])
    return Reading(model, encoding, pieces, ids[0], np.full(T, IGNORED) if told is None else told[0], passed)


def check_fits(encoding: Encoding, text: str, most: int) -> None:
    """Refuse a text of no pieces, or of too many; then tell how far the model could read."""
    if not len(encoding):
        raise ValueError("the text has no pieces; write a word")
    too_many = len(encoding) - most
    if too_many > 0:
        ends = [end for _, end in encoding.offsets if end]
        last_words = text[: ends[-too_many - 1]].split()[-3:] if len(ends) > too_many else []
        until = f", up to “{' '.join(last_words)}”" if last_words else ""
        raise ValueError(
            f"the text has {len(encoding)} pieces, and the model reads at most {most}{until}; shorten it"
        )


def as_reading(given: MiniBERT | Reading, text: str | None = None) -> Reading:
    """What an analysis looks into: a reading that is there already, or that of a text by a model."""
    if isinstance(given, Reading):
        if text is not None:
            raise ValueError(f"text {text!r}: this is a reading already; give the model to read another text")
        return given
    if text is None:
        raise ValueError('a model alone has read nothing; give a text too: "The cat sat on the [MASK]."')
    return read(given, text)


def without_hooks(reading: Reading) -> Reading:
    """A reading whose model can be asked again; one with hooks is refused."""
    if reading.passed.trace.hooks:
        raise ValueError(
            "a reading with hooks: what they changed would be forgotten when the model is asked again; read the text "
            "without them"
        )
    return reading


def targets(target: str | Mapping[int, str] | None, ids: Array, mask: int | None) -> Mapping[int, str]:
    """The words to be told, by place."""
    if target is None:
        return {}
    if not isinstance(target, str):
        return target
    places = np.flatnonzero(ids == mask).tolist()
    if len(places) != 1:
        raise ValueError(
            f"target {target!r}: the text has {len(places)} [MASK]; write it with one, or give words by place: "
            "{4: 'mat'}"
        )
    return {places[0]: target}


def word_id(vocabulary: Mapping[str, int], word: str) -> int:
    for form in (word, word.lower()):
        if form in vocabulary:
            return vocabulary[form]
    raise ValueError(f"target {word!r}: not a piece of this vocabulary; choose a word that it does not cut")


def in_float64(passed: Pass, wide: Arena | None = None) -> Pass:
    """A pass once more, with the same weights, inputs and hooks, in float64; `wide` are these weights, if at hand."""
    trace = passed.trace
    if fingerprint(trace.params) != passed.weights_then:
        raise ValueError("the weights have changed since this text was read; read it again")
    assert isinstance(trace.params, Arena)
    wide = trace.params.copy(np.float64) if wide is None else wide
    again = Trace(wide, inputs=trace.inputs, watch=trace.watch, hooks=trace.hooks)
    logits = passed.network.forward(trace.acts["embeddings.token.ids"], again)
    return Pass(passed.network, again, logits, passed.labels)
