"""Where the text of a model is from: the sources of corpus.json, with their licences, stage by stage.

A stage has the names of its sources, where they were told; a model keeps the sources of all its stages.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from mini_bert.pretrained.stages import Record, sources_in, stages_of

SIDES = ("train", "held_out")
Sources = Mapping[str, Mapping[str, Any]]


def with_manifest(record: Record, given: Mapping[str, Any]) -> dict[str, Any]:
    """The record of a model of whose last stage this is the corpus.json; sources of other text stay beside its own."""
    if not record.get("stages"):
        return {**record, "manifest": given}
    stages = stages_of(record)
    texts = [stage["text"] for stage in stages]
    others = {place for place, text in enumerate(texts[:-1]) if not is_same_text(text, texts[-1])}
    replaced = names_in(texts) - names_in(texts[place] for place in others)
    kept = {name: one for name, one in sources_in(record).items() if name not in replaced}
    added = {free_name(name, one, kept, len(stages)): one for name, one in given["sources"].items()}
    told = [text if place in others else {**text, "sources": list(added)} for place, text in enumerate(texts)]
    return {
        **record,
        "stages": [{**stage, "text": text} for stage, text in zip(stages, told, strict=True)],
        "manifest": {**given, "sources": {**kept, **added}},
    }


def names_in(texts: Iterable[Mapping[str, Any]]) -> set[str]:
    return {name for text in texts for name in text.get("sources", ())}


def is_same_text(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """
    >>> is_same_text({"tokens": 9, "documents": 2}, {"tokens": 9, "documents": 2}), is_same_text({}, {})
    (True, False)
    """
    return "tokens" in one and all(one.get(key) == other.get(key) for key in ("tokens", "documents"))


def are_of_one_corpus(stages: Iterable[Record]) -> bool:
    """Whether one corpus.json may have the text of all stages that name their sources: what it holds out none has read.

    A name stands for one text, so the stage with the most names has those of the others.

    >>> named = [{"text": {"sources": names}} for names in (["tales"], ["tales", "books"], ["tales (stage 3)"])]
    >>> are_of_one_corpus(named[:2]), are_of_one_corpus(named)
    (True, False)
    """
    named = [set(stage["text"].get("sources") or ()) for stage in stages]
    return all(names <= max(named, key=len) for names in named)


def free_name(name: str, source: Mapping[str, Any], taken: Sources, stage: int) -> str:
    """The name of a source, with its stage where another text has that name.

    >>> free_name("books", {"train": 1}, {"books": {"train": 1}}, 2), free_name("books", {"train": 1}, {"books": {}}, 2)
    ('books', 'books (stage 2)')
    """
    is_free = name not in taken or all(taken[name].get(side) == source.get(side) for side in SIDES)
    return name if is_free else f"{name} (stage {stage})"
