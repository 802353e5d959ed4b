"""Packages that only some commands need: imported when they do, and named when they are not there."""

from importlib import import_module
from typing import Any


def optional(module: str, purpose: str = "this", extra: str = "hub", otherwise: str = "") -> Any:
    """The module, or a ValueError that says how to install it, or what to do without it."""
    try:
        return import_module(module)
    except (ImportError, RuntimeError) as error:  # mpi4py raises the latter where it finds no MPI
        package = module.partition(".")[0]
        raise ValueError(
            f'{purpose} needs {package}; install it: pip install "mini-bert[{extra}]",'
            f' or pip install -e ".[{extra}]" in a clone' + (f"; or {otherwise}" if otherwise else "")
        ) from error
