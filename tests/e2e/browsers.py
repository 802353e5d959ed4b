"""Which browser is here, how long it is waited for, and which addresses are on this machine."""

import shutil
from urllib.parse import urlsplit

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "msedge")
PATIENCE = 30_000
"""Milliseconds."""
LOOPBACK = {"127.0.0.1", "localhost", "::1"}


def found_browser() -> str | None:
    return next(filter(None, map(shutil.which, NAMES)), None)


def is_near(url: str) -> bool:
    parts = urlsplit(url)
    return parts.scheme in ("data", "blob", "file", "about") or parts.hostname in LOOPBACK
