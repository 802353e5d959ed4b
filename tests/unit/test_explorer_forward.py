"""The steps of the forward view: in order, of the right shapes, joined to what they are made of."""

import numpy as np
import pytest

from mini_bert import ModelConfig
from mini_bert.analysis.forward_steps import forward_steps
from mini_bert.explorer.desk import Desk
from mini_bert.explorer.question import Edit, Question
from mini_bert.explorer.views.forward import ForwardAsked, give_forward
from mini_bert.models.zoo import MEMBERS
from tests.tolerances import assert_close
from tests.unit.analysed_models import lively, member
from tests.unit.variants import MODERN

TEXT = "the dog is [MASK] ."


def forward(model, **settings):
    desk = Desk.of(model)
    question = Question(text=TEXT, **settings)
    return give_forward(desk, ForwardAsked(question=question)), desk.reading(question)


@pytest.mark.parametrize("name", [*MEMBERS, "modern"])
def test_every_member_has_a_diagram_without_gaps(name, tokenizer):
    settings = {"vocab_size": tokenizer.vocab_size, **MODERN}
    model = (
        member(name, tokenizer)
        if name in MEMBERS
        else lively(ModelConfig.preset("debug", **settings), tokenizer)
    )
    found, reading = forward(model)
    seen: set[str] = set()
    for step in found["steps"]:
        assert set(step["inputs"]) <= seen
        assert step["same_as"] is None or step["same_as"] in seen
        assert step["mathml"].startswith("<math")
        assert all(step[told] for told in ("face", "words", "spelled"))
        for weight in step["weights"]:
            assert tuple(weight["shape"]) == model.params[weight["name"]].shape
        seen.add(step["name"])
    blocks = [step["block"] for step in found["steps"]]
    assert found["blocks"] == sorted(set(blocks), key=blocks.index)
    assert (found["blocks"][0], found["blocks"][-1]) == ("Embeddings", "Head")
    assert [step["dotted"] for step in found["steps"]] == [step.dotted for step in forward_steps(reading)]


def test_shapes_are_spelled_and_sizes_are_those_of_the_pieces(tokenizer):
    found, reading = forward(member("mini", tokenizer))
    by_name = {
        step["name"]: (step, sizes) for step, sizes in zip(found["steps"], found["sizes"], strict=True)
    }
    assert by_name["Q_0"][0]["spelled"] == "2 heads × 7 pieces × 8 numbers"
    assert by_name["scores_1"][0]["spelled"] == "2 heads × 7 pieces × 7 pieces looked at"
    assert by_name["logits"][0]["spelled"] == f"7 pieces × {tokenizer.vocab_size:,} words"
    context = reading.passed["context_1"][0]
    assert_close(by_name["context_1"][1], [np.linalg.norm(row) / 4 for row in context])
    scores = reading.passed["scores_1"][0]
    wanted = [np.sqrt(np.mean([scores[a, 3, j] ** 2 for a in range(2) for j in range(7)]))]
    assert_close(by_name["scores_1"][1][3:4], wanted)


def test_a_step_that_a_hook_changes_stands_for_itself(tokenizer):
    plain, _ = forward(member("mini", tokenizer))
    edited, reading = forward(member("mini", tokenizer), edits=(Edit(layer=1, head=0, kind="off"),))
    assert not any(step["changed"] for step in plain["steps"])
    changed = [step for step in edited["steps"] if step["changed"]]
    assert {step["dotted"] for step in changed} == set(reading.passed.trace.hooks) & {
        step["dotted"] for step in edited["steps"]
    }
    assert [step["same_as"] for step in changed] == [None]
    same = {step["name"]: step["same_as"] for step in plain["steps"]}
    assert (same["layer_output_0"], same["head_transformed"]) == ("norm2_0", "hidden_states")
    assert same["norm2_0"] is None


def test_steps_with_another_name_have_the_same_numbers(tokenizer):
    for name in MEMBERS:
        found, reading = forward(member(name, tokenizer))
        for step in found["steps"]:
            if step["same_as"] is not None:
                assert np.array_equal(reading.passed[step["name"]], reading.passed[step["same_as"]])
