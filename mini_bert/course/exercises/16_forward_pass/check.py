from collections.abc import Callable
from functools import partial
from math import sqrt
from typing import Any

import numpy as np

from mini_bert.core.array import Array
from mini_bert.core.functions.softmax import softmax
from mini_bert.course import judging as judge
from mini_bert.course.learner import Learner
from mini_bert.models.config import ModelConfig
from mini_bert.models.mini import MiniBERT

Weights = dict[str, Array]
L, A, H = 3, 2, 4
CONFIG = ModelConfig(
    vocab_size=7, hidden_size=H, num_layers=L, num_heads=A, intermediate_size=6, max_seq_length=5
)
IDS = np.array([[2, 6, 5, 3], [2, 5, 3, 0]])
MASK = np.array([[1, 1, 1, 1], [1, 1, 1, 0]])
FIRST, NORMS = "encoder.layers.0.", ("attn.norm", "ffn.norm")


def check(learner: Learner) -> None:
    w = {
        name: judge.example(*array.shape, seed=seed) / 2
        for seed, (name, array) in enumerate(MiniBERT(CONFIG, seed=None).arena.items())
    }
    single = {name: array.astype(np.float32) for name, array in w.items()}
    x = states(w)["embeddings.out"]
    learner.begin("part: the weights of one block")
    own = learner.part(w, FIRST)
    judge.holds(
        "attn.query.weight" in own, "part(w, scope) has no attn.query.weight; leave the function as it was."
    )

    learner.begin("block: shape and dtype")
    judge.shape(learner.block(x, own, A, MASK), x.shape)
    judge.same_dtype(
        learner.block(x.astype(np.float32), learner.part(single, FIRST), A, MASK), single["final_norm.bias"]
    )
    learner.begin("block: numbers")
    judge.close(
        learner.block(x, own, A, MASK),
        states(w)[f"{FIRST}out"],
        input={"x": x, "A": A, "mask": MASK},
        mistakes=wrong_blocks(w),
    )

    learner.begin("forward: shape and dtype")
    judge.shape(
        learner.forward(IDS, w, L, A, MASK),
        (*IDS.shape, CONFIG.vocab_size),
        mistakes={"these are hidden states; the decoder makes a score for each of the V words": (2, 4, H)},
    )
    judge.same_dtype(learner.forward(IDS, single, L, A, MASK), single["final_norm.bias"])
    learner.begin("forward: the logits of the package")
    judge.close(
        learner.forward(IDS, w, L, A, MASK),
        logits(w),
        input={"ids": IDS, "L": L, "A": A, "mask": MASK},
        mistakes=wrong_logits(w),
    )
    learner.begin("forward: a model of one block, one token alone, the longest text")
    judge.close(learner.forward(IDS, w, 1, A, MASK), logits(w, num_layers=1))
    one = np.array([[4]])
    judge.close(learner.forward(one, w, L, A, np.ones_like(one)), logits(w, one, np.ones_like(one)))
    long = np.array([[1, 2, 3, 4, 5]])
    judge.close(learner.forward(long, w, L, A, np.ones_like(long)), logits(w, long, np.ones_like(long)))
    learner.begin("forward: padding makes no difference to the tokens before it")
    got = judge.array(learner.forward(IDS, w, L, A, MASK))
    judge.close(
        got[1:, :3],
        learner.forward(IDS[1:, :3], w, L, A, MASK[1:, :3]),
        "forward(ids, w, L, A, mask) of a padded text, expected as without its padding,",
    )


def model_of(w: Weights, **changes: Any) -> MiniBERT:
    model = MiniBERT(CONFIG.changed(**changes), dtype=np.float64, seed=None)
    for name, array in model.arena.items():
        array[:] = w[name]
    return model


def states(w: Weights, ids: Array = IDS, mask: Array | None = MASK, **changes: Any) -> Any:
    """Every number of a pass through the package's model with these weights, by name."""
    return model_of(w, **changes).trace(ids, attention_mask=mask)


def logits(w: Weights, ids: Array = IDS, mask: Array | None = MASK, **changes: Any) -> Array:
    found: Array = states(w, ids, mask, **changes).logits
    return found


