"""How a family of models is spelled outside: the names of its settings, of its weights, and of its heads.

A table of weights has a line for each: ours | theirs | turn. `{i}` is a layer number. A turn says where in their tensor
our weight is found, as a view: to read is to copy from the view, to write is to copy into it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from mini_bert.core.array import Array
from mini_bert.models.config import ModelConfig

Shape = tuple[int, ...]
Settings = dict[str, Any]


@dataclass(frozen=True)
class Turn:
    """`view(theirs, config)` is where our weight is; `shape(ours, config)` is the shape of their tensor.

    A view may have other axes than our weight, if its numbers come in the same order.
    """

    view: Callable[[Array, ModelConfig], Array]
    shape: Callable[[Shape, ModelConfig], Shape]


def lacking(given: str, known: str) -> str:
    """The message for settings of theirs that we have no part for."""
    return (
        f"{given} is not among what we have: {known}; choose another model, or use this one in transformers"
    )


SAME = Turn(lambda theirs, config: theirs, lambda shape, config: shape)
TRANSPOSED = Turn(lambda theirs, config: theirs.T, lambda shape, config: shape[::-1])


@dataclass(frozen=True)
class Setting:
    """One setting and its name outside; `values` maps ours to theirs where they differ, the first one wins.

    `least` is the smallest number they can have.
    """

    ours: str
    theirs: str
    values: tuple[tuple[Any, Any], ...] = ()
    least: int = 0

    def read(self, value: Any) -> Any:
        if not self.values:
            return value
        for ours, theirs in self.values:
            if theirs == value:
                return ours
        known = ", ".join(str(theirs) for _, theirs in self.values)
        raise ValueError(lacking(f"{self.theirs}={value!r}", known))

    def write(self, value: Any) -> Any:
        return dict(reversed(self.values)).get(value, value)


ACTIVATIONS = (
    ("gelu", "gelu"),
    ("relu", "relu"),
    ("gelu-tanh", "gelu_new"),
    ("gelu-tanh", "gelu_pytorch_tanh"),
    ("silu", "silu"),
    ("silu", "swish"),
)


@dataclass(frozen=True)
class Architecture:
    """A class of transformers: our settings that make its heads, and the lines of the table that only it has.

    `wraps` tells that the names of the trunk's weights begin with the family's prefix; a bare trunk's do not.
    """

    settings: Settings
    weights: str = ""
    wraps: bool = True
    counts_classes: bool = False
    """whether the number of classes stands in the configuration, as labels"""


@dataclass(frozen=True)
class Family:
    """All that is needed to read and write the models of one `model_type`."""

    model_type: str
    build: Callable[..., ModelConfig]
    prefix: str
    settings: tuple[Setting, ...]
    weights: str
    architectures: Mapping[str, Architecture]
    turns: Mapping[str, Turn] = field(default_factory=dict)
    assumed: Settings = field(default_factory=dict)
    """settings of theirs that differ from ours where a file does not tell them"""
    fixed: Settings = field(default_factory=dict)
    """settings of theirs that our models always have so; others are refused"""
    spare: tuple[str, ...] = ()
    """patterns of tensors that hold nothing to learn"""
    renamed: tuple[tuple[str, str], ...] = ()
    """patterns of names, without prefix, that some files have, and what stands for them in the table"""
    interpret: Callable[[Settings], Settings] = lambda described: {}
    """settings of ours that follow from several of theirs"""
    adjust: Callable[[Settings], Settings] = lambda settings: settings
    """what remains to be done to our settings after reading theirs"""
    describe: Callable[[ModelConfig], Settings] = lambda config: {}
    """further settings of theirs that follow from ours"""

    def lines(self, architecture: str) -> Iterator[Line]:
        """The table of one architecture."""
        made = self.architectures[architecture]
        for row in (self.weights + made.weights).strip().splitlines():
            if not row.strip():
                continue
            ours, theirs, *turn = (cell.strip() for cell in row.split("|"))
            theirs = theirs if made.wraps else theirs.removeprefix(self.prefix)
            yield Line(ours, theirs, self.turn(turn[0]) if turn and turn[0] else SAME)

    def turn(self, name: str) -> Turn:
        return {"transposed": TRANSPOSED, **self.turns}[name]

    def architecture_of(self, config: ModelConfig) -> str | None:
        """The class whose heads are those of a configuration; a trunk may be without its pooler."""
        heads = {
            name: (made.head, made.second_head)
            for name, architecture in self.architectures.items()
            for made in [self.build(**architecture.settings)]
        }
        wanted = [(config.head, config.second_head)]
        if wanted == [("none", "none")]:
            wanted.append(("none", "pooler"))
        return next((name for pair in wanted for name, found in heads.items() if found == pair), None)


@dataclass(frozen=True)
class Line:
    """One weight here and there."""

    ours: str
    theirs: str
    turn: Turn

    def pairs(self, ours: Iterable[str]) -> Iterator[tuple[str, str]]:
        """(our name, their name) for each layer that has this weight."""
        pattern = re.compile(re.escape(self.ours).replace(r"\{i\}", r"(?P<i>\d+)"))
        for name in ours:
            if found := pattern.fullmatch(name):
                yield name, self.theirs.replace("{i}", found.groupdict().get("i", ""))
