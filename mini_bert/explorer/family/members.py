"""The members of the family as cards: when each came, what it changed, and in which sizes it is known."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from mini_bert.models.build import build_network
from mini_bert.models.comparison import setting_changes
from mini_bert.models.config import ModelConfig, presets
from mini_bert.models.cost import parameters
from mini_bert.models.zoo import MEMBERS

YEAR = re.compile(r"\b(?:19|20)\d\d\b")
OWN = "mini"
SIZES = (
    "vocab_size",
    "hidden_size",
    "num_layers",
    "num_heads",
    "intermediate_size",
    "max_seq_length",
    "embedding_size",
    "dropout",
    "attention_dropout",
    "initializer",
    "generator",
)
"""Settings that make a model larger or smaller, or begin elsewhere, and leave its parts what they are."""
FIRST = {"gpt2": "gpt2", "transformer-xl": "transformer-xl-wt103", "deberta-v2": "deberta-v3-base"}
"""The size that stands for a member, where it is not called NAME or NAME-base."""


@dataclass(frozen=True)
class Card:
    """`preset` is the size that stands for it, `presets` are all, `parent` is another card's name."""

    name: str
    parent: str | None
    year: int | None
    changed: str
    preset: str
    presets: tuple[str, ...]
    parameters: int


@cache
def cards() -> tuple[Card, ...]:
    """The oldest first, and the recipes of the guide's own model before all."""
    by_family: dict[str, list[str]] = {name: [] for name in MEMBERS}
    recipes = []
    for preset in presets():
        config = ModelConfig.preset(preset)
        if config.family == OWN and part_settings(MEMBERS[OWN].build(), config):
            recipes.append(preset)
        else:
            by_family[config.family].append(preset)
    made = [member_card(name, tuple(by_family[name])) for name in MEMBERS]
    made += [recipe_card(preset) for preset in recipes]
    return tuple(sorted(made, key=lambda card: (card.year or 0, len(ancestors(card.name)))))


def member_card(name: str, sizes: tuple[str, ...]) -> Card:
    member = MEMBERS[name]
    told = (member.build.__doc__ or "").strip().splitlines()[0]
    year = YEAR.search(told)
    preset = FIRST.get(name, f"{name}-base" if f"{name}-base" in sizes else name)
    return Card(name, member.parent, int(year[0]) if year else None, told, preset, sizes, size_of(preset))


def recipe_card(preset: str) -> Card:
    """Of a file that begins with a comment on what it changes."""
    text = files("mini_bert").joinpath("configs", "model", f"{preset}.yaml").read_text("utf-8")
    told = next((line.lstrip("# ").strip() for line in text.splitlines() if line.startswith("#")), "")
    return Card(preset, OWN, None, told, preset, (preset,), size_of(preset))


def size_of(preset: str) -> int:
    return sum(parameters(build_network(ModelConfig.preset(preset))).values())


def ancestors(name: str) -> list[str]:
    found = []
    while name in MEMBERS and (parent := MEMBERS[name].parent):
        found.append(parent)
        name = parent
    return found


def part_settings(a: ModelConfig, b: ModelConfig) -> list[str]:
    """In which settings two differ that are not sizes."""
    return [name for name in setting_changes(a, b) if name not in (*SIZES, "family")]


def card_of(config: ModelConfig) -> str:
    """The card that a model is nearest to: of those of its family the one whose parts differ in the fewest settings."""
    own = {name: known for name, known in configs().items() if known.family == config.family}
    return min(own, key=lambda name: len(part_settings(own[name], config)))


@cache
def configs() -> dict[str, ModelConfig]:
    """Of the size that stands for a card, by the card's name."""
    return {card.name: ModelConfig.preset(card.preset) for card in cards()}
