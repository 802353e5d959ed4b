"""The explorer's answers about attention: weights, edited heads, and each head switched off in turn."""

import numpy as np
import pytest

from mini_bert.analysis.ablation import ablation
from mini_bert.analysis.attention import attention
from mini_bert.analysis.reading import read
from mini_bert.analysis.removal import without_heads
from mini_bert.core.functions.softmax import softmax
from mini_bert.explorer.desk import Desk
from mini_bert.explorer.question import Edit, Question
from mini_bert.explorer.views.attention import (
    AttentionAsked,
    EffectAsked,
    HeadsOffAsked,
    give_attention,
    give_effect,
    give_heads_off,
)
from mini_bert.models.zoo import MEMBERS
from tests.tolerances import assert_close
from tests.unit.small_zoo import small_model

TEXT = "The dog saw the [MASK]."
PLACE = 5


@pytest.fixture(scope="module")
def model(tokenizer):
    return small_model(tokenizer)


@pytest.fixture(scope="module")
def desk(model):
    return Desk.of(model)


def off(layer, head):
    return Edit(layer=layer, head=head, kind="off")


def test_the_numbers_are_those_of_the_analysis(model, desk):
    answer = give_attention(desk, AttentionAsked(question=Question(text=TEXT)))
    found = attention(model, TEXT)
    assert answer["pieces"] == list(found.pieces)
    assert answer["special"] == [piece.startswith("[") for piece in found.pieces]
    assert_close(answer["weights"], found.weights)
    assert_close(answer["entropy"], -(found.weights * np.log(found.weights)).sum(-1))
    T = len(found.pieces)
    assert_close(answer["relative_entropy"], answer["entropy"].mean(-1) / np.log(T))
    assert_close(answer["rollout"].sum(-1), np.ones((2, T)))
    for layer in range(2):
        for head in range(2):
            best = answer["heads"][layer][head]["strongest"][0]
            assert best["weight"] == found.weights[layer, head].max()
            assert found.weights[layer, head, best["asking"], best["answering"]] == best["weight"]


def test_an_edited_head_looks_where_it_is_told(desk):
    edits = (Edit(layer=1, head=0, kind="look", query=2, key=4), Edit(layer=0, head=1, kind="even"))
    plain = give_attention(desk, AttentionAsked(question=Question(text=TEXT)))["weights"]
    weights = give_attention(desk, AttentionAsked(question=Question(text=TEXT, edits=edits)))["weights"]
    T = weights.shape[-1]
    assert_close(weights[1, 0, 2], np.eye(T)[4])
    assert_close(weights[0, 1], np.full((T, T), 1 / T))
    assert_close(weights[0, 0], plain[0, 0])
    assert abs(weights[1, 1] - plain[1, 1]).max() > 1e-4, "the layer above reads what the edited head wrote"


def test_the_effect_of_a_head_that_is_off_is_that_of_a_pass_without_it(model, desk):
    question = Question(text=TEXT, target={PLACE: "cat"}, edits=(off(1, 1),))
    (place,) = give_effect(desk, EffectAsked(question=question))["places"]
    number = model.tokenizer.token_to_id["cat"]
    before = softmax(read(model, TEXT).passed.logits[0, PLACE])
    after = softmax(read(model, TEXT, hooks=without_heads(model, [(1, 1)])).passed.logits[0, PLACE])
    assert place["answer"] == {"word": "cat", "token": "cat"}
    assert place["why"] == "target"
    assert_close(place["before"]["probability"], before[number])
    assert_close(place["after"]["probability"], after[number])
    assert before[number] != after[number]
    assert place["after"]["rank"] == (after > after[number]).sum()
    assert_close(place["after"]["words"][0]["probability"], after.max())


def test_the_same_word_is_followed_before_and_after(model, desk):
    """At a [MASK] of the text it is the best word of the model as it is, though the edited one may say another."""
    edits = tuple(off(layer, head) for layer in range(2) for head in range(2))
    (place,) = give_effect(desk, EffectAsked(question=Question(text=TEXT, edits=edits)))["places"]
    before, after = place["before"], place["after"]
    assert place["answer"]["token"] == before["words"][0]["token"] != after["words"][0]["token"]
    assert before["rank"] == 0 < after["rank"]


@pytest.mark.parametrize("by", ["zero", "mean"])
def test_heads_off_in_turn_agree_with_the_ablation(model, desk, by):
    question = Question(text=TEXT, target={PLACE: "cat"})
    answer = give_heads_off(desk, HeadsOffAsked(question=question, by=by))
    found = ablation(model, TEXT, answer="cat", measure="probability", by=by, kinds=["head"])
    assert_close(answer["whole"], np.array([found.whole]))
    for part in found.parts:
        assert_close(answer["without"][part.layer, part.head], np.array([part.value]))


def test_heads_off_keep_the_edits_that_are_there(model, desk):
    question = Question(text=TEXT, target={PLACE: "cat"}, edits=(off(0, 1),))
    answer = give_heads_off(desk, HeadsOffAsked(question=question))
    number = model.tokenizer.token_to_id["cat"]
    for layer, head in [(0, 0), (1, 1)]:
        hooks = without_heads(model, [(0, 1), (layer, head)])
        p = softmax(read(model, TEXT, hooks=hooks).passed.logits[0, PLACE, :])[number]
        assert_close(answer["without"][layer, head], np.array([p]))
    assert_close(answer["without"][0, 1], answer["whole"])


@pytest.mark.parametrize("member", MEMBERS)
def test_every_member_of_the_family_shows_its_attention(tokenizer, member):
    desk = Desk.of(small_model(tokenizer, member))
    answer = give_attention(desk, AttentionAsked(question=Question(text=TEXT)))
    assert_close(answer["weights"].sum(-1), np.ones(answer["weights"].shape[:-1]))


def test_a_model_of_classes_is_followed_too(tokenizer):
    model = small_model(tokenizer, head="classes", classes=3)
    desk = Desk.of(model)
    question = Question(text="the dog saw the cat .", edits=(off(0, 0),))
    (place,) = give_effect(desk, EffectAsked(question=question))["places"]
    p = softmax(read(model, question.text).passed.logits[0])
    assert place["answer"]["word"] == str(p.argmax())
    assert_close(place["before"]["probability"], p.max())
    without = give_heads_off(desk, HeadsOffAsked(question=question))["without"]
    assert_close(without[0, 0, 0], place["after"]["probability"])
