"""Warnings that point to the line of the user's own program, however deep in this package they arise."""

import inspect
import warnings

PACKAGE = __name__.rpartition(".")[0]


def warn_caller(message: str) -> None:
    """Warn, and name the first line on the way here that is outside this package."""
    level, frame = 1, inspect.currentframe()
    while frame is not None and is_ours(frame.f_globals.get("__name__", "")):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, stacklevel=max(1, level))


def is_ours(module: str) -> bool:
    return module == PACKAGE or module.startswith(f"{PACKAGE}.")


def warn_of_few(found: int, vocab_size: int, min_frequency: int = 1) -> None:
    """Say that the text has fewer pieces than were asked for."""
    remedy = (
        "train on more text"
        if min_frequency == 1
        else "train on more text, merge rarer pairs (min_frequency, --min-frequency)"
    )
    warn_caller(
        f"the text has pieces for only {found:,} of vocab_size={vocab_size:,}; {remedy}, or choose"
        f" vocab_size={found}"
    )
