"""Sharing: pictures of views, the page as a file by its menu, the link."""

from xml.etree import ElementTree

import pytest
from playwright.sync_api import expect

from tests.e2e.pages import VIEWS, at_rest, opened, part

PNG = b"\x89PNG\r\n\x1a\n"


def saved(page, kind):
    page.locator("[data-test=export-menu] summary").click()
    with page.expect_download() as download:
        part(page, f"export-{kind}").click()
    return download.value


@pytest.mark.parametrize("view", VIEWS)
def test_a_view_becomes_a_drawing(page, address, view):
    opened(page, address, view)
    at_rest(page)
    found = saved(page, "svg")
    assert found.suggested_filename == f"mini-bert-{view}.svg"
    root = ElementTree.parse(found.path()).getroot()
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert float(root.get("width")) > 300
    assert len(list(root.iter())) > 50


def test_a_view_becomes_a_picture(page, address):
    opened(page, address, "attention")
    at_rest(page)
    content = saved(page, "png").path().read_bytes()
    assert content.startswith(PNG)
    assert int.from_bytes(content[16:20], "big") > 600


def test_the_whole_page_becomes_a_file_that_opens_alone(page, context, address):
    opened(page, address, "forward", forward__tensor="scores_1", forward__cell="0,2,3,4")
    told = part(page, "cell-value").get_attribute("data-value")
    found = saved(page, "html")
    context.set_offline(True)
    alone = context.new_page()
    alone.goto(found.path().rename(found.path().with_suffix(".html")).as_uri())
    expect(part(alone, "cell-value")).to_have_attribute("data-value", told)


def test_the_link_is_copied_and_names_the_model(page, context, address, desk):
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    opened(page, address, "words", "Good day.")
    page.locator("[data-test=export-menu] summary").click()
    part(page, "copy-link").click()
    expect(page.locator(".menu-note")).to_have_text("The link is copied.")
    copied = page.url.replace("view=words", f"view=words&model={desk.library.default}")
    assert page.evaluate("navigator.clipboard.readText()") == copied
