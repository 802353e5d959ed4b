"""Which pieces made the model answer so: against differences, and sums that must fit."""

import numpy as np
import pytest

from mini_bert.analysis.attribution import (
    fejer_weights,
    gradient_times_input,
    integrated_gradients,
    values_and_slopes,
)
from mini_bert.analysis.question import MEASURES, ask
from mini_bert.analysis.reading import read
from mini_bert.core.functions.softmax import softmax
from tests.tolerances import assert_close
from tests.unit.small_zoo import TELLING_WORDS, small_model

TEXT = "The dog saw the [MASK]."
STEP = 1e-5


def told(reading, question, embeddings):
    """The measure (N,) of passes with these token embeddings (N, T, H), by the front door."""
    model = reading.model
    logits = model.trace(
        np.repeat(reading.ids[None], len(embeddings), axis=0),
        hooks={"embeddings.tokens": lambda _: embeddings},
    ).logits
    if model.config.head == "replaced":
        z = logits[:, list(question.places)]
        p = 1 / (1 + np.exp(-z))
    else:
        rows = logits[:, None] if model.config.head == "classes" else logits[:, list(question.places)]
        each = range(len(question.places))
        z = np.stack([rows[:, k, question.answers[k]] for k in each], 1)
        p = np.stack([softmax(rows)[:, k, question.answers[k]] for k in each], 1)
    values = {"logit": z, "probability": p, "log-probability": np.log(p), "loss": -np.log(p)}
    return values[question.measure].mean(1)


def by_differences(reading, question, x, directions):
    """dy/dε of x + ε · direction, for each piece alone"""
    moved = STEP * np.eye(len(x))[:, :, None] * directions
    up, down = np.split(told(reading, question, np.concatenate([x + moved, x - moved])), 2)
    return (up - down) / (2 * STEP)


def check_gradient(reading, measure, answer=None):
    question = ask(reading, answer, measure)
    x = reading.model.token_embeddings[reading.ids]
    found = gradient_times_input(reading, answer=answer, measure=measure)
    assert_close(found.value, told(reading, question, x[None])[0])
    _, (slopes,) = values_and_slopes(reading, question, x[None])
    some = np.random.default_rng(0).normal(size=x.shape)
    for direction, slope in ((x, found.scores), (some, (some * slopes).sum(-1))):
        expected = by_differences(reading, question, x, direction)
        np.testing.assert_allclose(slope, expected, rtol=1e-6, atol=1e-8)  # what differences can tell
    assert abs(expected).max() > 1e-4


@pytest.mark.parametrize("member", TELLING_WORDS)
def test_gradient_times_input_is_the_slope_along_each_embedding(tokenizer, member):
    check_gradient(read(small_model(tokenizer, member), TEXT), "logit")


def test_a_size_that_a_norm_takes_away_at_once_has_no_slope(tokenizer):
    """In DeBERTa a norm follows the embeddings, to which nothing was added."""
    assert abs(gradient_times_input(small_model(tokenizer, "deberta"), TEXT).scores).max() < 1e-4
    assert abs(integrated_gradients(small_model(tokenizer, "deberta"), TEXT).scores).max() > 1e-2


@pytest.mark.parametrize("measure", MEASURES)
def test_every_measure_has_its_own_slope(tokenizer, measure):
    check_gradient(read(small_model(tokenizer), "the [MASK] saw the [MASK] ."), measure)


@pytest.mark.parametrize("settings", [{"head": "classes", "classes": 3}, {"head": "tags", "classes": 3}])
def test_classes_and_tags_are_explained_too(tokenizer, settings):
    check_gradient(read(small_model(tokenizer, "bert", **settings), "the dog saw it ."), "log-probability")


def test_a_replaced_token_is_explained_too(tokenizer):
    check_gradient(
        read(small_model(tokenizer, "electra"), "the dog saw it ."), "log-probability", {2: "replaced"}
    )


@pytest.mark.parametrize("member", TELLING_WORDS)
@pytest.mark.parametrize("baseline", ["mask", "mean"])
def test_integrated_gradients_sum_to_the_difference(tokenizer, member, baseline):
    reading = read(small_model(tokenizer, member), TEXT)
    found = integrated_gradients(reading, baseline=baseline)
    gap = found.value - found.baseline_value
    assert_close(found.scores.sum(), gap + found.error)
    assert abs(found.error) <= 0.01 * abs(found.scores).sum()
    assert (found.scores[[0, -1]] == 0).all(), "special tokens stay as they are"


