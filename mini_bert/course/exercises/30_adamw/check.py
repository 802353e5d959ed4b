import numpy as np

from mini_bert.core.arena import Arena
from mini_bert.core.array import Array
from mini_bert.core.layer import Weight
from mini_bert.course import judging as judge
from mini_bert.course.learner import Learner
from mini_bert.training.optimizers.adamw import AdamW

W, G = np.array([1.0, -2.0, 4.0]), np.array([0.5, 1.0, -2.0])
M, V = np.array([1.0, 0.0, -3.0]), np.array([4.0, 0.5, 1.0])
ZEROS = np.zeros(3)


def check(learner: Learner) -> None:
    learner.begin("three results, their shapes and dtypes")
    judge.several(learner.adamw(W, G, M, V, 3), 3)
    for part in learner.adamw(W, G, M, V, 3):
        judge.shape(part, (3,))
    for part in learner.adamw(*(one.astype(np.float32) for one in (W, G, M, V)), 3):
        judge.same_dtype(part, W.astype(np.float32))

    plain = {"learning_rate": 0.1, "beta1": 0.9, "beta2": 0.8, "weight_decay": 0.0}
    learner.begin("the two moments")
    _, m, v = learner.adamw(W, G, M, V, 3, **plain)
    wanted_m, wanted_v = np.array([0.95, 0.1, -2.9]), np.array([3.25, 0.6, 1.6])
    judge.close(
        m,
        wanted_m,
        mistakes={
            "the corrected m̂ is remembered; return m": wanted_m / (1 - 0.9**3),
            "the factor 1 − β₁ before g is missing: m is a mean here": 0.9 * M + G,
            "β₁ and 1 − β₁ are exchanged": 0.1 * M + 0.9 * G,
            "the old m is returned": M,
            "β₁ and β₂ are exchanged": 0.8 * M + 0.2 * G,
        },
    )
    judge.close(
        v,
        wanted_v,
        mistakes={
            "the corrected v̂ is remembered; return v": wanted_v / (1 - 0.8**3),
            "the gradient is not squared": 0.8 * V + 0.2 * G,
            "v takes in m²; it takes in g²": 0.8 * V + 0.2 * wanted_m**2,
            "the factor 1 − β₂ before g² is missing: v is a mean here": 0.8 * V + G**2,
            "1 − β₂ is squared too": 0.8 * V + (0.2 * G) ** 2,
            "the old v is returned": V,
            "β₁ stands for β₂": 0.9 * V + 0.1 * G**2,
        },
    )

    learner.begin("the first step has length η, whatever the gradient's size")
    first = np.array([0.9, -2.1, 4.1])
    of_first = {"learning_rate": 0.1, "beta1": 0.9, "beta2": 0.999, "eps": 1e-12, "weight_decay": 0.0}
    judge.close(
        learner.adamw(W, G, ZEROS, ZEROS, 1, **of_first)[0],
        first,
        mistakes={
            "the moments are not corrected: divide m by 1 − β₁ᵗ and v by 1 − β₂ᵗ": W
            - 0.1 * np.sign(G) * 0.1 / np.sqrt(0.001),
            "v is not corrected: divide it by 1 − β₂ᵗ": W - 0.1 * np.sign(G) / np.sqrt(0.001),
            "m is not corrected: divide it by 1 − β₁ᵗ": W - 0.1 * np.sign(G) * 0.1,
            "t is one too small: in the first step t is 1, and 1 − β⁰ would be 0": np.full(3, np.nan),
            "t is one too large: in the first step t is 1": W
            - 0.1 * np.sign(G) * (0.1 / (1 - 0.9**2)) / np.sqrt(0.001 / (1 - 0.999**2)),
            "this goes uphill: subtract the step": W + 0.1 * np.sign(G),
            "the root of v̂ is missing": W - 0.1 / G,
            "the learning rate is missing": W - np.sign(G),
            "the gradient itself is the step; divide m̂ by √v̂": W - 0.1 * G,
        },
    )

    learner.begin("a later step, with a large ε")
    settings = plain | {"eps": 0.5}
    m_hat, v_hat = wanted_m / (1 - 0.9**3), wanted_v / (1 - 0.8**3)
    judge.close(
        learner.adamw(W, G, M, V, 3, **settings)[0],
        W - 0.1 * m_hat / (np.sqrt(v_hat) + 0.5),
        mistakes={
            "ε is under the root; it is added after it": W - 0.1 * m_hat / np.sqrt(v_hat + 0.5),
            "ε is not used": W - 0.1 * m_hat / np.sqrt(v_hat),
            "1 − β is taken without the power t: right in the first step only": (
                W - 0.1 * (wanted_m / 0.1) / (np.sqrt(wanted_v / 0.2) + 0.5)
            ),
            "1 − β is multiplied by t; it is β to the power t": (
                W - 0.1 * (wanted_m / (1 - 2.7)) / (np.sqrt(abs(wanted_v / (1 - 2.4))) + 0.5)
            ),
            "the step follows g; it follows m̂": W - 0.1 * G / (np.sqrt(v_hat) + 0.5),
            "the old moments are used: they take in g first": (
                W - 0.1 * M / (1 - 0.9**3) / (np.sqrt(V / (1 - 0.8**3)) + 0.5)
            ),
        },
    )

    learner.begin("decay, where the gradient is 0")
    judge.close(
        learner.adamw(W, ZEROS, ZEROS, ZEROS, 1, 0.1, weight_decay=0.5)[0],
        0.95 * W,
        mistakes={
            "the decay is missing": W,
            "the decay is not multiplied by the learning rate": 0.5 * W,
            "λ w is added to the gradient, where √v̂ divides it away; it is subtracted from w by itself": (
                W - 0.1 * np.sign(W)
            ),
            "the decay makes weights grow: subtract it": 1.05 * W,
        },
    )
    learner.begin("decay and step together: the decay is that of w before the step")
    judge.close(
        learner.adamw(W, G, ZEROS, ZEROS, 1, 0.1, weight_decay=0.5)[0],
        0.95 * W - 0.1 * np.sign(G),
        mistakes={
            "the step is taken first, and what comes of it decays; decay the old w": 0.95
            * (W - 0.1 * np.sign(G))
        },
    )
    learner.begin("the sign of the gradient decides, not its size")
    small = learner.adamw(W, 1e-3 * G, ZEROS, ZEROS, 1)[0]
    large = learner.adamw(W, 1e3 * G, ZEROS, ZEROS, 1)[0]
    judge.close(small, large, "the first step with 0.001 g, expected to be that with 1000 g,", rtol=1e-6)

    learner.begin("five steps in a row, as the package makes them")
    arena = Arena({"w": Weight((2, 3), "matrix")}, np.float64)
    arena["w"][...] = mine = judge.example(2, 3, seed=1)
    m, v = np.zeros((2, 3)), np.zeros((2, 3))
    judged_by = AdamW(arena, learning_rate=0.01, weight_decay=0.1)
    for t in range(1, 6):
        g = judge.example(2, 3, seed=1 + t)
        mine, m, v = learner.adamw(mine, judge.not_contiguous(g), m, v, t, 0.01, weight_decay=0.1)
        judged_by.step(filled(arena, g))
        judge.close(mine, arena["w"], f"w after step {t}")


def filled(arena: Arena, g: Array) -> Arena:
    grads = arena.zeros_like()
    grads["w"][...] = g
    return grads
