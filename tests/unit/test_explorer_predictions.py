"""The explorer's answers about predictions: words for each hidden piece, layer by layer, and what they are due to."""

import numpy as np
import pytest

from mini_bert.analysis.attribution import integrated_gradients
from mini_bert.analysis.logit_lens import logit_lens
from mini_bert.analysis.reading import read
from mini_bert.core.functions.softmax import softmax
from mini_bert.explorer.desk import Desk
from mini_bert.explorer.question import Edit, Question
from mini_bert.explorer.views.predictions import (
    AttributionAsked,
    PredictionsAsked,
    give_attribution,
    give_predictions,
)
from mini_bert.inference.fill_mask import fill_mask
from mini_bert.models.zoo import MEMBERS
from tests.tolerances import assert_close
from tests.unit.small_zoo import TELLING_WORDS, small_model

TEXT = "The dog saw the [MASK]."
WHOLE = "The dog saw the cat."
PLACE = 5


@pytest.fixture(scope="module")
def model(tokenizer):
    return small_model(tokenizer)


@pytest.fixture(scope="module")
def desk(model):
    return Desk.of(model)


def predictions(desk, top=10, place=None, **question):
    return give_predictions(desk, PredictionsAsked(question=Question(**question), top=top, place=place))


def test_a_mask_of_the_text_gets_the_words_that_fill_it(model, desk):
    answer = predictions(desk, text=TEXT, top=7)
    (place,) = answer["places"]
    (blank,) = fill_mask(model, TEXT, top=7)
    assert (answer["kind"], answer["asks"], place["place"], place["why"]) == (
        "words",
        "hidden",
        PLACE,
        "best",
    )
    assert [one["word"] for one in place["words"]] == [guess.word for guess in blank.guesses]
    assert [one["token"] for one in place["words"]] == [guess.token for guess in blank.guesses]
    assert_close(
        np.array([one["probability"] for one in place["words"]]),
        np.array([guess.probability for guess in blank.guesses]),
    )
    p = softmax(read(model, TEXT).passed.logits[0, PLACE])
    assert_close(place["entropy"], -(p * np.log(p)).sum())
    assert (place["rank"], place["answer"]["token"]) == (0, blank.guesses[0].token)


def test_a_hidden_piece_is_ranked_and_a_chosen_word_beside_it(model, desk):
    (place,) = predictions(desk, text=WHOLE, hidden=(PLACE,))["places"]
    p = softmax(read(model, TEXT).passed.logits[0, PLACE])
    cat, dog = (model.tokenizer.token_to_id[word] for word in ("cat", "dog"))
    assert (place["why"], place["answer"]["word"]) == ("hidden", "cat")
    assert_close(place["probability"], p[cat])
    assert place["rank"] == (p > p[cat]).sum()
    assert "original" not in place
    (place,) = predictions(desk, text=WHOLE, hidden=(PLACE,), target={PLACE: "dog"})["places"]
    assert (place["why"], place["answer"]["word"], place["original"]["word"]) == ("target", "dog", "cat")
    assert_close(place["probability"], p[dog])
    assert_close(place["original"]["probability"], p[cat])
    assert place["original"]["rank"] == (p > p[cat]).sum()


def test_masks_of_the_text_and_hidden_pieces_are_asked_together(desk):
    answer = predictions(desk, text="The [MASK] saw the cat.", hidden=(PLACE,))
    assert [(one["place"], one["why"]) for one in answer["places"]] == [(2, "best"), (PLACE, "hidden")]
    assert answer["lens"]["places"] == [2, PLACE]


def test_the_layers_are_those_of_the_lens_and_end_in_the_answer(model, desk):
    answer = predictions(desk, text=WHOLE, hidden=(PLACE,))
    lens, (place,) = answer["lens"], answer["places"]
    found = logit_lens(read(model, WHOLE, hidden=[PLACE]))
    assert lens["words"] == [[list(words) for words in layer] for layer in found.words]
    assert_close(lens["probabilities"], found.probabilities)
    assert_close(lens["divergence"][-1], np.zeros(1))
    assert_close(lens["answer_probability"][-1, 0], place["probability"])
    assert lens["rank"][-1, 0] == place["rank"]


def test_where_nothing_is_hidden_each_piece_is_told_itself(model, desk):
    answer = predictions(desk, text=WHOLE, top=3)
    assert answer["asks"] == "itself"
    assert [one["place"] for one in answer["places"]] == list(range(len(answer["pieces"])))
    assert [one["answer"]["token"] for one in answer["places"]] == answer["pieces"]
    assert answer["lens"]["places"] == [1], "the first piece that is not special"
    chosen = predictions(desk, text=WHOLE, place=4)["lens"]
    assert chosen["places"] == [4]
    assert_close(chosen["answer_probability"][-1, 0], answer["places"][4]["probability"])


