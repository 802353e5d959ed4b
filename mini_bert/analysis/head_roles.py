"""What is each head for? Over many sentences, where it looks, and whether it follows dependencies.

found = head_roles(model)         # sentences of the embedded world; or head_roles(model, "ewt.conllu")
found.role(2, 1)                  # HeadRole(layer=2, head=1, role="previous", score=0.93, baseline=0.08)
found.relations[0]                # the head that follows the most frequent relation best

A head's role is that in which it is furthest above what would be so anyway: of attention to a kind of piece, above a
head that looks everywhere alike; of a relation (how often the most attended word is the right one), above the best
fixed offset. Where it is above by less than a tenth, the head has no role: it looks broadly, or at many things.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from mini_bert.analysis.attention import PROBS
from mini_bert.analysis.attention_targets import Looks, Named, looks, most_above, names_of_targets
from mini_bert.analysis.dependency_heads import (
    DIRECTIONS,
    RelationCounts,
    RelationScore,
    judged,
    most_attended,
)
from mini_bert.analysis.shown import Shown
from mini_bert.analysis.variants import layered
from mini_bert.core.array import Array
from mini_bert.core.trace import Trace
from mini_bert.data.tasks.alignment import AlignedWords, align
from mini_bert.data.tasks.batches import padded
from mini_bert.data.tasks.conllu import read_conllu
from mini_bert.data.tasks.examples import DependencySentence
from mini_bert.data.world import stories
from mini_bert.data.world.parts import WORLD_SEEDS
from mini_bert.evaluation.probing.sources import WORLD, tree
from mini_bert.inference.reading import tokenizer_of
from mini_bert.models.inputs import check_weights, checked_ids, checked_inputs
from mini_bert.models.mini import MiniBERT

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SENTENCES = 400
TOKENS_AT_ONCE = 1024


class HeadRole(NamedTuple):
    """`score` and `baseline` are shares of attention, or accuracies; nan for a head without a role."""

    layer: int
    head: int
    role: str
    score: float
    baseline: float


@dataclass(frozen=True)
class HeadRoles(Shown):
    """Over `sentences` sentences of `source`.

    `shares` (R, L, A): how much of the attention of a piece that can look there goes to each of `targets`; `even` (R,)
    is that of a head which looks everywhere alike. `accuracy` (D, 2, L, A) of each relation of `relation_names`,
    towards the head and towards the dependent, with `offset_accuracy` (D,) of the best fixed offset. `relations` has
    for each the best head, judged on other sentences than chose it. `entropy` (L, A) is relative: 1 looks everywhere
    alike.
    """

    source: str
    sentences: int
    targets: tuple[str, ...]
    shares: Array
    even: Array
    relation_names: tuple[str, ...]
    accuracy: Array
    offset_accuracy: Array
    relations: tuple[RelationScore, ...]
    entropy: Array

    @property
    def roles(self) -> list[HeadRole]:
        """Of all heads, layer after layer."""
        L, A = self.entropy.shape
        return [self.role(layer, head) for layer in range(L) for head in range(A)]

    def role(self, layer: int, head: int) -> HeadRole:
        L, A = self.entropy.shape
        if not (0 <= layer < L and 0 <= head < A):
            raise ValueError(
                f"layer {layer}, head {head}: the model has layers 0 to {L - 1} with heads 0 to {A - 1}"
            )
        return HeadRole(layer, head, *most_above(self.known(layer, head), self.entropy[layer, head]))

    def known(self, layer: int, head: int) -> Iterator[Named]:
        """All that a head could be named by."""
        for number, name in enumerate(self.targets):
            yield Named(name, float(self.shares[number, layer, head]), float(self.even[number]))
        for number, name in enumerate(self.relation_names):
            for direction, told in enumerate(DIRECTIONS):
                score = float(self.accuracy[number, direction, layer, head])
                yield Named(f"{name} {told}", score, float(self.offset_accuracy[number]))

    def figure(self) -> Figure:
        """Each head's role, coloured by its score."""
        from mini_bert.plots.word_grid import word_grid

        L, A = self.entropy.shape
        rows = [[self.role(layer, head) for head in range(A)] for layer in range(L)]
        words = [[in_a_cell(one.role) for one in row] for row in rows]
        scores = np.array([[one.score for one in row] for row in rows])
        return word_grid(
            words,
            scores,
            [str(layer) for layer in range(L)],
            [str(head) for head in range(A)],
            "score",
            "layer",
            "head",
            highest=1.0,
        )


def in_a_cell(role: str) -> str:
    for told in DIRECTIONS:
        role = role.replace(f" {told}", f"\n→ {told.removeprefix('to its ')}")
    return role


