import numpy as np

from mini_bert.core.array import Array
from mini_bert.course import judging as judge
from mini_bert.course.learner import Learner
from mini_bert.models.config import ModelConfig
from mini_bert.models.mini import MiniBERT


def check(learner: Learner) -> None:
    context = judge.example(1, 2, 6, seed=1)
    learner.begin("without_head: shape and dtype")
    judge.shape(learner.without_head(context, 0, 3), context.shape)
    judge.dtype(learner.without_head(np.float32(context), 0, 3), np.float32)
    learner.begin("without_head: the middle one of three")
    ones = np.arange(1.0, 7.0)[None, None]
    judge.close(
        learner.without_head(ones, 1, 3),
        np.array([[[1.0, 2.0, 0.0, 0.0, 5.0, 6.0]]]),
        mistakes={
            "every third number is 0; a head's numbers stand side by side": np.array(
                [[[1.0, 0, 3, 4, 0, 6]]]
            ),
            "all the other heads are switched off": np.array([[[0.0, 0, 3, 4, 0, 0]]]),
            "one number is 0; a head has D = H/A of them": np.array([[[1.0, 0, 3, 4, 5, 6]]]),
            "all heads before it are switched off too": np.array([[[0.0, 0, 0, 0, 5, 6]]]),
            "all heads after it are switched off too": np.array([[[1.0, 2, 0, 0, 0, 0]]]),
            "A numbers are 0; a head has D = H/A of them": np.array([[[1.0, 2, 3, 0, 0, 0]]]),
            "heads are counted from 1; they are from 0": np.array([[[0.0, 0, 3, 4, 5, 6]]]),
            "the next head is switched off; heads are counted from 0": np.array([[[1.0, 2, 3, 4, 0, 0]]]),
        },
    )
    learner.begin("without_head: every text, every token, gaps in memory, one head alone")
    want = context.copy()
    want[:, :, 4:] = 0
    judge.close(
        learner.without_head(judge.not_contiguous(context), 2, 3),
        want,
        mistakes={
            "a token's row was set to 0; the last axis is that of the numbers": lambda: (
                context * np.array([1.0, 0.0])[:, None]
            )
        },
    )
    judge.close(learner.without_head(context, 0, 1), 0 * context)

    model, ids, labels = trained_like()
    before = model.arena.flat.copy()
    table, whole = importance(model, ids, labels)
    learner.begin("loss_without: one number")
    found = learner.loss_without(model, ids, labels, 1, 0)
    judge.shape(found, ())
    as_it_was(model, before)
    learner.begin("loss_without: numbers")
    given = {"layer": 1, "head": 0, "ids": ids, "labels": labels}
    judge.close(
        found,
        whole + table[1, 0],
        input=given,
        mistakes={
            "nothing was switched off": whole,
            "the other head was switched off": whole + table[1, 1],
            "this is the change of the loss; the loss itself is asked for": table[1, 0],
            "it is the head of another layer: the name has the layer's number in it": whole + table[0, 0],
            "it is the head of the next layer: layers are counted from 0": whole + table[2, 0],
            "the labels are not used: without them every token is asked for": lambda: (
                importance(model, ids, None)[1] + importance(model, ids, None)[0][1, 0]
            ),
        },
    )
    learner.begin("head_importance: a row for each layer")
    judge.shape(
        learner.head_importance(model, ids, labels),
        (3, 2),
        mistakes={"a row belongs to a layer, a column to a head": (2, 3)},
    )
    learner.begin("head_importance: numbers")
    judge.close(
        learner.head_importance(model, ids, labels),
        table,
        input={"ids": ids, "labels": labels},
        mistakes={
            "the whole model's loss is not subtracted": table + whole,
            "the sign is the other way round: above 0 a head is missed": -table,
            "every layer has got the first layer's": np.repeat(table[:1], 3, 0),
            "every head has got the first head's": np.repeat(table[:, :1], 2, 1),
            "it is divided by the whole model's loss; subtract it": table / whole + 1,
        },
        rtol=1e-6,
    )
    as_it_was(model, before)


def as_it_was(model: MiniBERT, before: Array) -> None:
    judge.holds(
        np.array_equal(model.arena.flat, before),
        "the model's weights have changed.",
        mistake="weights were set to 0 and not put back; a hook changes nothing but its own pass",
    )


def trained_like() -> tuple[MiniBERT, Array, Array]:
    """A small model with weights large enough that every head matters."""
    config = ModelConfig(
        vocab_size=12, hidden_size=8, num_layers=3, num_heads=2, intermediate_size=8, max_seq_length=6
    )
    model = MiniBERT(config, dtype=np.float64)
    rng = np.random.default_rng(1)
    model.arena.flat[:] += rng.normal(0, 0.6, model.num_parameters)
    ids = np.array([[2, 7, 4, 9, 3], [2, 5, 4, 11, 3]])
    labels = np.array([[-100, 8, -100, 10, -100], [-100, -100, 6, -100, -100]])
    return model, ids, labels


def importance(model: MiniBERT, ids: Array, labels: Array | None) -> tuple[Array, float]:
    """By the columns of the output matrix, which are the other factor of what a head writes."""
    whole, D = model.trace(ids, labels).loss, model.config.head_size
    table = np.empty((model.config.num_layers, model.config.num_heads))
    for layer, head in np.ndindex(table.shape):
        W = model.arena[f"encoder.layers.{layer}.attn.output.weight"]
        kept = W.copy()
        W[:, head * D : (head + 1) * D] = 0
        table[layer, head] = model.trace(ids, labels).loss - whole
        W[...] = kept
    return table, whole
