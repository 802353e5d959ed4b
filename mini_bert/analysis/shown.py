"""What an analysis found shows itself: in a notebook, or as a file."""

from __future__ import annotations

from abc import ABC, abstractmethod
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Shown(ABC):
    """Numbers with a figure beside them. Notebooks draw it; `save("x.png")` or `save("x.svg")` keeps it."""

    @abstractmethod
    def figure(self) -> Figure: ...

    def save(self, path: str | Path) -> None:
        from mini_bert.plots.style import save

        save(self.figure(), Path(path))

    def _repr_png_(self) -> bytes:
        from mini_bert.plots.style import as_png

        return as_png(self.figure())

    def _repr_svg_(self) -> str:
        from mini_bert.plots.style import as_svg

        return as_svg(self.figure())
