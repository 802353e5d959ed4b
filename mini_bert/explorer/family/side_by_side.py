"""Two members side by side: their boxes, steps, settings and weights, and where they differ."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

from mini_bert.core.network import Network
from mini_bert.core.terms import Padding, Term
from mini_bert.errors import counted
from mini_bert.explorer.family.blocks import ACTIVATIONS, NORMS, SECOND, Box, Stage, stages_of
from mini_bert.explorer.family.steps import Row, steps_of
from mini_bert.explorer.mathml import mathml
from mini_bert.explorer.model_facts import POSITIONS, TELLS
from mini_bert.models.build import build_network
from mini_bert.models.comparison import part_changes, setting_changes
from mini_bert.models.config import ModelConfig
from mini_bert.models.cost import PARTS, by_part, parameters, rehearse_training


@dataclass(frozen=True)
class Side:
    """A member, as it reads a text of so many pieces, or of as many of them as it can."""

    name: str
    config: ModelConfig
    pieces: int

    @property
    def T(self) -> int:
        return min(self.pieces, self.config.max_seq_length)

    @cached_property
    def network(self) -> Network:
        return build_network(self.config)

    @cached_property
    def weights(self) -> dict[str, int]:
        """By part, in the order of the data."""
        found = by_part(parameters(self.network))
        return {part: found[part] for part in dict.fromkeys(PARTS.values()) if found[part]}

    @cached_property
    def stages(self) -> tuple[Stage, ...]:
        return stages_of(self.config)

    @property
    def boxes(self) -> dict[str, Box]:
        return {box.id: box for stage in self.stages for box in stage.boxes}

    @cached_property
    def steps(self) -> dict[str, Row]:
        return {row.key: row for row in steps_of(self.config, self.T)}

    @property
    def terms(self) -> list[dict[str, str]]:
        """What the scores are summed from, in the words of the parts themselves."""
        found = [
            part
            for part in self.network.encoder.walk()
            if isinstance(part, Term) and not isinstance(part, Padding)
        ]
        told = {type(part).__name__: (part.__doc__ or "").strip().splitlines()[0] for part in found}
        return [{"name": name, "about": about} for name, about in told.items()]

    def as_dict(self, other: Side) -> dict[str, Any]:
        cost = rehearse_training(self.network, 1, self.T, itemsize=4)
        return {
            "name": self.name,
            "pieces": self.T,
            "cut": self.pieces > self.T,
            "parameters": sum(self.weights.values()),
            "weights": [{"part": part, "count": count} for part, count in self.weights.items()],
            "flops": cost.forward_flops,
            "stages": [stage_dict(stage, other) for stage in self.stages],
            "terms": self.terms,
        }


def stage_dict(stage: Stage, other: Side) -> dict[str, Any]:
    twin = next((one for one in other.stages if one.id == stage.id), None)
    known = other.boxes
    return {
        "id": stage.id,
        "title": stage.title,
        "times": stage.times,
        "shared": stage.shared,
        "differs": twin is None or twin.shared != stage.shared,
        "times_differ": twin is None or twin.times != stage.times,
        "boxes": [
            {
                **asdict(box),
                "differs": box.id not in known or in_words(known[box.id]) != in_words(box),
                "size_differs": box.id in known and known[box.id].size != box.size,
            }
            for box in stage.boxes
        ],
    }


def in_words(box: Box) -> tuple[str, str]:
    """What a box is, whatever its size."""
    return box.label, box.detail


def compared(a: Side, b: Side) -> dict[str, Any]:
    """`sides` one beside the other; every row of a table says whether the two differ in it."""
    changes = part_changes(a.network, b.network)
    return {
        "sides": [a.as_dict(b), b.as_dict(a)],
        "settings": [
            {"name": name, "values": list(values), "differs": values[0] != values[1]}
            for name, values in plain_settings(a.config, b.config).items()
        ],
        "steps": [step_dict(key, a, b) for key in merged(list(a.steps), list(b.steps))],
        "parts": [part for part in dict.fromkeys(PARTS.values()) if part in a.weights or part in b.weights],
        "changes": [asdict(change) for change in changes if not change.of_size],
        "all_settings": {
            name: [str(one) for one in values] for name, values in setting_changes(a.config, b.config).items()
        },
    }


def step_dict(key: str, a: Side, b: Side) -> dict[str, Any]:
    rows = [side.steps.get(key) for side in (a, b)]
    known = next(row for row in reversed(rows) if row)
    first, second = rows
    return {
        "key": key,
        "name": known.name,
        "group": known.group,
        "sides": [
            row and {"math": mathml(row.latex), "letters": list(row.letters), "shape": list(row.shape)}
            for row in rows
        ],
        "differs": first is None
        or second is None
        or first.latex != second.latex
        or first.letters != second.letters,
        "size_differs": first is not None and second is not None and first.shape != second.shape,
    }


def merged(first: Sequence[str], second: Sequence[str]) -> list[str]:
    """All keys of both: in the order of the second, and what only the first has behind its neighbour there.

    >>> merged(["a", "x", "b"], ["a", "b", "c"])
    ['a', 'x', 'b', 'c']
    """
    found = list(second)
    for place, key in enumerate(first):
        if key not in found:
            before = next((one for one in reversed(first[:place]) if one in found), None)
            found.insert(0 if before is None else found.index(before) + 1, key)
    return found


def plain_settings(a: ModelConfig, b: ModelConfig) -> dict[str, tuple[str, str]]:
    """What a model is, in words, for both; lines that say "none" twice are left out."""
    first, second = dict(in_plain_words(a)), dict(in_plain_words(b))
    return {name: (first[name], second[name]) for name in first if {first[name], second[name]} != {"none"}}


def in_plain_words(c: ModelConfig) -> Iterable[tuple[str, str]]:
    yield "layers", layers_in_words(c)
    yield "heads in a layer", f"{c.num_heads} of {c.head_size} numbers"
    yield "width (H)", f"{c.hidden_size:,}"
    yield "inner width (I)", f"{c.intermediate_size:,}"
    yield "vocabulary (V)", f"{c.vocab_size:,} pieces"
    yield "reads at most", f"{c.max_seq_length:,} pieces"
    yield "places", POSITIONS[c.positions]
    yield "segments", segments_in_words(c)
    yield "width of the tables (E)", f"{c.table_size:,}"
    yield "norm of the embeddings", "yes" if c.embedding_norm else "none"
    yield "norm", f"{NORMS[c.norm]}, {'before' if c.residual == 'pre-norm' else 'after'} each sublayer"
    yield "sees", "what came before" if c.causal else "the whole text"
    yield "memory", f"{c.memory:,} pieces" if c.memory else "none"
    yield "feed-forward", c.feed_forward
    yield "activation", ACTIVATIONS[c.activation]
    yield "biases", biases_in_words(c)
    yield "output words", "the rows of the word table" if c.tied else "a table of their own"
    yield "tells", "the next word" if c.causal and c.head == "words" else TELLS[c.head]
    yield "second task", SECOND.get(c.second_head, "none")


def segments_in_words(c: ModelConfig) -> str:
    if not c.token_types:
        return "none"
    how = "added to the words" if c.segments == "embedded" else "seen by attention"
    return f"{counted(c.token_types, 'kind')}, {how}"


def layers_in_words(c: ModelConfig) -> str:
    groups = c.layer_groups
    if groups is None or groups == c.num_layers:
        return str(c.num_layers)
    return (
        f"one, called {c.num_layers} times"
        if groups == 1
        else f"{groups}, called {c.num_layers} times in all"
    )


def biases_in_words(c: ModelConfig) -> str:
    if not c.bias:
        return "none"
    return {"all": "everywhere", "not-key": "not for keys", "none": "not in attention"}[c.attention_bias]
