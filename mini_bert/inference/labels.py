"""What a model with a classifier or a tagger says of texts.

    classes_of(model, ["A fine day."])           # for each text its classes with probabilities, the likeliest first
    tags_of(model, ["Amy lives in Ostwick ."])   # for each text its words, each with its tag

`mini-bert finetune` makes such models; those of transformers ending in ForSequenceClassification or
ForTokenClassification are such models too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from math import gcd
from typing import NamedTuple

from mini_bert.core.array import Array
from mini_bert.core.functions.softmax import softmax
from mini_bert.data.tasks.alignment import align
from mini_bert.data.tasks.batches import Encoded, task_batches
from mini_bert.errors import counted
from mini_bert.inference.fill_mask import TELLS
from mini_bert.inference.forward import Predictor
from mini_bert.inference.reading import tokenizer_of
from mini_bert.models.mini import MiniBERT

PADDED_TO, READ_AT_ONCE = 8, 64
WORD = re.compile(r"\w+(?:['’-]\w+)*|[^\w\s]")


class Label(NamedTuple):
    """A class or a tag, and how probable it is."""

    name: str
    probability: float


class TaggedWord(NamedTuple):
    """A word, where it stands in the text, and its tag; None if it was further on than the model reads."""

    word: str
    start: int
    end: int
    tag: Label | None


class Classified(NamedTuple):
    """All classes of a text, the likeliest first; `is_cut` if the text was longer than the model reads."""

    labels: list[Label]
    is_cut: bool


def classes_of(model: MiniBERT, texts: Sequence[str], pairs: Sequence[str] | None = None) -> list[Classified]:
    """The classes of each text, or of each text with its second one."""
    check_head(model, "classes")
    if pairs is not None:
        check_one_for_each(texts, pairs)
    tokenizer, names, length = tokenizer_of(model), label_names(model), model.config.max_seq_length
    seconds: Sequence[str | None] = pairs if pairs is not None else [None] * len(texts)
    both = list(zip(texts, seconds, strict=True))
    is_cut = [len(tokenizer.encoding(text, pair)) > length for text, pair in both]
    encodings = [tokenizer.encoding(text, pair, max_length=length) for text, pair in both]
    refuse_empty([len(one) for one in encodings], texts)
    found: dict[int, list[Label]] = {}
    with Predictor(model) as predictor:
        for i, logits in logits_of(predictor, encodings):
            labels = [Label(*pair) for pair in zip(names, softmax(logits).tolist(), strict=True)]
            found[i] = sorted(labels, key=lambda label: -label.probability)
    return [Classified(found[i], cut) for i, cut in enumerate(is_cut)]


def check_one_for_each(texts: Sequence[str], pairs: Sequence[str]) -> None:
    if len(pairs) != len(texts):
        raise ValueError(
            f"{counted(len(pairs), 'second text')} for {counted(len(texts), 'text')}; give one for each"
        )


def tags_of(model: MiniBERT, texts: Sequence[str]) -> list[list[TaggedWord]]:
    """The words of each text, a mark being one too, with their tags."""
    check_head(model, "tags")
    tokenizer, names, length = tokenizer_of(model), label_names(model), model.config.max_seq_length
    spans = [[match.span() for match in WORD.finditer(text)] for text in texts]
    refuse_empty([len(words) for words in spans], texts)
    aligned = [
        align([text[start:end] for start, end in words], tokenizer, length)
        for text, words in zip(texts, spans, strict=True)
    ]
    found: list[list[TaggedWord]] = [[] for _ in texts]
    with Predictor(model) as predictor:
        for i, logits in logits_of(predictor, aligned):
            probs = softmax(logits[aligned[i].spans.first])
            tags: list[Label | None] = [
                Label(names[best], float(row[best])) for row in probs for best in [int(row.argmax())]
            ]
            tags += [None] * aligned[i].words_cut
            found[i] = [
                TaggedWord(texts[i][start:end], start, end, tag)
                for (start, end), tag in zip(spans[i], tags, strict=True)
            ]
    return found


def logits_of(predictor: Predictor, encodings: Sequence[Encoded]) -> Iterator[tuple[int, Array]]:
    """The number of each text and its logits, (C,) or (T, C), similar lengths together."""
    model, tokenizer = predictor.model, tokenizer_of(predictor.model)
    pad_id = tokenizer.pad_id or 0
    multiple = gcd(PADDED_TO, model.config.max_seq_length)
    for batch in task_batches(encodings, None, READ_AT_ONCE, None, pad_id=pad_id, multiple=multiple):
        types = batch.type_ids if model.config.token_types else None
        logits = predictor.logits(batch.ids, batch.attention_mask, types)
        yield from zip(batch.indices.tolist(), logits, strict=True)


def label_names(model: MiniBERT) -> tuple[str, ...]:
    """What its classes or tags are called; by number where nobody has named them."""
    return model.label_names or tuple(f"LABEL_{i}" for i in range(model.config.classes))


def check_head(model: MiniBERT, wanted: str) -> None:
    head = model.config.head
    if head == wanted:
        return
    tells = {**TELLS, "words": "which words are hidden"}[head]
    where = f" --model {model.folder}" if model.folder else ""
    remedy = (
        f"fine-tune it first: mini-bert finetune sentiment{where}"
        if head not in ("classes", "tags")
        else f"ask for {head}"
    )
    raise ValueError(f"this model tells {tells}, not {TELLS[wanted]}; {remedy}")


def refuse_empty(sizes: Sequence[int], texts: Sequence[str]) -> None:
    for size, text in zip(sizes, texts, strict=True):
        if not size or not text.strip():
            raise ValueError("a text is empty; leave it out, or write something in it")
