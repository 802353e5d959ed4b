import numpy as np

from mini_bert.core.arena import Arena
from mini_bert.core.layer import Weight
from mini_bert.course import judging as judge
from mini_bert.course.learner import Learner
from mini_bert.training.optimizers.sgd import SGD


def check(learner: Learner) -> None:
    w, g, velocity = np.array([1.0, -2.0, 4.0]), np.array([0.5, 1.0, -2.0]), np.array([1.0, 0.0, -3.0])
    learner.begin("sgd: shape and dtype")
    judge.shape(learner.sgd(w, g, 0.5), (3,))
    judge.same_dtype(learner.sgd(w.astype(np.float32), g.astype(np.float32), 0.5), w.astype(np.float32))
    learner.begin("sgd: one step")
    judge.close(
        learner.sgd(w, g, 0.5),
        [0.75, -2.5, 5.0],
        mistakes={
            "this goes uphill: subtract the gradient": w + 0.5 * g,
            "this is the step alone; subtract it from w": 0.5 * g,
            "this is the step alone, w is missing": -0.5 * g,
            "the learning rate is missing": w - g,
            "the gradient is divided by the learning rate; multiply": w - g / 0.5,
        },
    )

    learner.begin("momentum: shape and dtype")
    got = learner.momentum(w, g, velocity, 0.5)
    judge.several(got, 2)
    for part in got:
        judge.shape(part, (3,))
    for part in learner.momentum(*(one.astype(np.float32) for one in (w, g, velocity)), 0.5):
        judge.same_dtype(part, w.astype(np.float32))
    learner.begin("momentum: the velocity takes in the gradient")
    found = learner.momentum(w, g, velocity, 0.5, 0.8)
    new = np.array([1.3, 1.0, -4.4])
    judge.close(
        found[1],
        new,
        mistakes={
            "the two results are exchanged: the new w comes first": w - 0.5 * new,
            "the old velocity is returned; the next step needs the new one": velocity,
            "the past is forgotten: μ velocity is missing": g,
            "the past never fades: multiply the old velocity by μ": velocity + g,
            "μ multiplies the gradient too; it is for the old velocity only": 0.8 * (velocity + g),
            "the gradient is multiplied by 1 − μ: that is a mean of gradients; here they are added up": (
                0.8 * velocity + 0.2 * g
            ),
            "the learning rate is in the velocity; it belongs where w moves": 0.8 * velocity + 0.5 * g,
            "the velocity has lost a minus or won one: it gathers +g, and w − η velocity goes down": (
                0.8 * velocity - g
            ),
        },
    )
    learner.begin("momentum: the weights follow the new velocity")
    judge.close(
        found[0],
        w - 0.5 * new,
        mistakes={
            "the weights follow the old velocity: update it first": w - 0.5 * velocity,
            "the weights follow the gradient alone; follow the velocity": w - 0.5 * g,
            "this goes uphill: subtract the velocity": w + 0.5 * new,
            "the learning rate is missing": w - new,
            "this looks one step ahead, as Nesterov does; follow the velocity itself": w
            - 0.5 * (g + 0.8 * new),
            "the weights do not move": w,
        },
    )
    learner.begin("momentum: with μ = 0 it is plain descent")
    judge.close(learner.momentum(w, g, velocity, 0.5, 0.0)[0], [0.75, -2.5, 5.0])

    learner.begin("momentum: four steps in a row, as the package makes them")
    arena = Arena({"w": Weight((2, 3), "matrix")}, np.float64)
    arena["w"][...] = mine = judge.example(2, 3, seed=1)
    speed, judged_by = np.zeros((2, 3)), SGD(arena, learning_rate=0.1, momentum=0.9)
    for step in range(4):
        g = judge.example(2, 3, seed=2 + step)
        mine, speed = learner.momentum(mine, judge.not_contiguous(g), speed, 0.1)
        grads = arena.zeros_like()
        grads["w"][...] = g
        judged_by.step(grads)
        judge.close(mine, arena["w"], f"w after step {step + 1}")

    learner.begin("momentum: on a slope that stays the same, it grows ten times as fast")
    rolling = np.zeros(2)
    for _ in range(400):
        _, rolling = learner.momentum(np.zeros(2), np.array([1.0, -2.0]), rolling, 0.1)
    judge.close(rolling, [10.0, -20.0], "the velocity after 400 steps with g = [1, −2] and μ = 0.9", {})
