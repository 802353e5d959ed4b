from collections.abc import Callable

import numpy as np

from mini_bert.core.array import Array
from mini_bert.core.functions.softmax import cross_entropy, softmax
from mini_bert.course import judging as judge
from mini_bert.course.learner import Learner

IGNORED = -100
OVERFLOW = "exp overflows, or all of a row is 0: take the largest of each row out first"


def check(learner: Learner) -> None:
    x = np.array([[1.0, 2.0, 3.0], [0.5, 0.5, -1.0]])
    learner.begin("log_sum_exp: shape and dtype")
    judge.shape(learner.log_sum_exp(x), (2,))
    judge.same_dtype(learner.log_sum_exp(x.astype(np.float32)), x.astype(np.float32))
    learner.begin("log_sum_exp: numbers")
    want = np.array([np.log(sum(np.exp(row))) for row in x])
    largest = x.max(-1)
    judge.close(
        learner.log_sum_exp(x),
        want,
        mistakes={
            "the largest was subtracted and not added again": want - largest,
            "the largest is added, but was not subtracted": want + largest,
            "the logarithm is missing": np.exp(want),
            "this is the sum of the scores; exp and logarithm undo each other number by number, not in a sum": x.sum(
                -1
            ),
            "this is only the largest": largest,
            "the logarithm is one to the base 2": want / np.log(2),
            "the mean is taken; take the sum": want - np.log(3),
        },
    )
    learner.begin("log_sum_exp: large scores")
    large = np.array([[1000.0, 1000.0, 999.0], [-1000.0, -1001.0, -1000.0]])
    add = np.log(2 + np.exp(-1))
    judge.close(
        learner.log_sum_exp(large),
        np.array([1000 + add, -1000 + add]),
        mistakes={
            OVERFLOW: lambda: np.log(np.exp(large).sum(-1)),
            "the largest of all rows is taken out, and the other row is lost; take each row's own": lambda: (
                1000 + np.log(np.exp(large - 1000).sum(-1))
            ),
        },
    )
    learner.begin("log_sum_exp: more axes, one score alone, input with gaps in memory")
    x = judge.example(2, 3, 4, seed=1)
    judge.close(learner.log_sum_exp(x), np.log(np.exp(x).sum(-1)))
    judge.close(learner.log_sum_exp(judge.not_contiguous(x)), np.log(np.exp(x).sum(-1)))
    judge.close(learner.log_sum_exp(np.array([[3.0]])), np.array([3.0]))

    learner.begin("masked_cross_entropy: one number")
    logits, labels = judge.example(2, 3, 4, seed=2), np.array([[0, 3, 1], [2, 2, 0]])
    judge.shape(
        learner.masked_cross_entropy(logits, labels),
        (),
        mistakes={
            "this is the loss of each place; take their mean": (6,),
            "this is a loss for each place; take their mean": (2, 3),
            "this is a loss for each text; take one mean over all places": (2,),
        },
    )
    learner.begin("masked_cross_entropy: every place is asked for")
    judge.close(
        learner.masked_cross_entropy(logits, labels), loss(logits, labels), mistakes=wrong(logits, labels)
    )
    learner.begin("masked_cross_entropy: ignored places")
    logits, labels = judge.example(2, 3, 120, seed=3), np.array([[7, IGNORED, 1], [IGNORED, IGNORED, 90]])
    judge.close(
        learner.masked_cross_entropy(logits, labels),
        loss(logits, labels),
        input={"logits": logits, "labels": labels},
        mistakes=wrong(logits, labels) | wrong_means(logits, labels),
    )
    learner.begin("masked_cross_entropy: what stands at ignored places makes no difference")
    logits, labels = judge.example(2, 3, 4, seed=4), np.array([[IGNORED, 3, 0], [2, IGNORED, IGNORED]])
    want = loss(logits, labels)
    judge.close(learner.masked_cross_entropy(logits, labels), want)
    other = np.where((labels == IGNORED)[..., None], 9.0, logits)
    judge.close(learner.masked_cross_entropy(other, labels), want)
    judge.close(learner.masked_cross_entropy(judge.not_contiguous(logits), labels), want)
    learner.begin("masked_cross_entropy: a model that knows nothing pays ln V")
    judge.close(learner.masked_cross_entropy(np.zeros((1, 2, 50)), np.array([[4, 49]])), np.log(50))
    learner.begin("masked_cross_entropy: certain and wrong, certain and right")
    sure = np.array([[[0.0, 1000.0]]])
    got = learner.masked_cross_entropy(sure, np.array([[0]]))
    judge.close(
        got,
        1000.0,
        mistakes={
            "the logarithm of a probability of 0: use log_sum_exp and the logit, never p": np.inf,
            "a small number is added to p before its logarithm: use log_sum_exp and the logit, never p": lambda: (
                got if 5 < got < 50 else -1.0
            ),
        },
    )
    judge.holds(
        abs(judge.array(learner.masked_cross_entropy(sure, np.array([[1]])))) < 1e-9,
        "the loss of a model that is certain and right is not 0.",
        input={"logits": sure, "labels": [[1]]},
    )
    learner.begin("masked_cross_entropy: nothing is asked for")
    got = judge.array(learner.masked_cross_entropy(logits, np.full((2, 3), IGNORED)))
    judge.holds(
        got.shape == () and got == 0,
        "without any place that is asked for the loss is 0.",
        got,
        mistake="a mean over no places divides 0 by 0: ask first whether there are any"
        if np.isnan(got).any()
        else None,
    )


