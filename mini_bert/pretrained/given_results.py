"""Results that are packed with a model: read, checked, and put in the place of older ones of the same exam."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import combinations, count
from pathlib import Path, PurePath
from statistics import fmean
from typing import Any

from mini_bert.pretrained.card_results import results_of
from mini_bert.pretrained.card_shortfalls import shortfalls
from mini_bert.pretrained.exams import Result, exams_in, of_pairs
from mini_bert.pretrained.packed_files import damage_told, read_json, weights_told
from mini_bert.pretrained.plain_names import without_folders

AGAIN = "examine the model again, with --json"


def results_in(files: Sequence[Path]) -> dict[Path, dict[str, Any]]:
    """The content of each file, all of different exams; its name will be that of the result."""
    found: dict[Path, dict[str, Any]] = {}
    for file in files:
        if file.stem in {other.stem for other in found}:
            raise ValueError(f"{file}: another result has that name already; give each file its own")
        found[file] = read_json(file)
        check_whole(file, file.stem, found[file])
    for one, other in combinations(found, 2):
        exams, others = (exams_of(file.stem, found[file]) for file in (one, other))
        if exams and others and (exams <= others or others <= exams):
            raise ValueError(f"{other}: tells of the same exam as {one}; give one of the two")
    return found


def check_whole(place: Path | str, name: str, result: Result) -> None:
    """Refuse a result of which a card cannot tell."""
    with damage_told(place, AGAIN):
        results_of(name, result)
        list(shortfalls({name: result}))


def check_weights(results: Mapping[Path, Result], known: Collection[str], source: str | Path) -> None:
    """Refuse what was found of another model, or does not say of which."""
    for file, result in results.items():
        told = weights_told(result)
        if told not in known:
            wrong = (
                "does not say of which weights it tells"
                if told is None
                else f"tells of other weights ({told})"
            )
            raise ValueError(f"{file}: {wrong}; examine {source} again, with --json")


def exams_of(name: str, result: Result) -> set[tuple[str, str]]:
    """By title, and by the set that was asked about where the title does not tell it: by the last folder of its files,
    wherever that lies."""
    plain = without_folders(result)
    files = str(plain.get("source") or plain.get("origin") or "").split(", ")
    asked = ", ".join("/".join(PurePath(file).parts[-2:]) for file in files)
    return {(exam.title, asked) for exam in exams_in(plain, name)}


def renewed(older: Mapping[str, Result], given: Mapping[str, Result]) -> tuple[dict[str, Result], list[str]]:
    """All results, without the older ones of exams that were given again, and the names of those.

    An older result of another exam stays, under another name if a given one has taken its own.
    """
    asked = {exam for name, result in given.items() for exam in exams_of(name, result)}
    titles = {title for title, _ in asked}
    made: dict[str, Result] = {}
    replaced = []
    for name, result in older.items():
        exams = exams_of(name, result)
        was_asked = exams <= asked if exams else name in given
        left = None if was_asked else without_sets(result, titles)
        if left is not result:
            replaced.append(name)
        if name in given:
            made[name] = given[name]
        if left is not None:
            made[free_name(name, {*older, *given}) if name in given else name] = left
    return {**made, **given}, replaced


def free_name(name: str, taken: Collection[str]) -> str:
    """
    >>> free_name("pairs", {"pairs", "pairs-2"})
    'pairs-3'
    """
    return next(free for number in count(2) if (free := f"{name}-{number}") not in taken)


def without_sets(result: Result, titles: Collection[str]) -> Result:
    """Of several sets of minimal pairs, those that have not been asked about again."""
    left = {
        name: one for name, one in (result.get("sets") or {}).items() if of_pairs(one).title not in titles
    }
    if len(left) == len(result.get("sets") or ()):
        return result
    paradigms = {name: one for pairs in left.values() for name, one in pairs["paradigms"].items()}
    accuracy = fmean(one["accuracy"] for one in paradigms.values())
    return {**result, "accuracy": accuracy, "paradigms": paradigms, "sets": left}
