"""What cannot be answered is told in words, and the page lives on."""

import pytest
from playwright.sync_api import expect

from tests.e2e.conftest import REFUSED
from tests.e2e.pages import TEXT, VIEWS, at_rest, opened, part, typed

LONG = "word " * 300


def test_a_word_that_the_model_cannot_tell(page, address, on_purpose):
    on_purpose.add(REFUSED)
    shown = opened(page, address, "predictions")
    part(shown, "target-word").fill("xylophonistically")
    part(shown, "target-word").press("Enter")
    expect(part(page, "problem")).to_contain_text("xylophonistically")
    assert "target=" not in page.url
    typed(page, "The dog sat on the [MASK].")
    expect(part(page, "problem")).to_have_count(0)
    expect(part(shown, "prediction").first).to_be_visible()


@pytest.mark.parametrize("view", ["backward", "learn"])
def test_a_target_of_many_pieces_is_told_beside_the_box(page, address, view):
    shown = opened(page, address, view)
    part(shown, "target-word").fill("xylophonistically")
    part(shown, "target-word").press("Enter")
    expect(shown).to_contain_text("choose a word of one piece")
    assert "target=" not in page.url


@pytest.mark.parametrize("view", VIEWS)
def test_an_empty_sentence_breaks_nothing(page, address, on_purpose, view):
    shown = opened(page, address, view)
    part(page, "text").fill("")
    at_rest(page)
    if part(page, "problem").count():
        on_purpose.add(REFUSED)
        told = part(page, "problem").inner_text()
        assert "write" in told or "type" in told.lower(), told
    typed(page, TEXT)
    expect(part(page, "problem")).to_have_count(0)
    expect(shown.locator(".panel:visible").first).to_be_visible()


@pytest.mark.parametrize("view", ["words", "forward", "attention", "predictions"])
def test_a_text_that_is_too_long_for_the_model(page, address, on_purpose, view):
    shown = opened(page, address, view)
    typed(page, LONG)
    if view == "words":
        expect(shown).to_contain_text("shorten the text", ignore_case=True)
    else:
        on_purpose.add(REFUSED)
        expect(part(page, "problem")).to_contain_text("shorten it", ignore_case=True)
    typed(page, TEXT)
    expect(part(page, "problem")).to_have_count(0)


ODD = ("[MASK] [MASK] [MASK]", "<b>the &amp; cat</b> \u202e \\frac{1}{0} %00 naïve 🎉")
UNKNOWN = ("😀 🎉", "x" * 300)


@pytest.mark.parametrize("text", ODD)
def test_an_odd_text_is_shown_in_every_view(page, address, text):
    opened(page, address, "words", text)
    for view in VIEWS:
        part(page, f"tab-{view}").click()
        expect(page.locator(f"[data-view={view}] .panel:visible").first).to_be_visible()
    at_rest(page)
    expect(part(page, "text")).to_have_value(text)
    expect(part(page, "problem")).to_have_count(0)


@pytest.mark.parametrize("text", UNKNOWN)
def test_of_a_text_without_a_known_word_each_view_tells_what_it_can(page, address, on_purpose, text):
    on_purpose.add(REFUSED)
    opened(page, address, "words", text)
    for view in VIEWS:
        part(page, f"tab-{view}").click()
        if view in ("backward", "learn"):
            expect(part(page, "problem")).to_contain_text("Write one with words")
        else:
            expect(page.locator(f"[data-view={view}] .panel:visible").first).to_be_visible()
            expect(part(page, "problem")).to_have_count(0)


@pytest.mark.parametrize("view", ["nothing", "constructor"])
def test_an_address_with_nonsense_in_it(page, address, view):
    page.goto(
        f"{address}/#view={view}&text=Hello&hidden=x,-3,99999999&edit=9.9.loud&forward.cell=no&learn.steps=sgd:-1"
        "&learn.show=toString&predictions.way=back"
    )
    expect(page.locator("[data-view=words] .panel").first).to_be_visible()
    for view in VIEWS:
        part(page, f"tab-{view}").click()
        expect(page.locator(f"[data-view={view}] .panel:visible").first).to_be_visible()
    at_rest(page)
    expect(part(page, "problem")).to_have_count(0)


def test_a_head_that_is_not_there(page, address, on_purpose):
    on_purpose.add(REFUSED)
    page.goto(f"{address}/#view=predictions&text=Hello+[MASK]&edit=40.0.off")
    expect(part(page, "problem")).to_contain_text("40")


def test_a_model_that_is_not_there(page, address, on_purpose):
    on_purpose.add(REFUSED)
    page.goto(f"{address}/#view=words&text=Hello&model=giant")
    expect(part(page, "problem")).to_contain_text("giant")
