import numpy as np

from mini_bert.core.array import Array
from mini_bert.course import judging as judge
from mini_bert.course.learner import Learner


def check(learner: Learner) -> None:
    dy, x, W = judge.example(2, 3, 2, seed=1), judge.example(2, 3, 4, seed=2), judge.example(2, 4, seed=3)
    learner.begin("three results, each of the shape of what it belongs to")
    judge.several(learner.linear_backward(dy, x, W), 3)
    dx, dW, db = learner.linear_backward(dy, x, W)
    judge.shape(dx, (2, 3, 4), "dx")
    judge.shape(
        dW,
        (2, 4),
        "dW",
        mistakes={
            "dW is transposed: it has the shape of W, (O, I)": (4, 2),
            "dW is one for each text; all tokens use the same W, so sum over all of them": (2, 2, 4),
            "dW is one for each token; all tokens use the same W, so sum over all of them": (2, 3, 2, 4),
            "dW is summed over the batch only; sum over all tokens": (3, 2, 4),
        },
    )
    judge.shape(
        db,
        (2,),
        "db",
        mistakes={
            "db is not summed over the tokens": (2, 3, 2),
            "db is summed over the batch only; sum over all tokens": (3, 2),
            "db is summed over all but the outputs; every output has its own": (),
        },
    )
    learner.begin("float32 stays float32")
    single = [array.astype(np.float32) for array in (dy, x, W)]
    for name, gradient in zip(("dx", "dW", "db"), learner.linear_backward(*single), strict=True):
        judge.same_dtype(gradient, single[0], name)

    learner.begin("one token")
    one_dy, one_x, one_W = (
        np.array([[10.0, 1.0]]),
        np.array([[1.0, 2.0]]),
        np.array([[3.0, 0.0], [1.0, -1.0]]),
    )
    dx, dW, db = learner.linear_backward(one_dy, one_x, one_W)
    judge.close(
        dx,
        [[31.0, -1.0]],
        "dx",
        mistakes={"dx is dy Wᵀ; the way back takes W as it is": one_dy @ one_W.T},
    )
    judge.close(
        dW,
        [[10.0, 20.0], [1.0, 2.0]],
        "dW",
        mistakes={"dW is transposed: row o belongs to output o": [[10.0, 1.0], [20.0, 2.0]]},
    )
    judge.close(db, [10.0, 1.0], "db", mistakes={"db is the sum over the outputs": np.array([11.0, 11.0])})

    learner.begin("many tokens: W and b collect from all of them")
    dx, dW, db = learner.linear_backward(dy, x, W)
    outer = np.einsum("bto,bti->btoi", dy, x)
    total = sum(outer.reshape(-1, 2, 4))
    judge.close(dx, np.array([[sum(token[:, None] * W) for token in text] for text in dy]), "dx")
    judge.close(
        dW,
        total,
        "dW",
        mistakes={
            "dW is the mean over the tokens; it is their sum": total / 6,
            "dW is the mean over the batch; it is the sum": total / 2,
            "only the last text counts in dW; all of them do": lambda: outer[-1].sum(0),
            "only the first text counts in dW; all of them do": lambda: outer[0].sum(0),
        },
    )
    judge.close(
        db,
        [sum(dy[..., o].reshape(-1)) for o in range(2)],
        "db",
        mistakes={
            "db is the mean over the tokens; it is their sum": lambda: dy.mean((0, 1)),
            "only the last text counts in db; all of them do": lambda: dy[-1].sum(0),
        },
    )
    learner.begin("measured slopes")
    dy, x, W = judge.example(1, 3, 5, seed=4), judge.example(1, 3, 2, seed=5), judge.example(5, 2, seed=6)
    measured(learner, dy, x, W)
    learner.begin("as many inputs as outputs as tokens, where no shape can tell them apart")
    measured(learner, *(judge.example(3, 3, seed=seed) for seed in (7, 8, 9)))

    learner.begin("a single vector, and input with gaps in memory")
    dx, dW, db = learner.linear_backward(one_dy[0], one_x[0], one_W)
    judge.close(dx, [31.0, -1.0], "dx")
    judge.close(dW, [[10.0, 20.0], [1.0, 2.0]], "dW")
    judge.close(db, [10.0, 1.0], "db")
    dx, dW, db = learner.linear_backward(*(judge.not_contiguous(array) for array in (dy, x, W)))
    judge.close(dW, dy[0].T @ x[0], "dW")
    judge.close(db, dy[0].sum(0), "db")


def measured(learner: Learner, dy: Array, x: Array, W: Array) -> None:
    dx, dW, db = learner.linear_backward(dy, x, W)
    judge.gradient(dx, lambda x: x @ W.T, x, dy, "dx")
    judge.gradient(dW, lambda W: x @ W.T, W, dy, "dW")
    judge.gradient(db, lambda b: x @ W.T + b, np.zeros(len(W)), dy, "db")
