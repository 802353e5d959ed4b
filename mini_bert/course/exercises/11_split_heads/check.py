import numpy as np

from mini_bert.core.array import Array
from mini_bert.course import judging as judge
from mini_bert.course.learner import Learner


def check(learner: Learner) -> None:
    x = numbered(1, 2, 6)
    learner.begin("split_heads: shape and dtype")
    judge.shape(
        learner.split_heads(numbered(1, 5, 6), 3),
        (1, 3, 5, 2),
        mistakes={
            "heads and tokens have not changed places": (1, 5, 3, 2),
            "heads have a length of A numbers; there are A heads, of length H / A": (1, 2, 5, 3),
            "numbers and tokens have changed places; exchange heads and tokens": (1, 3, 2, 5),
        },
    )
    judge.same_dtype(learner.split_heads(x.astype(np.float32), 3), x.astype(np.float32))

    learner.begin("split_heads: each head has its part of every token")
    judge.close(
        learner.split_heads(x, 2),
        np.array([[[[0.0, 1, 2], [10, 11, 12]], [[3, 4, 5], [13, 14, 15]]]]),
        mistakes={
            "heads and tokens have not changed places: head 0 has all of the first token": x.reshape(
                1, 2, 2, 3
            ),
            "the head takes every second number; it takes the first D, the next D …": x.reshape(
                1, 2, 3, 2
            ).transpose(0, 3, 1, 2),
        },
    )
    x = numbered(2, 4, 6)
    want = np.array([[x[b, :, 2 * a : 2 * a + 2] for a in range(3)] for b in range(2)])
    judge.close(
        learner.split_heads(x, 3),
        want,
        mistakes={
            "reshape alone does not move numbers: split the last axis first, then exchange heads and "
            "tokens": x.reshape(2, 3, 4, 2),
            "the head takes every third number; it takes the first D, the next D …": x.reshape(
                2, 4, 2, 3
            ).transpose(0, 3, 1, 2),
        },
    )
    judge.close(
        learner.split_heads(judge.not_contiguous(x), 3),
        want,
        "split_heads(x, A), of an array with gaps in memory,",
    )

    learner.begin("split_heads: one head, as many heads as numbers, one token")
    judge.close(learner.split_heads(x, 1), x[:, None])
    judge.close(learner.split_heads(x, 6), x.swapaxes(1, 2)[..., None])
    judge.close(learner.split_heads(x[:1, :1], 3), x[:1, 0].reshape(1, 3, 1, 2))

    learner.begin("merge_heads: shape and dtype")
    y = np.array([[[[0.0, 1], [10, 11], [20, 21]], [[2, 3], [12, 13], [22, 23]]]])
    judge.shape(
        learner.merge_heads(y),
        (1, 3, 4),
        mistakes={
            "heads and tokens are joined; heads and their numbers belong together": (1, 6, 2),
            "tokens and numbers are joined; heads and their numbers belong together": (1, 2, 6),
        },
    )
    judge.same_dtype(learner.merge_heads(y.astype(np.float32)), y.astype(np.float32))
    learner.begin("merge_heads: each token's pieces in one row")
    judge.close(
        learner.merge_heads(y),
        numbered(1, 3, 4),
        mistakes={
            "reshape alone does not move numbers: exchange heads and tokens first, then join": y.reshape(
                1, 3, 4
            ),
            "the pieces are mixed number by number: a token's row is head 0, then head 1 …": y.transpose(
                0, 2, 3, 1
            ).reshape(1, 3, 4),
            "tokens and numbers have changed places; exchange heads and tokens": y.swapaxes(2, 3).reshape(
                1, 3, 4
            ),
        },
    )
    learner.begin("merge_heads: back and forth")
    for A in (1, 2, 3, 6):
        judge.close(
            learner.merge_heads(learner.split_heads(x, A)),
            x,
            f"merge_heads(split_heads(x, {A})), expected to be x,",
        )


def numbered(B: int, T: int, H: int) -> Array:
    """A number tells where it stands: 123 is number 3 of token 2 of text 1."""
    b, t, h = np.ogrid[:B, :T, :H]
    return 100.0 * b + 10.0 * t + h
