import numpy as np

from mini_bert.course import judging as judge
from mini_bert.course.learner import Learner


def check(learner: Learner) -> None:
    x, W, b = judge.example(2, 4, seed=1), judge.example(3, 4, seed=2), judge.example(3, seed=3)
    learner.begin("linear: shape and dtype")
    judge.shape(learner.linear(x, W, b), (2, 3))
    single = [array.astype(np.float32) for array in (x, W, b)]
    judge.same_dtype(learner.linear(*single), single[0])
    learner.begin("linear: every output is a weighted sum plus its bias")
    want = np.array([[sum(W[o] * token) + b[o] for o in range(3)] for token in x])
    judge.close(
        learner.linear(x, W, b),
        want,
        mistakes={
            "the bias is missing": lambda: want - b,
            "the bias is subtracted; add it": lambda: want - 2 * b,
        },
    )
    learner.begin("linear: as many inputs as outputs, where no shape can tell W from its transpose")
    x, W, b = judge.example(2, 3, seed=4), judge.example(3, 3, seed=5), judge.example(3, seed=6)
    judge.close(
        learner.linear(x, W, b),
        np.array([[sum(W[o] * token) + b[o] for o in range(3)] for token in x]),
        mistakes={
            "x @ W in place of x @ W.T: W is (O, I), and row o of it makes output o": lambda: x @ W + b,
            "the bias is added before the product": lambda: (x + b) @ W.T,
        },
    )
    learner.begin("linear: one vector, a batch of texts, input with gaps in memory")
    judge.close(learner.linear(x[0], W, b), W @ x[0] + b)
    texts = judge.example(2, 4, 3, seed=7)
    want = np.stack([text @ W.T + b for text in texts])
    judge.close(
        learner.linear(texts, W, b),
        want,
        mistakes={"the axes before the last are flattened; keep them": want.reshape(-1, 3)},
    )
    judge.close(learner.linear(judge.not_contiguous(texts), W, b), want)

    learner.begin("parameters")
    for I, O in ((4, 3), (192, 768)):
        judge.close(
            learner.parameters(I, O),
            I * O + O,
            mistakes={
                "the biases are not counted": I * O,
                "there is a bias for each output, not for each input": I * O + I,
                "the inputs are counted too, but nobody learns them": I * O + I + O,
            },
        )
