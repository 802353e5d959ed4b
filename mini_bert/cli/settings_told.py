"""A configuration in words: its sizes, and the parts it names."""

from __future__ import annotations

from typing import Any

from mini_bert.models.config import ModelConfig

Told = list[tuple[str, str]]
TOLD = {
    *("num_layers", "hidden_size", "num_heads", "intermediate_size", "max_seq_length", "vocab_size"),
    *("embedding_size", "token_types", "positions", "reach", "causal", "residual", "norm", "attention"),
    *("attention_bias", "feed_forward", "activation", "head", "classes", "head_transform", "tied"),
    *("decoder_bias", "second_head", "generator", "bias", "dropout", "attention_dropout", "layer_groups"),
    *("initializer", "padding_id"),
}
"""Settings that have words of their own below, or say nothing of what a model is."""


def sizes_told(c: ModelConfig) -> Told:
    sizes = {
        "L  layers": c.num_layers,
        "H  hidden size": c.hidden_size,
        "A  attention heads": c.num_heads,
        "D  size of a head": c.head_size,
        "I  feed-forward size": c.intermediate_size,
        "T  tokens at most": c.max_seq_length,
        "V  word pieces": c.vocab_size,
        "E  embedding size": c.embedding_size,
        "   kinds of segments": c.token_types,
        "   farthest distance": c.reach,
    }
    return [(name, f"{size:,}") for name, size in sizes.items() if size]


def parts_told(c: ModelConfig) -> Told:
    """What each model has; then any other setting that is not as the guide's model has it."""
    parts: dict[str, str] = {
        "positions": c.positions,
        "sees": "what came before only" if c.causal else "the whole text",
        "residual": f"{c.residual}, {c.norm} norm",
        "attention": c.attention + ("" if c.attention_bias == "all" else f", biases {c.attention_bias}"),
        "feed-forward": f"{c.feed_forward}, {c.activation}",
        "head": head_told(c),
        "second head": "" if c.second_head == "none" else c.second_head,
        "generator": generator_told(c),
        "biases": "yes" if c.bias else "no",
        "dropout": f"{c.dropout:g}, attention {c.attention_dropout:g}",
        "sharing": f"{c.layer_groups} of {c.num_layers} layers" if c.layer_groups else "none",
    }
    return [(name, words) for name, words in parts.items() if words] + others_told(c)


def head_told(c: ModelConfig) -> str:
    if c.head == "words":
        words = ["words", *(["transform"] if c.head_transform else []), "tied" if c.tied else "untied"]
        return ", ".join(words + ([] if c.decoder_bias else ["no bias"]))
    return f"{c.classes} {c.head}" if c.head in ("classes", "tags") else c.head


def generator_told(c: ModelConfig) -> str:
    g = c.generator
    return f"L {g.num_layers}, H {g.hidden_size}, A {g.num_heads}, I {g.intermediate_size}" if g else ""


def others_told(c: ModelConfig) -> Told:
    usual = ModelConfig()
    return [
        (name.replace("_", " "), in_words(value))
        for name, value in c
        if name not in TOLD and value != getattr(usual, name)
    ]


def in_words(value: Any) -> str:
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)
