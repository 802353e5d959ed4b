"""Fingerprints: short names for what is large, equal for what is equal."""

import json
from hashlib import blake2b


def hashed(content: object) -> str:
    """A hash of anything that JSON can write."""
    return blake2b(json.dumps(content).encode(), digest_size=16).hexdigest()
