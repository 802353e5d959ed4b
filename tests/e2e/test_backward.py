"""Backward: the loss and its gradients are the program's, and a finite difference agrees with any of them."""

import math
import re

import numpy as np
import pytest
from playwright.sync_api import expect

from mini_bert.analysis.reading import read
from mini_bert.core.functions.softmax import log_softmax
from tests.e2e.pages import TEXT, at_rest, opened, part, value, values

WORD = "floor"
INDEX = re.compile(r"^\d+(,\d+)*$")


@pytest.fixture(scope="module")
def reading(desk):
    return read(desk.model(""), TEXT, target=WORD)


def test_the_loss_is_that_of_the_chosen_word(page, address, reading, desk):
    shown = opened(page, address, "backward", target=f"6:{WORD}")
    logits = reading.passed.logits[0, 6].astype(np.float64)
    loss = -log_softmax(logits)[desk.model("").tokenizer.token_to_id[WORD]]
    assert value(part(shown, "loss")) == pytest.approx(loss, rel=1e-4)


def test_another_target_has_another_loss(page, address):
    shown = opened(page, address, "backward")
    before = value(part(shown, "loss"))
    chip = shown.locator("[data-test=target][aria-pressed=false]").first
    chip.click()
    expect(part(shown, "loss")).not_to_have_attribute("data-value", str(before))
    assert "target=6:" in page.url


def test_the_walk_goes_from_the_loss_to_the_embeddings(page, address, reading):
    shown = opened(page, address, "backward", target=f"6:{WORD}")
    steps = part(shown, "river-step")
    names = steps.evaluate_all("all => all.map(one => one.dataset.name)")
    assert len(names) > 20
    gradients = reading.passed.activation_gradients
    norms = dict(zip(names, values(steps), strict=True))
    for name in ("layer_output_1", "Q_1", "attention_output_0"):
        assert norms[name] == pytest.approx(float(np.linalg.norm(gradients[name])), rel=1e-3)
    for _ in range(3):
        part(shown, "next").click()
    expect(part(shown, "step-name")).to_have_attribute("data-name", names[3])
    page.keyboard.press("ArrowLeft")
    expect(part(shown, "step-name")).to_have_attribute("data-name", names[2])
    expect(part(shown, "step-equation").locator("math").first).to_be_visible()


@pytest.mark.parametrize("step", ["layer_output_1", "Q_1", "ffn_pre_0"])
def test_the_finite_difference_agrees_with_the_gradient(page, address, reading, step):
    shown = opened(page, address, "backward", target=f"6:{WORD}", backward__step=step)
    part(shown, "check-largest").click()
    expect(part(shown, "verdict")).to_have_attribute("data-agrees", "true")
    analytic, numeric = value(part(shown, "analytic")), value(part(shown, "numeric"))
    assert numeric == pytest.approx(analytic, rel=1e-4)
    expect(part(shown, "cell-panel")).to_have_attribute("data-cell", INDEX)
    index = tuple(map(int, part(shown, "cell-panel").get_attribute("data-cell").split(",")))
    assert analytic == pytest.approx(float(reading.exact.passed.activation_gradients[step][index]), rel=1e-6)
    assert int(part(shown, "verdict").get_attribute("data-digits")) >= 4


def test_a_weight_is_checked_too(page, address, reading):
    shown = opened(page, address, "backward", target=f"6:{WORD}", backward__step="Q_1")
    part(shown, "weight").first.click()
    part(shown, "check-largest").click()
    expect(part(shown, "verdict")).to_have_attribute("data-agrees", "true")
    assert value(part(shown, "numeric")) == pytest.approx(value(part(shown, "analytic")), rel=1e-4)


def test_a_picked_cell_has_its_sum(page, address):
    shown = opened(
        page, address, "backward", target=f"6:{WORD}", backward__step="layer_output_0", backward__cell="0,2,5"
    )
    expect(part(shown, "cell-panel")).to_have_attribute("data-cell", "0,2,5")
    at_rest(page)
    total = sum(values(shown.locator("[data-test=cell-panel] > .cell-sum").first.locator("[data-test=term]")))
    assert total == pytest.approx(value(part(shown, "cell-value")), rel=1e-4)


def test_a_sentence_without_a_gap_gets_one(page, address):
    shown = opened(page, address, "backward", "The cat sat on the floor.")
    expect(part(shown, "note")).not_to_be_empty()
    assert math.isfinite(value(part(shown, "loss")))