def head_roles(
    model: MiniBERT,
    treebank: str | Path | Sequence[DependencySentence] | None = None,
    sentences: int = SENTENCES,
) -> HeadRoles:
    """Over the first `sentences` of a CoNLL-U file or of given trees; without them, stories of the embedded world."""
    source, trees = chosen(treebank, sentences)
    tokenizer, config = tokenizer_of(model), model.config
    names = tuple(layered(model, PROBS))
    counts = RelationCounts(len(names), config.num_heads)
    total: Looks | None = None
    nats = np.zeros((len(names), config.num_heads))
    for number, (one, words, weights) in enumerate(read_trees(model, trees, names)):
        found = looks(weights, words.ids, tokenizer, config.causal)
        total = found if total is None else total.plus(found)
        nats += relative_entropy(weights, config.causal)
        if len(words.spans.first) > 1:
            counts.add(most_attended(weights, words.spans), one, number % 2)
    assert total is not None
    relations = counts.relations
    shape = (0, 2, *nats.shape)
    return HeadRoles(
        source=source,
        sentences=len(trees),
        targets=tuple(names_of_targets(tokenizer)),
        shares=total.shares,
        even=total.baseline,
        relation_names=tuple(relations),
        accuracy=np.array([counts.accuracy(name) for name in relations]) if relations else np.empty(shape),
        offset_accuracy=np.array([counts.baseline(name) for name in relations]),
        relations=judged(counts, relations),
        entropy=nats / len(trees),
    )


def chosen(
    treebank: str | Path | Sequence[DependencySentence] | None, sentences: int
) -> tuple[str, list[DependencySentence]]:
    if sentences < 1:
        raise ValueError(f"sentences={sentences}: how many to read; choose 1 or more")
    if treebank is None:
        told = (one.tokens for story in stories(WORLD_SEEDS["test"]) for one in story.sentences)
        source, some = WORLD, (tree(tokens) for tokens in told)
    elif isinstance(treebank, str | Path):
        source, some = str(treebank), (one for one in read_conllu(treebank))
    else:
        source, some = "given sentences", (one for one in treebank)
    found = list(islice(once_each(some), sentences))
    if not found:
        raise ValueError(f"{source}: no sentence in it; give a treebank in CoNLL-U")
    return source, found


def once_each(trees: Iterable[DependencySentence]) -> Iterator[DependencySentence]:
    """A sentence that comes back word for word is left out: it must not choose a head and judge it too."""
    seen: set[tuple[str, ...]] = set()
    for one in trees:
        if one.words not in seen:
            seen.add(one.words)
            yield one


def read_trees(
    model: MiniBERT, trees: Sequence[DependencySentence], names: tuple[str, ...]
) -> Iterator[tuple[DependencySentence, AlignedWords, Array]]:
    """Each sentence with its pieces and its attention (L, A, T, T), read in batches of like length."""
    tokenizer, config = tokenizer_of(model), model.config
    check_weights(model.arena)
    aligned = [align(one.words, tokenizer, config.max_seq_length) for one in trees]
    fill = tokenizer.pad_id or 0
    order = sorted(range(len(trees)), key=lambda i: len(aligned[i]))
    start = 0
    while start < len(order):
        end = start + 1
        while end < len(order) and (end + 1 - start) * len(aligned[order[end]]) <= TOKENS_AT_ONCE:
            end += 1
        group = [aligned[i] for i in order[start:end]]
        T = len(group[-1])
        ids = checked_ids(padded([one.ids for one in group], T, fill), config)
        mask = np.arange(T) < np.array([[len(one)] for one in group])
        types = padded([one.type_ids for one in group], T, 0) if config.token_types else None
        inputs = checked_inputs(ids, None if mask.all() else mask, types, config)
        t = Trace(model.arena, inputs=inputs, watch=names, keeps=False)
        model.network.encode(ids, t)
        for row, i in enumerate(order[start:end]):
            size = len(aligned[i])
            yield trees[i], aligned[i], np.stack([t.acts[name][row, :, :size, :size] for name in names])
        start = end


def relative_entropy(weights: Array, causal: bool) -> Array:
    """(L, A)"""
    from mini_bert.evaluation.representations.attention import entropies

    L, *_, T = weights.shape
    nats, most = entropies(weights, np.ones((L, T), bool), causal)
    has_choice = most[0] > 0
    if not has_choice.any():
        return np.zeros(weights.shape[:2])
    found: Array = (nats[..., has_choice] / most[0, has_choice]).mean(-1)
    return found
