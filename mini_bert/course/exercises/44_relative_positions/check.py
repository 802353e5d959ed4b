import numpy as np

from mini_bert.core.array import Array
from mini_bert.course import judging as judge
from mini_bert.course.learner import Learner

ONE_OF_MANY = (
    "each number has got the slope of one pair only: `+=` with an index adds only one of those that meet; "
    "np.add.at adds them all"
)


def check(learner: Learner) -> None:
    learner.begin("table_rows: shape and kind")
    judge.shape(
        learner.table_rows(2, 5, 2), (2, 5), mistakes={"a row belongs to a query, a column to a key": (5, 2)}
    )
    found = judge.array(learner.table_rows(2, 2, 1))
    judge.holds(found.dtype.kind in "iu", f"table_rows gave {found.dtype}; places are whole numbers.", found)
    learner.begin("table_rows: numbers")
    i, j = np.indices((4, 4))
    want = np.array([[2, 1, 0, 0], [3, 2, 1, 0], [4, 3, 2, 1], [4, 4, 3, 2]])
    judge.close(
        learner.table_rows(4, 4, 2),
        want,
        mistakes={
            "it is j − i; the distance of query i and key j is i − j": want.T,
            "distances are not cut off at reach": i - j + 2,
            "reach is not added: a negative place would be counted from the end": want - 2,
            "the size of the distance is taken; before and after are told apart": np.minimum(abs(i - j), 2),
            "the size of the distance is taken, and reach added; before and after are told apart": (
                np.minimum(abs(i - j), 2) + 2
            ),
            "reach is added before the distances are cut off": np.clip(i - j + 2, -2, 2),
        },
    )
    judge.close(learner.table_rows(1, 1, 3), np.array([[3]]))

    learner.begin("relative_bias: shape and dtype")
    table = np.array([[0.0, 1.0, 2.0], [10.0, 11.0, 12.0]])
    judge.shape(
        learner.relative_bias(table, 3, 4),
        (2, 3, 4),
        mistakes={"the heads stand last; move their axis to the front": (3, 4, 2)},
    )
    judge.same_dtype(learner.relative_bias(table.astype(np.float32), 3, 4), table.astype(np.float32))
    learner.begin("relative_bias: numbers")
    row = np.array([[1, 0, 0, 0], [2, 1, 0, 0], [2, 2, 1, 0]])
    judge.close(
        learner.relative_bias(table, 3, 4),
        np.stack([row + 0.0, row + 10.0]),
        mistakes={
            "all heads have got the first head's numbers": np.stack([row + 0.0, row + 0.0]),
            "distances are j − i": np.stack([2.0 - row, 12.0 - row]),
        },
    )
    learner.begin("relative_bias: moving both tokens changes nothing")
    table = judge.example(2, 7, seed=1)
    found = judge.array(learner.relative_bias(table, 6, 6))
    judge.close(found[:, 1:, 1:], found[:, :-1, :-1], "the bias one token further on")

    ds = judge.example(2, 2, 4, 4, seed=2)
    learner.begin("relative_bias_backward: shape and dtype")
    judge.shape(
        learner.relative_bias_backward(ds, 2),
        (2, 5),
        mistakes={"every text of the batch has a gradient of its own; add them up": (2, 2, 5)},
    )
    judge.same_dtype(learner.relative_bias_backward(ds.astype(np.float32), 2), ds.astype(np.float32))
    learner.begin("relative_bias_backward: how often each number was read")
    ones = np.ones((1, 1, 3, 3))
    judge.close(
        learner.relative_bias_backward(ones, 1),
        np.array([[3.0, 3.0, 3.0]]),
        mistakes={
            ONE_OF_MANY: np.ones((1, 3)),
        },
    )
    learner.begin("relative_bias_backward: the slope that is measured")
    reach = 2
    judge.gradient(
        learner.relative_bias_backward(ds, reach),
        lambda table: looked_up(table, ds.shape, reach),
        judge.example(2, 5, seed=3),
        ds,
        mistakes={
            ONE_OF_MANY: lambda: last_only(ds, reach),
            "only the first text of the batch counts": lambda: slope(ds[:1], reach),
            "the texts of the batch are averaged; add them up": lambda: slope(ds, reach) / 2,
            "before and after are exchanged": lambda: slope(ds, reach)[:, ::-1],
            "it is averaged over the pairs; a sum is asked for": lambda: (
                slope(ds, reach) / slope(np.ones_like(ds[:1]), reach)
            ),
            "all heads have got the sum over heads": lambda: np.repeat(
                slope(ds, reach).sum(0, keepdims=True), 2, 0
            ),
            "distances beyond the reach are left out; they belong to the ends": lambda: inside_only(
                ds, reach
            ),
        },
    )
    learner.begin("relative_bias_backward: other numbers of queries and keys, one token, gaps in memory")
    ds = judge.example(1, 3, 2, 5, seed=4)
    judge.close(learner.relative_bias_backward(ds, 3), slope(ds, 3))
    judge.close(learner.relative_bias_backward(judge.not_contiguous(ds), 3), slope(ds, 3))
    judge.close(
        learner.relative_bias_backward(np.array([[[[2.0]]]]), 2), np.array([[0.0, 0.0, 2.0, 0.0, 0.0]])
    )


def looked_up(table: Array, shape: tuple[int, ...], reach: int) -> Array:
    """One pair at a time."""
    s = np.empty(shape, table.dtype)
    for _, a, i, j in np.ndindex(shape):
        s[:, a, i, j] = table[a, max(-reach, min(reach, i - j)) + reach]
    return s


def slope(ds: Array, reach: int) -> Array:
    dtable = np.zeros((ds.shape[1], 2 * reach + 1))
    for b, a, i, j in np.ndindex(*ds.shape):
        dtable[a, max(-reach, min(reach, i - j)) + reach] += ds[b, a, i, j]
    return dtable


def last_only(ds: Array, reach: int) -> Array:
    dtable = np.zeros((ds.shape[1], 2 * reach + 1))
    for a, i, j in np.ndindex(*ds.shape[1:]):
        dtable[a, max(-reach, min(reach, i - j)) + reach] = ds[:, a, i, j].sum()
    return dtable


def inside_only(ds: Array, reach: int) -> Array:
    dtable = np.zeros((ds.shape[1], 2 * reach + 1))
    for b, a, i, j in np.ndindex(*ds.shape):
        if abs(i - j) <= reach:
            dtable[a, i - j + reach] += ds[b, a, i, j]
    return dtable
