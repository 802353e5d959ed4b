"""Multi-head attention (Vaswani et al. 2017)."""

from collections.abc import Iterator
from dataclasses import dataclass

from mini_bert.core.array import Array
from mini_bert.core.functions.heads import merge_heads, multiply_heads, split_heads
from mini_bert.core.functions.softmax import softmax, softmax_backward
from mini_bert.core.layer import Identity, Layer, Part
from mini_bert.core.terms import Content, Padding, Term
from mini_bert.core.trace import Trace


@dataclass(frozen=True)
class Attention(Layer):
    """y = output(softmax(Σ terms(q, k)) v)  with  q = query(x),  k = key(x),  v = value(x), in A heads"""

    A: int
    query: Layer
    key: Layer
    value: Layer
    output: Layer
    terms: tuple[Term, ...] = (Content(), Padding())
    probs_dropout: Layer = Identity()

    def forward(self, x: Array, t: Trace) -> Array:
        return self.attend(t.asked(x), x, t)

    def backward(self, dy: Array, t: Trace) -> Array:
        dx, dsource = self.attend_backward(dy, t)
        return t.asked_backward(dx, dsource.shape[1]) + dsource

    def attend(self, x: Array, source: Array, t: Trace) -> Array:
        """x (B, Tq, H) asks, source (B, Tk, H) answers."""
        q = t.keep("q", split_heads(self.query.forward(x, t / "query"), self.A))
        k = t.keep("k", split_heads(self.key.forward(source, t / "key"), self.A))
        v = t.keep("v", split_heads(self.value.forward(source, t / "value"), self.A))
        p = softmax(t.show("scores", self.scores(q, k, t)))  # (B, A, Tq, Tk)
        t.remember("softmax", p)
        mixed = t.keep("mixed", self.probs_dropout.forward(t.show("probs", p), t / "probs_dropout"))
        context = t.show("context", merge_heads(multiply_heads(mixed, v)))
        return t.show("out", self.output.forward(context, t / "output"))

    def attend_backward(self, dy: Array, t: Trace) -> tuple[Array, Array]:
        """dy (B, Tq, H) → dx (B, Tq, H), dsource (B, Tk, H)"""
        q, k, v, mixed = t["q"], t["k"], t["v"], t["mixed"]
        dcontext = self.output.backward(t.show_grad("out", dy), t / "output")
        dheads = split_heads(t.show_grad("context", dcontext), self.A)
        dv = t.show_grad("v", multiply_heads(mixed.swapaxes(-1, -2), dheads))
        dmixed = t.show_grad("mixed", dheads @ v.swapaxes(-1, -2))
        dprobs = t.show_grad("probs", self.probs_dropout.backward(dmixed, t / "probs_dropout"))
        dscores = t.show_grad("scores", softmax_backward(dprobs, t["softmax"]))
        dq, dk = self.scores_backward(dscores, q, k, t)
        dx = self.query.backward(merge_heads(t.show_grad("q", dq)), t / "query")
        dsource = self.key.backward(merge_heads(t.show_grad("k", dk)), t / "key")
        return dx, dsource + self.value.backward(merge_heads(dv), t / "value")

    def scores(self, q: Array, k: Array, t: Trace) -> Array:
        """Σ terms(q, k), (B, A, Tq, Tk)"""
        found = [term.forward(q, k, t / term.scope) for term in self.terms]
        first, *others = (scores for scores in found if scores is not None)
        return sum(others, first)

    def scores_backward(self, dscores: Array, q: Array, k: Array, t: Trace) -> tuple[Array, Array]:
        """dq, dk: every term receives the whole dscores, for they are summed"""
        found = [term.backward(dscores, q, k, t / term.scope) for term in self.terms]
        dqs, dks = zip(*(pair for pair in found if pair is not None), strict=True)
        return sum(dqs[1:], dqs[0]), sum(dks[1:], dks[0])

    def parts(self) -> Iterator[tuple[str, Part]]:
        """A term's scope is its own name, so that adding one renames no other's weights."""
        yield from ((scope, part) for scope, part in super().parts() if not isinstance(part, Term))
        yield from ((f"{term.scope}.", term) for term in self.terms)
