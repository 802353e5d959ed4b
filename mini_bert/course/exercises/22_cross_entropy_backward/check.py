import numpy as np

from mini_bert.core.array import Array
from mini_bert.core.functions.softmax import cross_entropy, softmax
from mini_bert.course import judging as judge
from mini_bert.course.learner import Learner

P = np.array(
    [
        [[0.5, 0.25, 0.25], [0.1, 0.7, 0.2], [0.3, 0.3, 0.4]],
        [[0.2, 0.2, 0.6], [0.6, 0.2, 0.2], [0.25, 0.5, 0.25]],
    ]
)
WORDS = np.array([[0, 2, 1], [0, 0, 2]])
ASKED = np.array([[0, 1, 0], [1, 1, 1]])
IGNORED = -100
LABELS = np.where(ASKED, WORDS, IGNORED)


def check(learner: Learner) -> None:
    learner.begin("shape and dtype")
    judge.shape(
        learner.masked_cross_entropy_backward(P, LABELS),
        P.shape,
        mistakes={"only the places that are asked for are there; all others get 0": (4, 3)},
    )
    judge.same_dtype(learner.masked_cross_entropy_backward(np.float32(P), LABELS), np.float32(P))

    learner.begin("one place: probabilities minus one-hot")
    p = np.array([[[0.7, 0.2, 0.1]]])
    judge.close(
        learner.masked_cross_entropy_backward(p, np.array([[1]])),
        [[[0.7, -0.8, 0.1]]],
        mistakes={
            "this is one-hot minus p; the loss falls when the true logit rises": [[[-0.7, 0.8, -0.1]]],
            "the one-hot row is not subtracted": p,
            "this is the gradient of the probabilities; the question is for the logits": [[[0, -5.0, 0]]],
            "only the true word has a gradient; all others have p": [[[0, -0.8, 0]]],
            "only the other words have a gradient; the true one has p − 1": [[[0.7, 0, 0.1]]],
        },
    )
    learner.begin("a batch: only masked places, and their mean")
    m, one_hot = ASKED[..., None], np.eye(3)[WORDS] * ASKED[..., None]
    exact = P - one_hot
    judge.close(
        learner.masked_cross_entropy_backward(P, LABELS),
        exact * m / 4,
        mistakes={
            "it is not divided by N: the loss is a mean over the masked places": exact * m,
            "it is divided by the number of all places; N counts the masked ones": exact * m / 6,
            "it is divided by the number of texts; N counts the masked places": exact * m / 2,
            "each text is divided by its own number of masked places; N is that of the batch": lambda: (
                exact * m / ASKED.sum(1)[:, None, None]
            ),
            "places that are IGNORED have a gradient, too; they are no part of the loss": exact / 4,
            "places that are IGNORED have a gradient, too, and it is the mean over all places": exact / 6,
            "places that are IGNORED have a gradient, too, and nothing is divided": exact,
            "the mask is the other way round: IGNORED places are not asked for": exact * (1 - m) / 2,
            "the one-hot row is subtracted after the division by N": lambda: m * (P / 4 - one_hot),
        },
    )
    learner.begin("each place has its own label, and a row sums to 0")
    rows = judge.array(learner.masked_cross_entropy_backward(P, LABELS)).sum(-1)
    judge.holds(np.allclose(rows, 0, atol=1e-12), "the rows do not sum to 0.", rows)

    learner.begin("measured slopes, from the logits on")
    measured(learner, judge.example(2, 4, 5, seed=1), np.array([[3, -100, -100, 4], [-100, 2, -100, -100]]))
    learner.begin("as many places as words, one text, input with gaps in memory")
    measured(learner, judge.example(1, 3, 3, seed=2), np.array([[2, 0, -100]]))
    judge.close(learner.masked_cross_entropy_backward(judge.not_contiguous(P), LABELS), exact * m / 4)
    learner.begin("nothing is masked")
    got = learner.masked_cross_entropy_backward(P, np.full((2, 3), IGNORED))
    judge.holds(
        np.isfinite(judge.array(got)).all(),
        "masked_cross_entropy_backward(p, labels) is not a number where no place is masked, expected 0.",
        got,
        mistake="it is divided by N = 0; divide by 1 at least",
    )
    judge.close(got, np.zeros((2, 3, 3)))
    learner.begin("a model that is sure: right, and wrong")
    sure = softmax(np.array([[[1000.0, 0.0], [1000.0, 0.0]]]))
    got = learner.masked_cross_entropy_backward(sure, np.array([[0, 1]]))
    judge.holds(
        np.isfinite(judge.array(got)).all(),
        "masked_cross_entropy_backward(p, labels) is not a number where a probability is 0.",
        got,
        mistake="somewhere it is divided by a probability; p minus one-hot needs no division",
    )
    judge.close(got, [[[0.0, 0.0], [0.5, -0.5]]])


def measured(learner: Learner, logits: Array, labels: Array) -> None:
    got = learner.masked_cross_entropy_backward(softmax(logits), labels)
    asked = labels != IGNORED
    words, weights = np.where(asked, labels, 0), asked / asked.sum()
    judge.gradient(got, lambda logits: cross_entropy(logits, words, weights)[0], logits, np.ones(()))
