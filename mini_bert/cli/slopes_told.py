"""Gradients by hand and by moving a weight, beside each other."""

from __future__ import annotations

from typing import Any

from rich.console import Console

from mini_bert.analysis.slope_checks import SlopeChecks
from mini_bert.cli.screen import table

SHOWN = 5


def show(found: SlopeChecks, screen: Console) -> None:
    made = table(
        "Moved a little to both sides, those that differ most", "weight", "by hand", "moved", "differs by"
    )
    for one in sorted(found.clear, key=lambda one: -one.difference)[:SHOWN]:
        made.add_row(
            f"{one.name}{list(one.index)}",
            f"{one.value:.8g}",
            f"{one.numeric.value:.8g}",
            f"{one.difference:.1e} of it",
            style=None if one.agrees else "red",
        )
    screen.print()
    screen.print(made)
    verdict = "[green]✓ agree[/]" if found.agree else "[red]✗ differ[/]"
    wrong = sum(not one.agrees for one in found.checks)
    screen.print(
        f"{verdict}: {len(found.checks) - wrong} of {len(found.checks)} entries of "
        f"{len({one.name for one in found.checks})} parameters; {len(found.clear)} were compared to four digits "
        f"(worst {found.worst.difference:.1e}), {sum(one.is_zero for one in found.checks)} are 0 both ways, "
        f"{sum(one.is_faint for one in found.checks)} too faint for four digits"
    )


def as_dict(found: SlopeChecks) -> dict[str, Any]:
    return {
        "agree": found.agree,
        "entries": len(found.checks),
        "compared_to_four_digits": len(found.clear),
        "worst": found.worst.difference,
        "checks": [
            {
                "name": one.name,
                "index": one.index,
                "by_hand": one.value,
                "moved": one.numeric.value,
                "step": one.numeric.step,
                "rounding": one.numeric.rounding,
                "agrees": one.agrees,
            }
            for one in found.checks
        ],
    }
