"""The models that come with the package, each a folder beside this file."""

from __future__ import annotations

from difflib import get_close_matches
from os import PathLike
from pathlib import Path

from mini_bert.models.checkpoint import CONFIG

GUIDE, BEST = "mini", "mini-best"
"""The learning guide's architecture, and the best recipe found at its size."""
NAMES = (GUIDE, BEST)
HOME = Path(__file__).parent
ALIKE = 0.7
"""From here on, of 1, one name is taken for another that was misspelt."""


def shipped_folder(name: str | PathLike[str]) -> Path | None:
    """Where the model of a name is; None for a text that is no such name, and for every `Path`."""
    if not isinstance(name, str | PathLike) or name == "":
        wrong = (
            f"{name!r} names no model: give {' or '.join(map(repr, NAMES))}, the path of a folder or a run, or a name "
            "on the hub, as text or as a Path"
        )
        raise ValueError(wrong) if isinstance(name, str) else TypeError(wrong)
    if name not in NAMES:
        return None
    if not is_here(str(name)):
        raise ValueError(
            f"{name}: this installation lacks the model's files; install the package again, or name a folder "
            f"(one that is called {name} is ./{name})"
        )
    return HOME / str(name)


def name_or_path(folder: Path) -> str:
    """What to call a model's folder: a shipped one by its name, for its path is the package's."""
    return folder.name if is_shipped(folder) else str(folder)


def is_shipped(folder: Path) -> bool:
    """Whether a folder is the one that its name stands for, and not another that is called so."""
    return folder.name in NAMES and folder.resolve() == (HOME / folder.name).resolve()


def is_here(name: str) -> bool:
    return (HOME / name / CONFIG).is_file()


def refuse_misspelt(name: str) -> None:
    """Refuse a word that is nearly one of the names, before anybody looks for it elsewhere."""
    if close := get_close_matches(name.lower(), NAMES, n=1, cutoff=ALIKE):
        raise ValueError(
            f"{name}: no such folder, and no model of that name comes with the package; did you mean {close[0]!r}?"
        )
