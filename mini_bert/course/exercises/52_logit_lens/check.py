import numpy as np

from mini_bert.core.array import Array
from mini_bert.core.functions.norm import layer_norm
from mini_bert.core.functions.softmax import log_softmax
from mini_bert.course import judging as judge
from mini_bert.course.learner import Learner
from mini_bert.models.config import ModelConfig
from mini_bert.models.mini import MiniBERT


def check(learner: Learner) -> None:
    states, W, b = judge.example(3, 2, 4, seed=1), judge.example(5, 4, seed=2), judge.example(5, seed=3)
    gamma, beta = np.array([1.0, 2.0, 0.5, -1.0]), np.array([0.0, 1.0, -1.0, 0.5])
    the_lens(learner, states, gamma, beta, W, b)
    the_ranks(learner)
    the_divergence(learner)
    whole_model(learner)


def the_lens(learner: Learner, states: Array, gamma: Array, beta: Array, W: Array, b: Array) -> None:
    learner.begin("lens: shape and dtype")
    given = states, gamma, beta, W, b
    judge.shape(
        learner.lens(*given), (3, 2, 5), mistakes={"only the last layer is told; all are asked": (2, 5)}
    )
    judge.dtype(learner.lens(*(array.astype(np.float32) for array in given)), np.float32)
    learner.begin("lens: numbers")
    normed = layer_norm(states, gamma, beta)[0]
    logits = normed @ W.T + b
    judge.close(
        learner.lens(*given),
        log_softmax(logits),
        mistakes={
            "the norm is left out: states of different layers have different lengths": lambda: log_softmax(
                states @ W.T + b
            ),
            "these are logits; take log_softmax": logits,
            "these are probabilities; their logarithm is asked for": lambda: np.exp(log_softmax(logits)),
            "b is not used": lambda: log_softmax(normed @ W.T),
            "γ and β are not used, or x̂ was taken, the second result of layer_norm; y is the first": lambda: (
                log_softmax(layer_norm(states, np.ones(4), np.zeros(4))[0] @ W.T + b)
            ),
            "only the last layer is normalized; they all are": lambda: log_softmax(
                np.concatenate([states[:-1], normed[-1:]]) @ W.T + b
            ),
        },
    )
    learner.begin("lens: large states, gaps in memory")
    judge.close(learner.lens(1e4 * judge.not_contiguous(states), gamma, beta, W, b), log_softmax(logits))


def the_ranks(learner: Learner) -> None:
    log_p = np.log(
        np.array([[[0.1, 0.2, 0.3, 0.4], [0.7, 0.1, 0.1, 0.1]], [[0.4, 0.3, 0.2, 0.1], [0.1, 0.5, 0.1, 0.3]]])
    )
    answers = np.array([1, 3])
    learner.begin("ranks: shape and kind")
    judge.shape(learner.ranks(log_p, answers), (2, 2))
    found = judge.array(learner.ranks(log_p, answers))
    judge.holds(found.dtype.kind in "iu", f"ranks gave {found.dtype}; ranks are whole numbers.", found)
    learner.begin("ranks: numbers")
    judge.close(
        learner.ranks(log_p, answers),
        np.array([[2, 1], [1, 1]]),
        mistakes={
            "the answer itself, and words as probable, are counted: `>`, not `>=`": np.array(
                [[3, 4], [2, 2]]
            ),
            "ranks are counted from 1; 0 is the best": np.array([[3, 2], [2, 2]]),
            "less probable words are counted": np.array([[1, 0], [2, 2]]),
            "every place has got the first answer": np.array([[2, 1], [1, 0]]),
            "the order of the words is told, not the place of the answer in it": lambda: np.take_along_axis(
                np.argsort(-log_p, -1), answers[None, :, None], -1
            )[..., 0],
        },
    )
    judge.close(learner.ranks(log_p, np.array([3, 0])), np.array([[0, 0], [3, 2]]))


def the_divergence(learner: Learner) -> None:
    log_p = np.log(np.array([[[0.25, 0.5, 0.25]], [[0.2, 0.2, 0.6]], [[0.5, 0.25, 0.25]]]))
    learner.begin("divergence: shape and dtype")
    judge.shape(learner.divergence(log_p), (3, 1))
    judge.dtype(learner.divergence(np.float32(log_p)), np.float32)
    learner.begin("divergence: numbers")
    p, last = np.exp(log_p), log_p[-1]
    first = np.exp(log_p[0])
    judge.close(
        learner.divergence(log_p),
        (np.exp(last) * (last - log_p)).sum(-1),
        mistakes={
            "each layer's own p stands in front; it is the last one's": (p * (log_p - last)).sum(-1),
            "ln p_last is missing: this is the cross-entropy": -(np.exp(last) * log_p).sum(-1),
            "the sign is the other way round: a divergence is never negative": (
                np.exp(last) * (log_p - last)
            ).sum(-1),
            "it is compared with the first layer; take the last": (first * (log_p[0] - log_p)).sum(-1),
            "the mean over words is taken; take the sum": (np.exp(last) * (last - log_p)).mean(-1),
            "the logarithms stand in front; p is np.exp(ln p)": (last * (last - log_p)).sum(-1),
        },
    )
    more = log_softmax(judge.example(3, 4, 6, seed=5))
    found = judge.array(learner.divergence(more))
    judge.holds(not found[-1].any(), "the last layer differs from itself; expected 0.", found[-1])
    judge.holds((found >= 0).all(), "a divergence is never negative.", found)


def whole_model(learner: Learner) -> None:
    learner.begin("a whole model: its last layer says what the model says")
    config = ModelConfig(
        vocab_size=12, hidden_size=8, num_layers=2, num_heads=2, intermediate_size=8, max_seq_length=6
    )
    model = MiniBERT(config, dtype=np.float64)
    model.arena.flat[:] += np.random.default_rng(0).normal(0, 0.5, model.num_parameters)
    ids = np.array([[2, 7, 4, 3]])
    names = ("final_norm.weight", "final_norm.bias", "head.decoder.weight", "head.decoder.bias")
    found = judge.array(learner.lens(learner.states_of(model, ids), *(model.arena[name] for name in names)))
    judge.shape(found, (3, 4, 12), "lens(states_of(model, ids), …)")
    judge.close(found[-1], log_softmax(model.trace(ids).logits)[0], "the last row of lens(…)")
