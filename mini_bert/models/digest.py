"""Which weights these are: a short name that no other weights have."""

from __future__ import annotations

from hashlib import blake2b

import numpy as np

from mini_bert.models.mini import MiniBERT


def weights_digest(model: MiniBERT) -> str:
    """The same for the same numbers in single precision, whatever file they were read from."""
    digest = blake2b(digest_size=16)
    for name, weight in sorted(model.arena.items()):
        digest.update(name.encode())
        digest.update(np.ascontiguousarray(weight, "<f4").tobytes())
    return digest.hexdigest()
