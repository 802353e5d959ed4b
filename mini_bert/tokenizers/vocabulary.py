"""The vocabulary of a tokenizer.json: the pieces of its model and the tokens added to them, in the order of ids."""

from collections.abc import Iterable, Mapping
from typing import Any

from mini_bert.tokenizers.description import Description


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
    missing = next((index for index in range(len(by_id)) if index not in by_id), None)
    if missing is not None:
        raise model.error(f"no piece has id {missing}, though there are {len(by_id)} pieces", "vocab")
    return [by_id[index] for index in range(len(by_id))]
