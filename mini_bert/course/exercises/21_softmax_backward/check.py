import numpy as np

from mini_bert.core.functions.softmax import softmax
from mini_bert.course import judging as judge
from mini_bert.course.learner import Learner


def check(learner: Learner) -> None:
    jacobian(learner)
    backward(learner)


def jacobian(learner: Learner) -> None:
    p = np.array([0.25, 0.25, 0.5])
    learner.begin("softmax_jacobian: shape and dtype")
    judge.shape(learner.softmax_jacobian(p), (3, 3), mistakes={"this is only its diagonal": (3,)})
    judge.same_dtype(learner.softmax_jacobian(p.astype(np.float32)), p.astype(np.float32))
    learner.begin("softmax_jacobian: numbers")
    judge.close(
        learner.softmax_jacobian(p),
        [[0.1875, -0.0625, -0.125], [-0.0625, 0.1875, -0.125], [-0.125, -0.125, 0.25]],
        mistakes={
            "beside the diagonal there is −p_i p_j: each score moves the other shares too": lambda: np.diag(
                p * (1 - p)
            ),
            "p pᵀ is added; subtract it": lambda: np.diag(p) + np.outer(p, p),
            "only p pᵀ is there; diag(p) is missing": lambda: -np.outer(p, p),
            "the diagonal has 1 in place of p": lambda: np.eye(3) - np.outer(p, p),
            "the rows sum to 0, but the diagonal matrix is not multiplied by p: p_i (1[i = j] − p_j)": lambda: (
                np.eye(3) - p
            ),
        },
    )
    learner.begin("softmax_jacobian: measured slopes")
    s = judge.example(5, seed=1)
    found = learner.softmax_jacobian(softmax(s))
    slopes = np.array([judge.measured_gradient(softmax, s, one) for one in np.eye(5)])
    judge.close(found, slopes)


def backward(learner: Learner) -> None:
    p, dp = np.array([[0.25, 0.25, 0.5], [0.1, 0.2, 0.7]]), np.array([[4.0, 0.0, 2.0], [1.0, -1.0, 2.0]])
    learner.begin("softmax_backward: shape and dtype")
    judge.shape(learner.softmax_backward(dp, p), p.shape)
    judge.same_dtype(learner.softmax_backward(dp.astype(np.float32), p.astype(np.float32)), np.float32(dp))
    learner.begin("softmax_backward: numbers")
    mean = np.array([[2.0], [1.3]])
    judge.close(
        learner.softmax_backward(dp, p),
        p * (dp - mean),
        mistakes={
            "the sum is missing: a score moves the other shares of its row too": dp * p,
            "only the diagonal of the Jacobian, p (1 − p), is used": lambda: dp * p * (1 - p),
            "the bracket is not multiplied by p": dp - mean,
            "the sum of dp is not weighted by p": lambda: p * (dp - dp.sum(-1, keepdims=True)),
            "the plain mean of dp is subtracted; weight it by p": lambda: (
                p * (dp - dp.mean(-1, keepdims=True))
            ),
            "one sum for all rows; each row has its own": lambda: p * (dp - (dp * p).sum()),
            "the sum runs down the columns; take the last axis": lambda: p * (dp - (dp * p).sum(0)),
            "the sum is added; subtract it": lambda: p * (dp + mean),
            "the bracket is missing: the sum is multiplied by p as well": lambda: p * dp - mean,
            "the mean of dp p is subtracted; it is a sum": lambda: p * (dp - mean / 3),
        },
    )
    learner.begin("softmax_backward: the gradients of a row sum to 0")
    ds = judge.array(learner.softmax_backward(dp, p))
    judge.holds(
        np.allclose(ds.sum(-1), 0, atol=1e-12), "the rows of softmax_backward(dp, p) do not sum to 0.", ds
    )
    learner.begin("softmax_backward: as many rows as shares, and measured slopes")
    s, dp = judge.example(3, 3, seed=2), judge.example(3, 3, seed=3)
    shares = softmax(s)
    wrong = shares * (dp - (dp * shares).sum(-1))
    judge.gradient(
        learner.softmax_backward(dp, shares),
        softmax,
        s,
        dp,
        mistakes={"each row gets the sum of another: keepdims=True keeps the axis in its place": wrong},
    )
    learner.begin("softmax_backward: heads and batch, and input with gaps in memory")
    s, dp = judge.example(2, 2, 3, 4, seed=4), judge.example(2, 2, 3, 4, seed=5)
    p = softmax(s)
    judge.gradient(
        learner.softmax_backward(dp, p),
        softmax,
        s,
        dp,
        mistakes={
            "the sum runs over axis 1; take the last axis, −1": lambda: (
                p * (dp - (dp * p).sum(1, keepdims=True))
            )
        },
    )
    judge.gradient(
        learner.softmax_backward(judge.not_contiguous(dp), judge.not_contiguous(p)), softmax, s, dp
    )
    learner.begin("softmax_backward: one share alone, and a share of 0")
    judge.close(learner.softmax_backward(np.array([[5.0]]), np.array([[1.0]])), [[0.0]])
    judge.close(
        learner.softmax_backward(np.array([[3.0, 7.0, 1.0]]), np.array([[0.5, 0.0, 0.5]])), [[0.5, 0.0, -0.5]]
    )
