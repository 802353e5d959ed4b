"""The cost of a training pass: what is asked of a model decides what it computes."""

from __future__ import annotations

from functools import singledispatch

from mini_bert.core.electra import Electra
from mini_bert.core.heads import Head
from mini_bert.core.network import Network
from mini_bert.models.cost.of_heads import rehearse_hidden
from mini_bert.models.cost.rehearsal import ID_BYTES, Rehearsal, Shape
from mini_bert.models.cost.rehearse import rehearse


def rehearse_training(
    network: Network, B: int, T: int, k: int | None = None, *, itemsize: int = 4
) -> Rehearsal:
    """A training pass on B sequences of T tokens, of which k in each are to be predicted (None: all)."""
    step = Rehearsal(asked=k, noisy=True, itemsize=itemsize, ordered=True)
    words = rehearse_exercise(network, Shape((B, T), ID_BYTES), step)
    step.keep("word_probs", words.fresh())
    return step


@singledispatch
def rehearse_exercise(network: Network, ids: Shape, r: Rehearsal) -> Shape:
    """The logits of hidden words. A second task asks of the first token, and its answers come before the words."""
    if r.asked is None or not isinstance(network.second_head, Head):
        return rehearse(network, ids, r)
    k = r.asked
    x = rehearse_hidden(network, ids, r.asking(1 + k))
    first, others = (Shape((x.axes[0], n, x.axes[2]), x.itemsize, view_of=x.buffer) for n in (1, k))
    answers = rehearse(network.second_head, first, (r / "second_head").asking(None))
    r.keep("answer_probs", answers.fresh())
    return rehearse(network.head, others, (r / "head").asking(None))


@rehearse_exercise.register
def _(network: Electra, ids: Shape, r: Rehearsal) -> Shape:
    """The generator's, at the places asked; then the discriminator judges every token."""
    words = rehearse(network.generator, ids, r / "generator")
    told = rehearse(network, ids.fresh(), r.asking(None))
    r.keep("replaced", ids.fresh())
    r.keep("replaced_probs", told.fresh())
    return words
