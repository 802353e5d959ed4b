"""Optimizers over the arena, one to a file; all are used alike (see `Optimizer`).

Derived in docs/mathematical_background/optimizers.md.
"""

from mini_bert.training.clipping import clip_gradients
from mini_bert.training.optimizers.adamw import AdamW
from mini_bert.training.optimizers.lamb import LAMB
from mini_bert.training.optimizers.lion import Lion
from mini_bert.training.optimizers.muon import Muon
from mini_bert.training.optimizers.optimizer import Optimizer
from mini_bert.training.optimizers.sgd import SGD
from mini_bert.training.optimizers.sophia import SophiaG

__all__ = ["LAMB", "SGD", "AdamW", "Lion", "Muon", "Optimizer", "SophiaG", "clip_gradients"]
