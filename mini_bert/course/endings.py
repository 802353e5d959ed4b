"""What is told of a process that ended before it could say anything itself."""

from __future__ import annotations

import signal

from mini_bert.course.verdict import Verdict


def too_slow(seconds: float) -> Verdict:
    return Verdict("slow", f"your code was still computing after {seconds:g} seconds, and was stopped.")


def without_verdict(code: int, seconds: float, complaint: str = "") -> Verdict:
    """By its exit code, which is that of a signal if it is below 0, and by what it has complained of."""
    if code == -getattr(signal, "SIGXCPU", 0) < 0:
        return too_slow(seconds)
    if code < 0:
        return Verdict(
            "ended", f"the system ended your code (signal {-code}); it may have taken too much memory."
        )
    if complaint.strip():
        return Verdict("checker", f"the check could not be run: {complaint.strip().splitlines()[-1]}")
    return Verdict(
        "ended",
        f"your code ended the program (exit code {code}) before the check was over: leave os._exit() out.",
    )
