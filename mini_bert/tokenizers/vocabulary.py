"""The vocabulary of a tokenizer.json: the pieces of its model and the tokens added to them, in the order of ids."""

from collections.abc import Iterable, Mapping
from itertools import count, islice
from typing import Any

from mini_bert.tokenizers.description import Description

GAPS_SHOWN = 3


def joined_vocabulary(
    pieces: Mapping[str, Any], added: Iterable[Description], model: Description
) -> list[str]:
    """All pieces by id. Every id from 0 up must be taken, and by one piece only."""
    ids = dict(pieces)
    for entry in added:
        ids.setdefault(entry.text("content"), entry.integer("id"))
    by_id: dict[int, str] = {}
    for token, index in ids.items():
        if not isinstance(index, int) or isinstance(index, bool) or index < 0:
            raise model.error(f"{token!r} has id {index!r}, not a whole number from 0", "vocab")
        if index in by_id:
            raise model.error(f"{token!r} and {by_id[index]!r} have the same id {index}", "vocab")
        by_id[index] = token
    if (gaps := max(by_id, default=-1) + 1 - len(by_id)) > 0:
        missing = list(islice((index for index in count() if index not in by_id), min(gaps, GAPS_SHOWN)))
        more = f" and {gaps - len(missing):,} more" if gaps > len(missing) else ""
        raise model.unsupported(
            "vocab",
            f"a gap in the ids ({', '.join(map(str, missing))}{more} missing)",
            ["ids from 0 up, one after the other"],
        )
    return [by_id[index] for index in range(len(by_id))]
