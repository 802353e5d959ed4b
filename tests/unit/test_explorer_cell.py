"""One number: its terms add up to it, each factor is the number that it leads to, and gradients pass their check."""

import re

import numpy as np
import pytest

from mini_bert import ModelConfig
from mini_bert.analysis import explain_cell
from mini_bert.explorer.desk import Desk
from mini_bert.explorer.question import Edit, Question
from mini_bert.explorer.tensors import tensor_of
from mini_bert.explorer.views.cell import CellAsked, SlopeAsked, give_cell, give_slope
from tests.unit.analysed_models import lively, member
from tests.unit.variants import MODERN

QUESTION = Question(text="the dog is [MASK] .", target={4: "the"})
CELL = re.compile(r"(d )?[\w. ]+\[[\d, ]+\]")
"""A factor that is a number itself, and not a function of it."""


@pytest.fixture
def desk(tokenizer):
    return Desk.of(member("mini", tokenizer))


@pytest.fixture
def modern(tokenizer):
    return Desk.of(lively(ModelConfig.preset("debug", vocab_size=tokenizer.vocab_size, **MODERN), tokenizer))


def cell(desk, name, index=(), of="value", question=QUESTION, **more):
    return give_cell(desk, CellAsked(question=question, name=name, of=of, index=index, **more))


def some_cells(reading, rng):
    """A number of every array that the views show."""
    weights = [name for name in reading.graph.used if name in reading.passed.trace.params]
    for of, names in (
        ("value", reading.graph.made),
        ("gradient", reading.exact.passed.activation_gradients.arrays),
        ("weight_gradient", weights),
        ("weight", weights),
    ):
        for name in names:
            if name != "loss":
                shape = tensor_of(reading, name, of).array.shape
                yield name, of, tuple(int(rng.integers(size)) for size in shape)


@pytest.mark.parametrize("which", ["desk", "modern"])
def test_the_terms_of_any_number_add_up_and_each_factor_leads_to_its_own(which, request):
    desk = request.getfixturevalue(which)
    reading = desk.reading(QUESTION)
    led = 0
    for name, of, index in some_cells(reading, np.random.default_rng(0)):
        found = cell(desk, name, index, of)
        assert found["value"] == tensor_of(reading, name, of).array[index]
        if of == "weight":
            assert not found["terms"]
            assert "Training has set" in found["note"]
            continue
        terms = found["terms"]
        largest = max([abs(found["value"]), *(abs(term["value"]) for term in terms)])
        assert abs(sum(term["value"] for term in terms) + found["rest"] - found["value"]) <= 1e-11 * largest
        for term in terms:
            assert term["value"] == pytest.approx(np.prod([factor["value"] for factor in term["factors"]]))
            for factor in term["factors"]:
                if factor["name"] is None:
                    continue
                there = tensor_of(reading, factor["name"], factor["of"]).array[tuple(factor["index"])]
                assert f"[{', '.join(map(str, factor['index']))}]" in factor["label"]
                if CELL.fullmatch(factor["label"]):
                    assert factor["value"] == there
                    led += 1
    assert led > 300


def test_a_value_is_told_as_the_analysis_tells_it(desk):
    told = explain_cell(desk.reading(QUESTION), "Q_0", (0, 1, 2, 5), most=4)
    found = cell(desk, "Q_0", (0, 1, 2, 5), most=4)
    assert [term["label"] for term in found["terms"]] == [term.label for term in told.terms]
    assert (found["label"], found["others"], found["rest"]) == (told.label, told.others, told.rest)
    assert [one["label"] for one in found["where"]] == ["head 1", "dog", "5"]
    assert "<msup>" in found["mathml"]


