"""How do attention patterns evolve during training?

Every hundred steps, all heads read the same sentences: how widely do they look, and how much of their attention goes to
the piece before and the piece after?
"""

from math import isfinite

import numpy as np
from results import markdown, show, told
from runs_with_seeds import BASE, Finished, arguments, trained

from mini_bert.analysis.head_roles import HeadRoles, head_roles
from mini_bert.analysis.history import history_of
from mini_bert.plots.curves import curves
from mini_bert.plots.series import Series

SENTENCES, FEW_SENTENCES = 100, 4
SHOWN = 6
NEIGHBOURS = ("previous", "next")


def watched(run: Finished, sentences: int) -> dict[int, HeadRoles]:
    """The heads of a run at each of its checkpoints, and before its first step."""
    return {step: head_roles(model, sentences=sentences) for step, model in history_of(run.folder.path)}


def strongest(roles: HeadRoles, target: str) -> float:
    """How much the head that looks there most gives to it."""
    return float(roles.shares[roles.targets.index(target)].max())


def specialists(roles: HeadRoles) -> int:
    """Heads whose role is not `broad` or `mixed`."""
    return sum(isfinite(one.score) for one in roles.roles)


def main() -> None:
    args = arguments(__doc__)
    runs = [
        watched(run, FEW_SENTENCES if args.smoke else SENTENCES)
        for run in trained("how_attention_evolves", {}, args)[BASE]
    ]
    steps = sorted(runs[0])
    layers = range(len(runs[0][0].entropy))
    measures = {f"entropy, layer {n + 1}": lambda roles, n=n: float(roles.entropy[n].mean()) for n in layers}
    measures |= {
        f"most to the {target}": lambda roles, target=target: strongest(roles, target)
        for target in NEIGHBOURS
    }
    lines = {
        name: Series(
            np.array(steps), np.array([np.mean([measure(run[step]) for run in runs]) for step in steps])
        )
        for name, measure in measures.items()
    }
    shown = [steps[n] for n in sorted({round(n) for n in np.linspace(0, len(steps) - 1, SHOWN)})]
    rows = [
        [
            str(step),
            *(told([measure(run[step]) for run in runs], 2) for measure in measures.values()),
            told([specialists(run[step]) for run in runs], 1),
        ]
        for step in shown
    ]
    heads = runs[0][0].entropy.size
    table = markdown(["step", *measures, f"heads with a role, of {heads}"], rows)
    show("how_attention_evolves", table, curves(lines, "relative entropy, share"), args)


if __name__ == "__main__":
    main()
