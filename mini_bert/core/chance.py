"""Chance that is counted, not drawn: a number depends on what it is for, and on nothing that came before.

    bits(streams("masking", seed, rows), 0, 64)   # 64 random numbers for each row, in whatever batch it stands
    permutation("documents", 1000, seed, epoch)   # the same on every machine and with every NumPy

SplitMix64 (Steele, Lea & Flood 2014): number n of a stream is a hash of its start plus n times the golden ratio.
A stream is begun the same way, key by key, so number n of one is the start of another with n as a further key. What
it is for comes first of all, therefore: streams for different purposes have nothing to do with each other. For one
purpose, always give the same number of keys.
"""

from hashlib import blake2b

import numpy as np

from mini_bert.core.array import Array

GOLDEN = np.uint64(0x9E3779B97F4A7C15)


def mixed(x: Array) -> Array:
    """64 bits to 64 bits, one to one; to change one bit changes half of them."""
    x = x ^ (x >> np.uint64(30))
    x *= np.uint64(0xBF58476D1CE4E5B9)
    x ^= x >> np.uint64(27)
    x *= np.uint64(0x94D049BB133111EB)
    x ^= x >> np.uint64(31)
    return x


def streams(purpose: str, *keys: int | Array) -> Array:
    """The start of the stream that belongs to a purpose and whole numbers, or to each of an array of them."""
    start = np.frombuffer(blake2b(purpose.encode(), digest_size=8).digest(), "<u8").astype(np.uint64)
    for key in keys:
        number = np.atleast_1d(key % 2**64 if isinstance(key, int) else key).astype(np.uint64)
        start = mixed(start + (number + np.uint64(1)) * GOLDEN)
    return start


def bits(starts: Array, first: int, count: int) -> Array:
    """Numbers `first` to `first + count` of each stream (n,), as 64 random bits: (n, count)."""
    steps = np.arange(first + 1, first + 1 + count, dtype=np.uint64) * GOLDEN
    return mixed(starts[:, None] + steps)


def uniform(starts: Array, first: int, count: int) -> Array:
    """The same as numbers from 0 to 1, 1 excluded: (n, count) float64."""
    return (bits(starts, first, count) >> np.uint64(11)) * 2.0**-53


def permutation(purpose: str, size: int, *keys: int) -> Array:
    """0 to size - 1 in the random order that belongs to a purpose and keys.

    Each number carries its place in its last bits, so that to sort them is to sort the places: much faster than
    argsort, and no two are equal.
    """
    places = np.arange(size, dtype=np.uint64)
    last_bits = np.uint64((1 << size.bit_length()) - 1)
    numbers: Array = bits(streams(purpose, *keys), 0, size)[0] & ~last_bits | places
    numbers.sort()
    numbers &= last_bits
    return numbers.astype(np.int64)


def drawn(probs: Array, draws: Array) -> Array:
    """The class in which each draw (...) falls, when the classes of probs (..., V) are laid end to end."""
    ends = np.cumsum(probs, axis=-1, dtype=np.float64)
    labels: Array = (ends > (draws * ends[..., -1])[..., None]).argmax(-1)
    return labels
