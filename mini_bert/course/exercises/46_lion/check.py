import numpy as np

from mini_bert.core.array import Array
from mini_bert.course import judging as judge
from mini_bert.course.learner import Learner

RATE, BETA1, BETA2, DECAY = 0.1, 0.75, 0.5, 0.5


def check(learner: Learner) -> None:
    w = np.array([1.0, -2.0, 4.0, 1.0, 3.0])
    m, g = np.array([4.0, 5.0, 4.0, 2.0, 0.0]), np.array([-8.0, -4.0, -2.0, -8.0, 0.0])
    learner.begin("lion_step: two results, shapes and dtype")
    judge.several(learner.lion_step(w, m, g, RATE), 2)
    for found in learner.lion_step(w, m, g, RATE):
        judge.shape(found, w.shape)
    for found in learner.lion_step(np.float32(w), np.float32(m), np.float32(g), RATE):
        judge.dtype(found, np.float32)

    learner.begin("lion_step: without decay every weight moves by the rate")
    moved, _ = learner.lion_step(w, m, g, RATE, BETA1, BETA2, 0.0)
    after = BETA2 * m + (1 - BETA2) * g
    c = BETA1 * m + (1 - BETA1) * g
    judge.close(
        moved,
        w - RATE * np.array([1.0, 1.0, 1.0, -1.0, 0.0]),
        mistakes={
            "the weights go uphill: subtract": w + RATE * np.array([1.0, 1.0, 1.0, -1.0, 0.0]),
            "the sign is missing": w - RATE * c,
            "it is the sign of the mixture with β₂, as in the new m; c is made with β₁": w
            - RATE * np.sign(after),
            "it is the sign of m alone": w - RATE * np.sign(m),
            "it is the sign of g alone": w - RATE * np.sign(g),
            "β₁ and 1 − β₁ are exchanged: β₁ is the share of the past": w
            - RATE * np.sign((1 - BETA1) * m + BETA1 * g),
            "m is remembered before the sign is taken, and mixed with g again": w
            - RATE * np.sign(BETA1 * after + (1 - BETA1) * g),
            "the rate is missing": w - np.sign(c),
        },
    )
    learner.begin("lion_step: what is remembered")
    _, remembered = learner.lion_step(w, m, g, RATE, BETA1, BETA2, DECAY)
    judge.close(
        remembered,
        after,
        mistakes={
            "c is remembered; m is mixed with β₂": c,
            "the sign is remembered": np.sign(c),
            "g is added whole; its share is 1 − β₂": BETA2 * m + g,
            "m is not changed": m,
            "the two results are exchanged: w first, then m": w * (1 - RATE * DECAY) - RATE * np.sign(c),
        },
    )
    other = judge.array(learner.lion_step(w, m, g, RATE, BETA1, 0.9, DECAY)[1])
    judge.close(other, 0.9 * m + 0.1 * g, mistakes={"β₂ and 1 − β₂ are exchanged": 0.1 * m + 0.9 * g})

    learner.begin("lion_step: decay")
    moved, _ = learner.lion_step(w, m, g, RATE, BETA1, BETA2, DECAY)
    step = RATE * np.sign(c)
    judge.close(
        moved,
        w - RATE * DECAY * w - step,
        mistakes={
            "the decay is not used": w - step,
            "the decay is not multiplied by the rate": w - DECAY * w - step,
            "the decay is inside the sign; it stands beside it": w - RATE * np.sign(c + DECAY * w),
            "the decay was added to the gradient; it stands beside the sign": w
            - RATE * np.sign(BETA1 * m + (1 - BETA1) * (g + DECAY * w)),
            "the weight has moved before it decays; both are of the old w": (w - step) * (1 - RATE * DECAY),
            "the decay grows the weight: subtract it": w + RATE * DECAY * w - step,
        },
    )
    learner.begin("lion_step: a matrix of weights, gaps in memory, defaults")
    W, M, G = (judge.example(3, 4, seed=seed) for seed in (1, 2, 3))
    want = W - 0.01 * 0.1 * W - 0.01 * np.sign(0.9 * M + 0.1 * G), 0.99 * M + 0.01 * G
    for given in ((W, M, G), tuple(map(judge.not_contiguous, (W, M, G)))):
        for found, expected in zip(learner.lion_step(*given, 0.01), want, strict=True):
            judge.close(found, expected)

    learner.begin("descend: step after step")
    start = np.array([1.0, -2.0, 0.4])
    judge.shape(learner.descend(slope, start, 0.1, 1), start.shape)
    judge.close(
        learner.descend(slope, start, 0.1, 12, 0.3),
        by_hand(start, 0.1, 12, 0.3),
        mistakes={
            "m begins anew in every step": lambda: start_anew(start, 0.1, 12, 0.3),
            "the gradient is always that of the start": lambda: by_hand(
                start, 0.1, 12, 0.3, always=slope(start)
            ),
            "the decay is not passed on": lambda: by_hand(start, 0.1, 12, 0.0),
            "the decay is not passed on, and lion_step takes its own": lambda: by_hand(start, 0.1, 12, 0.1),
            "one step too many": lambda: by_hand(start, 0.1, 13, 0.3),
            "one step too few": lambda: by_hand(start, 0.1, 11, 0.3),
        },
    )
    judge.close(learner.descend(slope, start, 0.1, 0), start)


def slope(w: Array) -> Array:
    """Of w₁² + 5 w₂² + w₃⁴"""
    return np.array([2 * w[0], 10 * w[1], 4 * w[2] ** 3])


def by_hand(w: Array, rate: float, steps: int, decay: float, always: Array | None = None) -> Array:
    """One number at a time, as the equation says it."""
    found, m = [float(one) for one in w], [0.0] * len(w)
    for _ in range(steps):
        g = slope(np.array(found)) if always is None else always
        for i in range(len(found)):
            c = 0.9 * m[i] + 0.1 * float(g[i])
            sign = (c > 0) - (c < 0)
            found[i] += -rate * decay * found[i] - rate * sign
            m[i] = 0.99 * m[i] + 0.01 * float(g[i])
    return np.array(found)


def start_anew(w: Array, rate: float, steps: int, decay: float) -> Array:
    for _ in range(steps):
        w = by_hand(w, rate, 1, decay)
    return w
