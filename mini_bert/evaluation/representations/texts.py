"""The texts that are read: whole ones, and single sentences that can be changed."""

from __future__ import annotations

from itertools import islice
from typing import NamedTuple

from mini_bert.core.chance import permutation
from mini_bert.data.tasks.conllu import read_conllu
from mini_bert.data.world import stories
from mini_bert.evaluation.representations.perturbations import Sentence
from mini_bert.evaluation.task_folder import TaskFolder


class Texts(NamedTuple):
    source: str
    whole: list[str]
    sentences: list[Sentence]


def texts_of(tasks: TaskFolder | None, texts: int, sentences: int, seed: int) -> Texts:
    """At most so many of each: of UD English EWT's dev part if it is at hand, else of the world's stories."""
    path = tasks.split("ud_ewt", "dev") if tasks is not None else None
    if path is not None:
        return treebank_texts(str(path), texts, sentences, seed)
    told = list(islice(stories(seed), texts))
    each = (sentence.tokens for story in told for sentence in story.sentences)
    found = [
        Sentence(
            tuple(token.text for token in tokens),
            tuple(f"{token.upos}|{token.feats}" for token in tokens),
            tuple(token.space_after for token in tokens),
        )
        for tokens in islice(each, sentences)
    ]
    return Texts(f"stories of the embedded world (seed {seed})", [story.text for story in told], found)


def treebank_texts(path: str, texts: int, sentences: int, seed: int) -> Texts:
    """Sentences in an order that the seed draws, for those of one document stand together in the file."""
    read = read_conllu(path)
    order = permutation("texts of representations", len(read), seed).tolist()
    drawn = [read[number] for number in order]
    found = [Sentence(one.words, one.upos, one.space_after) for one in drawn[:sentences]]
    return Texts("sentences of UD English EWT, dev", [one.text for one in drawn[:texts]], found)
