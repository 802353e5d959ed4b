from math import cos, sin

import numpy as np

from mini_bert.core.array import Array
from mini_bert.course import judging as judge
from mini_bert.course.learner import Learner


def check(learner: Learner) -> None:
    x, P = judge.example(2, 3, 2, seed=1), judge.example(5, 2, seed=2)
    learner.begin("add_positions: shape and dtype")
    judge.shape(learner.add_positions(x, P), (2, 3, 2))
    single = x.astype(np.float32)
    judge.same_dtype(learner.add_positions(single, P.astype(np.float32)), single)
    learner.begin("add_positions: every place has its own row")
    want = np.array([[x[b, t] + P[t] for t in range(3)] for b in range(2)])
    judge.close(
        learner.add_positions(x, P),
        want,
        mistakes={
            "every token gets the same row; token t gets row t": x + P[0],
            "the rows are one too late: places count from 0": x + P[1:4],
            "the last rows of P are taken; the text begins at row 0": x + P[-3:],
            "the positions are multiplied; add them": lambda: x * P[:3],
            "the position belongs to the text, not to its place in the batch": lambda: x + P[:2, None],
        },
    )
    learner.begin("add_positions: one token, and a text as long as P")
    judge.close(learner.add_positions(x[:, :1], P), x[:, :1] + P[:1])
    long = judge.example(1, 5, 2, seed=3)
    judge.close(learner.add_positions(long, P), long + P)

    learner.begin("sinusoidal: shape")
    judge.shape(learner.sinusoidal(3, 4), (3, 4))
    learner.begin("sinusoidal: the waves")
    want = waves(5, 4)
    judge.close(
        learner.sinusoidal(5, 4),
        want,
        mistakes={
            "sines and cosines are exchanged: sines stand in columns 0, 2, 4": swapped(want),
            "all sines first, then all cosines; they take turns": np.concatenate(
                [want[:, 0::2], want[:, 1::2]], 1
            ),
            "the exponent is i/H; it is 2i/H": waves(5, 4, twice=1),
            "every column has its own angle; a sine and its cosine share one": unpaired(5, 4),
            "places are counted from 0": waves(6, 4)[1:],
        },
    )
    judge.close(
        learner.sinusoidal(7, 6), waves(7, 6), mistakes={"the exponent is i/H; it is 2i/H": waves(7, 6, 1)}
    )


def waves(T: int, H: int, twice: int = 2) -> Array:
    rows = []
    for t in range(T):
        angles = [t / 10000 ** (twice * i / H) for i in range(H // 2)]
        rows.append([wave(angle) for angle in angles for wave in (sin, cos)])
    return np.array(rows)


def unpaired(T: int, H: int) -> Array:
    return np.array([[(cos if j % 2 else sin)(t / 10000 ** (j / H)) for j in range(H)] for t in range(T)])


def swapped(P: Array) -> Array:
    return P.reshape(len(P), -1, 2)[..., ::-1].reshape(P.shape)
