"""Tables of arrays: every cell that is shown is the one that its index says, with the right names beside it."""

import numpy as np
import pytest

from mini_bert.explorer.desk import Desk
from mini_bert.explorer.question import Question
from mini_bert.explorer.views import tensor as tensor_view
from mini_bert.explorer.views.tensor import TensorAsked, give_tensor
from mini_bert.models.zoo import MEMBERS
from tests.unit.analysed_models import member
from tests.unit.small_zoo import small_model

QUESTION = Question(text="the dog is [MASK] .", target={4: "the"})


@pytest.fixture
def desk(tokenizer):
    return Desk.of(member("mini", tokenizer))


def table(desk, name, of="value", **cut):
    return give_tensor(desk, TensorAsked(question=QUESTION, name=name, of=of, slice=cut))


def check_cells(found, array):
    """Every cell of the table is the number of the array at its index."""
    assert found["shape"] == list(array.shape)
    assert found["values"].shape == (len(found["rows"]["labels"]), len(found["columns"]["labels"]))
    for r, c in np.ndindex(found["values"].shape):
        index = list(found["base"])
        for side, at in ((found["rows"], r), (found["columns"], c)):
            if side["axis"] >= 0:
                index[side["axis"]] = side["index"][at]
        assert found["values"][r, c] == array[tuple(index)]


def test_a_head_of_queries(desk):
    found = table(desk, "Q_1", head=1)
    check_cells(found, desk.reading(QUESTION).passed["Q_1"])
    assert (found["base"][:2], found["values"].shape) == ([0, 1], (7, 8))
    assert found["rows"]["labels"] == ["[CLS]", "the", "dog", "is", "[MASK]", ".", "[SEP]"]
    assert found["chosen"] == [{"kind": "head", "at": 1, "size": 2}]
    assert found["told"] == "head 1 (of 0 to 1), all 7 pieces, all 8 numbers"


def test_statistics_are_those_of_the_whole_array(desk):
    whole = desk.reading(QUESTION).passed["Q_1"]
    found = table(desk, "Q_1", head=1)["statistics"]
    assert found["mean"] == pytest.approx(whole.mean())
    assert found["norm"] == pytest.approx(np.sqrt((whole**2).sum()))
    assert (found["min"], found["max"], found["size"]) == (whole.min(), whole.max(), whole.size)


def test_as_many_classes_as_pieces_are_classes_still(tokenizer):
    question = Question(text="the dog is here .")
    pieces = len(tokenizer.encoding(question.text))
    desk = Desk.of(small_model(tokenizer, head="classes", classes=pieces))
    found = give_tensor(desk, TensorAsked(question=question, name="logits"))
    assert found["shape"] == [1, pieces]
    assert found["columns"]["kind"] == "class"


def test_weights_are_seen_as_the_guide_writes_them(desk):
    model = desk.model("")
    for name in ("W_Q_0", "encoder.layers.0.attn.query.weight"):
        found = table(desk, name, "weight")
        check_cells(found, model.params["W_Q_0"])
        assert (found["name"], found["rows"]["kind"], found["columns"]["kind"]) == ("W_Q_0", "in", "out")
    assert found["columns"]["labels"][9] == "head 1 · 1"
    bias = table(desk, "b_Q_0", "weight")
    check_cells(bias, model.params["b_Q_0"])
    assert (bias["values"].shape, bias["rows"]["axis"]) == ((1, 16), -1)


def test_of_a_vocabulary_only_words_that_matter_are_sent(desk, tokenizer):
    reading = desk.reading(QUESTION)
    logits = table(desk, "logits")
    check_cells(logits, reading.passed["logits"])
    best = tokenizer.id_to_token[int(reading.passed["logits"][0, 4].argmax())]
    assert logits["columns"]["labels"][0] == best
    assert "the" in logits["columns"]["labels"]
    assert len(logits["columns"]["labels"]) <= 41
    rows = table(desk, "token_embeddings", "weight")
    check_cells(rows, desk.model("").params["token_embeddings"])
    assert rows["rows"]["labels"] == list(dict.fromkeys(reading.pieces))
    one_more = table(desk, "logits", word=777)
    assert 777 in one_more["columns"]["index"]
    check_cells(one_more, reading.passed["logits"])


def test_gradients_are_those_of_the_pass_in_float64(desk):
    passed = desk.reading(QUESTION).exact.passed
    check_cells(table(desk, "norm1_0", "gradient"), passed.activation_gradients["norm1_0"])
    check_cells(table(desk, "W1_0", "weight_gradient"), passed.gradients["W1_0"])


def test_large_arrays_come_in_windows(desk, monkeypatch):
    monkeypatch.setattr(tensor_view, "MOST_CELLS", 48)
    monkeypatch.setattr(tensor_view, "MOST_COLUMNS", 12)
    first, later = table(desk, "W1_0", "weight"), table(desk, "W1_0", "weight", row=5, column=99)
    assert (first["rows"]["index"], first["columns"]["index"]) == ([0, 1, 2, 3], list(range(12)))
    assert (later["rows"]["index"], later["columns"]["index"]) == ([5, 6, 7, 8], list(range(12, 24)))
    check_cells(later, desk.model("").params["W1_0"])
    assert later["told"] == "numbers in 5 to 8 of 16, numbers out 12 to 23 of 24"


@pytest.mark.parametrize("name", MEMBERS)
def test_every_array_of_every_member_can_be_shown(name, tokenizer):
    desk = Desk.of(member(name, tokenizer))
    question = Question(text="the dog is [MASK] .")
    reading = desk.reading(question)
    for of, names in (("value", reading.graph.made), ("weight", desk.model("").params)):
        for one in names:
            if one == "loss":
                continue
            found = give_tensor(desk, TensorAsked(question=question, name=one, of=of))
            assert found["values"].shape == (len(found["rows"]["index"]), len(found["columns"]["index"]))
            assert np.isfinite(found["values"]).all() or "scores" in one


@pytest.mark.parametrize(
    ("name", "of", "cut", "told"),
    [
        ("Q_9", "value", {}, "Q_9"),
        ("W_Q_0", "value", {}, 'of="weight"'),
        ("Q_0", "weight", {}, "Q_0"),
        ("Q_0", "value", {"head": 7}, "choose from 0 to 1"),
        ("encoder.layers.0.attn.mixed.x", "gradient", {}, "mixed"),
    ],
)
def test_what_is_not_there_is_told(desk, name, of, cut, told):
    with pytest.raises(ValueError, match=told):
        table(desk, name, of, **cut)
