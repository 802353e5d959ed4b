"""The parts of a model as boxes of a diagram, from the words at its foot to what it tells at its top."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from mini_bert.explorer.model_facts import TELLS
from mini_bert.models.config import ModelConfig

Kind = Literal["table", "plus", "norm", "attention", "feed-forward", "linear", "activation", "answer"]
ACTIVATIONS = {"relu": "ReLU", "gelu": "GELU", "gelu-tanh": "GELU (by tanh)", "silu": "SiLU"}
NORMS = {"layer": "layer norm", "rms": "RMS norm"}
SEEN_BY_SCORES = {
    "rotary": "queries and keys are turned by their place",
    "relative": "plus a number for each distance",
    "disentangled": "words and distances are scored apart",
    "learned-and-disentangled": "words and distances are scored apart",
    "transformer-xl": "plus scores for distances, as waves",
}
SECOND = {
    "pairs": "do two passages belong together?",
    "order": "in which order?",
    "pooler": "one vector for the text",
}


@dataclass(frozen=True)
class Box:
    """`label` and `detail` are words; `size` are numbers, which may differ where the part is the same.

    `starts` and `ends` a way around: a residual connection leaves before a box that starts it, and comes back at the
    one that ends it.
    """

    id: str
    kind: Kind
    label: str
    detail: str = ""
    size: str = ""
    starts: bool = False
    ends: bool = False


@dataclass(frozen=True)
class Stage:
    """Boxes that belong together, called so many times."""

    id: str
    title: str
    boxes: tuple[Box, ...]
    times: int = 1
    shared: bool = False


def stages_of(c: ModelConfig) -> tuple[Stage, ...]:
    """From the words to the answer."""
    shared = c.layer_groups is not None and c.layer_groups < c.num_layers
    stages = [
        Stage("embeddings", "Embeddings", embedding_boxes(c)),
        Stage("layer", "Layer", layer_boxes(c), c.num_layers, shared),
        Stage("head", "Head", head_boxes(c)),
    ]
    return tuple(stage for stage in stages if stage.boxes)


def embedding_boxes(c: ModelConfig) -> tuple[Box, ...]:
    E = c.table_size
    made = [Box("tokens", "table", "word table", "a row for each piece", f"{c.vocab_size:,} × {E:,}")]
    if c.token_types and c.segments == "embedded":
        made.append(
            Box("segments", "plus", "+ segments", "which passage a piece is in", f"{c.token_types} × {E:,}")
        )
    if "learned" in c.positions or c.positions == "after-padding":
        counted = "counted after the padding" if c.positions == "after-padding" else "a row for each place"
        made.append(Box("positions", "plus", "+ places", counted, f"{c.max_seq_length:,} × {E:,}"))
    if c.embedding_norm:
        made.append(Box("embedding_norm", "norm", NORMS[c.norm]))
    if c.embedding_size:
        made.append(
            Box("project", "linear", "projection", "narrow tables, wide layers", f"{E:,} → {c.hidden_size:,}")
        )
    return tuple(made)


def layer_boxes(c: ModelConfig) -> tuple[Box, ...]:
    return (*sublayer(c, "attn", attention_box(c)), *sublayer(c, "ffn", feed_forward_box(c)))


def sublayer(c: ModelConfig, scope: str, body: Box) -> tuple[Box, ...]:
    """y = norm(x + f(x)), or y = x + f(norm(x))"""
    before = c.residual == "pre-norm"
    norm = Box(f"{scope}.norm", "norm", NORMS[c.norm], "before" if before else "after", starts=before)
    around = Box(f"{scope}.plus", "plus", "+", "the way around", ends=True)
    body = Box(body.id, body.kind, body.label, body.detail, body.size, starts=not before)
    return (norm, body, around) if before else (body, around, norm)


def attention_box(c: ModelConfig) -> Box:
    told = [SEEN_BY_SCORES.get(c.positions, "")]
    told.append("sees only what came before" if c.causal else "")
    told.append("asks in a second stream, in any order" if c.streams == 2 else "")
    told.append(
        "sees whether two pieces share a segment" if c.token_types and c.segments == "relative" else ""
    )
    told.append(f"remembers {c.memory:,} pieces from before" if c.memory else "")
    told.append("what it gathers passes a gate" if c.attention == "gated" else "")
    detail = "; ".join(part for part in told if part)
    return Box("attn", "attention", "attention", detail, f"{c.num_heads} heads of {c.head_size}")


def feed_forward_box(c: ModelConfig) -> Box:
    gated = c.feed_forward == "gated"
    name = ACTIVATIONS[c.activation]
    detail = f"{name} opens a gate" if gated else name
    H, I = c.hidden_size, c.intermediate_size
    return Box(
        "ffn",
        "feed-forward",
        "gated feed-forward" if gated else "feed-forward",
        detail,
        f"{H:,} → {I:,} → {H:,}",
    )


def head_boxes(c: ModelConfig) -> tuple[Box, ...]:
    made = []
    H, V = c.hidden_size, c.vocab_size
    if c.mask_decoder == "enhanced":
        made.append(Box("decoder", "attention", "mask decoder", "places come in; the last layer asks again"))
    if c.final_norm:
        made.append(Box("final_norm", "norm", NORMS[c.norm]))
    if c.head == "words":
        E = c.table_size if c.tied else H
        if c.head_transform:
            detail = f"{ACTIVATIONS[c.activation]} and {NORMS[c.norm]}"
            made.append(Box("transform", "linear", "transform", detail, f"{H:,} → {E:,}"))
        detail = "the word table again" if c.tied else "a table of its own"
        made.append(Box("decoder_words", "linear", "compare with all words", detail, f"{E:,} → {V:,}"))
    elif c.head == "replaced":
        made.append(Box("transform", "linear", "transform", ACTIVATIONS[c.activation], f"{H:,} → {H:,}"))
        made.append(Box("decoder_words", "linear", "one number", "", f"{H:,} → 1"))
    elif c.head in ("classes", "tags"):
        made.append(Box("decoder_words", "linear", "classes", "", f"{H:,} → {c.classes}"))
    made.append(Box("answer", "answer", "the next word" if c.causal and c.head == "words" else TELLS[c.head]))
    if c.second_head != "none":
        made.append(Box("second", "answer", "second task", SECOND[c.second_head]))
    return tuple(made)
