"""The backward pass in sentences: what becomes of a gradient on its way back through an operation."""

from __future__ import annotations

from collections.abc import Sequence

from mini_bert.analysis.graph.operation import Operation
from mini_bert.analysis.sums import called

BACK_THROUGH = {
    "loss": "The walk begins: what the model guessed minus what is true. Every word is pushed down by its probability; "
    "the word to be told is pulled up by what it lacks to 1.",
    "linear": "Back through the linear map to {output}: each number collects the gradients of all numbers it helped to "
    "make, times the weights between them.",
    "same": "{output} is the same numbers under another name: the gradient passes as it is.",
    "sum": "Back through the residual connection: a sum hands its gradient on to all its sides, as it is. This is the "
    "open road down the layers.",
    "norm": "Back through the normalization: moving or stretching a whole vector changes nothing behind it, so that "
    "part of the gradient is taken out; what is left is divided by the spread σ.",
    "activation": "Back through the activation function: times its slope, number by number. Where it is flat, nothing "
    "passes.",
    "product": "Back through the gate: each side of a product gets the gradient times the other side.",
    "softmax": "Back through the softmax: all weights of a look add up to 1, so only what is better or worse than the "
    "average of that look counts.",
    "turned": "Back through the rotation that marks places: turned the other way by the same angle.",
    "lookup": "The rows of the tables were added, so each of them gets this gradient as it is.",
    "pooled": "Only the first piece was read here, so only its row gets a gradient.",
}
VALUES = "Back through the mixing of values: a value hears from every piece that looked at it, as much as it looked."
LOOKS = "Back through the mixing of values: a weight hears how well the value it lets in fits what is wanted."
QUERIES = "Back through the scores: a query hears from the keys, each times how much its score should change."
KEYS = "Back through the scores: a key hears from the queries, each times how much its score should change."
LINEAR_MAPS = (
    "Back through the linear maps to {outputs}: each number collects the gradients of all numbers it helped to make, "
    "times the weights between them."
)
ROOT_MEAN_SQUARE = (
    "Back through the normalization: stretching a whole vector changes nothing behind it, so that part of the gradient "
    "is taken out; what is left is divided by the size r."
)
OTHER_TERMS = "Back through the scores, to which this is added."


def back_through(operation: Operation, name: str) -> str:
    """How the gradient of an input comes back through the operation that read it."""
    if operation.kind == "mixture":
        return VALUES if name.endswith((".v", ".v.turned")) else LOOKS
    if operation.kind == "scores":
        part = name.removesuffix(".turned").rpartition(".")[2]
        return {"q": QUERIES, "k": KEYS}.get(part, OTHER_TERMS)
    if operation.kind == "norm" and getattr(operation, "rms", False):
        return ROOT_MEAN_SQUARE
    return BACK_THROUGH[operation.kind].format(output=called(operation.output))


def all_told(readers: Sequence[Operation], name: str) -> str:
    """One sentence for each way back, each said once."""
    if not readers:
        return "The scores read it as a whole: how is not told number by number here."
    if len(readers) == 1:
        return back_through(readers[0], name)
    maps = [called(one.output) for one in readers if one.kind == "linear"]
    told = [LINEAR_MAPS.format(outputs=listed(maps))] if len(maps) > 1 else []
    told += [back_through(one, name) for one in readers if one.kind != "linear" or len(maps) == 1]
    return f"It was read {len(readers)} times, and what comes back is added. " + " ".join(dict.fromkeys(told))


def listed(names: Sequence[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}"


PLAIN = {
    "embeddings.tokens": "the vectors of the pieces",
    "embeddings.sum": "vectors of pieces and places, added",
    "embeddings.out": "what the first layer reads",
    "attn.q": "queries: what each piece looks for",
    "attn.k": "keys: what each piece offers",
    "attn.v": "values: what each piece hands over",
    "attn.scores": "scores: how well queries fit keys",
    "attn.probs": "attention weights: who looks where",
    "attn.context": "what each head has gathered",
    "attn.out": "what attention adds",
    "attn.residual": "attention added to what was there",
    "attn.normed": "normalized around attention",
    "attn.gate.out": "the gate before it opens",
    "attn.opening": "how far the gate of attention opens",
    "ffn.pre": "units before the activation function",
    "ffn.opening": "how far each unit opens",
    "ffn.content": "what units let through",
    "ffn.hidden": "units of the feed-forward network",
    "ffn.out": "what the feed-forward network adds",
    "ffn.residual": "feed-forward added to what was there",
    "ffn.normed": "normalized around feed-forward",
    "out": "what the layer hands on",
    "encoder.questions": "what the last layer asks with",
    "hidden": "what the head reads",
    "head.transformed": "what the words are scored by",
    "head.logits": "the score of every word",
}


def plain(name: str) -> str:
    """An activation in plain words, by its dotted name; empty if there are none for it."""
    match name.split("."):
        case ["encoder", "layers", _, *rest]:
            return PLAIN.get(".".join(rest), "")
    return PLAIN.get(name, "")
