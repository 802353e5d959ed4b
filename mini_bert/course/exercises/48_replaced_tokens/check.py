import numpy as np

from mini_bert.core.array import Array
from mini_bert.core.functions.activations import sigmoid
from mini_bert.core.functions.logistic import binary_cross_entropy
from mini_bert.course import judging as judge
from mini_bert.course.learner import Learner

IDS = np.array([[2, 4, 1, 3], [2, 0, 4, 1]])
POSITIONS = np.array([[1, 2], [3, 1]])
PROBS = np.array([[[0, 0.5, 0, 0.5, 0], [0, 1, 0, 0, 0]], [[0.25, 0.25, 0.25, 0, 0.25], [0.5, 0, 0, 0, 0.5]]])
DRAWS = np.array([[0.7, 0.4], [0.9, 0.1]])


def check(learner: Learner) -> None:
    sampling(learner)
    replacing(learner)
    loss(learner)
    gradient(learner)


def sampling(learner: Learner) -> None:
    probs, draws = (
        np.array([[0.5, 0.25, 0.25], [0.25, 0.25, 0.5], [0.1, 0.3, 0.6]]),
        np.array([0.6, 0.3, 0.05]),
    )
    learner.begin("sample: shape and kind")
    found = learner.sample(probs, draws)
    judge.shape(found, (3,))
    judge.holds(np.asarray(found).dtype.kind in "iu", "sample gave no whole numbers; words are ids.", found)
    learner.begin("sample: where the draws fall")
    judge.holds(
        np.array_equal(found, learner.sample(probs, draws)),
        "sample gives another answer the second time, on the same input.",
        mistake="a chance of its own is used; chance comes from outside here, as draws",
    )
    judge.close(
        found,
        np.array([1, 1, 0]),
        mistakes={
            "the most likely word is taken; it should be drawn": np.array([0, 2, 2]),
            "the ends are not summed up: p_v itself is compared with the draw": np.array([0, 2, 0]),
            "the comparison is the other way round: it is the first end beyond the draw": np.array([0, 0, 0]),
            "the sums run on from row to row; np.cumsum(probs, -1) begins anew in each": np.array([1, 0, 0]),
            "one too many was counted": np.array([2, 2, 1]),
            "one too few was counted": np.array([0, 0, -1]),
        },
    )
    learner.begin("sample: as often as their probability, and never a word without one")
    even = (np.arange(1000) + 0.5) / 1000
    counts = np.bincount(
        judge.array(learner.sample(np.tile([0.2, 0.0, 0.5, 0.3], (1000, 1)), even)), minlength=4
    )
    judge.close(
        counts,
        np.array([200, 0, 500, 300]),
        "how often 1000 even draws give each word",
        {"probs of each": np.array([0.2, 0.0, 0.5, 0.3])},
    )
    judge.close(learner.sample(PROBS, DRAWS), np.array([[3, 1], [4, 0]]))


def replacing(learner: Learner) -> None:
    learner.begin("replace_tokens: two results, shapes and kind")
    judge.several(learner.replace_tokens(IDS, POSITIONS, PROBS, DRAWS), 2)
    shown, labels = learner.replace_tokens(IDS, POSITIONS, PROBS, DRAWS)
    judge.shape(shown, IDS.shape)
    judge.shape(
        labels, IDS.shape, mistakes={"only the gaps have labels; every token has one": POSITIONS.shape}
    )
    judge.dtype(labels, np.int64)
    learner.begin("replace_tokens: the text")
    judge.close(
        shown,
        np.array([[2, 3, 1, 3], [2, 0, 4, 4]]),
        mistakes={
            "the most likely words are put in; they should be drawn": np.array([[2, 1, 1, 3], [2, 0, 4, 0]]),
            "nothing is replaced": IDS,
            "the words of one text have come into all of them: each has positions of its own": np.array(
                [[2, 0, 1, 4], [2, 0, 1, 4]]
            ),
        },
    )
    learner.begin("replace_tokens: the labels")
    judge.close(
        labels,
        np.array([[0, 1, 0, 0], [0, 0, 0, 1]]),
        mistakes={
            "labels tell where gaps were; a gap that got its own word back was not replaced": np.array(
                [[0, 1, 1, 0], [0, 1, 0, 1]]
            ),
            "labels are the other way round: 1 is for replaced": np.array([[1, 0, 1, 1], [1, 1, 1, 0]]),
        },
    )