def test_the_index_of_a_weight_is_that_of_its_short_name(desk):
    reading = desk.reading(QUESTION)
    found = cell(desk, "W1_0", (3, 20), "weight_gradient")
    assert found["value"] == reading.exact.passed.gradients["W1_0"][3, 20]
    assert found["label"] == "d W1_0[3, 20]"
    assert cell(desk, "encoder.layers.0.ffn.up.weight", (3, 20), "weight_gradient") == found
    assert cell(desk, "W1_0", (3, 20), "weight")["value"] == desk.model("").params["W1_0"][3, 20]


def test_a_number_that_a_norm_made_has_its_mean_beside_it(desk):
    found = cell(desk, "norm1_0", (0, 3, 7))
    x = desk.reading(QUESTION).passed["residual1_0"][0, 3]
    asides = {one["label"]: one for one in found["asides"]}
    assert asides["μ"]["value"] == pytest.approx(x.mean())
    assert asides["σ"]["value"] == pytest.approx(x.std())
    assert (len(asides["μ"]["terms"]), asides["μ"]["others"]) == (5, 11)


def test_the_loss_has_no_index(desk):
    found = cell(desk, "loss")
    assert (found["label"], found["value"]) == ("loss", desk.reading(QUESTION).passed.loss)
    assert found["terms"][0]["factors"][-1]["name"] == "logits"


def test_what_an_edit_changed_is_a_term(desk):
    question = QUESTION.model_copy(update={"edits": (Edit(layer=0, head=1, kind="off"),)})
    reading = desk.reading(question)
    (hooked,) = reading.passed.trace.hooks
    index = tuple(size - 1 for size in reading.graph.numbers[hooked].shape)
    found = cell(desk, hooked, index, question=question, most=200)
    assert any("hook" in term["label"] for term in found["terms"])
    assert sum(term["value"] for term in found["terms"]) == pytest.approx(found["value"])


@pytest.mark.parametrize(
    ("name", "of", "index"),
    [
        ("W_Q_0", "weight_gradient", (3, 9)),
        ("token_embeddings", "weight_gradient", None),
        ("attention_weights_1", "gradient", (0, 1, 2, 3)),
        ("embeddings", "gradient", (0, 3, 2)),
    ],
)
def test_a_slope_agrees_and_leaves_the_weights_as_they_were(desk, name, of, index):
    reading = desk.reading(QUESTION)
    before = desk.model("").arena.flat.copy(), reading.exact.passed.trace.params.flat.copy()
    index = index or (int(reading.ids[2]), 5)
    found = give_slope(desk, SlopeAsked(question=QUESTION, name=name, of=of, index=index))
    assert found["agrees"]
    assert found["value"] == cell(desk, name, index, of)["value"] != 0
    assert found["numeric"] == pytest.approx(found["value"], rel=1e-4)
    assert np.array_equal(before[0], desk.model("").arena.flat)
    assert np.array_equal(before[1], reading.exact.passed.trace.params.flat)


@pytest.mark.parametrize(
    ("name", "of", "index", "told"),
    [
        ("Q_0", "value", (0, 1, 2), "no such number"),
        ("Q_0", "value", (0, 1, 2, 99), r"choose from \[0, 0, 0, 0\]"),
        ("Q_0", "value", (0, 0, -1, 0), "no such number"),
        ("Q_0", "value", (0, 0, 10**30, 0), "no such number"),
        ("Q_7", "value", (0,), "Q_7"),
        ("W_Q_0", "value", (0, 0), 'of="weight"'),
    ],
)
def test_a_number_that_is_not_there_is_told(desk, name, of, index, told):
    with pytest.raises(ValueError, match=told):
        cell(desk, name, index, of)


def test_only_a_gradient_can_be_checked(desk, modern):
    with pytest.raises(ValueError, match="only a gradient"):
        give_slope(desk, SlopeAsked(question=QUESTION, name="Q_0", of="value", index=(0, 0, 0, 0)))
    turned = SlopeAsked(question=QUESTION, name="encoder.layers.0.attn.q.turned", index=(0, 0, 0, 0))
    with pytest.raises(ValueError, match="cannot be moved"):
        give_slope(modern, turned)
