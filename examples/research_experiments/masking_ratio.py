"""How does the share of hidden words affect how fast a model learns?

All runs read the same rows for as many steps; only the share of tokens that are hidden, and asked for, differs. All sit
one exam, which hides 15 % whatever a run has learned with.
"""

from results import difference, markdown, mean_curve, show, told
from runs_with_seeds import BASE, arguments, trained

from mini_bert.plots.curves import curves

SHARES = {"5": 0.05, "30": 0.3, "50": 0.5}


def main() -> None:
    args = arguments(__doc__)
    found = trained(
        "masking_ratio", {name: {"masking": {"share": share}} for name, share in SHARES.items()}, args
    )
    by_share = dict(sorted({"15": found.pop(BASE), **found}.items(), key=lambda pair: int(pair[0])))
    base = [run.loss for run in by_share["15"]]
    rows = [
        [
            f"{name} %",
            told([run.loss for run in runs]),
            difference([run.loss for run in runs], base),
            told([100 * run.found for run in runs], 1),
        ]
        for name, runs in by_share.items()
    ]
    table = markdown(["hidden", "exam loss (nats)", "− that of 15 %", "words found (%)"], rows)
    lines = {f"{name} %": mean_curve([run.held_out for run in runs]) for name, runs in by_share.items()}
    show("masking_ratio", table, curves(lines, "held-out loss (nats)"), args)


if __name__ == "__main__":
    main()
