import numpy as np

from mini_bert.core.array import Array
from mini_bert.course import judging as judge
from mini_bert.course.learner import Learner

IDS = np.array([[2, 0, 2], [4, 2, 4]])
DY = np.arange(1.0, 13.0).reshape(2, 3, 2)


def check(learner: Learner) -> None:
    learner.begin("embedding_backward: shape and dtype")
    judge.shape(
        learner.embedding_backward(DY, IDS, 6),
        (6, 2),
        mistakes={
            "the table ends with the largest id; it has V rows": (5, 2),
            "the gradients are given back place by place; they belong into the table": (2, 3, 2),
            "only the words that occur have a row; the table has V rows": (3, 2),
            "the table is transposed: a row for each word": (2, 6),
        },
    )
    judge.same_dtype(learner.embedding_backward(np.float32(DY), IDS, 6), np.float32(DY))

    learner.begin("embedding_backward: no word occurs twice")
    once = np.array([[3, 1, 0]])
    judge.close(
        learner.embedding_backward(DY[:1], once, 4),
        [[5.0, 6], [3, 4], [0, 0], [1, 2]],
        mistakes={
            "the rows are in the order of the places, not where the ids say": [
                [1.0, 2],
                [3, 4],
                [5, 6],
                [0, 0],
            ]
        },
    )
    learner.begin("embedding_backward: words that occur several times")
    want = np.zeros((6, 2))
    for b, t in np.ndindex(IDS.shape):
        want[IDS[b, t]] = want[IDS[b, t]] + DY[b, t]
    judge.close(
        learner.embedding_backward(DY, IDS, 6),
        want,
        mistakes={
            "of a word that occurs several times only one gradient is kept, the last; += on many rows at once does "
            "not add either, np.add.at does": written(slice(None)),
            "of a word that occurs several times only the first gradient is kept": written(
                slice(None, None, -1)
            ),
            "the gradients of a word are averaged; add them": lambda: want / np.array([[1, 1, 3, 1, 2, 1]]).T,
            "it is divided by the number of places": want / 6,
            "only the last text counts; all of them do": lambda: one_text(1),
            "only the first text counts; all of them do": lambda: one_text(0),
            "one is added for each place; it must be dy": lambda: np.repeat(
                [[1.0], [0], [3], [0], [2], [0]], 2, axis=1
            ),
        },
    )
    learner.begin("embedding_backward: measured slopes, one token, input with gaps in memory")
    dy, table = judge.example(2, 4, 3, seed=1), judge.example(5, 3, seed=2)
    ids = np.array([[1, 1, 4, 0], [4, 1, 1, 2]])
    judge.gradient(learner.embedding_backward(dy, ids, 5), lambda table: table[ids], table, dy)
    gaps = judge.not_contiguous(dy)
    judge.gradient(learner.embedding_backward(gaps, ids, 5), lambda table: table[ids], table, dy)
    judge.close(learner.embedding_backward(np.array([[[7.0]]]), np.array([[1]]), 3), [[0.0], [7.0], [0.0]])
    learner.begin("embedding_backward: many words")
    many = np.random.default_rng(0).integers(0, 50, (4, 300))
    ones = np.ones((4, 300, 1))
    judge.close(
        learner.embedding_backward(ones, many, 50)[:, 0],
        np.bincount(many.reshape(-1), minlength=50).astype(float),
        "embedding_backward of ones, which counts the words,",
    )

    learner.begin("positions_backward: shape and dtype")
    judge.shape(
        learner.positions_backward(DY, 5),
        (5, 2),
        mistakes={
            "the table has more rows than a text has tokens; those after the last get 0": (3, 2),
            "it is not summed over the batch": (2, 3, 2),
            "it is summed over the tokens; sum over the texts": (2, 2),
        },
    )
    judge.same_dtype(learner.positions_backward(np.float32(DY), 5), np.float32(DY))
    learner.begin("positions_backward: numbers")
    judge.close(
        learner.positions_backward(DY, 5),
        [[8.0, 10], [12, 14], [16, 18], [0, 0], [0, 0]],
        mistakes={
            "the mean over the texts is taken; it is their sum": [[4.0, 5], [6, 7], [8, 9], [0, 0], [0, 0]],
            "only the last text counts; all of them do": [[7.0, 8], [9, 10], [11, 12], [0, 0], [0, 0]],
            "only the first text counts; all of them do": [[1.0, 2], [3, 4], [5, 6], [0, 0], [0, 0]],
            "the rows are at the end of the table; token t takes row t": [
                [0, 0],
                [0, 0],
                [8.0, 10],
                [12, 14],
                [16, 18],
            ],
            "every row of the table gets the sum over all tokens": [[36.0, 42]] * 5,
        },
    )
    learner.begin("positions_backward: measured slopes, as many rows as tokens, one text")
    P = judge.example(4, 3, seed=3)
    judge.gradient(learner.positions_backward(dy, 4), lambda P: np.stack([P, P]), P, dy)
    judge.close(learner.positions_backward(dy[:1], 6), np.concatenate([dy[0], np.zeros((2, 3))]))


def written(order: slice) -> Array:
    """What is left if places write over each other, in this order."""
    table = np.zeros((6, 2))
    for word, gradient in zip(IDS.reshape(-1)[order], DY.reshape(-1, 2)[order], strict=True):
        table[word] = gradient
    return table


def one_text(b: int) -> Array:
    table = np.zeros((6, 2))
    for word, gradient in zip(IDS[b], DY[b], strict=True):
        table[word] = table[word] + gradient
    return table
