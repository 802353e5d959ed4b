"""Attention: the page's weights are the model's; a head that is changed changes the answer, everywhere."""

import numpy as np
import pytest
from playwright.sync_api import expect

import mini_bert
from mini_bert.analysis.attention import attention
from mini_bert.analysis.reading import read
from mini_bert.core.functions.softmax import softmax
from mini_bert.models.names import dotted
from tests.e2e.conftest import MODEL
from tests.e2e.pages import TEXT, at_rest, opened, part, value, values

LAYER, HEAD = 1, 2


@pytest.fixture(scope="module")
def model(desk):
    return desk.model("")


@pytest.fixture(scope="module")
def found(model):
    return attention(read(model, TEXT))


def without_head(layer, head):
    """What the model tells at the hidden place if nothing of a head is read: in W_O its columns are zero."""
    changed = mini_bert.load(MODEL)
    width = changed.config.hidden_size // changed.config.num_heads
    changed.params[dotted(f"W_O_{layer}")][:, head * width : (head + 1) * width] = 0
    return probabilities(changed)


def probabilities(model):
    reading = read(model, TEXT)
    return softmax(reading.passed.logits[0, reading.masked[0]].astype(np.float64))


def test_every_head_is_there_with_its_entropy(page, address, found):
    shown = opened(page, address, "attention")
    expect(part(shown, "head")).to_have_count(found.relative_entropy.size)
    assert values(part(shown, "head")) == pytest.approx(found.relative_entropy.ravel().tolist(), rel=1e-5)


def test_a_head_in_detail(page, address, found):
    shown = opened(page, address, "attention")
    shown.locator(f"[data-test=head][data-layer='{LAYER}'][data-head='{HEAD}']").click()
    expect(part(shown, "head-title")).to_have_text(f"Layer {LAYER}, head {HEAD}")
    weights = found.weights[LAYER, HEAD]
    assert value(part(shown, "strongest")) == pytest.approx(weights.max(), rel=1e-5)
    entropy = -(weights * np.log(weights, where=weights > 0, out=np.zeros_like(weights))).sum(-1)
    assert values(part(shown, "entropy")) == pytest.approx(np.exp(entropy).tolist(), rel=1e-4)


def test_arrows_walk_through_heads_and_cells(page, address, found):
    shown = opened(page, address, "attention")
    shown.locator("[data-test=head][data-layer='0'][data-head='0']").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    expect(part(shown, "head-title")).to_have_text("Layer 1, head 1")
    at_rest(page)
    shown.locator(".detail-map [data-test=heatmap] [tabindex='0']").focus()
    for key in ("ArrowDown", "ArrowDown", "ArrowRight"):
        page.keyboard.press(key)
    readout = shown.locator(".detail-map [data-test=heatmap-value]")
    row, column = map(int, readout.get_attribute("data-cell").split(","))
    assert value(readout) == pytest.approx(found.weights[1, 1, row, column], rel=1e-5)


def test_a_head_switched_off_changes_the_answer(page, address, model):
    shown = opened(page, address, "attention", attention__layer=LAYER, attention__head=HEAD)
    line = part(shown, "effect-line")
    before = float(line.get_attribute("data-before"))
    assert float(line.get_attribute("data-after")) == before
    part(shown, "edit-off").click()
    expect(part(shown, "edit-chip")).to_have_count(1)
    expect(line).not_to_have_attribute("data-after", str(before))
    after = without_head(LAYER, HEAD)
    word = probabilities(model).argmax()
    assert float(line.get_attribute("data-after")) == pytest.approx(after[word], rel=1e-4)
    assert f"edit={LAYER}.{HEAD}.off" in page.url

    part(page, "tab-predictions").click()
    expect(part(page, "predictions-note")).to_be_visible()
    assert value(part(page, "prediction")) == pytest.approx(after.max(), rel=1e-4)

    page.go_back()
    part(shown, "edit-off").click()
    expect(part(shown, "edit-chip")).to_have_count(0)
    expect(line).to_have_attribute("data-after", str(before))


def test_a_head_is_told_where_to_look(page, address, found):
    shown = opened(page, address, "attention", attention__layer=LAYER, attention__head=HEAD)
    part(shown, "look-query").select_option("3")
    part(shown, "look-key").select_option("2")
    part(shown, "edit-look").click()
    expect(part(shown, "edit-chip")).to_have_count(1)
    assert f"edit={LAYER}.{HEAD}.look.3.2" in page.url
    expect(part(shown, "strongest").first).to_have_attribute("data-value", "1")
    assert found.weights[LAYER, HEAD, 3, 2] < 1


def test_each_head_off_in_turn(page, address, model):
    shown = opened(page, address, "attention")
    part(shown, "grid-missed").click()
    expect(shown).to_contain_text("percentage points")
    whole = probabilities(model)
    fall = whole.max() - without_head(LAYER, HEAD)[whole.argmax()]
    told = shown.locator(f"[data-test=head][data-layer='{LAYER}'][data-head='{HEAD}']")
    assert value(told) == pytest.approx(fall, abs=1e-5)
