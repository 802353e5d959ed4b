"""Normalization: a token's numbers, centred and scaled to a standard size, then by learned gains."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mini_bert.analysis.graph.operation import Equation, Numbers, everywhere, of_token, partial, symbol
from mini_bert.analysis.sums import Aside, Index, Sum, called, constant, product
from mini_bert.core.array import Array


@dataclass(frozen=True)
class Normed:
    """y_j = γ_j (x_j − μ)/σ + β_j, or y_j = γ_j x_j/r if it is `rms`; `path` is where it keeps x̂ and 1/σ"""

    kind = "norm"

    output: str
    source: str
    path: str
    gain: str
    shift: str | None
    eps: float
    rms: bool = False

    @property
    def inputs(self) -> tuple[str, ...]:
        return (self.source,)

    @property
    def weights(self) -> tuple[str, ...]:
        return (self.gain,) if self.shift is None else (self.gain, self.shift)

    @property
    def scale_name(self) -> str:
        return "r" if self.rms else "σ"

    @property
    def equation(self) -> Equation:
        x, y, gain = called(self.source), called(self.output), called(self.gain)
        X, Y, G = symbol(self.source), symbol(self.output), symbol(self.gain)
        if self.rms:
            return Equation(
                f"{y} = {gain} · x/r",
                rf"{Y} = {G} \odot \frac{{x}}{{\sqrt{{\overline{{x^2}} + \varepsilon}}}}",
                f"x = {x}, r = √(mean x² + ε)",
                f"x = {X}",
            )
        added = (f" + {called(self.shift)}", f" + {symbol(self.shift)}") if self.shift else ("", "")
        return Equation(
            f"{y} = {gain} · (x − μ)/σ{added[0]}",
            rf"{Y} = {G} \odot \frac{{x - \mu}}{{\sigma}}{added[1]}",
            f"x = {x}",
            f"x = {X}",
        )

    def cell(self, index: Index, numbers: Numbers) -> Sum:
        *row, j = index
        x = self.vector(row, numbers)
        mu, scale, asides = self.statistics(x, tuple(row), numbers)
        gain, per_scale = numbers.at(self.gain, j), constant(1 / scale, f"1/{self.scale_name}")
        groups = [product(gain, numbers.at(self.source, *index), per_scale)]
        if not self.rms:
            groups.append(product(constant(-mu, "−μ"), gain, per_scale))
        if self.shift is not None:
            groups.append(product(numbers.at(self.shift, j)))
        return Sum(groups, asides)

    def statistics(self, x: Array, row: Index, numbers: Numbers) -> tuple[float, float, list[Aside]]:
        """μ and σ of a token, or 0 and r, and how they are made."""
        H = len(x)
        each, per = np.arange(H), constant(1 / H, f"1/{H}")
        mu = 0.0 if self.rms else float(x.mean())
        scale = float(np.sqrt(((x - mu) ** 2).mean() + self.eps))
        mean = product(numbers.at(self.source, *row, each), per)
        moved = numbers.at(self.source, *row, each, text="{}²" if self.rms else "({} − μ)²")
        squares = product(moved.mapped(lambda x: (x - mu) ** 2), per)
        asides = [Aside(self.scale_name, f"√(Σ + ε), ε = {self.eps:g}", scale, squares)]
        return mu, scale, asides if self.rms else [Aside("μ", "Σ", mu, mean), *asides]

    def vector(self, row: list[int] | Index, numbers: Numbers) -> Array:
        return np.asarray(numbers[self.source][tuple(row)], np.float64)

    def derivative(self, name: str) -> Equation:
        dy, dY, hat = f"d {called(self.output)}", partial(self.output), r"\hat x"
        if name == self.gain:
            return Equation(f"Σ over tokens of {dy} · x̂", rf"\sum_t {of_token(dY)} \odot {of_token(hat)}")
        if name == self.shift:
            return Equation(f"Σ over tokens of {dy}", rf"\sum_t {of_token(dY)}")
        mean = "" if self.rms else " − mean g"
        mean_latex = "" if self.rms else r" - \overline{g}"
        s, S = (self.scale_name, "r" if self.rms else r"\sigma")
        return Equation(
            f"(g{mean} − x̂ mean(g x̂))/{s}",
            rf"\frac{{1}}{{{S}}}\bigl(g{mean_latex} - {hat}\,\overline{{g\,{hat}}}\bigr)",
            f"g = {called(self.gain)} · {dy}",
            rf"g = {symbol(self.gain)} \odot {dY}",
        )

    def slope(self, name: str, index: Index, numbers: Numbers) -> Sum:
        hat = f"{self.path}x_hat"
        rows = everywhere(numbers[self.source].shape[:-1])
        if name == self.gain:
            dy = numbers.slope_at(self.output, *rows, index[0])
            return Sum([product(dy, numbers.at(hat, *rows, index[0]))])
        if name == self.shift:
            return Sum([product(numbers.slope_at(self.output, *rows, index[0]))])
        *row, j = index
        x = self.vector(row, numbers)
        _, scale, _ = self.statistics(x, tuple(row), numbers)
        each = np.arange(len(x))
        dy, gain = numbers.slope_at(self.output, *row, each), numbers.at(self.gain, each)
        x_hat, per = numbers.at(hat, *row, each), constant(1 / len(x), f"1/{len(x)}")
        mean_g = Aside("mean g", "Σ", float((dy.values * gain.values).mean()), product(dy, gain, per))
        mean_gx = Aside(
            "mean(g x̂)",
            "Σ",
            float((dy.values * gain.values * x_hat.values).mean()),
            product(dy, gain, x_hat, per),
        )
        per_scale = constant(1 / scale, f"1/{self.scale_name}")
        own = product(numbers.at(self.gain, j), numbers.slope_at(self.output, *index), per_scale)
        along = product(constant(-mean_gx.value, "−mean(g x̂)"), numbers.at(hat, *index), per_scale)
        if self.rms:
            return Sum([own, along], [mean_gx])
        level = product(constant(-mean_g.value, "−mean g"), per_scale)
        return Sum([own, level, along], [mean_g, mean_gx])


@dataclass(frozen=True)
class Standardized:
    """x̂_j = (x_j − μ)/σ, and 1/σ: what a norm keeps of its pass"""

    kind = "norm"

    output: str
    norm: Normed
    weights: tuple[str, ...] = ()

    @property
    def inputs(self) -> tuple[str, ...]:
        return self.norm.inputs

    @property
    def is_scale(self) -> bool:
        return not self.output.endswith("x_hat")

    @property
    def equation(self) -> Equation:
        s, S = self.norm.scale_name, "r" if self.norm.rms else r"\sigma"
        x, X = called(self.norm.source), symbol(self.norm.source)
        if self.is_scale:
            return Equation(f"1/{s}", f"1/{S}", f"of x = {x}", f"x = {X}")
        mean, mean_latex = ("", "") if self.norm.rms else (" − μ", r" - \mu")
        return Equation(f"x̂ = (x{mean})/{s}", rf"\hat x = (x{mean_latex})/{S}", f"x = {x}", f"x = {X}")

    def cell(self, index: Index, numbers: Numbers) -> Sum:
        *row, j = index
        x = self.norm.vector(row, numbers)
        mu, scale, asides = self.norm.statistics(x, tuple(row), numbers)
        per_scale = constant(1 / scale, f"1/{self.norm.scale_name}")
        if self.is_scale:
            return Sum([product(per_scale)], asides)
        groups = [product(numbers.at(self.norm.source, *row, j), per_scale)]
        return Sum(groups if self.norm.rms else [*groups, product(constant(-mu, "−μ"), per_scale)], asides)
