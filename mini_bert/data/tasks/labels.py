"""Labels as numbers: readers give them as they are written, a classifier counts its classes from 0.

numbers, names = label_numbers([example.label for example in training])
others, _ = label_numbers([example.label for example in held_out], names)    # the same numbers
"""

from collections.abc import Sequence

import numpy as np

from mini_bert.core.array import Array


def label_numbers(labels: Sequence[str], names: Sequence[str] | None = None) -> tuple[Array, tuple[str, ...]]:
    """The place of each label (N,) among the names, and the names: those given, else all labels, sorted.

    >>> numbers, names = label_numbers(["praise", "blame", "praise"])
    >>> numbers.tolist(), names
    ([1, 0, 1], ('blame', 'praise'))
    """
    known = tuple(sorted(set(labels)) if names is None else names)
    if len(set(known)) != len(known):
        raise ValueError(f"a name twice in {', '.join(known)}; name each class once")
    numbers = {name: number for number, name in enumerate(known)}
    for place, label in enumerate(labels):
        if label not in numbers:
            raise ValueError(f"label {place}, {label!r}, is outside the set; choose from {', '.join(known)}")
    return np.array([numbers[label] for label in labels], np.int64), known
