"""How many threads a training step is worth sharing among."""

from __future__ import annotations

from math import ceil

from mini_bert.models.build import build_network
from mini_bert.models.config import ModelConfig
from mini_bert.models.cost import rehearse_training
from mini_bert.training.masking import places_asked
from mini_bert.training.parallel import available_cores

WORTH_SHARING = 150e6
"""FLOP of one worker's pass. Below it, calls are so short that threads wait for Python's lock more than they compute:
the debug preset, with 25 MFLOP, takes twice as long on two threads as on one."""


def suitable_workers(config: ModelConfig, rows: int, micro: int, cores: int | None = None) -> int:
    """One for each core if a step of so many rows, `micro` at a time, has enough work for them, else a single one.

    The cores are those of this process, unless it is said how many there are.
    """
    workers = min(cores or len(available_cores()), rows)
    at_once = min(micro, ceil(rows / workers))
    cost = rehearse_training(build_network(config), at_once, config.max_seq_length, places_asked(config))
    return workers if cost.forward_flops + cost.backward_flops >= WORTH_SHARING else 1