def loss(logits: Array, labels: Array) -> float:
    """By the package's own function."""
    asked = labels != IGNORED
    return float(cross_entropy(logits, np.where(asked, labels, 0), asked / asked.sum())[0])


def by_place(logits: Array, labels: Array) -> Array:
    """−ln p[label] at each place; −100 counts from the end."""
    found: Array = -np.log(np.take_along_axis(softmax(logits), labels[..., None], -1)[..., 0])
    return found


def wrong(logits: Array, labels: Array) -> dict[str, Callable[[], object]]:
    asked = labels != IGNORED
    here, words = logits[asked], labels[asked]
    right = loss(logits, labels)
    return {
        "this is the sum; take the mean over the places that are asked for": lambda: right * asked.sum(),
        "the sign is the other way round: surprise is −ln p": lambda: -right,
        "this is the perplexity, the exponential of the loss": lambda: np.exp(right),
        "the logarithm is one to the base 2": lambda: right / np.log(2),
        "this is the mean of the probabilities; take −ln of each": lambda: softmax(here)[
            np.arange(len(words)), words
        ].mean(),
        "the logarithm is taken of the mean; take the mean of the logarithms": lambda: (
            -np.log(softmax(here)[np.arange(len(words)), words].mean())
        ),
        "the score of the right word is not subtracted": lambda: np.log(np.exp(here).sum(-1)).mean(),
        "this is minus the score of the right word; log_sum_exp is missing": lambda: (
            -here[np.arange(len(words)), words].mean()
        ),
        "scores[:, words] takes every word at every place; scores[np.arange(N), words] pairs them": lambda: (
            np.log(np.exp(here).sum(-1)) - here[:, words]
        ).mean(),
        "the largest score is taken in place of the right word's": lambda: (
            -np.log(softmax(here).max(-1)).mean()
        ),
    }


def wrong_means(logits: Array, labels: Array) -> dict[str, Callable[[], object]]:
    asked = labels != IGNORED
    places = np.where(asked, by_place(logits, np.where(asked, labels, 0)), 0)
    return {
        "ignored places are counted: −100 is a valid index, from the end": lambda: by_place(
            logits, labels
        ).mean(),
        "ignored places are counted as if word 0 had stood there": lambda: by_place(
            logits, np.where(asked, labels, 0)
        ).mean(),
        "the sum is divided by all places; divide by the number of those that are asked for": lambda: (
            places.mean()
        ),
        "the sum is divided by the number of texts; divide by the number of places that are asked for": lambda: (
            places.sum() / len(labels)
        ),
        "each text is averaged by itself; all places that are asked for count alike": lambda: (
            places.sum(-1) / asked.sum(-1)
        ).mean(),
    }
