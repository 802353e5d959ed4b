"""The common battery: what every part of a model must satisfy, whatever it computes.

A check takes a specimen (a part with something to read) and raises AssertionError when it does not hold.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations
from math import sqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike

from mini_bert.core.arena import Arena
from mini_bert.core.array import Array
from mini_bert.core.encoder import Checkpoint
from mini_bert.core.functions.dropout import Noise
from mini_bert.core.gradcheck import TOLERANCE, Method, check_gradients, relative_error
from mini_bert.core.layer import Weight
from mini_bert.core.trace import Trace
from tests.tolerances import assert_close, assert_same_bits

HOME = "home"  # where a specimen's weights live, whatever path it is called at
TWO_CALLS = ("first", "second")


@dataclass(frozen=True)
class Specimen:
    """A part, and one batch for it: `x` (B, T, H), or ids (B, T) for the parts that read words.

    `memory` is what was read before, by the path below the part. `lent` are weights it borrows, by full name.
    `vanishing` names those whose true gradient is zero.
    """

    part: Any
    x: Array
    inputs: Mapping[str, Array] = field(default_factory=dict)
    queries: Array | None = None
    noise: Noise | None = None
    memory: Mapping[str, Array] = field(default_factory=dict)
    lent: Mapping[str, Weight] = field(default_factory=dict)
    vanishing: tuple[str, ...] = ()
    smooth: bool = True

    @property
    def reads_words(self) -> bool:
        return bool(np.issubdtype(self.x.dtype, np.integer))

    @cached_property
    def weights(self) -> dict[str, Weight]:
        own = {f"{HOME}.{name}": weight for name, weight in self.part.all_weights().items()}
        return own | dict(self.lent)

    def lively(self, dtype: DTypeLike = np.float64) -> Arena:
        """Weights at which nothing is special: no gain is one, no bias is zero."""
        params, rng = Arena(self.weights, dtype), np.random.default_rng(0)
        for name, weight in self.weights.items():
            scale = 1 / sqrt(weight.shape[-1]) if weight.kind == "matrix" else 0.3
            params[name][...] = scale * rng.standard_normal(weight.shape) + (weight.kind == "gain")
        return params

    def trace(self, params: Mapping[str, Array], grads: Mapping[str, Array] | None = None) -> Trace:
        """What a pass carries; in a pass that has gradients everything is watched, and nothing can be rewritten."""
        kind, watch = (Trace, ()) if grads is None else (LockingTrace, ("*",))
        dtype = np.result_type(*(weight.real.dtype for weight in params.values())) if params else np.float64
        memory = {
            f"{path}.{below}": locked(states.astype(dtype))
            for path in (HOME, *TWO_CALLS)
            for below, states in self.memory.items()
        }
        return kind(
            params,
            grads,
            inputs=self.inputs,
            queries=self.queries,
            watch=watch,
            noise=self.noise,
            memory=memory,
        )

    def cast(self, dtype: DTypeLike) -> Array:
        return self.x if self.reads_words else self.x.astype(dtype)

    def upstream(self, y: Array) -> Array:
        """dLoss/dy, different at every entry: the loss is Σ dy · y.

        Small, as in a mean over y: a gradient that is zero must not be more than 10⁻¹⁵ by rounding.
        """
        return (np.random.default_rng(1).standard_normal(y.shape) / y.size).astype(y.dtype)

    def rows(self, order: Array) -> Specimen:
        """The same batch with its rows in another order."""
        inputs = {name: values[order] for name, values in self.inputs.items()}
        queries = None if self.queries is None else self.queries[order]
        memory = {below: states[order] for below, states in self.memory.items()}
        return replace(self, x=self.x[order], inputs=inputs, queries=queries, memory=memory)


class Run(NamedTuple):
    """All that one forward and backward pass leaves behind."""

    y: Array
    dx: Array | None
    grads: dict[str, Array]
    trace: Trace


class LockingTrace(Trace):
    """What it is shown or told to keep cannot be written to from that moment on, by whoever made it either."""

    def but(self, **changes: object) -> Trace:
        child = super().but(**changes)
        child.__class__ = LockingTrace
        return child

    def show(self, name: str, value: Array) -> Array:  # `keep` comes by here too
        return locked(super().show(name, value))

    def remember(self, name: str, value: Array) -> None:
        super().remember(name, locked(value))

    def show_grad(self, name: str, grad: Array) -> Array:
        return locked(super().show_grad(name, grad))


class SameDtypeOnly(np.ndarray):
    """A gradient that refuses to be added to in another dtype, where NumPy would convert in silence."""

    def __iadd__(self, other: Array) -> Array:
        assert other.dtype == self.dtype, f"a gradient of {other.dtype} arrives at a weight of {self.dtype}"
        return super().__iadd__(other)


def run(specimen: Specimen, dtype: DTypeLike = np.float64, dy: Array | None = None) -> Run:
    """Forward and backward once; inputs, weights, dy and all that is shown or kept cannot be written to."""
    params = specimen.lively(dtype)
    x = specimen.cast(dtype)
    grads = {name: np.zeros_like(weight).view(SameDtypeOnly) for name, weight in params.items()}
    asked = () if specimen.queries is None else (specimen.queries,)
    for given in (x, *params.values(), *specimen.inputs.values(), *asked):
        locked(given)
    t = specimen.trace(params, grads)
    y = specimen.part.forward(x, t / HOME)
    dy = specimen.upstream(y) if dy is None else dy
    locked(y)
    dx = specimen.part.backward(locked(dy), t / HOME)
    return Run(y, dx, {name: grad.view(np.ndarray) for name, grad in grads.items()}, t)


def locked(array: Array) -> Array:
    """The same array, read-only; so are the arrays it is a view of, or one could write to it through them."""
    owner: object = array
    while isinstance(owner, np.ndarray):
        owner.flags.writeable = False
        owner = owner.base
    return array


def check_gradient(specimen: Specimen, method: Method = "complex", samples: int | None = None) -> None:
    """The gradient of every weight, and of x, is the numeric one."""
    done = run(specimen)
    dy = specimen.upstream(done.y)
    places, grads = dict(specimen.lively()), dict(done.grads)
    if not specimen.reads_words:
        places["x"], grads["x"] = specimen.x, done.dx

    def loss(moved: Mapping[str, Array]) -> Array:
        y = specimen.part.forward(moved.get("x", specimen.x), specimen.trace(moved) / HOME)
        return (dy * y).sum()

    for check in check_gradients(loss, places, grads, method, samples):
        assert check.worst <= TOLERANCE[method], check


def check_nothing_given_is_written_to(specimen: Specimen) -> None:
    """Inputs, weights, dy and what was shown or kept stay as they are: mutate in place only what you created."""
    try:
        run(specimen)
    except ValueError as error:
        if "read-only" in str(error):
            raise AssertionError("an array that was given is written to") from error
        raise


def check_activation_gradients(specimen: Specimen) -> None:
    """Each activation's gradient is the slope of the loss when a hook moves the activation, any way."""
    done, h = run(specimen), 1e-30
    dy, rng = specimen.upstream(done.y), np.random.default_rng(2)
    for name, grad in done.trace.act_grads.items():
        direction = rng.standard_normal(grad.shape)
        t = specimen.trace(specimen.lively())
        t.hooks = {name: lambda value, by=1j * h * direction: value + by}
        slope = (dy * specimen.part.forward(specimen.x, t / HOME)).sum().imag / h
        assert relative_error(float((grad * direction).sum()), float(slope)) <= TOLERANCE["complex"], name


