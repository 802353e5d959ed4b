"""Words to pieces: the page cuts as the tokenizer does, and tells why; a click hides a piece."""

import pytest
from playwright.sync_api import expect

from tests.e2e.pages import opened, part

SENTENCE = "Unbelievably, the Café's xylophone sang!"


def test_pieces_and_ids_are_those_of_the_tokenizer(page, address, desk):
    shown = opened(page, address, "words", SENTENCE)
    encoding = desk.model("").tokenizer.encoding(SENTENCE)
    rows = part(shown, "piece-row")
    expect(rows).to_have_count(len(encoding.tokens))
    told = rows.evaluate_all("all => all.map(row => [row.dataset.piece, Number(row.dataset.id)])")
    assert told == [list(pair) for pair in zip(encoding.tokens, encoding.ids, strict=True)]


@pytest.mark.parametrize("word", ["Unbelievably", "Café", "xylophone"])
def test_a_word_tells_how_it_was_cut(page, address, desk, word):
    shown = opened(page, address, "words", SENTENCE)
    part(shown, "word").filter(has_text=word).click()
    story = shown.locator(".words-story")
    tokenizer = desk.model("").tokenizer
    for piece in tokenizer.encoding(word).tokens[1:-1]:
        expect(story).to_contain_text(piece)
    if len(tokenizer.encoding(word).tokens) > 3:
        expect(part(story, "cut-step")).to_have_count(len(tokenizer.encoding(word).tokens) - 2)
    expect(part(story, "normal-form").or_(story).first).to_be_visible()


def test_a_click_hides_a_piece_and_the_next_shows_it_again(page, address):
    opened(page, address, "words", "The cat sat.")
    piece = page.locator("#sentence [data-place='2'] [data-test=piece]")
    piece.click()
    expect(piece).to_have_attribute("aria-pressed", "true")
    assert "hidden=2" in page.url
    piece.click()
    expect(piece).to_have_attribute("aria-pressed", "false")
    assert "hidden" not in page.url


def test_keys_walk_along_pieces_and_hide_one(page, address):
    opened(page, address, "words", "The cat sat.")
    page.locator("#sentence [data-place='1'] [data-test=piece]").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("m")
    piece = page.locator("#sentence [data-place='2'] [data-test=piece]")
    expect(piece).to_have_attribute("aria-pressed", "true")
    expect(piece).to_be_focused()


def test_signs_of_the_model_cannot_be_hidden(page, address):
    opened(page, address, "words", "The cat sat.")
    page.locator("#sentence [data-place='0'] [data-test=piece]").click()
    assert "hidden" not in page.url


def test_the_table_hides_too(page, address):
    shown = opened(page, address, "words", "The cat sat.")
    part(part(shown, "piece-row").nth(3), "table-hide").click()
    expect(page.locator("#sentence [data-place='3'] [data-test=piece]")).to_have_attribute(
        "aria-pressed", "true"
    )
