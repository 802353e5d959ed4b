import numpy as np

from mini_bert.course import judging as judge
from mini_bert.course.learner import Learner


def check(learner: Learner) -> None:
    a, b = judge.example(3, 4, seed=1), judge.example(3, 4, seed=2)
    learner.begin("row_dots: shape and dtype")
    judge.shape(
        learner.row_dots(a, b),
        (3,),
        mistakes={
            "every row was multiplied with every row; only equal rows meet here": (3, 3),
            "the products are not added up: the letter d must go": (3, 4),
            "all rows were added together; the letter n must stay": (),
            "the sum runs down the columns; add along the last axis": (4,),
        },
    )
    judge.same_dtype(learner.row_dots(a.astype(np.float32), b.astype(np.float32)), a.astype(np.float32))
    learner.begin("row_dots: numbers")
    judge.close(learner.row_dots(a, b), [x @ y for x, y in zip(a, b, strict=True)])
    square, other = judge.example(3, 3, seed=3), judge.example(3, 3, seed=4)
    judge.close(
        learner.row_dots(square, other),
        np.diag(square @ other.T),
        mistakes={
            "the sum runs down the columns; add along the last axis": np.diag(square.T @ other),
            "the numbers are added, not multiplied": lambda: (square + other).sum(-1),
        },
    )

    u, v = judge.example(3, seed=5), judge.example(2, seed=6)
    learner.begin("outer")
    judge.close(
        learner.outer(u, v),
        [[x * y for y in v] for x in u],
        mistakes={
            "rows and columns are swapped: a goes down, b goes across": np.outer(v, u),
            "sums in place of products": np.add.outer(u, v),
        },
    )

    A, B = judge.example(2, 2, 3, seed=7), judge.example(2, 3, 2, seed=8)
    learner.begin("batch_matmul")
    judge.close(
        learner.batch_matmul(A, B),
        np.stack([A[0] @ B[0], A[1] @ B[1]]),
        mistakes={
            "the batches were added together; the letter b must stay": lambda: A[0] @ B[0] + A[1] @ B[1],
            "rows and columns are swapped in the result": lambda: (A @ B).swapaxes(1, 2),
            "every batch was multiplied with every batch": lambda: np.einsum("bik,ckj->bcij", A, B),
        },
    )
    learner.begin("batch_matmul: input with gaps in memory")
    C = judge.not_contiguous(judge.example(2, 3, 3, seed=9))
    D = judge.example(2, 3, 3, seed=10)
    judge.close(
        learner.batch_matmul(C, D),
        np.stack([C[0] @ D[0], C[1] @ D[1]]),
        mistakes={
            "b is transposed before the product": C @ D.swapaxes(1, 2),
            "a is transposed before the product": C.swapaxes(1, 2) @ D,
            "the two factors are in the other order": D @ C,
        },
    )