def check_no_gradient_vanishes(specimen: Specimen) -> None:
    """Each weight gets a gradient, but for those whose true gradient is zero."""
    grads = run(specimen).grads
    assert grads.keys() == specimen.weights.keys()
    for name, grad in grads.items():
        if name.endswith(specimen.vanishing):
            assert abs(grad).max() < 1e-12, name
        else:
            assert grad.any(), name


def check_dtype(specimen: Specimen, dtype: DTypeLike) -> None:
    """float32 in, float32 out, and all between; so for float64. `run` sees to the weights' gradients."""
    done = run(specimen, dtype)
    found = {"y": done.y, **done.trace.kept, **done.trace.acts, **done.trace.act_grads}
    if not specimen.reads_words:
        found["dx"] = done.dx
    wrong = {
        name: value.dtype
        for name, value in found.items()
        if np.issubdtype(value.dtype, np.inexact) and value.dtype != dtype
    }
    assert not wrong


def check_float32_follows_float64(specimen: Specimen) -> None:
    """Single precision gives the double's numbers, as far as its digits go."""
    single, double = run(specimen, np.float32), run(specimen, np.float64)
    np.testing.assert_allclose(single.y, double.y, rtol=0, atol=1e-4)
    assert_close(side_by_side(single.grads), side_by_side(double.grads))
    if not specimen.reads_words:
        assert_close(single.dx, double.dx)


