"""What a model learned from, as its card tells it: the text of each stage, and the licences of its sources."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from mini_bert.pretrained.card_prose import (
    HELD_OUT,
    HELD_OUT_BY_STAGES,
    HELD_OUT_UNKNOWN,
    LICENCES,
    UNTOLD,
    paragraph,
)
from mini_bert.pretrained.card_tables import UNKNOWN, known, markdown_table, percentage
from mini_bert.pretrained.sources import Sources, are_of_one_corpus, is_same_text
from mini_bert.pretrained.stages import is_recorded_from_the_start, sources_in, stages_of
from mini_bert.run_reports.history import is_number

Stages = Sequence[Mapping[str, Any]]
SPELLED = {"mit": "MIT", "apache-2.0": "Apache-2.0"}
"""Licences that model hubs write otherwise than people."""


def data(training: Mapping[str, Any]) -> Iterator[str]:
    """A section, if anything of it is known."""
    stages, sources = stages_of(training), sources_in(training)
    told = ["## Data and licences", *texts_told(stages, training.get("tokens"))]
    if sources:
        told += [sources_table(sources), *licences(stages, sources, training["licence"])]
    if len(told) > 1:
        yield "\n\n".join(told)


def texts_told(stages: Stages, seen: Any) -> Iterator[str]:
    """In a sentence if all stages read the same text, else in a table of the stages."""
    texts = [stage["text"] for stage in stages]
    last = texts[-1]
    if "tokens" not in last:
        return
    if all(is_same_text(text, last) for text in texts):
        yield paragraph(
            f"{last['tokens']:,} tokens in {last['documents']:,} documents ({last['corpus']}), of which "
            f"{percentage(last['held_out'])} were held out to watch the run. Training saw {seen:,} tokens, "
            f"{times(seen, last)} times the text."
        )
        return
    yield "Each stage has a text of its own:"
    rows = [[str(number), *text_row(stage)] for number, stage in enumerate(stages, start=1)]
    header = [
        "stage",
        "text",
        "sources",
        "documents",
        "tokens",
        "held out to watch",
        "tokens seen",
        "times the text",
    ]
    yield markdown_table(header, rows)


def text_row(stage: Mapping[str, Any]) -> list[str]:
    text, seen = stage["text"], stage.get("tokens")
    return [
        str(text.get("corpus", UNKNOWN)),
        ", ".join(text.get("sources") or ()) or UNKNOWN,
        known(text.get("documents"), "{:,}"),
        known(text.get("tokens"), "{:,}"),
        percentage(text.get("held_out")),
        known(seen, "{:,}"),
        times(seen, text),
    ]


def times(seen: Any, text: Mapping[str, Any]) -> str:
    """How often a text was read, without an exponent.

    >>> [times(seen, {"tokens": 100_000}) for seen in (4_096, 290_000, 80_000_000)], times(None, {})
    (['0.04', '2.9', '800'], 'not recorded')
    """
    if not is_number(seen) or not is_number(text.get("tokens")):
        return UNKNOWN
    ratio = seen / text["tokens"]
    return f"{ratio:,.{2 if ratio < 1 else 1 if ratio < 100 else 0}f}"


def sources_table(sources: Sources) -> str:
    rows = [
        [
            name,
            one["licence"],
            f"{one['train']['documents']:,}",
            f"{one['train']['characters'] / 1e6:.1f}",
            f"{one['held_out']['documents'] if one.get('held_out') else 0:,}",
            one["attribution"],
        ]
        for name, one in sources.items()
    ]
    header = ["source", "licence", "documents", "million characters", "held out", "attribution"]
    return markdown_table(header, rows)


def held_out_of(stages: Stages) -> str:
    """What can be said of documents that are held out."""
    if not is_recorded_from_the_start(stages):
        return HELD_OUT_UNKNOWN
    return HELD_OUT if are_of_one_corpus(stages) else HELD_OUT_BY_STAGES


def licences(stages: Stages, sources: Sources, licence: str) -> Iterator[str]:
    """What is asked of those who pass the model on, and of which stages nobody can say it."""
    numbers: dict[bool, list[str]] = {True: [], False: []}
    for number, stage in enumerate(stages, start=1):
        numbers[bool(stage["text"].get("sources"))].append(str(number))
    told, untold = (", ".join(numbers[key]) for key in (True, False))
    where = (f" in stage {told}" if told else " before stage 1") if untold else ""
    yield paragraph(
        LICENCES.format(
            licence=SPELLED.get(licence, licence),
            sources=f"all {len(sources)} sources" if len(sources) > 1 else "its source",
            held_out=held_out_of(stages).format(where=where),
        )
    )
    if untold:
        yield paragraph(UNTOLD.format(stages=untold))
