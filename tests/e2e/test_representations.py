"""Representations: neighbours and figures are those of the analysis; words are found, layers walked through."""

import numpy as np
import pytest
from playwright.sync_api import expect

from mini_bert.analysis.words_read import words_in
from mini_bert.explorer.views.representations import TWO_MEANINGS
from tests.e2e.pages import at_rest, opened, part, value, values

SENTENCE = "The cat sat on the floor."


@pytest.fixture(scope="module")
def read(desk):
    return words_in(desk.model(""), (SENTENCE, *TWO_MEANINGS))


@pytest.fixture(scope="module")
def words(read):
    """Numbers of all words that are no signs."""
    return [number for number, word in enumerate(read.words) if word.spelled[0].isalnum()]


def test_every_word_is_a_point(page, address, words):
    shown = opened(page, address, "representations", SENTENCE)
    expect(part(shown, "word-point")).to_have_count(len(words))


def test_the_nearest_words_are_nearest(page, address, read, words):
    shown = opened(page, address, "representations", SENTENCE)
    picked = next(at for at, number in enumerate(words) if read.words[number].spelled == "bank")
    part(shown, "word-point").nth(picked).dispatch_event("click")
    expect(part(shown, "picked-word")).to_contain_text("bank")
    rows = part(shown, "nearest").locator("tr")
    expect(rows).to_have_count(len(read.layers))
    for layer, states in enumerate(read.layers):
        centred = states[words].astype(np.float64)
        centred -= centred.mean(0)
        centred /= np.linalg.norm(centred, axis=1, keepdims=True)
        cosines = np.delete(centred @ centred[picked], picked)
        shown_here = values(rows.nth(layer).locator("[data-value]"))
        assert shown_here == pytest.approx(np.sort(cosines)[::-1][: len(shown_here)].tolist(), abs=1e-4)


def test_the_slider_walks_through_the_layers(page, address, read):
    shown = opened(page, address, "representations", SENTENCE, representations__layer=0)
    cloud = shown.locator(".representations-cloud")
    expect(cloud).to_have_attribute("data-layer", "0")
    at_rest(page)
    before = part(shown, "word-point").first.get_attribute("transform")
    part(shown, "layer-slider").focus()
    page.keyboard.press("ArrowRight")
    expect(cloud).to_have_attribute("data-layer", "1")
    at_rest(page)
    assert part(shown, "word-point").first.get_attribute("transform") != before


def test_a_word_is_found_in_its_contexts(page, address):
    shown = opened(page, address, "representations", SENTENCE)
    part(shown, "find-word").fill("bank")
    expect(part(shown, "concordance").locator("tr")).to_have_count(
        sum("bank" in text for text in TWO_MEANINGS)
    )
    part(shown, "find-word").fill("zebra")
    expect(part(shown, "found-none")).to_be_visible()


def test_the_figures_of_the_layers(page, address, read, words):
    shown = opened(page, address, "representations", SENTENCE)
    rows = part(shown, "layer-figures")
    expect(rows).to_have_count(len(read.layers))
    for layer, states in enumerate(read.layers):
        x = states[words].astype(np.float64)
        unit = x / np.linalg.norm(x, axis=1, keepdims=True)
        n = len(x)
        alike = ((unit @ unit.T).sum() - n) / (n * (n - 1))
        assert value(rows.nth(layer).locator("[data-value]").last) == pytest.approx(alike, abs=1e-3)
        spread = np.linalg.svd(x - x.mean(0), compute_uv=False) ** 2
        assert value(rows.nth(layer).locator("[data-value]").first) == pytest.approx(
            spread[:2].sum() / spread.sum(), rel=1e-3
        )
