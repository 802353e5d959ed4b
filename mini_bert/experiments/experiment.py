"""An experiment: a question about the recipe, and the variants that answer it; one YAML file each.

    question: Where should the norm stand?
    told: BERT has it after the sum of a block (...).
    base_is: post-norm
    variants:
      pre-norm: {model: {residual: pre-norm}}

All experiments share one base, a configuration of training; a variant is the base with its settings laid over it. What
variants are compared with is the base, or the variant that `against` names.
"""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path
from typing import Any, Self

from pydantic import Field, field_validator, model_validator

from mini_bert.checked import Checked
from mini_bert.errors import unknown
from mini_bert.settings import read_yaml

BASE = "base"
NAME = re.compile(r"[a-z0-9][a-z0-9.+-]*")
SHARED = ("corpus", "text_field", "tokenizer", "held_out", "workers", "logging", "saving", "dtype")
"""Settings in which runs that are compared must not differ, or need not."""


class Experiment(Checked):
    """What is asked, what is known about it, and which settings each variant changes."""

    name: str
    question: str = Field(min_length=1)
    told: str = Field("", description="what is known about it, with the paper")
    base_is: str = Field(BASE, description="what the base is called in this experiment")
    against: str = Field(
        BASE, description="what the others are compared with: the base, or one of the variants"
    )
    variants: dict[str, dict[str, Any]] = Field(min_length=1)

    @field_validator("variants")
    @classmethod
    def can_be_compared(cls, variants: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
        for name, changes in variants.items():
            if not NAME.fullmatch(name) or name == BASE:
                raise ValueError(
                    f"{name}: not a name for a variant, which is also that of a folder; choose small letters, digits, "
                    f"-, + and ., and not {BASE}"
                )
            if not changes:
                raise ValueError(f"{name}: changes nothing; give it settings, like model: {{tied: true}}")
            if shared := [setting for setting in SHARED if setting in changes]:
                raise ValueError(
                    f"{name}.{shared[0]}: must be the same for all that are compared; leave it out"
                )
        return variants

    @model_validator(mode="after")
    def knows_what_it_compares_with(self) -> Self:
        if self.against != BASE and self.against not in self.variants:
            raise ValueError(f"against: {unknown('variant', self.against, [BASE, *self.variants])}")
        return self

    @property
    def titles(self) -> dict[str, str]:
        """What the base and each variant are called; the one that the others are compared with comes first."""
        titles = {BASE: self.base_is} | {variant: variant for variant in self.variants}
        return {self.against: titles[self.against]} | titles

    @classmethod
    def named(cls, name: str) -> Experiment:
        """An experiment of the package, or a YAML file of one's own.

        >>> Experiment.named("norm").question
        'Where should the norm stand?'
        """
        path = Path(name)
        if path.suffix in {".yaml", ".yml"}:
            try:
                return read(path.stem, path.read_text("utf-8"), name)
            except (OSError, UnicodeDecodeError) as error:
                raise ValueError(
                    f"{name}: {error}; name a YAML file, or an experiment of the package"
                ) from None
        if name not in experiment_names():
            raise ValueError(unknown("experiment", name, experiment_names()))
        text = files("mini_bert").joinpath("configs", "experiments", f"{name}.yaml").read_text("utf-8")
        return read(name, text, f"{name}.yaml")

    def folder_of(self, variant: str) -> str:
        """The name of the folder in which a variant's run lies."""
        return BASE if variant == BASE else f"{self.name}.{variant}"


def read(name: str, text: str, origin: str) -> Experiment:
    if not NAME.fullmatch(name.replace("_", "-")) or name == BASE or "." in name:
        raise ValueError(f"{origin}: its name is that of its runs too; choose small letters, digits, - and _")
    settings = read_yaml(text, origin)
    variants = settings.get("variants")
    for key in variants if isinstance(variants, dict) else ():
        if not isinstance(key, str):
            raise ValueError(f"{origin}: the variant {key!r} is read as a number; put its name in quotes")
    try:
        return Experiment.parse({**settings, "name": name})
    except ValueError as error:
        raise ValueError(f"{origin}: {error}") from None


def experiment_names() -> list[str]:
    """The experiments of the package."""
    folder = files("mini_bert").joinpath("configs", "experiments")
    return sorted(
        entry.name.removesuffix(".yaml") for entry in folder.iterdir() if entry.name.endswith(".yaml")
    )
