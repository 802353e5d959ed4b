"""Are the gradients of this text right? Weights are drawn from all parameters, moved a little, and the loss looked at.

found = slope_checks(read(model, "The cat sat on the [MASK].", target="floor"))
found.agree, found.worst.name, found.worst.difference
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import cycle, islice

import numpy as np

from mini_bert.analysis.numeric_slope import NumericSlope, numeric_slope
from mini_bert.analysis.reading import Reading
from mini_bert.analysis.sums import Index
from mini_bert.core.array import Array
from mini_bert.models.names import as_short, short
from mini_bert.reports import Report, silent

ENTRIES = 100


@dataclass(frozen=True)
class SlopeCheck:
    """One entry of a weight, as its short name sees it: its slope by the chain rule, and by moving it."""

    name: str
    index: Index
    value: float
    numeric: NumericSlope

    @property
    def agrees(self) -> bool:
        """To four digits, or to all that rounding leaves of next to nothing."""
        return self.numeric.agrees_with(self.value)

    @property
    def is_zero(self) -> bool:
        """Neither way does the loss depend on it: a word that the text has not, a unit that is off."""
        return self.value == 0 == self.numeric.value

    @property
    def is_faint(self) -> bool:
        """So small that rounding hides its fourth digit."""
        return not self.is_zero and abs(self.value) * 1e-4 < self.numeric.rounding

    @property
    def difference(self) -> float:
        """|by hand − numeric|, in shares of the larger"""
        largest = max(abs(self.value), abs(self.numeric.value))
        return abs(self.value - self.numeric.value) / largest if largest else 0.0


@dataclass(frozen=True)
class SlopeChecks:
    """All that were drawn. `clear` are those that have four digits to be compared."""

    checks: tuple[SlopeCheck, ...]

    @property
    def clear(self) -> list[SlopeCheck]:
        return [one for one in self.checks if not (one.is_zero or one.is_faint)]

    @property
    def agree(self) -> bool:
        return all(one.agrees for one in self.checks)

    @property
    def worst(self) -> SlopeCheck:
        """The one that differs most, of those that can be compared."""
        return max(self.clear or self.checks, key=lambda one: (not one.agrees, one.difference))


def slope_checks(
    reading: Reading, entries: int = ENTRIES, *, seed: int = 0, report: Report = silent
) -> SlopeChecks:
    """So many entries, from all parameters in turn, in float64.

    Where one is drawn on which the loss does not depend, another is drawn that has a gradient, and both are checked.
    """
    passed, random = reading.exact.passed, np.random.default_rng(seed)
    gradients = passed.gradients.arrays

    def drawn() -> Iterator[SlopeCheck]:
        for number, name in enumerate(islice(cycle(gradients), entries)):
            report(number / entries, short(name))
            gradient = gradients[name]
            found = checked(int(random.integers(gradient.size)), name, gradient)
            yield found
            others = np.flatnonzero(gradient)
            if found.is_zero and others.size:
                yield checked(int(random.choice(others)), name, gradient)

    def checked(at: int, name: str, gradient: Array) -> SlopeCheck:
        index = tuple(int(one) for one in np.unravel_index(at, gradient.shape))
        numeric = numeric_slope(passed, name, index)
        return SlopeCheck(short(name), as_short(name, index), float(gradient[index]), numeric)

    return SlopeChecks(tuple(drawn()))
