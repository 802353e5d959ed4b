"""The views of the explorer, a module for each: what it is asked, and what it answers."""

VIEWS: tuple[str, ...] = (
    "words",
    "forward",
    "tensor",
    "cell",
    "attention",
    "predictions",
    "representations",
    "backward",
    "learn",
    "training",
    "family",
    "export",
)
"""Modules of this folder that have ANSWERS; a new view adds its line."""
