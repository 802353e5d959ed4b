"""The walk back from the loss: its steps, its words, and whether its numbers are right."""

import numpy as np
import pytest

from mini_bert.analysis.gradient_flow import gradient_flow
from mini_bert.analysis.reading import read
from mini_bert.explorer.desk import Desk
from mini_bert.explorer.question import Edit, Question
from mini_bert.explorer.views.backward import BackwardAsked, give_backward
from mini_bert.explorer.views.cell import SlopeAsked, give_slope
from mini_bert.models.names import ByAnyName, short
from tests.tolerances import assert_close
from tests.unit.small_zoo import TELLING_WORDS, small_model

TEXT = "The dog saw the cat."
ENTRIES = 100


@pytest.fixture(scope="module")
def model(tokenizer):
    return small_model(tokenizer)


@pytest.fixture(scope="module")
def desk(model):
    return Desk.of(model)


def walk(desk, **question):
    return give_backward(desk, BackwardAsked(question=Question(**({"text": TEXT} | question))))


def test_steps_are_those_of_the_backward_pass(model, desk):
    answer = walk(desk, hidden=(2,))
    flow = gradient_flow(model, read(model, TEXT, hidden=[2]))
    assert [step["dotted"] for step in answer["steps"]] == [one.dotted for one in flow.activations]
    assert answer["loss"] == flow.loss
    for step, one in zip(answer["steps"], flow.activations, strict=True):
        assert step["norm"] == one.norm
        assert step["shape"] == list(one.shape)
        assert step["mathml"].startswith("<math")
        assert step["words"]
        assert step["plain"]
        if step["pieces"] is not None:
            assert_close(np.linalg.norm(step["pieces"]), one.norm)
    assert answer["steps"][0]["name"] == "logits"
    assert answer["steps"][-1]["name"] == "token_vectors"


def test_the_first_step_is_guess_minus_truth(model, desk):
    (place,) = walk(desk, hidden=(2,), target={2: "cat"})["asked"]
    reading = read(model, TEXT, hidden=[2], target={2: "cat"})
    logits = reading.passed.logits[0, 2]
    p = np.exp(logits) / np.exp(logits).sum()
    right = model.tokenizer.token_to_id["cat"]
    assert_close(place["loss"], -np.log(p[right]))
    for word in place["words"]:
        assert_close(word["slope"], p[word["id"]] - (word["id"] == right))
    assert [word["is_answer"] for word in place["words"]].count(True) == 1


def test_of_scores_beyond_the_vocabulary_only_the_sum_is_told(tokenizer):
    known = tokenizer.vocab_size
    model = small_model(tokenizer, vocab_size=known + 20)
    model.arena["head.decoder.bias"][known:] = 5
    (place,) = walk(Desk.of(model), hidden=(2,))["asked"]
    assert all(word["id"] < known for word in place["words"])
    assert place["others"] + len(place["words"]) == known + 20
    assert_close(place["others_slope"], -sum(word["slope"] for word in place["words"]))
    assert abs(sum(word["slope"] for word in place["words"]) + place["others_slope"]) < 1e-12


def test_at_the_top_only_the_hidden_piece_hears_of_it(desk):
    shares = walk(desk, hidden=(2,))["shares"]
    assert_close(shares["shares"].sum(1), np.ones(len(shares["layers"])))
    assert shares["shares"][0, 2] == 1
    assert (shares["shares"][-1] > 0).all()
    assert shares["layers"][-1] == "embeddings"


@pytest.mark.parametrize("name", TELLING_WORDS)
def test_every_weight_with_a_gradient_gets_it_at_a_step(name, tokenizer):
    model = small_model(tokenizer, name)
    answer = walk(Desk.of(model), hidden=() if model.config.causal else (2,))
    at_steps = {weight["dotted"] for step in answer["steps"] for weight in step["weights"]}
    reading = read(model, TEXT, hidden=[] if model.config.causal else [2])
    gradients = reading.passed.gradients.arrays
    assert at_steps >= {weight for weight in model.arena if np.any(gradients[weight])}
    for step in answer["steps"]:
        told_as_a_whole = step["dotted"].endswith((".vectors", ".positions.r"))
        assert ("not told" in step["equation"]) == told_as_a_whole
        assert step["words"]
        assert bool(step["plain"]) != told_as_a_whole


MODERN = {
    "positions": "rotary",
    "residual": "pre-norm",
    "final_norm": True,
    "feed_forward": "gated",
    "activation": "gelu",
    "tied": True,
}


@pytest.mark.parametrize("settings", [{}, MODERN], ids=["mini", "modern"])
def test_a_hundred_numbers_of_all_weights_agree_with_finite_differences(settings, tokenizer):
    model = small_model(tokenizer, **settings)
    desk, random = Desk.of(model), np.random.default_rng(0)
    question = Question(text=TEXT, hidden=(2, 5), target={2: "cat"})
    names = [short(one) for one in model.arena if not one.startswith("second_head.")]
    sizes = {one: ByAnyName(model.arena)[one].shape for one in names}
    compared = 0
    for number in range(ENTRIES):
        weight = names[number % len(names)]
        index = tuple(int(random.integers(size)) for size in sizes[weight])
        asked = SlopeAsked(question=question, name=weight, of="weight_gradient", index=index)
        found = give_slope(desk, asked)
        assert found["agrees"], found
        if abs(found["value"]) > 1e-7:
            compared += 1
            assert abs(found["numeric"] - found["value"]) <= 1e-4 * abs(found["value"]), found
    assert compared > ENTRIES / 2


def test_without_a_hidden_word_one_is_chosen(desk):
    answer = walk(desk)
    assert answer["question"]["hidden"] == [5]
    assert "“cat”" in answer["note"]
    answer = walk(desk, text="The dog saw the [MASK].")
    (place,) = answer["asked"]
    assert place["rank"] == 0
    assert place["answer"]["token"] in answer["note"]
    assert answer["question"]["target"] == {"5": place["answer"]["token"]}
    assert walk(desk, hidden=(1,))["note"] == ""


def test_changed_heads_are_set_aside(desk):
    edited = walk(desk, hidden=(2,), edits=(Edit(layer=0, head=0, kind="off"),))
    assert edited["loss"] == walk(desk, hidden=(2,))["loss"]
    assert "set aside" in edited["note"]


def test_a_causal_model_is_asked_for_what_follows(tokenizer):
    desk = Desk.of(small_model(tokenizer, causal=True))
    answer = walk(desk)
    T = len(answer["pieces"])
    assert [one["place"] for one in answer["asked"]] == list(range(T - 1))
    assert_close(answer["loss"], np.mean([one["loss"] for one in answer["asked"]]))


def test_a_model_without_words_is_refused(tokenizer):
    with pytest.raises(ValueError, match="fills in hidden words"):
        walk(Desk.of(small_model(tokenizer, head="classes")))


def test_a_text_without_words_is_refused(desk):
    with pytest.raises(ValueError, match="no word"):
        walk(desk, text="")
