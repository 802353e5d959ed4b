"""What simpler methods say: those a fine-tuned model has to beat."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mini_bert.data.tasks import Labelled, TaggedSentence
from mini_bert.evaluation.bag_of_words import BagOfWords
from mini_bert.evaluation.probing.baselines import usual_labels
from mini_bert.finetuning.encoded import most_frequent
from mini_bert.finetuning.tasks import Answer, Example, Task
from mini_bert.metrics.classification import accuracy, matthews_correlation


def simple_answers(task: Task) -> Iterator[tuple[str, str, list[Answer]]]:
    """(key in JSON, name, its answers for the examples that are judged) of each method that knows no network."""
    if task.head == "tags":
        yield "word_majority", "the word's most frequent tag", word_majority(task)
    else:
        yield "bag_of_words", "bag of words, logistic regression", bag_of_words(task)
    yield "majority", "always the most frequent", always(task)


def always(task: Task) -> list[Answer]:
    label = most_frequent(task.train)
    return [(label,) * len(one.words) if isinstance(one, TaggedSentence) else label for one in task.judged]


def bag_of_words(task: Task) -> list[Answer]:
    """Words and pairs of words, without any order beyond that."""
    merit = matthews_correlation if task.metric == "matthews" else accuracy
    return list(BagOfWords.fit(texts_of(task.train), merit).predict(texts_of(task.judged)))


def texts_of(examples: Sequence[Example]) -> list[Labelled]:
    return [one for one in examples if isinstance(one, Labelled)]


def word_majority(task: Task) -> list[Answer]:
    """Each word has the tag it had most often in train, in lower case; one never seen, the most frequent of all."""
    usual = usual_labels(*zip(*pairs(task.train), strict=True))
    fallback = most_frequent(task.train)
    return [
        tuple(usual.get(word.lower(), fallback) for word in one.words)
        for one in task.judged
        if isinstance(one, TaggedSentence)
    ]


def pairs(examples: Sequence[Example]) -> Iterator[tuple[str, str]]:
    for one in examples:
        if isinstance(one, TaggedSentence):
            yield from zip(map(str.lower, one.words), one.tags, strict=True)
