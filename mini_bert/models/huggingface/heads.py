"""Heads that several families spell alike."""

from __future__ import annotations

from mini_bert.models.huggingface.family import Architecture, Settings

TAGGER = """
head.output.weight | classifier.weight
head.output.bias   | classifier.bias
"""
DENSE_CLASSIFIER = """
head.pooler.dense.weight | classifier.dense.weight
head.pooler.dense.bias   | classifier.dense.bias
head.output.weight       | classifier.out_proj.weight
head.output.bias         | classifier.out_proj.bias
"""
ALONE: Settings = {"second_head": "none"}


def words(table: str) -> Architecture:
    """A word for each position."""
    return Architecture({"head": "words", **ALONE}, table)


def classifier(table: str) -> Architecture:
    """A class for the text."""
    return Architecture({"head": "classes", **ALONE}, table, counts_classes=True)


def taggers(model: str, table: str = TAGGER) -> dict[str, Architecture]:
    """A tag for each token; and, as two tags, where the answer to a question begins and ends."""
    answers = table.replace("classifier", "qa_outputs")
    return {
        f"{model}ForTokenClassification": Architecture({"head": "tags", **ALONE}, table, counts_classes=True),
        f"{model}ForQuestionAnswering": Architecture({"head": "tags", "classes": 2, **ALONE}, answers),
    }
