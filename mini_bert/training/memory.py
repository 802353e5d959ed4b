"""The memory of this process."""

from __future__ import annotations

import os
import sys
from pathlib import Path

STATM = Path("/proc/self/statm")
"""Linux tells here the pages of the process: all of them, and those in memory."""


def resident_bytes() -> int | None:
    """What the process holds in memory now, or at its largest where the system tells only that; else None."""
    if STATM.exists():
        return int(STATM.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    return peak_resident_bytes()


def peak_resident_bytes() -> int | None:
    """The most memory this process ever had, or None where the system does not say."""
    try:
        import resource
    except ModuleNotFoundError:
        return None
    return int(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss) * (1 if sys.platform == "darwin" else 1024)
