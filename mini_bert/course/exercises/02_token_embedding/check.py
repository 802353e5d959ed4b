import numpy as np

from mini_bert.core.array import Array
from mini_bert.course import judging as judge
from mini_bert.course.learner import Learner

IDS = np.array([[2, 0, 1], [3, 3, 2]])


def check(learner: Learner) -> None:
    table = judge.example(4, 5, seed=1)
    learner.begin("embed: shape and dtype")
    judge.shape(
        learner.embed(IDS, table),
        (2, 3, 5),
        mistakes={
            "the columns are looked up; an id names a row": (4, 2, 3),
            "the batch is lost: the ids were flattened": (6, 5),
        },
    )
    judge.same_dtype(learner.embed(IDS, table.astype(np.float32)), table.astype(np.float32))
    learner.begin("embed: each row")
    want = np.array([[table[i] for i in row] for row in IDS])
    mistakes = {
        "the rows are one too early: ids count from 0": table[IDS - 1],
        "the rows are one too late: ids count from 0": table[(IDS + 1) % 4],
        "each text is looked up in the other order": want[:, ::-1],
        "the texts of the batch are mixed up": want[::-1],
    }
    judge.close(learner.embed(IDS, table), want, mistakes=mistakes)
    square, ids = judge.example(3, 3, seed=2), np.array([[2, 0, 1]])
    judge.close(
        learner.embed(ids, square),
        square[[2, 0, 1]][None],
        mistakes={"the columns are looked up; an id names a row": square.T[ids]},
    )
    learner.begin("embed: one token, the first and the last id")
    judge.close(learner.embed(np.array([[0]]), table), table[:1][None])
    judge.close(learner.embed(np.array([[3]]), table), table[3:][None])

    learner.begin("one_hot")
    want = np.zeros((2, 3, 4))
    for b, t in np.ndindex(2, 3):
        want[b, t, IDS[b, t]] = 1
    got = learner.one_hot(IDS, 4)
    judge.close(
        got,
        want,
        mistakes={
            "zeros and ones are exchanged": 1 - want,
            "the axes are in the order (V, B, T)": want.transpose(2, 0, 1),
            "the 1 stands one place too early: ids count from 0": moved(want, -1),
            "the 1 stands one place too late: ids count from 0": moved(want, 1),
        },
    )
    judge.dtype(got, np.float64)
    learner.begin("one_hot times the table is the lookup")
    judge.close(learner.one_hot(IDS, 4) @ table, table[IDS], "one_hot(ids, V) @ table")


def moved(x: Array, by: int) -> Array:
    """Along the last axis; what falls off is gone."""
    found = np.roll(x, by, -1)
    found[..., 0 if by > 0 else -1] = 0
    return found
