"""From the attention of a model to the operations of its graph."""

from __future__ import annotations

import numpy as np

from mini_bert.analysis.graph.again import apart
from mini_bert.analysis.graph.attending import Mixture, Scores, Shares
from mini_bert.analysis.graph.elementwise import Added, Multiplied, Opened
from mini_bert.analysis.graph.layers import Layers
from mini_bert.analysis.graph.operation import Numbers
from mini_bert.analysis.graph.score_terms import ByDistance, Match, ScoreTerm, Unseen
from mini_bert.analysis.graph.turned import Turned
from mini_bert.analysis.graph.whole_terms import Whole
from mini_bert.core.array import Array
from mini_bert.core.attention import Attention, GatedAttention
from mini_bert.core.functions.activations import sigmoid_backward
from mini_bert.core.terms import Causal, Content, Padding, RelativeBias, Rotary, Term, query_positions
from mini_bert.core.trace import Trace
from mini_bert.core.two_streams import InOrder


def attention(attn: Attention, x: str, source: str, t: Trace, layers: Layers) -> str:
    """x asks and source answers: queries, keys, values, scores, shares, context, output."""
    graph, P = layers.graph, t.path
    q = layers.linear(attn.query, x, f"{P}q", t / "query", attn.A)
    k = layers.linear(attn.key, source, f"{P}k", t / "key", attn.A)
    v = layers.linear(attn.value, source, f"{P}v", t / "value", attn.A)
    terms = [told for term in attn.terms if (told := score_term(term, q, k, t / term.scope, layers))]
    scores = graph.add(Scores(f"{P}scores", tuple(terms)))
    graph.beside(Shares(f"{P}softmax", scores, f"{P}softmax"))
    probs = graph.add(Shares(f"{P}probs", scores, f"{P}softmax"))
    mixed = layers.same(probs, f"{P}mixed")
    context = graph.add(Mixture(f"{P}context", mixed, v))
    if isinstance(attn, GatedAttention):
        context = opened(attn, context, x, t, layers)
    return layers.linear(attn.output, context, f"{P}out", t / "output")


def opened(attn: GatedAttention, context: str, x: str, t: Trace, layers: Layers) -> str:
    """The context, number by number as far as the gate lets it pass."""
    graph, P = layers.graph, t.path
    pre = f"{P}gate.out"
    layers.linear(attn.gate, x, pre, t / "gate")

    def dpre(numbers: Numbers) -> Array:
        return sigmoid_backward(numbers.gradient(f"{P}opening"), numbers[f"{P}opening"])

    def dopened(numbers: Numbers) -> Array:
        return attn.output.backward(numbers.gradient(f"{P}out"), apart(t / "output").but(kept=t.acts))

    graph.between(pre, lambda numbers: attn.gate.forward(numbers[x], apart(t / "gate")), dpre)
    opening = graph.add(Opened(f"{P}opening", (pre,)))
    graph.beside(Added(f"{P}gathered", (context,)))
    graph.between(f"{P}output.x", lambda _: t.acts[f"{P}output.x"], dopened)
    return graph.add(Multiplied(f"{P}output.x", (context, opening)))


def score_term(term: Term, q: str, k: str, t: Trace, layers: Layers) -> ScoreTerm | None:
    """A term as the graph tells it; None if it adds nothing to this pass."""
    queries, keys = t.acts[q], t.acts[k]
    match term:
        case Content():
            return Match(q, k, term.scale(queries))
        case Rotary(body=Content() as body):
            turned = [
                turn(Turned(f"{name}.turned", name, places, term.base), layers)
                for name, places in ((q, query_positions(queries, t)), (k, np.arange(keys.shape[-2])))
            ]
            return Match(turned[0], turned[1], body.scale(queries))
        case RelativeBias():
            return ByDistance(t.owner("table"), term.rows(queries, keys, t))
        case Padding() | Causal() | InOrder():
            added = term.forward(queries, keys, apart(t))
            shape = (*queries.shape[:-1], keys.shape[-2])
            return None if added is None else Unseen(term.scope, np.broadcast_to(added, shape))
    return Whole(term, q, k, t)


def turn(turned: Turned, layers: Layers) -> str:
    layers.graph.between(turned.output, turned.value, turned.gradient)
    return layers.graph.add(turned)
