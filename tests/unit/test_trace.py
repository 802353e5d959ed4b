"""All that one pass touches, by name."""

import numpy as np
import pytest

from mini_bert.core.trace import Trace

ONES = np.ones((2, 3))


def test_path_and_home_grow_together_unless_weights_are_shared():
    t = Trace({}) / "encoder"
    assert (t.path, t.home) == ("encoder.", "encoder.")
    t = t.at("layers.5", home="layers.0") / "attn"
    assert (t.path, t.home) == ("encoder.layers.5.attn.", "encoder.layers.0.attn.")


def test_going_deeper_leaves_the_trace_where_it_was():
    t = Trace({})
    assert (t / "deeper").kept is t.kept
    assert t.path == ""


def test_weights_are_found_at_home_and_activations_at_the_path():
    t = Trace({"shared.weight": ONES}).at("here", home="shared")
    assert t.param("weight") is ONES
    t.keep("x", ONES)
    assert t.kept.keys() == {"here.x"}
    assert t["x"] is ONES


def test_a_borrowed_weight_and_its_gradient_are_the_owner_s():
    grads = {"table": np.zeros((2, 3))}
    t = (Trace({"table": ONES}, grads) / "head").borrowing("weight", "table")
    t.add_grads(weight=ONES)
    assert t.param("weight") is ONES
    np.testing.assert_array_equal(grads["table"], ONES)


def test_a_weight_is_borrowed_only_where_it_was_said():
    t = (Trace({"table": ONES, "other.weight": 2 * ONES}) / "head").borrowing("weight", "table")
    assert t.but(home="other.").param("weight")[0, 0] == 2


def test_gradients_accumulate_in_the_arrays_that_were_given():
    grads = {"w": np.zeros((2, 3)), "table": np.zeros((2, 3))}
    mine = dict(grads)
    t = Trace({}, grads)
    for _ in range(2):
        t.add_grads(w=ONES)
        t.add_grad_rows("table", np.array([1]), ONES[:1])
    np.testing.assert_array_equal(mine["w"], 2 * ONES)
    np.testing.assert_array_equal(mine["table"], [[0, 0, 0], [2, 2, 2]])


def test_watching_is_by_pattern():
    t = Trace({}, watch=("layers.*.out",))
    for scope in ("layers.0", "layers.11", "head"):
        (t / scope).show("out", ONES)
        (t / scope).show_grad("out", ONES)
        (t / scope).show("in", ONES)
    assert t.acts.keys() == t.act_grads.keys() == {"layers.0.out", "layers.11.out"}


def test_a_hook_replaces_what_is_shown_kept_and_watched():
    t = Trace({}, watch=("*",), hooks={"a.x": lambda x: x + 1}) / "a"
    np.testing.assert_array_equal(t.keep("x", ONES), 2 * ONES)
    np.testing.assert_array_equal(t["x"], 2 * ONES)
    np.testing.assert_array_equal(t.acts["a.x"], 2 * ONES)
    np.testing.assert_array_equal(t.keep("y", ONES), ONES)


def test_what_only_the_backward_pass_needs_is_kept_and_watched_but_not_hooked():
    t = Trace({}, watch=("*",), hooks={"a.x": lambda x: x + 1, "a.y": lambda y: y + 1}) / "a"
    t.remember("x", ONES)
    assert t["x"] is t.acts["a.x"] is ONES
    t.keep("y", ONES)
    assert t.met == {"a.y"}


def test_a_hook_cannot_change_what_it_sees():
    def hook(x):
        x[...] = 7
        return x

    x = np.ones((2, 3))
    assert Trace({}, hooks={"x": hook}).show("x", x)[0, 0] == 7
    np.testing.assert_array_equal(x, ONES)


def test_a_hook_keeps_the_dtype():
    hooks = {"x": lambda x: np.zeros(x.shape)}
    assert Trace({}, hooks=hooks).show("x", ONES.astype(np.float32)).dtype == np.float32


def test_a_hook_must_keep_the_shape():
    with pytest.raises(ValueError, match=r"a\.x: the hook returned shape \(3,\), .* \(2, 3\)"):
        (Trace({}, hooks={"a.x": lambda x: x[0]}) / "a").show("x", ONES)


def test_a_forgetful_trace_keeps_nothing_but_is_watched():
    t = Trace({}, watch=("*",))
    t.forgetful().keep("x", ONES)
    assert not t.kept
    assert t.acts.keys() == {"x"}


def test_all_positions_are_asked_unless_some_are():
    x = np.arange(24.0).reshape(2, 4, 3)
    t = Trace({})
    assert t.asked(x) is x
    assert t.asked_backward(x, 4) is x
    asked = t.asking(np.array([[3], [0]])).asked(x)
    np.testing.assert_array_equal(asked, [x[0, 3:4], x[1, :1]])


def test_the_first_gradient_is_written_over_what_was_there_and_others_are_added():
    grads = {name: np.full((2, 3), np.nan) for name in ("w", "table", "product")}
    t = Trace({}, grads)
    t.unwritten = set(grads)
    for count in (1, 2):
        t.add_grads(w=ONES)
        t.add_grad_rows("table", np.array([1]), ONES[:1])
        place = t.blank_grad("product")
        assert (place is grads["product"]) == (count == 1)
        t.add_grads(product=np.multiply(ONES, 3, out=place))
        np.testing.assert_array_equal(grads["w"], count * ONES)
        np.testing.assert_array_equal(grads["table"], [[0, 0, 0], [count] * 3])
        np.testing.assert_array_equal(grads["product"], 3 * count * ONES)
    assert not t.unwritten


def test_a_borrowed_weight_is_written_once_whoever_comes_first():
    grads = {"table": np.full((2, 3), np.nan)}
    t = Trace({}, grads)
    t.unwritten = {"table"}
    (t / "head").borrowing("weight", "table").add_grads(weight=ONES)
    t.add_grad_rows("table", np.array([0]), ONES[:1])
    np.testing.assert_array_equal(grads["table"], [[2, 2, 2], [1, 1, 1]])


def test_without_unwritten_gradients_there_is_no_blank_one():
    assert Trace({}, {"w": ONES}).blank_grad("w") is None
