"""What is the relation between the size of a model and the quality of its representations?

Four widths, with a learning rate in proportion to 1/H, since wide models want smaller steps; all else alike. Beside the
hidden words they find, probes tell parts of speech, and how a word depends on its head, from their frozen states. The
same network with random weights shows how much of that is width alone.
"""

from typing import Any

from probed import LABELS, Accuracies, accuracies, tasks_for
from results import markdown, over_variants, show, told
from runs_with_seeds import BASE, arguments, trained

WIDTHS = {"16": 16, "32": 32, "128": 128}
TASKS = ("pos", "relations")


def as_wide_as(H: int) -> dict[str, Any]:
    """The base has H = 64 and a rate of 0.003."""
    return {
        "model": {"hidden_size": H, "intermediate_size": 4 * H},
        "optimizer": {"learning_rate": 0.192 / H},
    }


def beside_random(seeds: list[Accuracies]) -> str:
    return f"{told([100 * one.best for one in seeds], 1)} ({100 * seeds[0].random:.1f})"


def main() -> None:
    args = arguments(__doc__)
    found = trained("size_and_quality", {name: as_wide_as(H) for name, H in WIDTHS.items()}, args)
    by_width = dict(sorted({"64": found.pop(BASE), **found}.items(), key=lambda pair: int(pair[0])))
    tasks = tasks_for(TASKS, args.smoke)
    scores = {name: [accuracies(run.model(), tasks) for run in runs] for name, runs in by_width.items()}
    rows = [
        [
            f"H = {name}",
            f"{by_width[name][0].model().num_parameters:,}",
            told([run.loss for run in by_width[name]]),
            told([100 * run.found for run in by_width[name]], 1),
            *(beside_random([one[task] for one in probed]) for task in TASKS),
        ]
        for name, probed in scores.items()
    ]
    headings = [f"{LABELS[task]} (random weights), %" for task in TASKS]
    table = markdown(["width", "weights", "exam loss (nats)", "words found (%)", *headings], rows)
    measures = {"words found": [[100 * run.found for run in runs] for runs in by_width.values()]}
    for task in TASKS:
        measures[LABELS[task]] = [[100 * one[task].best for one in probed] for probed in scores.values()]
    show("size_and_quality", table, over_variants(list(by_width), measures, "right (%)", "width H"), args)


if __name__ == "__main__":
    main()