def test_a_causal_model_is_asked_what_comes_next(tokenizer):
    desk = Desk.of(small_model(tokenizer, "gpt2"))
    answer = predictions(desk, text=WHOLE)
    assert answer["asks"] == "next"
    told = [one["answer"]["token"] for one in answer["places"]]
    assert told[:-1] == answer["pieces"][1:]
    assert answer["places"][-1]["why"] == "best"
    assert answer["lens"]["places"] == [answer["pieces"].index(".")]


def test_edits_change_what_is_told(desk):
    edits = (Edit(layer=1, head=0, kind="off"),)
    (before,) = predictions(desk, text=WHOLE, hidden=(PLACE,))["places"]
    edited = predictions(desk, text=WHOLE, hidden=(PLACE,), edits=edits)
    assert edited["places"][0]["probability"] != before["probability"]
    assert_close(edited["lens"]["answer_probability"][-1, 0], edited["places"][0]["probability"])


@pytest.mark.parametrize("member", MEMBERS)
def test_every_member_of_the_family_answers_in_its_own_way(tokenizer, member):
    answer = predictions(Desk.of(small_model(tokenizer, member)), text=TEXT)
    if member in TELLING_WORDS:
        total = sum(one["probability"] for one in answer["places"][0]["words"])
        assert answer["kind"] == "words"
        assert 0 < total <= 1
        assert_close(answer["lens"]["divergence"][-1], np.zeros(1))
    elif member == "electra":
        assert answer["kind"] == "replaced"
        assert {one["word"] for one in answer["places"][0]["words"]} == {"original", "replaced"}
    else:
        assert answer["kind"] == "nothing"
        assert "second stream" in answer["note"]


def test_classes_and_tags_are_told_as_such(tokenizer):
    for head, count in (("classes", 1), ("tags", 6)):
        answer = predictions(Desk.of(small_model(tokenizer, head=head, classes=3)), text=WHOLE)
        assert answer["kind"] == head
        assert len(answer["places"]) == count
        for place in answer["places"]:
            assert_close(sum(one["probability"] for one in place["words"]), 1.0)
    answer = predictions(Desk.of(small_model(tokenizer, head="none")), text=WHOLE)
    assert answer["kind"] == "nothing"


def attribution(desk, place=None, way="gradient", **question):
    return give_attribution(desk, AttributionAsked(question=Question(**question), place=place, way=way))


def test_scores_of_pieces_sum_to_what_they_explain(model, desk):
    answer = attribution(desk, PLACE, "integrated", text=WHOLE, hidden=(PLACE,))
    found = integrated_gradients(model, TEXT, answer="cat")
    assert_close(answer["scores"], found.scores)
    logit = read(model, TEXT).passed.logits[0, PLACE, model.tokenizer.token_to_id["cat"]]
    assert_close(answer["value"], logit)
    assert_close(answer["scores"].sum() - answer["error"], answer["value"] - answer["baseline_value"])


def test_gradient_times_input_is_a_slope(model, desk):
    """Its score is how fast the answer's logit grows with the piece's embedding."""
    answer = attribution(desk, text=TEXT, target={PLACE: "cat"})
    number, step = model.tokenizer.token_to_id["cat"], 1e-5
    for place in (1, 3):

        def grown(x, by, place=place):
            x[:, place] *= 1 + by
            return x

        up, down = (
            read(model, TEXT, hooks={"embeddings.tokens": lambda x, by=by: grown(x, by)}).passed.logits
            for by in (step, -step)
        )
        slope = (up - down)[0, PLACE, number] / (2 * step)
        # the difference quotient itself is right to about step² and rounding / step
        np.testing.assert_allclose(answer["scores"][place], slope, rtol=1e-5, atol=1e-8)


def test_a_place_that_is_not_asked_is_refused_and_edits_are_said_to_be_left_out(desk):
    with pytest.raises(ValueError, match=r"place 1: nothing is asked for there; choose from \[5\]"):
        attribution(desk, 1, text=TEXT)
    edits = (Edit(layer=1, head=0, kind="off"),)
    edited = attribution(desk, text=TEXT, edits=edits)
    assert edited["edits_left_out"]
    assert_close(edited["scores"], attribution(desk, text=TEXT)["scores"])
