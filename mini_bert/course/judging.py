"""The toolkit of the checks: each function is silent, or raises Mismatch, which tells the learner what is wrong.

judge.shape(learner.softmax(x), (2, 3))
judge.close(learner.softmax(x), want, mistakes={"the sum runs over all rows": wrong})
judge.gradient(learner.softmax_backward(dp, p), softmax, s, dp)

What was called, and on which input, is found from the result itself; `of` and `input` tell it otherwise. A learner's
answer is never broadcast: it has the expected shape, or the shape is what is told.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from mini_bert.core.array import Array
from mini_bert.core.gradcheck import Method, complex_step, five_point
from mini_bert.course.calls import origin_of
from mini_bert.course.mistakes import Mistakes, likely, near, of_shape
from mini_bert.course.showing import FEW, both, named, place, told_input

Input = Mapping[str, Any]


class Mismatch(Exception):
    """What was expected, what came, on which input, and the likely mistake."""

    def __init__(self, told: str, given: Input | None = None, mistake: str | None = None) -> None:
        lines = [
            told,
            told_input(given) if given else "",
            f"Likely mistake: {mistake}." if mistake else "",
        ]
        super().__init__("\n".join(filter(None, lines)))


def array(got: Any, of: str | None = None, input: Input | None = None) -> Array:
    """The answer, if it is a NumPy array or one of its numbers."""
    of, input = told_origin(got, of, input)
    if got is None:
        raise Mismatch(f"{of} gave None.", input, "the function ends without `return`")
    if isinstance(got, bool | int | float | complex):
        return np.asarray(got)
    if not isinstance(got, np.ndarray | np.generic):
        many = isinstance(got, tuple)
        mistake = "several things are returned where one is asked for" if many else None
        raise Mismatch(f"{of} gave a {type(got).__name__}, expected a NumPy array.", input, mistake)
    if got.dtype == object:
        raise Mismatch(f"{of} gave an array of objects, expected one of numbers.", input)
    return np.asarray(got)


def shape(
    got: Any,
    want: tuple[int, ...],
    of: str | None = None,
    input: Input | None = None,
    mistakes: Mapping[str, tuple[int, ...]] | None = None,
) -> None:
    """`mistakes`: how to tell one → the shape that it leads to."""
    of, input = told_origin(got, of, input)
    found = array(got, of, input).shape
    if found != want:
        known = next((told for told, wrong in (mistakes or {}).items() if wrong == found), None)
        raise Mismatch(f"{of} has shape {found}, expected {want}.", input, known or of_shape(found, want))


def same_dtype(got: Any, like: Array, of: str | None = None) -> None:
    """float32 in, float32 out."""
    dtype(got, like.dtype, of, " as the input is")


def dtype(got: Any, want: Any, of: str | None = None, why: str = "") -> None:
    of, _ = told_origin(got, of, None)
    found, want = array(got, of).dtype, np.dtype(want)
    if found == want:
        return
    mistake = "true and false are no numbers yet; .astype makes them 1 and 0" if found.kind == "b" else None
    if found == np.float64:
        mistake = (
            "something on the way is float64: an array made by np.zeros, np.ones or np.arange without a dtype, whole "
            "numbers, like those of a mask, times a float, or a NumPy number like np.sqrt(2)"
        )
    raise Mismatch(f"{of} is {found}, expected {want}{why}.", mistake=mistake)


def close(
    got: Any,
    want: Any,
    of: str | None = None,
    input: Input | None = None,
    mistakes: Mistakes | None = None,
    rtol: float | None = None,
) -> None:
    """The expected numbers, as close as the dtype allows.

    `mistakes`: how to tell a mistake → the answer that it leads to, or a function that computes it when needed.
    """
    of, input = told_origin(got, of, input)
    found, want = array(got, of, input), np.asarray(want)
    if found.shape != want.shape:
        mistake = likely(found, want, mistakes or {}, rtol)
        raise Mismatch(f"{of} has shape {found.shape}, expected {want.shape}.", input, mistake)
    right = near(found, want, rtol)
    if right.all():
        return
    mistake = likely(found, want, mistakes or {}, rtol)
    lines = [f"{of} is wrong."]
    if want.ndim and want.size <= FEW:
        lines.append(both(want, found))
    lines.append(worst(found, want, right))
    raise Mismatch("\n".join(lines), input, mistake)


def worst(got: Array, want: Array, right: Array) -> str:
    """How many numbers are wrong, and the first that is."""
    index = tuple(np.argwhere(~right)[0])
    where = f"  {place(index)}:" if index else " "
    how_many = f"; {int((~right).sum())} of {got.size} are wrong" if got.size > 1 else ""
    return f"{where} expected {digits(want[index])}, got {digits(got[index])}{how_many}"


def digits(number: Any) -> str:
    return f"{number:.8g}" if np.asarray(number).dtype.kind in "fc" else str(number)


def equal(
    got: Any, want: Any, of: str | None = None, input: Input | None = None, mistakes: Mistakes | None = None
) -> None:
    """The very same thing: for words, lists, counts."""
    of, input = told_origin(got, of, input)
    if type(got) is not type(want):
        what = "None" if got is None else f"a {type(got).__name__}"
        mistake = "the function ends without `return`" if got is None else None
        raise Mismatch(f"{of} gave {what}, expected a {type(want).__name__}: {want!r}.", input, mistake)
    if got != want:
        known = next((told for told, wrong in (mistakes or {}).items() if wrong == got), None)
        raise Mismatch(f"{of} is wrong.\n{both(want, got)}", input, known)


def holds(
    condition: Any, told: str, got: Any = None, input: Input | None = None, mistake: str | None = None
) -> None:
    """A property that the answer must have; `told` says which it has not."""
    if not condition:
        _, input = told_origin(got, "", input)
        raise Mismatch(told if got is None else f"{told}\n{named('got', got)}", input, mistake)


def several(got: Any, number: int, of: str | None = None) -> None:
    """A tuple of so many results."""
    of, input = told_origin(got, of, None)
    if not isinstance(got, tuple) or len(got) != number:
        found = f"{len(got)} results" if isinstance(got, tuple) else f"one {type(got).__name__}"
        raise Mismatch(f"{of} gave {found}, expected {number} results: `return a, b`.", input)


def raises(error: type[Exception], call: Callable[[], Any], of: str, saying: str = "") -> None:
    """A wrong input is refused, with a message that says this."""
    try:
        call()
    except error as found:
        if saying not in str(found):
            raise Mismatch(
                f"{of} raises {error.__name__}, but its message does not say “{saying}”: {found}"
            ) from None
        return
    raise Mismatch(f"{of} was accepted; expected `raise {error.__name__}(…)`.")


def gradient(
    got: Any,
    forward: Callable[[Array], Array],
    at: Array,
    dy: Array,
    of: str | None = None,
    input: Input | None = None,
    mistakes: Mistakes | None = None,
    method: Method = "complex",
) -> None:
    """got = ∂ Σ dy · forward(at) / ∂at, against the slope that is measured, entry by entry, in float64."""
    want = measured_gradient(forward, at, dy, method)
    rtol = 1e-5 if method == "five-point" else None  # what is left of five differences
    close(got, want, of, input, mistakes, rtol)


def measured_gradient(
    forward: Callable[[Array], Array], at: Array, dy: Array, method: Method = "complex"
) -> Array:
    """∂ Σ dy · forward(x) / ∂x; `complex` steps are exact, but forward must be able to take complex numbers."""
    moved = {"x": at.astype(complex if method == "complex" else float)}
    slope = complex_step if method == "complex" else five_point
    found = np.empty(at.shape)
    for index in np.ndindex(at.shape):
        found[index] = slope(lambda given: np.sum(dy * forward(given["x"])), moved, "x", index)
    return found


def example(*shape: int, seed: int = 0, dtype: type[np.floating[Any]] = np.float64) -> Array:
    """Numbers with one decimal between −2 and 2, the same every time: they print short."""
    drawn = np.random.default_rng([seed, *shape]).integers(-20, 21, shape)
    found: Array = (drawn / 10).astype(dtype)
    return found


def not_contiguous(x: Array) -> Array:
    """The same numbers, with gaps between them in memory."""
    return np.repeat(x, 2, -1)[..., ::2]


def told_origin(got: Any, of: str | None, input: Input | None) -> tuple[str, Input | None]:
    found = origin_of(got)
    if found is None:
        return of or "the result", input
    told, call = found
    return of or told, call.arguments if input is None else input
