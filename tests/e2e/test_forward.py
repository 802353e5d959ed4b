"""Forward: every number on the page is the model's own, and the sum that is told makes it."""

import re

import pytest
from playwright.sync_api import expect

from mini_bert.analysis.reading import read
from tests.e2e.pages import TEXT, at_rest, opened, part, value, values

INDEX = re.compile(r"^\d+(,\d+)+$")
CELLS = (
    ("embedding_sum", (0, 2, 7)),
    ("Q_1", (0, 2, 3, 5)),
    ("scores_1", (0, 2, 3, 4)),
    ("attention_weights_0", (0, 1, 6, 2)),
    ("ffn_pre_0", (0, 3, 10)),
    ("norm2_1", (0, 1, 5)),
)


@pytest.fixture(scope="module")
def reading(desk):
    return read(desk.model(""), TEXT)


@pytest.mark.parametrize(("name", "index"), CELLS, ids=lambda given: given if isinstance(given, str) else "")
def test_an_array_and_the_sum_behind_one_of_its_numbers(page, address, reading, name, index):
    place = ",".join(map(str, index))
    shown = opened(page, address, "forward", forward__tensor=name, forward__cell=place)
    numbers = reading.passed[name]
    expect(part(shown, "tensor-panel")).to_have_attribute("data-name", name)
    for told, wanted in {"mean": numbers.mean(), "smallest": numbers.min(), "largest": numbers.max()}.items():
        assert value(part(shown, f"stat-{told}")) == pytest.approx(float(wanted), rel=1e-4, abs=1e-6)

    expect(part(shown, "cell-panel")).to_have_attribute("data-cell", place)
    assert value(part(shown, "cell-value")) == pytest.approx(float(numbers[index]), rel=1e-4, abs=1e-6)
    assert value(shown.locator(".tensor-panel [data-test=heatmap-value]")) == pytest.approx(
        float(numbers[index]), rel=1e-4, abs=1e-6
    )
    terms = shown.locator("[data-test=cell-panel] > .cell-sum").first.locator("[data-test=term]")
    assert sum(values(terms)) == pytest.approx(float(numbers[index]), rel=1e-4, abs=1e-5)


def test_a_box_opens_its_numbers_and_a_click_a_cell(page, address, reading):
    shown = opened(page, address, "forward")
    shown.locator("[data-test=node][data-name=K_0]").click()
    expect(part(shown, "step-title")).to_have_attribute("data-name", "K_0")
    expect(part(shown, "equation").locator("math").first).to_be_visible()
    expect(part(shown, "tensor-panel")).to_have_attribute("data-name", "K_0")
    shown.locator(".tensor-map canvas").last.click(position={"x": 30, "y": 20})
    panel = part(shown, "cell-panel")
    expect(panel).to_have_attribute("data-cell", INDEX)
    index = tuple(map(int, panel.get_attribute("data-cell").split(",")))
    assert value(part(shown, "cell-value")) == pytest.approx(float(reading.passed["K_0"][index]), rel=1e-4)


def test_a_factor_leads_to_where_it_comes_from(page, address, reading):
    shown = opened(page, address, "forward", forward__tensor="scores_0", forward__cell="0,1,2,3")
    factor = part(shown, "factor").first
    name, index = factor.get_attribute("data-name"), factor.get_attribute("data-index")
    told = value(factor.locator(".factor-value"))
    factor.click()
    expect(part(shown, "cell-panel")).to_have_attribute("data-cell", index)
    expect(part(shown, "tensor-panel")).to_have_attribute("data-name", name)
    assert value(part(shown, "cell-value")) == pytest.approx(told, rel=1e-5)


def test_another_head_shows_other_numbers(page, address, reading):
    shown = opened(page, address, "forward", forward__tensor="attention_weights_1")
    shown.locator("[data-test=head][data-at='3']").click()
    expect(shown.locator("[data-test=head][data-at='3']")).to_have_attribute("aria-pressed", "true")
    at_rest(page)
    shown.locator(".tensor-map [data-test=heatmap] [tabindex='0']").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    panel = part(shown, "cell-panel")
    expect(panel).to_have_attribute("data-cell", INDEX)
    index = tuple(map(int, panel.get_attribute("data-cell").split(",")))
    assert index[1] == 3
    assert value(part(shown, "cell-value")) == pytest.approx(
        float(reading.passed["attention_weights_1"][index]), rel=1e-4
    )


def test_arrows_follow_the_diagram(page, address):
    shown = opened(page, address, "forward", forward__tensor="embedding_sum")
    at_rest(page)
    shown.locator("[data-test=node][data-name=embedding_sum]").focus()
    page.keyboard.press("ArrowDown")
    expect(part(shown, "step-title")).not_to_have_attribute("data-name", "embedding_sum")


def test_a_block_opens_and_closes(page, address):
    shown = opened(page, address, "forward")
    shown.locator("[data-test=block][data-block='Layer 1']").click()
    expect(shown.locator("[data-test=node][data-name=Q_1]")).to_be_visible()
    shown.locator("[data-test=block][data-block='Layer 1']").click()
    expect(shown.locator("[data-test=node][data-name=Q_1]")).to_have_count(0)


def test_weights_have_numbers_too(page, address, desk):
    shown = opened(page, address, "forward", forward__tensor="Q_0")
    shown.locator("[data-test=weight][data-name=W_Q_0]").click()
    expect(part(shown, "tensor-panel")).to_have_attribute("data-of", "weight")
    weight = desk.model("").params["encoder.layers.0.attn.query.weight"]
    assert value(part(shown, "stat-largest")) == pytest.approx(float(weight.max()), rel=1e-5)
