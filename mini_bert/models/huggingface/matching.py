"""Where each of our weights stands in a file, and which of its names a folder holds, however old they are."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from mini_bert.models.build import build_network
from mini_bert.models.config import ModelConfig
from mini_bert.models.huggingface.family import Family, Settings, Turn
from mini_bert.models.huggingface.settings import read_config

OLD_ENDINGS = ((".gamma", ".weight"), (".beta", ".bias"))
"""What norms were called in the first checkpoints."""


class Place(NamedTuple):
    """A tensor's name, and where in it our weight is found."""

    name: str
    turn: Turn


def places(family: Family, architecture: str, weights: Iterable[str]) -> dict[str, list[Place]]:
    """Where each of our weights stands. With several places it is written to all, and read from the last there is.

    A weight that the architecture has not is left out.
    """
    weights = list(weights)
    found: dict[str, list[Place]] = {}
    for line in family.lines(architecture):
        for ours, theirs in line.pairs(weights):
            found.setdefault(ours, []).append(Place(theirs, line.turn))
    return found


def plain(name: str, family: Family) -> str:
    """A name as it would be today, without the family's prefix: some folders have it, and some have not."""
    for old, new in OLD_ENDINGS:
        if name.endswith(old):
            name = name.removesuffix(old) + new
    name = name.removeprefix(family.prefix)
    for pattern, today in family.renamed:
        name = re.sub(pattern, today, name)
    return name


def config_of(family: Family, architecture: str, described: Settings, held: Iterable[str]) -> ModelConfig:
    """The configuration of a folder that holds tensors of these plain names: a trunk may be without its pooler."""
    config = read_config(family, architecture, described)
    if config.second_head != "pooler":
        return config
    wanted = names_of(family, architecture, config) - names_of(
        family, architecture, config.changed(second_head="none")
    )
    return config if wanted & set(held) else config.changed(second_head="none")


def names_of(family: Family, architecture: str, config: ModelConfig) -> set[str]:
    """The plain names of all tensors of a model, by all of their names."""
    found = places(family, architecture, build_network(config).all_weights())
    return {plain(place.name, family) for several in found.values() for place in several}


def best_fit(family: Family, described: Settings, names: Iterable[str]) -> str:
    """The architecture that misses the fewest of its tensors, leaves the fewest unused, and spells them so."""
    names = list(names)
    held = {plain(name, family) for name in names}
    prefixed = any(name.startswith(family.prefix) for name in names)

    def misfit(architecture: str) -> tuple[int, int, bool]:
        config = config_of(family, architecture, described, held)
        found = places(family, architecture, build_network(config).all_weights())
        wanted = [{plain(place.name, family) for place in several} for several in found.values()]
        missing = sum(not choices & held for choices in wanted)
        unused = held - set().union(*wanted)
        return missing, len(unused), family.architectures[architecture].wraps != prefixed

    return min(family.architectures, key=misfit)


def known_names(family: Family, described: Settings, held: Iterable[str]) -> set[str]:
    """The plain names that any architecture of the family has in this configuration."""
    return {
        name
        for architecture in family.architectures
        for name in names_of(family, architecture, config_of(family, architecture, described, held))
    }
