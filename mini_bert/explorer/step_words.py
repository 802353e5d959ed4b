"""Steps of the forward pass for people who see them for the first time: a name for the diagram, and a sentence."""

from __future__ import annotations

from mini_bert.analysis.forward_steps import Step
from mini_bert.analysis.sums import TURNED, called
from mini_bert.models.names import short

FACES = {
    "embeddings.tokens": "piece vectors",
    "embeddings.sum": "+ places",
    "embeddings.project.x": "norm",
    "embeddings.out": "embeddings",
    "attn.q": "queries Q",
    "attn.k": "keys K",
    "attn.v": "values V",
    "attn.scores": "scores",
    "attn.probs": "attention",
    "attn.mixed": "attention used",
    "attn.context": "context",
    "attn.gate.out": "gate, before σ",
    "attn.opening": "gate",
    "attn.output.x": "gated context",
    "attn.out": "output",
    "attn.residual": "add",
    "attn.normed": "norm",
    "ffn.pre": "widen",
    "ffn.opening": "open",
    "ffn.content": "content",
    "ffn.hidden": "units",
    "ffn.out": "narrow",
    "ffn.residual": "add",
    "ffn.normed": "norm",
    "out": "layer output",
    "encoder.questions": "questions",
    "hidden": "final states",
    "head.transform.dense.out": "transform",
    "head.transform.activation.out": "activation",
    "head.transformed": "transformed",
    "head.dense.out": "dense",
    "head.activation.out": "activation",
    "head.pooled": "pooled",
    "head.pooler.token.out": "one vector",
    "head.pooler.dense.out": "dense",
    "head.logits": "word scores",
}
KINDS = {
    "lookup": "Each piece has a row of numbers in a table that was learned; here the rows are looked up"
    " and added to what is there already.",
    "linear": "Each piece by itself: its numbers are mixed by a learned matrix. Every number that comes out is a"
    " weighted sum of all that went in.",
    "same": "The same numbers under another name.",
    "sum": "What was there before, plus what this part has to add. Nothing is lost on this way past the part.",
    "norm": "The numbers of each piece are centred and brought to a standard size, then stretched and shifted by"
    " learned gains.",
    "activation": "A bend, number by number: small or negative numbers are held back, large ones pass. Without it,"
    " all linear maps together would be no more than one.",
    "product": "Two arrays multiplied number by number: one of them decides how much of the other passes.",
    "scores": "How well each piece's query fits each piece's key: their product, summed over the numbers of a head."
    " High means: look there.",
    "softmax": "Scores become shares: of all its attention, a piece gives so much to each other piece. Each row adds"
    " up to 1.",
    "mixture": "Each piece gathers the values of the pieces it looks at, as much of each as its attention says.",
    "turned": "Queries and keys are turned by an angle that grows with their place: so scores know how far apart two"
    " pieces are.",
    "pooled": "One vector for the whole text, taken from its pieces.",
}
FIRST = "Each piece has a row of numbers in a table that was learned: all the model knows of it before it reads on."
LAST = "A score for every word of the vocabulary, at every place. The highest is the model's guess."


def face(name: str) -> str:
    """A step as the diagram names it, by its dotted name."""
    if name.endswith(TURNED):
        return f"turned {short(name.removesuffix(TURNED)).partition('_')[0]}"
    match name.split("."):
        case ["encoder", "layers", _, *rest]:
            return FACES.get(".".join(rest), called(name).rpartition("_")[0].replace("_", " "))
    return FACES.get(name, called(name).replace("_", " "))


def sentence(step: Step) -> str:
    """What a step does, for a newcomer."""
    if step.dotted == "head.logits":
        return (
            LAST if len(step.shape) == 3 and step.shape[-1] > 100 else "The answers of the model, as scores."
        )
    if step.kind == "lookup" and not step.inputs:
        return FIRST
    return KINDS.get(step.kind, "")
