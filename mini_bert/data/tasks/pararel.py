"""ParaRel (Elazar et al. 2021): facts of a relation, and several patterns that state it, in two JSONL files."""

from pathlib import Path

from mini_bert.data.tasks.examples import Fact
from mini_bert.data.tasks.jsonl import read_fields
from mini_bert.data.tasks.lines import Line, Source, files, read_folder, stem

SUFFIX = ".jsonl"


def read_pararel(facts: Source, patterns: Source) -> list[Fact]:
    """The facts of one relation, which is named by the file; each holds all the relation's patterns."""
    relation = stem(facts, SUFFIX)
    every_pattern = tuple(_checked(line, pattern) for line, (pattern,) in read_fields(patterns, "pattern"))
    return [
        Fact(relation, subject, answer, every_pattern)
        for _, (subject, answer) in read_fields(facts, "sub_label", "obj_label")
    ]


def read_pararel_folder(folder: Source) -> dict[str, list[Fact]]:
    """Every relation in `folder/facts`, with its patterns from `folder/patterns`."""
    patterns = {stem(path, SUFFIX): path for path in files(Path(folder) / "patterns", SUFFIX)}

    def read(facts: Path) -> list[Fact]:
        relation = stem(facts, SUFFIX)
        if relation not in patterns:
            raise ValueError(f"{facts}: no patterns for {relation}; add patterns/{relation}{SUFFIX}")
        return read_pararel(facts, patterns[relation])

    return read_folder(Path(folder) / "facts", SUFFIX, read)


def _checked(line: Line, pattern: str) -> str:
    if pattern.count("[X]") != 1 or pattern.count("[Y]") != 1:
        raise line.error(
            f"pattern {pattern!r}", "write [X] for the subject and [Y] for the object, once each"
        )
    return pattern.strip()
