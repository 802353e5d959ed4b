"""Answers on their way: what is packed comes out, and anybody can read it who knows the form."""

import json
import struct

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from mini_bert.explorer.wire import as_json, exact, pack, unpack

ARRAYS = st.one_of(
    *(
        hnp.arrays(dtype, hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=5))
        for dtype in (np.float16, np.float32, np.int32, np.uint8, ">f4", "<i2")
    )
)
PLAIN = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False)
    | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=10,
).filter(lambda value: "inf" not in repr(value) and not has_half_characters(value))


def has_half_characters(value):
    return any("\ud800" <= letter <= "\udfff" for letter in str(value))


@settings(max_examples=40, deadline=None)
@given(st.lists(ARRAYS, max_size=4), PLAIN)
def test_what_is_packed_comes_out(arrays, more):
    found = unpack(pack({"arrays": arrays, "more": more}))
    assert found["more"] == more
    assert len(found["arrays"]) == len(arrays)
    for got, sent in zip(found["arrays"], arrays, strict=True):
        assert got.shape == sent.shape
        np.testing.assert_array_equal(got, sent)


def test_the_form_is_as_told():
    """Read by hand: length, JSON, and each buffer at a multiple of eight bytes."""
    a, b = np.arange(3, dtype=np.float32), np.arange(4, dtype=np.int64).reshape(2, 2) - 1
    packed = pack({"a": a, "in": [{"b": b}], "é": "ü"})
    (n,) = struct.unpack_from("<I", packed)
    assert (4 + n) % 8 == 0
    header = json.loads(packed[4 : 4 + n].decode())
    assert header["a"] == {"$array": {"dtype": "f32", "shape": [3], "at": 0}}
    assert header["in"][0]["b"] == {"$array": {"dtype": "i32", "shape": [2, 2], "at": 16}}
    assert header["é"] == "ü"
    assert struct.unpack_from("<3f", packed, 4 + n) == (0, 1, 2)
    assert struct.unpack_from("<4i", packed, 4 + n + 16) == (-1, 0, 1, 2)
    assert len(packed) == 4 + n + 32


def test_digits_are_kept_where_they_are_wanted():
    third = np.array([1 / 3])
    found = unpack(pack({"usual": third, "exact": exact(third)}))
    assert found["usual"].dtype == np.float32
    assert found["exact"].dtype == np.float64
    assert found["exact"][0] == 1 / 3
    plain = json.loads(as_json({"usual": third, "exact": exact(third)}))
    assert plain == {"usual": [0.333333], "exact": [1 / 3]}


def test_numbers_that_json_lacks_become_null():
    answer = {"a": float("nan"), "b": np.float32("inf"), "c": [np.array([np.nan, 1])]}
    assert json.loads(as_json(answer)) == {"a": None, "b": None, "c": [[None, 1.0]]}
    found = unpack(pack(answer))
    assert (found["a"], found["b"]) == (None, None)
    assert np.isnan(found["c"][0][0])


def test_large_whole_numbers_survive():
    assert unpack(pack({"ids": np.array([2**40, -1])}))["ids"].tolist() == [2**40, -1]
    assert unpack(pack({"yes": np.array([True, False])}))["yes"].tolist() == [1, 0]


def test_half_a_character_does_not_break_the_answer():
    assert unpack(pack({"text": "a\ud800"}))["text"] == "a\ufffd"


def test_arrays_of_other_things_are_refused():
    with pytest.raises(TypeError, match="list of texts"):
        pack({"words": np.array(["a"])})
