"""Rotary positions: queries and keys are turned by where they stand (RoPE, Su et al. 2021)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mini_bert.analysis.graph.operation import Equation, FromOne, Numbers, partial, symbol
from mini_bert.analysis.sums import Index, Sum, called, constant, product
from mini_bert.core.array import Array
from mini_bert.core.functions.rotary import rotary


@dataclass(frozen=True)
class Turned(FromOne):
    """y = x turned by angles that grow with its place (RoPE): y_d = x_d cos − x_{d+D/2} sin, y_{d+D/2} = x_d sin + …"""

    kind = "turned"

    places: Array
    base: float

    @property
    def equation(self) -> Equation:
        return Equation(
            f"{called(self.source)} turned by its place",
            rf"{symbol(self.output)} = R_t\,{symbol(self.source)}",
        )

    def value(self, numbers: Numbers) -> Array:
        return rotary(numbers[self.source], self.places, self.base)

    def gradient(self, numbers: Numbers) -> Array:
        """A turn keeps lengths: the gradient of what was turned is that of the source, turned alike."""
        return rotary(numbers.gradient(self.source), self.places, self.base)

    def cell(self, index: Index, numbers: Numbers) -> Sum:
        b, a, t, d = index
        D = numbers[self.source].shape[-1]
        first, sign = d < D // 2, -1.0 if d < D // 2 else 1.0
        cos, sin = self.cos_and_sin(t, d % (D // 2), D)
        other = d + D // 2 if first else d - D // 2
        return Sum(
            [
                product(numbers.at(self.source, b, a, t, d), constant(cos, "cos")),
                product(
                    numbers.at(self.source, b, a, t, other),
                    constant(sign * sin, "−sin" if first else "sin"),
                ),
            ]
        )

    def cos_and_sin(self, t: int, pair: int, D: int) -> tuple[float, float]:
        angle = float(self.places.reshape(-1)[t]) * self.base ** (-pair / (D // 2))
        return float(np.cos(angle)), float(np.sin(angle))

    def derivative(self, name: str) -> Equation:
        return Equation(f"d {called(self.output)} turned back", rf"R_t^\top\,{partial(self.output)}")

    def slope(self, name: str, index: Index, numbers: Numbers) -> Sum:
        b, a, t, d = index
        D = numbers[self.source].shape[-1]
        first, sign = d < D // 2, 1.0 if d < D // 2 else -1.0
        cos, sin = self.cos_and_sin(t, d % (D // 2), D)
        other = d + D // 2 if first else d - D // 2
        return Sum(
            [
                product(numbers.slope_at(self.output, b, a, t, d), constant(cos, "cos")),
                product(
                    numbers.slope_at(self.output, b, a, t, other),
                    constant(sign * sin, "sin" if first else "−sin"),
                ),
            ]
        )
