import numpy as np

from mini_bert.core.array import Array
from mini_bert.core.functions.rotary import rotary
from mini_bert.course import judging as judge
from mini_bert.course.learner import Learner


def check(learner: Learner) -> None:
    positions = np.arange(3)
    learner.begin("angles: shape")
    judge.shape(
        learner.angles(positions, 4),
        (3, 2),
        mistakes={
            "one angle for each number; two numbers are one point, so there are D/2": (3, 4),
            "a row belongs to a position": (2, 3),
        },
    )
    learner.begin("angles: one radian per token for the first pair, ever slower ones after it")
    judge.close(
        learner.angles(positions, 4, 100.0),
        np.array([[0.0, 0.0], [1.0, 0.1], [2.0, 0.2]]),
        mistakes={
            "the exponent is −j/D; two numbers share an angle, so it is −2j/D": positions[:, None]
            * 100.0 ** (-np.arange(2) / 4),
            "the minus of the exponent is missing: later pairs turn slower": positions[:, None]
            * 100.0 ** (np.arange(2) / 2),
            "positions are counted from 1; they are given": (positions + 1)[:, None] * np.array([1, 0.1]),
            "j begins at 1": positions[:, None] * 100.0 ** (-np.arange(1, 3) / 2),
            "it is divided by base · 2j/D; base is raised to that power": lambda: (
                positions[:, None] / np.maximum(100 * np.arange(2) / 2, 1)
            ),
        },
    )
    judge.close(learner.angles(np.array([5]), 2), np.array([[5.0]]))

    learner.begin("rope: shape and dtype")
    x = judge.example(2, 3, 4, seed=1)
    judge.shape(learner.rope(x, positions), x.shape)
    judge.same_dtype(learner.rope(x.astype(np.float32), positions), x.astype(np.float32))
    learner.begin("rope: a quarter of a turn")
    x = np.array([[3.0, 5.0]])
    quarter = np.array([np.pi / 2])
    judge.close(
        learner.rope(x, quarter),
        np.array([[-5.0, 3.0]]),
        mistakes={
            "it is turned the other way round: the minus belongs to the first half": np.array([[5.0, -3.0]]),
            "both halves are added; the first one has a minus": np.array([[5.0, 3.0]]),
            "cosine and sine are exchanged": np.array([[3.0, 5.0]]),
        },
    )
    learner.begin("rope: which numbers are a pair")
    x, base = judge.example(3, 4, seed=2), 100.0
    judge.close(
        learner.rope(x, positions, base),
        rotary(x, positions, base),
        mistakes={
            "neighbours are paired; here j goes with j + D/2": lambda: neighbours(x, positions, base),
            "the base is not used": lambda: rotary(x, positions),
            "neighbours are paired, and put back as halves": lambda: rotary(
                np.concatenate([x[:, ::2], x[:, 1::2]], -1), positions, base
            ),
            "the second half is made of the first one after it was turned": lambda: one_after_the_other(
                x, positions, base
            ),
        },
    )
    learner.begin("rope: lengths stay, and position 0 is not turned")
    judge.close(learner.rope(x, np.zeros(3)), x)
    judge.close(
        np.linalg.norm(judge.array(learner.rope(x, positions)), axis=-1),
        np.linalg.norm(x, axis=-1),
        "the length of rope(x, positions)",
        {"x": x},
    )
    learner.begin("rope: scores know the distance only")
    q, k = judge.example(3, 8, seed=3), judge.example(3, 8, seed=4)
    here, there = (
        judge.array(learner.rope(q, at)) @ judge.array(learner.rope(k, at)).T
        for at in (positions, positions + 20)
    )
    judge.close(there, here, "the scores of positions 20 to 22, expected to be those of positions 0 to 2,")
    learner.begin("rope: batch and heads are carried along, gaps in memory, one token")
    x = judge.example(2, 2, 3, 6, seed=5)
    judge.close(learner.rope(x, positions), rotary(x, positions))
    judge.close(learner.rope(judge.not_contiguous(x), positions), rotary(x, positions))
    judge.close(learner.rope(x[:, :, :1], positions[2:]), rotary(x[:, :, :1], positions[2:]))


def neighbours(x: Array, positions: Array, base: float) -> Array:
    halves = rotary(np.concatenate([x[..., ::2], x[..., 1::2]], -1), positions, base)
    y = np.empty_like(x)
    y[..., ::2], y[..., 1::2] = np.split(halves, 2, -1)
    return y


def one_after_the_other(x: Array, positions: Array, base: float) -> Array:
    half = x.shape[-1] // 2
    theta = positions[:, None] * base ** (-np.arange(half) / half)
    first = x[..., :half] * np.cos(theta) - x[..., half:] * np.sin(theta)
    return np.concatenate([first, first * np.sin(theta) + x[..., half:] * np.cos(theta)], -1)