def test_integrated_gradients_are_the_integral(tokenizer):
    """Of slopes along the way, here by differences at the midpoints of small steps."""
    reading = read(small_model(tokenizer, activation="gelu"), TEXT)
    question = ask(reading, measure="logit")
    table = reading.model.token_embeddings
    x = table[reading.ids]
    special = np.isin(reading.ids, tokenizer.special_ids)
    start = np.where(special[:, None], x, table[tokenizer.token_to_id["[MASK]"]])
    steps = 60
    middles = [start + (k + 0.5) / steps * (x - start) for k in range(steps)]
    expected = np.mean([by_differences(reading, question, at, x - start) for at in middles], axis=0)
    found = integrated_gradients(reading, steps=127)
    np.testing.assert_allclose(found.scores, expected, atol=1e-3 * abs(expected).max())  # of 60 midpoints
    assert_close(found.baseline_value, told(reading, question, start[None])[0])
    assert found.steps == 127


def test_an_error_that_cannot_be_integrated_away_is_told(tokenizer):
    """Without positions to add, the first norm jumps between the zero vector and any other."""
    model = small_model(tokenizer, positions="rotary", residual="pre-norm", norm="rms", bias=False)
    found = integrated_gradients(model, TEXT, baseline="zeros")
    assert_close(found.scores.sum() - found.error, found.value - found.baseline_value)
    assert found.steps >= 63


@pytest.mark.parametrize("points", [3, 7, 12])
def test_the_rule_integrates_polynomials_exactly(points):
    angles = np.pi * np.arange(1, points + 1) / (points + 1)
    for degree in range(points):
        exact = 2 / (degree + 1) if degree % 2 == 0 else 0.0
        assert (fejer_weights(angles) * np.cos(angles) ** degree).sum() == pytest.approx(exact, abs=1e-13)


def test_loss_is_log_probability_turned_around(tokenizer):
    model = small_model(tokenizer)
    one, other = (gradient_times_input(model, TEXT, measure=name) for name in ("loss", "log-probability"))
    assert_close(one.scores, -other.scores)


def test_what_is_asked(tokenizer):
    model = small_model(tokenizer)
    mask = read(model, TEXT).masked[0]
    assert ask(read(model, TEXT, target="dog")).names == ("dog",)
    assert ask(read(model, TEXT), "dog").places == (mask,)
    own = ask(read(model, TEXT))
    assert own.answers == (int(read(model, TEXT).passed.logits[0, mask].argmax()),)
    assert ask(read(model, "the dog ran .", hidden=[2])).names == ("dog",)
    assert len(ask(read(model, "the dog ran .")).places) == len(read(model, "the dog ran .").pieces)
    assert ask(read(model, TEXT), {1: "dog", 2: "cat"}).places == (1, 2)


def test_refusals_say_what_to_do(tokenizer):
    reading = read(small_model(tokenizer), TEXT)
    with pytest.raises(ValueError, match="second stream"):
        gradient_times_input(small_model(tokenizer, "xlnet"), TEXT)
    with pytest.raises(ValueError, match="hidden states only"):
        gradient_times_input(small_model(tokenizer, head="none"), TEXT)
    with pytest.raises(ValueError, match="unknown measure"):
        gradient_times_input(reading, measure="logits")
    with pytest.raises(ValueError, match="unknown baseline"):
        integrated_gradients(reading, baseline="zero")
    with pytest.raises(ValueError, match="1 or more"):
        integrated_gradients(reading, steps=0)
    changed = read(reading.model, TEXT, hooks={"context_0": np.zeros_like})
    for explain in (gradient_times_input, integrated_gradients):
        with pytest.raises(ValueError, match="a reading with hooks"):
            explain(changed)
    with pytest.raises(ValueError, match="places 0 to"):
        ask(reading, {99: "dog"})
    with pytest.raises(ValueError, match="unknown answer"):
        ask(read(small_model(tokenizer, "bert", head="classes"), "a dog"), "good")


def test_the_figure_has_a_bar_for_each_piece(tokenizer):
    drawn = integrated_gradients(small_model(tokenizer), TEXT)._repr_svg_()
    assert "5 [MASK]" in drawn
    assert "1 the" in drawn
