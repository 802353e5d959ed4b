"""Changes of heads while a model reads, as hooks of its pass."""

from __future__ import annotations

import numpy as np

from mini_bert.analysis.attention import PROBS
from mini_bert.analysis.reading import Reading
from mini_bert.analysis.variants import CONTEXT, check_head, head_columns, layered
from mini_bert.core.array import Array
from mini_bert.core.trace import Hook
from mini_bert.explorer.question import Edit


def hooks_of(edits: tuple[Edit, ...], reading: Reading) -> dict[str, Hook]:
    """For `read(..., hooks=...)`; `reading` is the same text without changes."""
    names = {pattern: layered(reading.model, pattern) for pattern in (CONTEXT, PROBS)}
    by_name: dict[str, list[Hook]] = {}
    for edit in edits:
        check_head(reading.model, edit.layer, edit.head)
        writes = edit.kind in ("off", "mean")
        pattern, hook = changed_context(edit, reading) if writes else changed_look(edit, reading)
        by_name.setdefault(names[pattern][edit.layer], []).append(hook)
    return {name: one_after_another(hooks) for name, hooks in by_name.items()}


def one_after_another(hooks: list[Hook]) -> Hook:
    def all_of_them(values: Array) -> Array:
        for hook in hooks:
            values = hook(values)
        return values

    return all_of_them


def changed_context(edit: Edit, reading: Reading) -> tuple[str, Hook]:
    """off and mean: what the head writes, (1, T, H) with heads side by side."""
    columns = head_columns(reading.model, edit.head)

    def write(context: Array) -> Array:
        own = context[..., columns]
        context[..., columns] = 0 if edit.kind == "off" else own.mean(1, keepdims=True)
        return context

    return CONTEXT, write


def changed_look(edit: Edit, reading: Reading) -> tuple[str, Hook]:
    """even and look: where the head looks, (1, A, Tq, Tk)."""
    T = len(reading.ids)
    causal = reading.model.config.causal
    for name in ("query", "key"):
        place = getattr(edit, name)
        if place is not None and place >= T:
            raise ValueError(f"{name} {place}: the text has places 0 to {T - 1}")
    if causal and edit.query is not None and edit.key is not None and edit.key > edit.query:
        raise ValueError(
            f"look: piece {edit.query} cannot see piece {edit.key}, for this model sees only what came before; "
            "choose an earlier one"
        )

    def look(probs: Array) -> Array:
        own = probs[:, edit.head]
        queries, keys = own.shape[-2:]
        seen = np.tri(queries, keys, keys - queries) if causal else np.ones((queries, keys))
        if edit.kind == "even":
            own[...] = seen / seen.sum(-1, keepdims=True)
        else:
            assert edit.key is not None
            asking = np.arange(len(seen)) if edit.query is None else np.array([edit.query])
            asking = asking[seen[asking, edit.key] > 0]
            own[:, asking] = np.arange(own.shape[-1]) == edit.key
        return probs

    return PROBS, look
