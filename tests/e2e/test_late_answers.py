"""Answers that come after something else was chosen change nothing, and views that were left leave nothing behind."""

import pytest
from playwright.sync_api import expect

from tests.e2e.conftest import MODEL
from tests.e2e.pages import TEXT, VIEWS, at_rest, link, opened, part, typed

COUNTED = """
window.listening = 0;
for (const [name, by] of [["addEventListener", 1], ["removeEventListener", -1]]) {
  const own = document[name];
  document[name] = function (kind, ...more) {
    if (kind === "themechange") window.listening += by;
    return own.call(this, kind, ...more);
  };
}
"""


@pytest.fixture
def held(page):
    """held(name, is_late): requests for an answer that are late, kept until `release`."""
    kept = []

    def hold(name, is_late):
        page.route(
            f"**/api/{name}",
            lambda route: kept.append(route) if is_late(route.request.post_data_json) else route.continue_(),
        )

    def release():
        for route in kept:
            route.continue_()
        at_rest(page)

    def wait():
        while not kept:
            page.wait_for_timeout(20)

    hold.release, hold.wait = release, wait
    return hold


def test_a_sentence_that_was_taken_back_does_not_come_into_the_cloud(page, address, held):
    shown = opened(page, address, "representations")
    at_rest(page)
    held("representations", lambda body: "zebra" in body["question"]["text"])
    typed(page, "A zebra sat on the mat.")
    held.wait()
    typed(page, TEXT)
    page.wait_for_url("**text=The+cat+sat*")
    held.release()
    expect(shown).not_to_contain_text("zebra")


def test_letters_that_were_taken_back_do_not_come_back(page, address, held):
    opened(page, address, "words", "The cat sat.", hidden=2)
    at_rest(page)
    held("words", lambda body: "sat down" in body["question"]["text"])
    typed(page, "The cat sat down.")
    held.wait()
    typed(page, "The cat sat.")
    page.wait_for_timeout(300)
    held.release()
    expect(part(page, "text")).to_have_value("The cat sat.")
    assert "down" not in page.url


def test_the_model_that_was_chosen_last_is_the_one_that_stays(page, address, desk, held):
    others = [name for name in desk.library.names if name != desk.library.default]
    if not others:
        pytest.skip(f"there is no model beside {MODEL}")
    opened(page, address, "words")
    at_rest(page)
    held("words", lambda body: body["question"]["model"] == others[0])
    part(page, "model-picker").select_option(others[0])
    held.wait()
    part(page, "model-picker").select_option("")
    page.wait_for_timeout(300)
    held.release()
    assert "model=" not in page.url


def test_the_run_that_was_chosen_last_is_the_one_that_stays(page, address, held):
    shown = opened(page, address, "training")
    at_rest(page)
    first = part(shown, "run-picker").input_value()
    held("run", lambda body: body["run"] == "small")
    part(shown, "run-picker").select_option("small")
    held.wait()
    page.evaluate("hash => { location.hash = hash }", link("training", training__run=first))
    page.wait_for_timeout(300)
    held.release()
    expect(part(shown, "run-picker")).to_have_value(first)


def test_views_that_were_left_listen_no_more(page, address):
    page.add_init_script(COUNTED)
    opened(page, address, "words")
    at_rest(page)
    before = page.evaluate("window.listening")
    for view in VIEWS[1:]:
        part(page, f"tab-{view}").click()
        expect(page.locator(f"[data-view={view}] .panel:visible").first).to_be_visible()
        at_rest(page)
        part(page, "tab-words").click()
        expect(page.locator("[data-view=words] .panel").first).to_be_visible()
        assert page.evaluate("window.listening") == before, view
