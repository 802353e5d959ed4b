"""How sure the score of a fine-tuned model is: other examples, and other seeds, would have given another.

As many examples are drawn again, with replacement, and as many runs; the score of a draw is that of its median run
(Efron 1979). A sentence is drawn as a whole, for its words are no independent cases. The accuracy of texts by a single
run has Wilson's interval, and that of several is never narrower.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mini_bert.core.array import Array
from mini_bert.evaluation.estimate import Estimate, share
from mini_bert.finetuning.scores import CASES, Cases
from mini_bert.finetuning.tasks import Answer, Metric

ROUNDS = 1000
LOW, HIGH = 0.025, 0.975


def score(
    metric: Metric, right: Sequence[Answer], runs: Sequence[Sequence[Answer]], seed: int = 0
) -> Estimate:
    """The score of the median run, with its 95 % interval over examples and runs; the seed draws both again."""
    cases = [CASES[metric](right, told) for told in runs]
    values = [one.statistic(one.rows) for one in cases]
    middle = median_place(values)
    ends: list[float] = []
    if metric == "accuracy" and isinstance(right[0], str):
        found = share(int(cases[middle].rows[:, 0].sum()), len(right))
        if len(runs) == 1:
            return found
        ends = [end for end in found[1:] if end is not None]
    return between(values[middle], redrawn([cases], seed)[:, 0], ends)


def lead(
    metric: Metric,
    right: Sequence[Answer],
    runs: Sequence[Sequence[Answer]],
    others: Sequence[Sequence[Answer]],
    seed: int = 0,
) -> Estimate:
    """How far the median run is ahead of that of others on the same examples, with its 95 % interval.

    Both are asked about the examples that are drawn, so that a hard draw costs both, and takes nothing of the lead.
    """
    sides = [[CASES[metric](right, told) for told in side] for side in (runs, others)]
    ours, theirs = ([one.statistic(one.rows) for one in side] for side in sides)
    again = redrawn(sides, seed)
    return between(ours[median_place(ours)] - theirs[median_place(theirs)], again[:, 0] - again[:, 1])


def redrawn(sides: Sequence[Sequence[Cases]], seed: int) -> Array:
    """(rounds, sides): the score of each side's median run, of examples that are the same for all sides."""
    rng, N = np.random.default_rng(seed), len(sides[0][0].rows)
    again = []
    for _ in range(ROUNDS):
        examples = rng.integers(N, size=N)
        found = []
        for cases in sides:
            drawn = rng.integers(len(cases), size=len(cases)).tolist()
            known = {run: cases[run].statistic(cases[run].rows[examples]) for run in set(drawn)}
            scores = [known[run] for run in drawn]
            found.append(scores[median_place(scores)])
        again.append(found)
    return np.array(again)


def between(value: float, again: Array, ends: Sequence[float] = ()) -> Estimate:
    """A value within what it was in 95 % of the draws, and within these ends."""
    if again.min() == again.max():  # all answers are the same, which says nothing of how sure they are
        return Estimate(value)
    found = [*ends, *np.quantile(again, [LOW, HIGH]).tolist()]
    return Estimate(value, min(found), max(found))


def median_place(values: Sequence[float]) -> int:
    """Where the median is; of an even number, the lower of the two in the middle."""
    return sorted(range(len(values)), key=values.__getitem__)[(len(values) - 1) // 2]
