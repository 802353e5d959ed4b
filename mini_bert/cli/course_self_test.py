"""`mini-bert course check --self-test`: the checks, checked."""

from __future__ import annotations

from collections.abc import Sequence

from rich.markup import escape

from mini_bert.cli.progress import progress
from mini_bert.cli.screen import console, print_json
from mini_bert.course.exercise import Exercise
from mini_bert.course.self_test import Outcome, Role, cases_of, self_test
from mini_bert.errors import counted

TOLD: dict[Role, str] = {
    "unsolved": "unsolved exercises fail",
    "solution": "solutions pass",
    "mutant": "mutants are caught and told",
}


def run_self_test(chosen: Sequence[Exercise], as_json: bool) -> bool:
    """Whether every case came out as it must."""
    whole, done = sum(len(cases_of(exercise)) for exercise in chosen), 0
    with progress("checking the checks") as report:

        def count(outcome: Outcome) -> None:
            nonlocal done
            done += 1
            report(done / whole, outcome.case.name)

        outcomes = self_test(chosen, count)
    faults = [outcome for outcome in outcomes if outcome.fault]
    counts = {
        role: (sum(not one.fault for one in outcomes if one.case.role == role),
               sum(one.case.role == role for one in outcomes))
        for role in TOLD
    }  # fmt: skip
    if as_json:
        print_json(
            {
                "exercises": len(chosen),
                **{role: {"right": right, "of": of} for role, (right, of) in counts.items()},
                "slowest_seconds": max(one.verdict.seconds for one in outcomes),
                "faults": [{"case": one.case.name, "fault": one.fault} for one in faults],
            }
        )
        return not faults
    screen = console()
    for one in faults:
        screen.print(f"[red]✗[/] {escape(one.case.name)} {escape(str(one.fault))}")
    screen.print(f"{counted(len(chosen), 'exercise')}")
    for role, (right, of) in counts.items():
        mark = "[green]✓[/]" if right == of else "[red]✗[/]"
        screen.print(f"{mark} {right} of {of} {TOLD[role]}")
    return not faults
