"""Which layers learn which kinds of linguistic knowledge?

Probes read the frozen states of each layer: parts of speech, kinds of names, how a word depends on its head, and
whether one word is the head of another. What needs no context, layer 0 has already.
"""

import numpy as np
from probed import LABELS, Accuracies, accuracies, tasks_for
from results import markdown, show, told
from runs_with_seeds import BASE, arguments, trained

from mini_bert.plots.over_layers import LayerCurve, over_layers


def row(task: str, seeds: list[Accuracies]) -> list[str]:
    layers = [
        told([100 * one.by_layer[layer] for one in seeds], 1) for layer in range(len(seeds[0].by_layer))
    ]
    return [
        LABELS[task],
        f"{100 * seeds[0].majority:.1f}",
        f"{100 * seeds[0].random:.1f}",
        *layers,
        ", ".join(str(one.layer) for one in seeds),
    ]


def main() -> None:
    args = arguments(__doc__)
    tasks = tasks_for(list(LABELS), args.smoke)
    by_seed = [accuracies(run.model(), tasks) for run in trained("which_layers_learn_what", {}, args)[BASE]]
    by_task = {task: [one[task] for one in by_seed] for task in by_seed[0]}
    depth = len(by_seed[0][tasks[0].name].by_layer)
    header = [
        "accuracy (%)",
        "majority",
        "random weights",
        *(f"layer {n}" for n in range(depth)),
        "best on dev, by seed",
    ]
    curves = []
    for task, seeds in by_task.items():
        values = 100 * np.array([one.by_layer for one in seeds])
        curves.append(LayerCurve(LABELS[task], values.mean(0), values.min(0), values.max(0)))
    figure = over_layers(curves, "accuracy (%), and its range over seeds")
    show("which_layers_learn_what", markdown(header, [row(*one) for one in by_task.items()]), figure, args)


if __name__ == "__main__":
    main()
