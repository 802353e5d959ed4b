"""What all views share: tabs, keys, links, colours, narrow windows, the choice of a model."""

import pytest
from playwright.sync_api import expect

from tests.e2e.conftest import MODEL, REFUSED, new_context
from tests.e2e.pages import TEXT, VIEWS, at_rest, link, opened, part, typed

GROUND = """
() => new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(() =>
  resolve(getComputedStyle(document.body).backgroundColor.match(/[0-9]+/g).map(Number)))))
"""
STATES = {
    "words": {"words__word": 1},
    "forward": {"forward__tensor": "scores_1", "forward__cell": "0,2,3,4"},
    "attention": {"attention__layer": 1, "attention__head": 2, "edit": "1.2.off"},
    "predictions": {"hidden": "2", "predictions__place": 2},
    "backward": {"backward__step": "Q_1", "target": "6:floor"},
    "learn": {"learn__steps": "sgd:0.01x2"},
    "training": {"training__run": "small"},
    "representations": {"representations__find": "bank", "representations__layer": 1},
    "family": {"family__member": "albert-mini"},
}


def test_every_view_opens_by_its_key(page, address):
    page.goto(address)
    for number, view in enumerate(VIEWS, 1):
        page.keyboard.press(str(number))
        expect(page.locator(f"[data-view={view}] .panel:visible").first).to_be_visible()
        expect(part(page, f"tab-{view}")).to_have_attribute("aria-selected", "true")
        expect(page.locator("#hint")).not_to_be_empty()
        expect(part(page, "problem")).to_have_count(0)


def test_keys_that_are_typed_into_the_sentence_change_no_view(page, address):
    opened(page, address, "words")
    page.keyboard.press("/")
    page.keyboard.type("9 lives")
    expect(part(page, "text")).to_have_value("9 lives")
    expect(part(page, "tab-words")).to_have_attribute("aria-selected", "true")


def test_arrows_walk_along_the_tabs_and_around(page, address):
    opened(page, address, "words")
    part(page, "tab-words").focus()
    page.keyboard.press("ArrowRight")
    expect(part(page, "tab-forward")).to_be_focused()
    expect(page.locator("[data-view=forward]")).to_be_visible()
    page.keyboard.press("Home")
    page.keyboard.press("ArrowLeft")
    expect(part(page, "tab-family")).to_be_focused()
    expect(page.locator("[data-view=family]")).to_be_visible()


def test_back_goes_to_the_view_before(page, address):
    opened(page, address, "words")
    part(page, "tab-attention").click()
    part(page, "tab-predictions").click()
    expect(page.locator("[data-view=predictions]")).to_be_visible()
    page.go_back()
    expect(page.locator("[data-view=attention]")).to_be_visible()


@pytest.mark.parametrize("view", VIEWS)
def test_a_link_gives_the_same_page_again(page, address, view):
    shown = opened(page, address, view, **STATES[view])
    at_rest(page)
    before, where = shown.inner_text(), page.url
    page.goto("about:blank")
    page.goto(where)
    expect(shown.locator(".panel:visible").first).to_be_visible()
    at_rest(page)
    assert shown.inner_text() == before
    assert page.url == where


def test_the_link_past_the_frame_keeps_what_is_shown(page, address):
    opened(page, address, "attention", "Good day.")
    where = page.url
    page.locator(".skip").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#view-panel")).to_be_focused()
    expect(part(page, "text")).to_have_value("Good day.")
    assert page.url == where


def test_typing_renews_pieces_and_view(page, address, desk):
    shown = opened(page, address, "words")
    typed(page, "Dogs bark unbelievably.")
    pieces = desk.model("").tokenizer.encoding("Dogs bark unbelievably.").tokens
    expect(part(page.locator("#sentence"), "piece")).to_have_count(len(pieces))
    expect(part(shown, "piece-count")).to_have_attribute("data-value", str(len(pieces)))
    assert "text=Dogs+bark" in page.url


def test_a_hidden_piece_stays_hidden_while_the_sentence_grows(page, address):
    opened(page, address, "words", "The cat sat.", hidden=2)
    typed(page, "Look: the old cat sat.")
    hidden = page.locator("#sentence .piece-hidden [data-test=piece]")
    expect(hidden).to_have_attribute("data-piece", "cat")


def light(page):
    """Red, green and blue of the ground, once it is painted."""
    return page.evaluate(GROUND)


def test_colours_follow_the_system_and_the_choice(page, address):
    opened(page, address, "attention")
    assert min(light(page)) > 200
    page.emulate_media(color_scheme="dark")
    assert max(light(page)) < 80
    part(page, "theme").click()
    assert min(light(page)) > 200
    page.reload()
    expect(page.locator("[data-view=attention] .panel:visible").first).to_be_visible()
    assert min(light(page)) > 200


@pytest.mark.parametrize("width", [360, 400])
def test_no_view_is_wider_than_a_narrow_window(browser, address, width):
    with new_context(browser, width) as context:
        page = context.new_page()
        for view in VIEWS:
            opened(page, address, view, **STATES[view])
            at_rest(page)
            wide = page.evaluate(
                "[document.documentElement.scrollWidth, document.documentElement.clientWidth]"
            )
            assert wide[0] <= wide[1], f"{view}: {wide[0]} px in a window of {wide[1]}"


def test_another_model_can_be_chosen(page, address, desk):
    others = [name for name in desk.library.names if name != desk.library.default]
    if not others:
        pytest.skip(f"there is no model beside {MODEL}")
    opened(page, address, "attention", edit="0.1.off")
    part(page, "model-picker").select_option(others[0])
    config = desk.model(others[0]).config
    expect(part(page, "model-facts")).to_contain_text(
        f"{config.num_layers} layers × {config.num_heads} heads"
    )
    expect(part(page, "head")).to_have_count(config.num_layers * config.num_heads)
    assert f"model={others[0]}" in page.url
    assert "edit=" not in page.url
    for view in VIEWS:
        part(page, f"tab-{view}").click()
        expect(page.locator(f"[data-view={view}] .panel:visible").first).to_be_visible()
    at_rest(page)
    expect(part(page, "problem")).to_have_count(0)


def test_a_model_that_is_not_here_is_named_and_another_can_be_chosen(page, address, on_purpose):
    on_purpose.add(REFUSED)
    page.goto(f"{address}/{link('attention', model='stranger')}")
    picker = part(page, "model-picker")
    expect(picker.locator("option:checked")).to_have_text("stranger (not here)")
    expect(part(page, "model-facts")).to_be_empty()
    picker.select_option("")
    expect(part(page, "head").first).to_be_visible()
    expect(part(page, "model-facts")).to_contain_text(MODEL)
    expect(picker.locator("option", has_text="not here")).to_have_count(0)


def test_the_address_of_another_sentence_is_followed(page, address):
    opened(page, address, "predictions")
    page.evaluate("hash => { location.hash = hash }", link("words", "Good day."))
    expect(part(page, "text")).to_have_value("Good day.")
    assert TEXT not in page.locator("[data-view=words]").inner_text()


def test_hidden_places_are_asked_for_in_their_order(page, address):
    """The program orders them too, and a saved page finds its answers by what was asked."""
    with page.expect_request("**/api/attention") as asked:
        opened(page, address, "attention", hidden="4,2,4")
    assert asked.value.post_data_json["question"]["hidden"] == [2, 4]
