"""Predictions: words, layers and causes are those of the program."""

import math

import pytest
from playwright.sync_api import expect

from mini_bert.analysis.attribution import gradient_times_input, integrated_gradients
from mini_bert.analysis.logit_lens import logit_lens
from mini_bert.analysis.reading import read
from mini_bert.inference.fill_mask import fill_mask
from tests.e2e.pages import TEXT, opened, part, value, values


@pytest.fixture(scope="module")
def model(desk):
    return desk.model("")


@pytest.fixture(scope="module")
def reading(model):
    return read(model, TEXT)


def test_the_best_words_are_those_of_fill_mask(page, address, model):
    shown = opened(page, address, "predictions")
    (blank,) = fill_mask(model, TEXT, top=10)
    expect(part(shown, "prediction")).to_have_count(10)
    assert values(part(shown, "prediction")) == pytest.approx(
        [one.probability for one in blank.guesses], rel=1e-4
    )
    for row, guess in enumerate(blank.guesses):
        expect(part(shown, "prediction").nth(row)).to_contain_text(guess.word)


def test_each_layer_has_its_words(page, address, reading):
    shown = opened(page, address, "predictions")
    lens = logit_lens(reading)
    rows = part(shown, "lens-row")
    expect(rows).to_have_count(len(lens.words))
    for layer, (words, found) in enumerate(zip(lens.words, lens.probabilities, strict=True)):
        cells = rows.nth(layer).locator(".lens-word")
        assert values(cells) == pytest.approx(found[0][: cells.count()].tolist(), rel=1e-4)
        expect(cells.first).to_contain_text(words[0][0])


@pytest.mark.parametrize(
    ("way", "analysis"), [("gradient", gradient_times_input), ("integrated", integrated_gradients)]
)
def test_each_piece_has_its_share(page, address, reading, way, analysis):
    shown = opened(page, address, "predictions")
    if way != "gradient":
        part(shown, f"way-{way}").click()
        expect(part(shown, "causes-sum")).to_contain_text("add up to")
    expect(part(shown, "cause")).to_have_count(len(reading.ids))
    wanted = analysis(reading, **({"baseline": "mask"} if way != "gradient" else {})).scores
    assert values(part(shown, "cause")) == pytest.approx(wanted.tolist(), rel=1e-3, abs=1e-5)


def test_a_word_that_is_chosen_is_asked_for_in_all_views(page, address, model):
    shown = opened(page, address, "predictions")
    guess = fill_mask(model, TEXT, top=10)[0].guesses[3]
    part(shown, "prediction").nth(3).click()
    expect(part(shown, "answer")).to_have_attribute("data-rank", "3")
    assert value(part(shown, "answer")) == pytest.approx(guess.probability, rel=1e-4)
    assert "target=6:" in page.url
    part(page, "tab-backward").click()
    assert value(part(page, "loss")) == pytest.approx(-math.log(guess.probability), rel=1e-4)


def test_a_hidden_word_is_told_with_its_rank(page, address, model):
    shown = opened(page, address, "predictions", "The cat sat on the floor.", hidden=2)
    tokenizer = model.tokenizer
    logits = read(model, "The [MASK] sat on the floor.").passed.logits[0, 2]
    rank = int((logits > logits[tokenizer.token_to_id["cat"]]).sum())
    expect(part(shown, "answer")).to_have_attribute("data-rank", str(rank))


def test_two_hidden_places_have_a_card_each(page, address):
    shown = opened(page, address, "predictions", "The [MASK] sat on the [MASK].")
    expect(part(shown, "guesses")).to_have_count(2)
    part(part(shown, "guesses").nth(1), "look-into").click()
    assert "predictions.place=6" in page.url


def test_a_text_without_a_gap_tells_each_piece_again(page, address):
    shown = opened(page, address, "predictions", "The cat sat.")
    expect(part(shown, "guesses")).to_have_count(1)
    shown.locator("[data-place='3'] [data-test=piece]").click()
    expect(part(shown, "guesses")).to_have_attribute("data-place", "3")
