import numpy as np

from mini_bert.course import judging as judge
from mini_bert.course.learner import Learner


def check(learner: Learner) -> None:
    x = np.array([[1.0, 2.0, 3.0], [0.5, 0.5, -1.0]])
    learner.begin("shape and dtype")
    judge.shape(learner.softmax(x), x.shape)
    judge.same_dtype(learner.softmax(x.astype(np.float32)), x.astype(np.float32))

    learner.begin("each row sums to 1")
    e = np.exp(x)
    total = judge.array(learner.softmax(x)).sum()
    judge.holds(
        abs(total - 1) > 1e-6,
        "all numbers of softmax(x) together sum to 1; each of the two rows should.",
        input={"x": x},
        mistake="the sum runs over all numbers; take the last axis only",
    )
    judge.holds(
        abs(total - 3) > 1e-6,
        "the columns of softmax(x) sum to 1; the rows should.",
        input={"x": x},
        mistake="max and sum run down the columns; take the last axis",
    )
    judge.close(
        learner.softmax(x),
        np.array([[np.exp(a) / sum(np.exp(row)) for a in row] for row in x]),
        mistakes={
            "it is not divided by the sum": e,
            "it is not divided by the sum of each row": np.exp(x - x.max(-1, keepdims=True)),
            "the scores themselves are divided by their sum; exp is missing": lambda: (
                x / x.sum(-1, keepdims=True)
            ),
            "it is divided by the largest, not by the sum": lambda: e / e.max(-1, keepdims=True),
            "the smallest is preferred: the sign of the scores is flipped": lambda: (
                1 / e / (1 / e).sum(-1, keepdims=True)
            ),
        },
    )
    learner.begin("a constant added to all scores changes nothing")
    judge.close(
        learner.softmax(x + 5), learner.softmax(x), "softmax(x + 5), expected to be softmax(x),", {"x": x}
    )

    learner.begin("large scores")
    large = np.array([[1000.0, 1000.0, 999.0], [-1000.0, -1001.0, -1000.0]])
    share = 1 / (2 + np.exp(-1))
    want = share * np.array([[1, 1, np.exp(-1)], [1, np.exp(-1), 1]])
    shifted = large - large.max()
    judge.close(
        learner.softmax(large),
        want,
        mistakes={
            "exp overflows, or all of a row is 0: subtract the largest of each row first": lambda: (
                np.exp(large) / np.exp(large).sum(-1, keepdims=True)
            ),
            "the largest of all rows is subtracted, and the other row is lost; take each row's own": lambda: (
                np.exp(shifted) / np.exp(shifted).sum(-1, keepdims=True)
            ),
        },
    )
    learner.begin("one score alone, four axes, input with gaps in memory")
    judge.close(learner.softmax(np.array([[3.0]])), np.array([[1.0]]))
    heads = judge.example(2, 2, 3, 5, seed=1)
    want = np.exp(heads) / np.exp(heads).sum(-1, keepdims=True)
    wrong = np.exp(heads) / np.exp(heads).sum(1, keepdims=True)
    judge.close(
        learner.softmax(heads), want, mistakes={"the sum runs over axis 1; take the last axis, −1": wrong}
    )
    judge.close(learner.softmax(judge.not_contiguous(heads)), want)
