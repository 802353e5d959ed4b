"""ELECTRA: a small model replaces words, a larger one finds out which (Clark et al. 2020)."""

from dataclasses import dataclass

from mini_bert.core.network import Network


@dataclass(frozen=True, kw_only=True)
class Electra(Network):
    """The discriminator, which is what one uses; and the generator that makes its exercises, with the same tables."""

    generator: Network