def wrong_blocks(w: Weights) -> dict[str, Callable[[], Array]]:
    def out(changed: Weights | None = None, mask: Array | None = MASK, **changes: Any) -> Array:
        found: Array = states(w | (changed or {}), mask=mask, **changes)[f"{FIRST}out"]
        return found

    def times(factor: float) -> Weights:
        return {name: w[name] * factor for name in w if ".query." in name}

    first, second = ({key: w[f"{FIRST}{norm}.{key}"] for key in ("weight", "bias")} for norm in NORMS)
    nothing = {"weight": np.eye(H), "bias": np.zeros(H)}
    square = [name for name in w if ".attn." in name and w[name].ndim == 2]
    return {
        "the root is missing: divide the scores by √D": partial(out, times(sqrt(H / A))),
        "it is divided by √H; a score adds D = H / A products": partial(out, times(1 / sqrt(A))),
        "the heads are not split: this is one head of length H": partial(out, num_heads=1),
        "padding is not hidden": partial(out, mask=None),
        "the linear layer after attention, attn.output, is missing": partial(
            out, {f"{FIRST}attn.output.{key}": nothing[key] for key in nothing}
        ),
        "the weights are not transposed: dense does that": partial(out, {name: w[name].T for name in square}),
        "the activation is missing between ffn.up and ffn.down": lambda: linear_feed_forward(w),
        "the activation is GELU, as in BERT; Mini-BERT has ReLU": partial(out, activation="gelu"),
        "this is pre-norm; BERT normalizes after the addition": partial(out, residual="pre-norm"),
        "attn.norm is used twice; the second half has ffn.norm": partial(
            out, {f"{FIRST}ffn.norm.{key}": first[key] for key in first}
        ),
        "ffn.norm is used twice; the first half has attn.norm": partial(
            out, {f"{FIRST}attn.norm.{key}": second[key] for key in second}
        ),
    }


def linear_feed_forward(w: Weights) -> Array:
    """Without the ReLU: every hidden number twice, with both signs, since relu(u) − relu(−u) = u."""
    doubled = {".ffn.up.weight": 0, ".ffn.up.bias": 0, ".ffn.down.weight": 1}
    twice = {
        name: np.concatenate([array, -array], axis)
        for name, array in w.items()
        for end, axis in doubled.items()
        if name.endswith(end)
    }
    found: Array = states(w | twice, intermediate_size=2 * CONFIG.intermediate_size)[f"{FIRST}out"]
    return found


def wrong_logits(w: Weights) -> dict[str, Callable[[], Array]]:
    positions = w["embeddings.position.weight"]

    def at_layers(order: tuple[int, ...]) -> Weights:
        """Every block with the weights of another."""
        moved = {}
        for i, other in enumerate(order):
            scope, source = f"encoder.layers.{i}.", f"encoder.layers.{other}."
            moved |= {name: w[source + name.removeprefix(scope)] for name in w if name.startswith(scope)}
        return moved

    changes: dict[str, Weights] = {
        "the positions are missing": {"embeddings.position.weight": 0 * positions},
        "the positions are one too late: the first token has row 0": {
            "embeddings.position.weight": np.roll(positions, -1, 0)
        },
        "every block has the weights of the first one": at_layers((0, 0, 0)),
        "every block has the weights of the last one": at_layers((2, 2, 2)),
        "the blocks run from the last to the first": at_layers((2, 1, 0)),
        "the decoder's bias is missing": {"head.decoder.bias": np.zeros(CONFIG.vocab_size)},
        "the decoder is the token table, as in BERT; Mini-BERT has one of its own": {
            "head.decoder.weight": w["embeddings.token.weight"]
        },
    }
    return {
        **{told: partial(logits, w | change) for told, change in changes.items()},
        "the final norm is missing": partial(logits, w, final_norm=False),
        "no block has changed x: give what a block returns back to x": lambda: logits_without_blocks(w),
        "the last block is missing": partial(logits, w, num_layers=L - 1),
        "only one block is run": partial(logits, w, num_layers=1),
        "the mask is not handed on to the blocks": partial(logits, w, mask=None),
        "these are probabilities; the forward pass ends with logits, before softmax": lambda: softmax(
            logits(w)
        ),
    }


def logits_without_blocks(w: Weights) -> Array:
    embedded = states(w)["embeddings.out"]
    passed = model_of(w).trace(IDS, hooks={f"encoder.layers.{L - 1}.out": lambda _: embedded})
    return passed.logits
