"""The judges: others' programs for the same work, in `benchmarks/` of a clone of the repository."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from types import ModuleType

import mini_bert

REPOSITORY = Path(mini_bert.__file__).parents[1]


def judge(name: str, extra: str = "parity") -> ModuleType | str:
    """The module benchmarks.NAME, or why there is none."""
    if not (REPOSITORY / "benchmarks" / f"{name}.py").is_file():
        return "the others are in benchmarks/ of a clone of the repository"
    if str(REPOSITORY) not in sys.path:
        sys.path.append(str(REPOSITORY))
    try:
        return importlib.import_module(f"benchmarks.{name}")
    except ModuleNotFoundError as missing:
        return f'no {missing.name} here; pip install -e ".[{extra}]" brings the others'
