"""Examples of train that are held back, to choose settings by where dev has to be the judge.

SST-2 learns from phrases of sentences. A phrase that is held back has been read as part of another, so that a choice by
such phrases favours what learns by heart. Here whole sentences are held back, as those of dev are whole, and every
phrase goes with them that stands in no other sentence: as if they had never been there.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from mini_bert.core.chance import permutation
from mini_bert.data.tasks import Labelled
from mini_bert.finetuning.tasks import Example, Task, labels_of

SHARE, MOST = 0.1, 2000
"""Of the whole texts, so many are held back."""
LOOKED_UP = 8
"""Words by which a longer phrase is looked up."""

Words = tuple[str, ...]


def with_some_held_back(task: Task, share: float = SHARE) -> Task:
    """The task with some whole texts of train as its dev, and without a test; always the same ones."""
    words = [words_of(example) for example in task.train]
    parts = whole_texts(words)
    whole = sorted(parts)
    count = min(round(share * len(whole)), MOST)
    order = permutation("held-back texts", len(whole), 0).tolist()
    held = {whole[i] for i in order[:count]}
    learned = {phrase for i in order[count:] for phrase in parts[whole[i]]}
    train = [example for example, text in zip(task.train, words, strict=True) if text in learned]
    dev = [example for example, text in zip(task.train, words, strict=True) if text in held]
    if not dev or labels_of(train) < set(task.names):
        raise ValueError(
            f"{task.name}: {len(task.train)} examples are too few to hold some back and choose a learning rate by "
            "them; learn from more, or name a single rate"
        )
    return replace(task, train=train, dev=dev, test=())


def words_of(example: Example) -> Words:
    if isinstance(example, Labelled):
        second = () if example.pair is None else ("\t", *example.pair.split())
        return (*example.text.split(), *second)
    return tuple(example.words)


def whole_texts(texts: Sequence[Words]) -> dict[Words, set[Words]]:
    """Each text that stands in no other, word for word, with all those that stand in it, itself included."""
    known = set(texts)
    longer: defaultdict[Words, list[Words]] = defaultdict(list)
    for text in known:
        if len(text) > LOOKED_UP:
            longer[text[:LOOKED_UP]].append(text)
    found: dict[Words, set[Words]] = {}
    inner: set[Words] = set()
    for text in sorted(known, key=len, reverse=True):
        if text in inner:
            continue
        found[text] = {text}
        for start in range(len(text)):
            most = text[start : start + LOOKED_UP]
            spans = (most[:end] for end in range(1, len(most) + 1))
            found[text].update(span for span in spans if span in known)
            found[text].update(
                other for other in longer.get(most, ()) if text[start : start + len(other)] == other
            )
        inner |= found[text]
    return found
