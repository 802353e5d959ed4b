"""What the axes of an array stand for: pieces, heads, words, numbers; and what each place along them is called."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple

from mini_bert.analysis.reading import Reading
from mini_bert.inference.reading import tokenizer_of
from mini_bert.models.names import find

AxisKind = Literal[
    "text", "head", "piece", "key", "number", "word", "class", "place", "segment", "distance", "in", "out"
]
MANY: dict[AxisKind, tuple[str, str]] = {
    "text": ("text", "texts"),
    "head": ("head", "heads"),
    "piece": ("piece", "pieces"),
    "key": ("piece looked at", "pieces looked at"),
    "number": ("number", "numbers"),
    "word": ("word", "words"),
    "class": ("answer", "answers"),
    "place": ("place", "places"),
    "segment": ("segment", "segments"),
    "distance": ("distance", "distances"),
    "in": ("number in", "numbers in"),
    "out": ("number out", "numbers out"),
}
LOOKS = ("scores", "probs", "mixed", "softmax")
TABLES: dict[str, AxisKind] = {
    "embeddings.token.weight": "word",
    "embeddings.position.weight": "place",
    "embeddings.token_type.weight": "segment",
    "encoder.position.weight": "place",
    "encoder.relative.weight": "distance",
}
PER_HEAD = {"query": "out", "key": "out", "value": "out", "gate": "out", "output": "in"}
"""Linear maps of attention, and on which side of them the heads stand side by side."""


class Axis(NamedTuple):
    """`heads`: how many heads stand side by side along it, each with as many numbers; 0 for none."""

    kind: AxisKind
    size: int
    heads: int = 0

    @property
    def words(self) -> str:
        """
        >>> Axis("piece", 7).words, Axis("head", 1).words
        ('7 pieces', '1 head')
        """
        one, many = MANY[self.kind]
        return f"{self.size:,} {one if self.size == 1 else many}"

    def labels(self, places: Iterable[int], reading: Reading) -> list[str]:
        """What places along the axis are called; two pieces of the same letters are told apart by where they stand."""
        match self.kind:
            case "piece" | "key":
                return [reading.pieces[place] for place in places]
            case "word":
                words = tokenizer_of(reading.model).id_to_token
                return [words[place] if place < len(words) else f"word {place}" for place in places]
            case _ if self.heads:
                each = self.size // self.heads
                return [f"head {place // each} · {place % each}" for place in places]
            case "number" | "in" | "out":
                return [str(place) for place in places]
        return [f"{MANY[self.kind][0]} {place}" for place in places]


def spelled(axes: Iterable[Axis]) -> str:
    """
    >>> spelled([Axis("text", 1), Axis("piece", 7), Axis("number", 192)])
    '7 pieces × 192 numbers'
    """
    told = [axis.words for axis in axes if not (axis.kind == "text" and axis.size == 1)]
    return " × ".join(told) or "one number"


def activation_axes(name: str, shape: tuple[int, ...], reading: Reading) -> tuple[Axis, ...]:
    """Of an activation, by its dotted name."""
    T, config = len(reading.ids), reading.model.config
    if not shape:
        return ()
    rest = list(shape[1:])
    axes = [Axis("text", shape[0])]
    if len(rest) == 3:
        axes.append(Axis("head", rest.pop(0)))
    is_of_text = config.head == "classes" and name.startswith("head.") and len(rest) == 1
    if rest and rest[0] == T and not is_of_text:
        axes.append(Axis("piece", rest.pop(0)))
    part = name.rpartition(".")[2]
    for size in rest:
        if part in LOOKS:
            axes.append(Axis("key" if size == T else "number", size))
        elif name == "head.logits":
            axes.append(Axis("word" if config.head == "words" else "class", size))
        else:
            axes.append(Axis("number", size, config.num_heads if side_by_side(name) else 0))
    return tuple(axes)


def side_by_side(name: str) -> bool:
    """Whether the heads of attention stand side by side in the last axis."""
    return name.endswith((".attn.context", ".attn.output.x", ".attn.opening", ".attn.gate.out"))


def weight_axes(name: str, shape: tuple[int, ...], reading: Reading) -> tuple[Axis, ...]:
    """Of a weight, by its dotted name, with its shape as the short name sees it."""
    heads, parts = reading.model.config.num_heads, name.split(".")
    if name in TABLES:
        return Axis(TABLES[name], shape[0]), Axis("number", shape[1])
    if name.startswith("head.decoder."):
        return tuple(Axis("word" if at == len(shape) - 1 else "in", size) for at, size in enumerate(shape))
    side = PER_HEAD.get(parts[-2], "") if "attn" in parts else ""
    if len(shape) == 2 and parts[-1] == "weight":
        row = find(name, "dotted")
        kinds: list[AxisKind] = ["in", "out"] if row and row[0].transposed else ["out", "in"]
        return tuple(
            Axis(kind, size, heads if kind == side and size % heads == 0 else 0)
            for kind, size in zip(kinds, shape, strict=True)
        )
    if parts[-1] == "table" and "relative" in parts:
        return Axis("head", shape[0]), Axis("distance", shape[1])
    inner = heads if side == "out" and shape[-1] % heads == 0 and len(shape) == 1 else 0
    return tuple(Axis("number", size, inner if at == len(shape) - 1 else 0) for at, size in enumerate(shape))