def loss(learner: Learner) -> None:
    s, y = np.array([[0.5, -1.0, 2.0], [1.5, 0.0, -0.5]]), np.array([[1, 0, 0], [1, 0, 1]])
    mask = np.array([[1, 1, 1], [1, 1, 0]])
    learner.begin("detection_loss: one number, dtype")
    judge.shape(learner.detection_loss(s, y, mask), (), mistakes={"take the mean over tokens": s.shape})
    found = judge.array(learner.detection_loss(s, y, mask))
    judge.holds(found.dtype.kind == "f", f"detection_loss gave {found.dtype}.", found)
    learner.begin("detection_loss: numbers")
    each = np.log1p(np.exp(s)) - y * s
    judge.close(
        learner.detection_loss(s, y, mask),
        packages_loss(s, y, mask),
        mistakes={
            "padding is counted as well": each.mean(),
            "padding is left out of the sum, but counted in the division": (each * mask).mean(),
            "the sum is taken; divide by the number of real tokens": (each * mask).sum(),
            "y and 1 − y are exchanged: y = 1 is for replaced": packages_loss(s, 1 - y, mask),
            "only the tokens with label 1 are asked": ((np.log1p(np.exp(s)) - s) * y * mask).sum() / 5,
            "the logits are taken for probabilities, or σ is taken twice": lambda: packages_loss(
                sigmoid(s), y, mask
            ),
        },
    )
    learner.begin("detection_loss: large logits")
    large, one = np.array([[1000.0, -1000.0]]), np.ones((1, 2), int)
    for labels, want in ((np.array([[1, 0]]), 0.0), (np.array([[0, 1]]), 1000.0)):
        found = learner.detection_loss(large, labels, one)
        judge.holds(
            np.isfinite(found),
            f"detection_loss is not finite, expected {want:g}.",
            found,
            mistake="eˢ overflows, or the logarithm of a 0 is taken: np.logaddexp(0, s)",
        )
        judge.close(
            1.0 + found, 1.0 + want, "1 + detection_loss(s, labels, mask)", {"s": large, "labels": labels}
        )


def gradient(learner: Learner) -> None:
    s, y = np.array([[0.5, -1.0, 2.0], [1.5, 0.0, -0.5]]), np.array([[1, 0, 0], [1, 0, 1]])
    mask = np.array([[1, 1, 1], [1, 1, 0]])
    learner.begin("detection_backward: shape and dtype")
    judge.shape(learner.detection_backward(s, y, mask), s.shape)
    judge.dtype(learner.detection_backward(np.float32(s), y, mask), np.float32)
    learner.begin("detection_backward: the slope that is measured")
    p = sigmoid(s)
    right = (p - y) * mask / 5
    judge.gradient(
        learner.detection_backward(s, y, mask),
        lambda s: packages_loss(s, y, mask),
        s,
        np.array(1.0),
        mistakes={
            "the sign is the other way round: it is σ(s) − y": -right,
            "padding has a gradient; multiply by the mask": (p - y) / 5,
            "it is divided by all tokens; divide by the real ones": (p - y) * mask / 6,
            "it is not divided by the number of real tokens": (p - y) * mask,
            "σ is missing: s itself is no probability": (s - y) * mask / 5,
            "the slope of σ is multiplied in; with this loss it cancels": right * p * (1 - p),
        },
    )
    learner.begin("detection_backward: large logits, one token, gaps in memory")
    large = np.array([[1000.0, -1000.0]])
    judge.close(learner.detection_backward(large, np.array([[0, 0]]), np.ones((1, 2), int)), [[0.5, 0.0]])
    judge.close(learner.detection_backward(np.zeros((1, 1)), np.array([[1]]), np.ones((1, 1), int)), [[-0.5]])
    judge.close(learner.detection_backward(judge.not_contiguous(s), y, mask), right)


def packages_loss(s: Array, y: Array, mask: Array) -> Array:
    return binary_cross_entropy(s, y, mask / mask.sum())[0]
