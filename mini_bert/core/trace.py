"""All that one pass touches, by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fnmatch import fnmatchcase

import numpy as np

from mini_bert.core.array import Array
from mini_bert.core.functions.dropout import Noise
from mini_bert.core.functions.gather import take_positions, take_positions_backward
from mini_bert.core.past import Past

Hook = Callable[[Array], Array]


class Trace:
    """The weights, activations and gradients of one forward and backward pass, in flat dicts with dotted names.

    `params` and `grads` share their keys. `acts` holds what is watched, and `act_grads`, under the same names, the
    gradients of those on the way from input to loss. `kept` holds what the backward pass needs. `met` are the hooks
    that were called. `inputs` are the pass's own: attention_mask, token_type_ids.
    `unwritten` names the gradients that hold nothing yet: the first one to arrive is written over what is there,
    whatever it is, and later ones are added. Without it all are added.
    `arrived` is told the name of a weight whenever a gradient of it has been added.
    `path` is where a call happens and `home` where its weights live: they differ only in sharing.
    `queries` (B, k) are the positions that must be answered; None means all of them.
    With `keeps=False` nothing is kept for a backward pass: what a layer has used is free when it is done.
    `offset` tokens came before those of this pass; `past` holds their keys and values by name, and gets ours. No
    gradient goes back to them, so such a pass keeps nothing.
    `memory` (B, M, H) by path is what layers read in the segment before, and `seen` what they read in this one, if a
    memory is given; see core/recurrence.py.
    `places` (B, R) is where each row of x stands in the text, and the first `answering` of them are its tokens, when
    there are others than its tokens; see core/two_streams.py.
    """

    def __init__(
        self,
        params: Mapping[str, Array],
        grads: Mapping[str, Array] | None = None,
        *,
        inputs: Mapping[str, Array] | None = None,
        queries: Array | None = None,
        watch: tuple[str, ...] = (),
        hooks: Mapping[str, Hook] | None = None,
        noise: Noise | None = None,
        keeps: bool = True,
        past: Past | None = None,
        offset: int = 0,
        memory: Mapping[str, Array] | None = None,
    ) -> None:
        self.params = params
        self.grads = grads if grads is not None else {}
        self.kept: dict[str, Array] = {}
        self.acts: dict[str, Array] = {}
        self.act_grads: dict[str, Array] = {}
        self.met: set[str] = set()
        self.inputs = inputs or {}
        self.queries = queries
        self.watch = watch
        self.hooks = hooks or {}
        self.noise = noise
        self.keeps = keeps
        self.past, self.offset = past, offset
        assert past is None or not keeps, "a pass that goes on from another has no backward pass"
        self.memory = memory
        self.seen: dict[str, Array] = {}
        self.places: Array | None = None
        self.answering: int | None = None
        self.path = self.home = ""
        self.borrowed: Mapping[str, str] = {}
        self.unwritten: set[str] = set()
        self.arrived: Callable[[str], None] = unheard

    def but(self, **changes: object) -> Trace:
        """This trace with some of its attributes exchanged; the dicts it writes to stay the same ones."""
        assert changes.keys() <= self.__dict__.keys(), f"a trace has not all of {list(changes)}"
        child = object.__new__(Trace)
        child.__dict__ = self.__dict__ | changes
        return child

    def at(self, path: str, home: str | None = None) -> Trace:
        """This trace, one level deeper: `t / "attn"` is `t.at("attn")`."""
        home = path if home is None else home
        return self.but(path=f"{self.path}{path}.", home=f"{self.home}{home}.")

    __truediv__ = at

    def asking(self, queries: Array | None) -> Trace:
        """This trace with other positions to be answered."""
        return self.but(queries=queries)

    def forgetful(self) -> Trace:
        """This trace with nothing kept: what is computed in it is not remembered outside it."""
        return self.but(kept={})

    def borrowing(self, name: str, owner: str) -> Trace:
        """This trace, in which our weight `name` is another's, given by its full name."""
        return self.but(borrowed={**self.borrowed, self.home + name: owner})

    def reading(self, **inputs: Array) -> Trace:
        """This trace with more inputs."""
        return self.but(inputs={**self.inputs, **inputs})

    def living_at(self, home: str) -> Trace:
        """This trace, in which all weights are those of another place, given by its full name."""
        return self.but(home=f"{home}.")

    def param(self, name: str) -> Array:
        return self.params[self.owner(name)]

    def owner(self, name: str) -> str:
        """The full name of our weight `name`, or of the one borrowed in its stead."""
        return self.borrowed.get(self.home + name, self.home + name)

    def add_grads(self, **grads: Array) -> None:
        """Accumulate: a weight used in several places, or by several micro-batches, collects every gradient."""
        for name, grad in grads.items():
            owner = self.owner(name)
            total = self.grads[owner]
            if owner not in self.unwritten:
                total += grad
            elif grad is not total:
                total[...] = grad
            self.unwritten.discard(owner)
            self.arrived(owner)

    def add_grad_rows(self, name: str, rows: Array, grad: Array) -> None:
        """Accumulate a gradient that is zero but for some rows, each named once."""
        owner = self.owner(name)
        total = self.grads[owner]
        if owner in self.unwritten:
            total[...] = 0
            self.unwritten.remove(owner)
        total[rows] += grad
        self.arrived(owner)

    def blank_grad(self, name: str) -> Array | None:
        """Where the gradient of our weight may be computed at once, before `add_grads` is told; else None."""
        owner = self.owner(name)
        return self.grads[owner] if owner in self.unwritten else None

    def show(self, name: str, value: Array) -> Array:
        """Name an activation: a hook may replace it (ablation, patching), a watcher gets to see it.

        The backward pass takes a hook for the addition of a constant: gradients pass through it unchanged.
        """
        key = self.path + name
        if key in self.hooks:
            value = replaced(key, value, self.hooks[key])
            self.met.add(key)
        if self.watches(key):
            self.acts[key] = value
        return value

    def keep(self, name: str, value: Array) -> Array:
        """Name an activation that the backward pass needs too."""
        value = self.show(name, value)
        if self.keeps:
            self.kept[self.path + name] = value
        return value

    def remember(self, name: str, value: Array) -> None:
        """Name what only the backward pass needs. No hook may replace it: the forward pass would not notice."""
        key = self.path + name
        if self.keeps:
            self.kept[key] = value
        if self.watches(key):
            self.acts[key] = value

    def show_grad(self, name: str, grad: Array) -> Array:
        """dLoss/d(activation), filed under the activation's own name."""
        if self.watches(self.path + name):
            self.act_grads[self.path + name] = grad
        return grad

    def watches(self, key: str) -> bool:
        return bool(self.watch) and any(fnmatchcase(key, pattern) for pattern in self.watch)

    def __getitem__(self, name: str) -> Array:
        return self.kept[self.path + name]

    def after_past(self, name: str, value: Array) -> Array:
        """value (B, A, T, D) behind what earlier passes left under its name; later passes find both."""
        return value if self.past is None else self.past.extended(self.path + name, value)

    def asked(self, x: Array) -> Array:
        """x (B, T, H) at the positions that must be answered, (B, k, H)."""
        return x if self.queries is None else take_positions(x, self.queries)

    def asked_backward(self, dy: Array, T: int) -> Array:
        """dx (B, T, H): each answered position's gradient back in its place."""
        return dy if self.queries is None else take_positions_backward(dy, self.queries, T)

    def sources(self, x: Array) -> Array:
        """The rows of x (B, R, H) that others may look at."""
        return x if self.answering is None else x[:, : self.answering]

    def sources_backward(self, dsource: Array) -> Array:
        """dx (B, R, H): zero for the rows that nobody looked at."""
        if self.answering is None:
            return dsource
        assert self.places is not None
        unseen = self.places.shape[1] - dsource.shape[1]
        return np.pad(dsource, ((0, 0), (0, unseen), (0, 0)))


def unheard(name: str) -> None:
    """Nobody wants to know that a gradient has come."""


def replaced(key: str, value: Array, hook: Hook) -> Array:
    """What the hook makes of an activation, in its dtype. It sees a copy, and its answer must have the same shape."""
    answer = np.asarray(hook(value.copy()))
    if answer.dtype == object:
        raise ValueError(
            f"{key}: the hook returned {answer.tolist()!r}; return an array like the one it is given"
        )
    if answer.shape != value.shape:
        raise ValueError(f"{key}: the hook returned shape {answer.shape}, the activation has {value.shape}")
    return answer if np.iscomplexobj(answer) else answer.astype(value.dtype, copy=False)
