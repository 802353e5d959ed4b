"""How sure the score of a fine-tuned model is: other examples, and other seeds, would have given another.

As many examples are drawn again, with replacement, and as many runs; the score of a draw is that of its median run
(Efron 1979). A sentence is drawn as a whole, for its words are no independent cases. The accuracy of texts by a single
run has Wilson's interval, and that of several is never narrower.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mini_bert.evaluation.estimate import Estimate, share
from mini_bert.finetuning.scores import CASES
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
    rng, N, again = np.random.default_rng(seed), len(right), []
    for _ in range(ROUNDS):
        examples = rng.integers(N, size=N)
        drawn = rng.integers(len(runs), size=len(runs)).tolist()
        known = {run: cases[run].statistic(cases[run].rows[examples]) for run in set(drawn)}
        scores = [known[run] for run in drawn]
        again.append(scores[median_place(scores)])
    if min(again) == max(again):  # all answers are the same, which says nothing of how sure they are
        return Estimate(values[middle])
    ends += np.quantile(again, [LOW, HIGH]).tolist()
    return Estimate(values[middle], min(ends), max(ends))


def median_place(values: Sequence[float]) -> int:
    """Where the median is; of an even number, the lower of the two in the middle."""
    return sorted(range(len(values)), key=values.__getitem__)[(len(values) - 1) // 2]
