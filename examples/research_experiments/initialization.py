"""How does the size of the first weights affect convergence?

The base draws all matrices from N(0, 0.03²). The variants draw them ten times smaller, ten times larger, or scale each
matrix by its own shape, as Xavier does (tables stay at 0.03).
"""

import numpy as np
from results import difference, markdown, mean_curve, show, told
from runs_with_seeds import BASE, Finished, arguments, trained

from mini_bert.plots.curves import curves

STARTS = {
    "std-0.003": {"kind": "normal", "std": 0.003},
    "std-0.3": {"kind": "normal", "std": 0.3},
    "xavier": {"kind": "xavier", "std": 0.03},
}
ORDER = ("std-0.003", BASE, "std-0.3", "xavier")
GOAL = 5.5


def steps_to_goal(run: Finished) -> float:
    """The first step, interpolated, at which the held-out loss is below GOAL; nan if it never is."""
    steps, losses = run.held_out
    below = np.flatnonzero(losses < GOAL)
    if not below.size or below[0] == 0:
        return float(steps[0]) if below.size else float("nan")
    at = below[0]
    return float(np.interp(GOAL, losses[[at, at - 1]], steps[[at, at - 1]]))


def told_steps(runs: list[Finished]) -> str:
    steps = [steps_to_goal(run) for run in runs]
    return "not reached by all" if np.isnan(steps).any() else told(steps, 0)


def main() -> None:
    args = arguments(__doc__)
    found = trained(
        "initialization", {name: {"model": {"initializer": how}} for name, how in STARTS.items()}, args
    )
    base = [run.loss for run in found[BASE]]
    names = {name: "std-0.03" if name == BASE else name for name in ORDER if name in found}
    rows = [
        [
            title,
            told_steps(found[name]),
            told([run.loss for run in found[name]]),
            difference([run.loss for run in found[name]], base),
        ]
        for name, title in names.items()
    ]
    table = markdown(
        ["first weights", f"steps to a loss of {GOAL}", "exam loss (nats)", "− that of std-0.03"], rows
    )
    lines = {title: mean_curve([run.held_out for run in found[name]]) for name, title in names.items()}
    show("initialization", table, curves(lines, "held-out loss (nats)"), args)


if __name__ == "__main__":
    main()
