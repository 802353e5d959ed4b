"""What a member computes for a text of T pieces, step by step: equations and shapes, without its weights.

A model may have billions of weights, but its steps are those of a tiny one with the same parts. So a tiny one reads a
text, and each number in the shapes that it leaves is told as the letter it stands for: T, H, A, D, I, V or E.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from mini_bert.analysis.forward_steps import Step, forward_steps
from mini_bert.core.array import Array
from mini_bert.models.config import ModelConfig
from mini_bert.models.mini import MiniBERT

DEPTH = 2
KEPT_STEPS = 128
LAYER = re.compile(r"^encoder\.layers\.(\d+)\.")
UNCHANGED = re.compile(r"attn\.mixed$|^encoder\.layers\.\d+\.out$")
"""The same numbers under another name, which need no row."""
ROOT = re.compile(r"\\sqrt\{(\d+)\}")
FIRST_WORD = 5
"""Ids from here on are words in any vocabulary; padding is none of them."""
LETTERS = {
    r"\text{head.transform.dense.out}": "T_1",
    r"\text{head.transform.activation.out}": "T_2",
    r"\text{head.dense.out}": "T_1",
    r"\text{head.activation.out}": "T_2",
    r"\text{embeddings.project.x}": "E_N",
    r"\text{encoder.questions}": "Q_D",
    r"P_D_{": "{P_D}_{",
    r"^{(0)}": "",
    rf"^{{({DEPTH - 1})}}": "^{(L)}",
    r"\bar A": "A",
    r"+ -": "- ",
    r"E_{\text{ids}} = E_{\text{ids}}": r"E_{\text{ids}} = \text{one row of } E \text{ for each piece}",
}
"""For arrays that the guide has no letters for, and for a layer of which it does not matter which one it is."""
LABELS = {
    "embeddings.tokens": "words",
    "embeddings.sum": "words, places and segments",
    "embeddings.project.x": "normalized",
    "embeddings.out": "what the first layer reads",
    "attn.normed": "norm",
    "attn.q": "queries",
    "attn.k": "keys",
    "attn.v": "values",
    "attn.q.turned": "queries, turned",
    "attn.k.turned": "keys, turned",
    "attn.scores": "scores",
    "attn.probs": "attention",
    "attn.context": "mixed values",
    "attn.opening": "gate",
    "attn.gate.out": "gate, before it opens",
    "attn.output.x": "what the gate lets pass",
    "attn.out": "output",
    "attn.residual": "sum",
    "ffn.normed": "norm",
    "ffn.pre": "inner, before the activation",
    "ffn.opening": "gate",
    "ffn.content": "content",
    "ffn.hidden": "inner",
    "ffn.out": "output",
    "ffn.residual": "sum",
    "encoder.questions": "questions with their places",
    "hidden": "what the head reads",
    "head.transform.dense.out": "transform",
    "head.transform.activation.out": "activation",
    "head.dense.out": "transform",
    "head.activation.out": "activation",
    "head.transformed": "what is compared with words",
    "head.logits": "a score for each word",
}
REPLACED = {"head.logits": "a score: was it replaced?"}


@dataclass(frozen=True)
class Row:
    """A step: its name in words, `latex` in letters, `letters` of its shape, and the shape in numbers."""

    key: str
    name: str
    group: str
    latex: str
    letters: tuple[str, ...]
    shape: tuple[int, ...]


@dataclass(frozen=True)
class Sizes:
    """Letters by the number that stands for them in the tiny model, and what they are in the real one."""

    tiny: dict[int, str]
    real: dict[str, int]
    D: int
    tells: str


def steps_of(config: ModelConfig, T: int) -> tuple[Row, ...]:
    """Of the embeddings, one layer and the head. T must not exceed what the model reads."""
    return steps_at(config.model_dump_json(), T)


@lru_cache(KEPT_STEPS)
def steps_at(described: str, T: int) -> tuple[Row, ...]:
    config = ModelConfig.model_validate_json(described)
    small, sizes = tiny(config, T)
    model = MiniBERT(small, seed=0)
    passed = model.trace(ids_of(small, T), watch=("*",))
    found = [step for step in forward_steps(passed) if is_shown(step)]
    return tuple(row_of(step, sizes) for step in found)


def tiny(config: ModelConfig, T: int) -> tuple[ModelConfig, Sizes]:
    """The same parts in sizes of which no two are alike, nor like T."""
    taken = {1, T, 2 * T - 1}
    A = next_free(3, taken)
    D = next(n for n in range(4, 200, 2) if not {n, A * n, 3 * n} & taken and n != A)
    taken |= {D, A * D, 3 * D}
    I, V, E = (next_free(start, taken) for start in (2 * A * D, max(97, T + 20), 2 * D + 1))
    own = {
        "hidden_size": A * D,
        "num_heads": A,
        "num_layers": DEPTH,
        "intermediate_size": I,
        "vocab_size": V,
        "max_seq_length": max(T, 8),
        "reach": None,
        "generator": None,
        "dropout": 0.0,
        "attention_dropout": 0.0,
        "checkpoint_activations": False,
        "layer_groups": config.layer_groups and 1,
        "embedding_size": E if config.embedding_size else None,
        "padding_id": 0,
    }
    real = {
        "T": T,
        "A": config.num_heads,
        "D": config.head_size,
        "H": config.hidden_size,
        "I": config.intermediate_size,
        "V": config.vocab_size,
        "E": config.table_size,
        "1": 1,
    }
    letters = {T: "T", A: "A", D: "D", A * D: "H", I: "I", V: "V", E: "E"}
    if T != 1:
        letters[1] = "1"
    return config.changed(**own), Sizes(letters, real, D, config.head)


def next_free(start: int, taken: set[int]) -> int:
    found = next(n for n in range(start, start + 100) if n not in taken)
    taken.add(found)
    return found


def ids_of(config: ModelConfig, T: int) -> Array:
    return (FIRST_WORD + np.arange(T) % (config.vocab_size - FIRST_WORD))[None]


def is_shown(step: Step) -> bool:
    """Of all layers the first, and nothing that stands there twice."""
    layer = LAYER.match(step.dotted)
    return not UNCHANGED.search(step.dotted) and (layer is None or layer[1] == "0")


def row_of(step: Step, sizes: Sizes) -> Row:
    letters = tuple(sizes.tiny.get(n, str(n)) for n in step.shape)
    key = LAYER.sub("", step.dotted)
    return Row(
        key,
        (REPLACED if sizes.tells == "replaced" else {}).get(key) or LABELS.get(key, key),
        group_of(step),
        in_letters(step.latex, sizes),
        letters,
        tuple(sizes.real.get(letter) or int(letter) for letter in letters),
    )


def group_of(step: Step) -> str:
    return step.group.replace("Layer 0: attention", "Attention").replace(
        "Layer 0: feed-forward", "Feed-forward"
    )


def in_letters(latex: str, sizes: Sizes) -> str:
    """Without the number of the layer, and with √D for the number it is in the tiny model."""
    for given, plain in LETTERS.items():
        latex = latex.replace(given, plain)
    return ROOT.sub(lambda found: rf"\sqrt{{{times(int(found[1]) // sizes.D)}D}}", latex)


def times(factor: int) -> str:
    return "" if factor == 1 else str(factor)