def check_each_dropout_has_its_own_noise(specimen: Specimen) -> None:
    """No two calls drop alike, whether or not they share their weights."""
    assert_all_differ(run(specimen).trace.acts)


def assert_all_differ(arrays: Mapping[str, Array]) -> None:
    """Of the dropout masks among them, no two of one shape are equal; and there are such two."""
    masks = {name: mask for name, mask in arrays.items() if name.endswith(".mask")}
    pairs = [(one, two) for one, two in combinations(masks, 2) if masks[one].shape == masks[two].shape]
    assert pairs
    for one, two in pairs:
        assert (masks[one] != masks[two]).any(), f"{one} is {two}"


def check_batch_order_does_not_matter(specimen: Specimen) -> None:
    """Rows in another order give the same rows in that order, and the same gradients of the weights.

    Noise belongs to a row's number, so this holds without it.
    """
    specimen = replace(specimen, noise=None)
    plain = run(specimen)
    order = np.roll(np.arange(len(specimen.x)), 1)
    turned = run(specimen.rows(order), dy=specimen.upstream(plain.y)[order])
    assert_close(turned.y, plain.y[order])
    if not specimen.reads_words:
        assert_close(turned.dx, plain.dx[order])
    assert_close(side_by_side(turned.grads), side_by_side(plain.grads))


def check_two_calls_add_up(specimen: Specimen) -> None:
    """Called at two paths with the weights of one home, as in ALBERT: each call's gradients are summed."""
    params = specimen.lively()
    calls = dict(zip(TWO_CALLS, (specimen.x, specimen.x[::-1]), strict=True))

    def grads_of(*paths: str) -> Arena:
        grads = params.zeros_like()
        t = specimen.trace(params, grads)
        ys = {path: specimen.part.forward(calls[path], t.at(path, HOME)) for path in paths}
        for path in reversed(paths):
            specimen.part.backward(specimen.upstream(ys[path]), t.at(path, HOME))
        return grads

    first, second = TWO_CALLS
    together = grads_of(first, second)
    assert_close(together.flat, grads_of(first).flat + grads_of(second).flat)


def check_checkpointed_is_plain(specimen: Specimen) -> None:
    """Computed again in the backward pass, each number is the same, bit for bit; and only x is remembered."""
    plain = run(specimen)
    again = run(replace(specimen, part=Checkpoint(specimen.part)))
    assert again.trace.kept.keys() == {f"{HOME}.checkpoint"}
    assert_same_bits(again.y, plain.y)
    if not specimen.reads_words:
        assert_same_bits(again.dx, plain.dx)
    assert_same_bits(side_by_side(again.grads), side_by_side(plain.grads))


def side_by_side(grads: Mapping[str, Array]) -> Array:
    """All gradients in one vector, so that one that should vanish is compared at the scale of the others."""
    return np.concatenate([np.zeros(0, np.float32), *(grad.ravel() for grad in grads.values())])
