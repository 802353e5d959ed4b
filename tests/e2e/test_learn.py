"""Learn: steps do what the optimizer does, undo gives back every bit, and two tabs do not disturb each other."""

import re

import numpy as np
import pytest
from playwright.sync_api import expect

import mini_bert
from mini_bert.analysis.lessons import as_lesson, gradient_at, loss_at
from mini_bert.analysis.reading import read
from mini_bert.training.optimizers import SGD
from tests.e2e.conftest import MODEL
from tests.e2e.pages import TEXT, at_rest, opened, part, value

WORD, RATE = "floor", 0.005  # so small that ten steps are far from the end


@pytest.fixture(scope="module")
def losses():
    """Of three steps of plain gradient descent, by hand."""
    model = mini_bert.load(MODEL)
    lesson = as_lesson(model, read(model, TEXT, target=WORD))
    optimizer = SGD(model.arena, momentum=0.0)
    optimizer.learning_rate = RATE
    found = [loss_at(model, lesson)]
    for _ in range(3):
        _, gradient = gradient_at(model, lesson)
        optimizer.step(gradient)
        found.append(loss_at(model, lesson))
    return found


def state(**more):
    return {"target": f"6:{WORD}", "learn__optimizer": "sgd", "learn__rate": RATE, **more}


def test_steps_are_those_of_the_optimizer(page, address, losses):
    shown = opened(page, address, "learn", **state())
    assert value(part(shown, "learn-loss")) == pytest.approx(losses[0], rel=1e-4)
    for number, loss in enumerate(losses[1:], 1):
        part(shown, "take-step").click()
        expect(part(shown, "taken")).to_contain_text(
            f"Taken: sgd with {RATE}" + (f", {number} times" if number > 1 else "")
        )
        at_rest(page)
        assert value(part(shown, "learn-loss")) == pytest.approx(loss, rel=1e-3)
    assert losses[-1] < losses[0]
    assert value(part(shown, "learn-probability")) == pytest.approx(np.exp(-losses[-1]), rel=1e-3)


def test_undo_gives_back_every_bit(page, address):
    shown = opened(page, address, "learn", **state())
    at_rest(page)
    first, before = part(shown, "learn-loss").get_attribute("data-value"), shown.inner_text()
    part(shown, "take-ten").click()
    expect(part(shown, "taken")).to_contain_text("10 times")
    expect(part(shown, "learn-loss")).not_to_have_attribute("data-value", first)
    at_rest(page)
    tenth = part(shown, "learn-loss").get_attribute("data-value")
    part(shown, "take-step").click()
    expect(part(shown, "learn-loss")).not_to_have_attribute("data-value", tenth)
    part(shown, "undo").click()
    expect(part(shown, "learn-loss")).to_have_attribute("data-value", tenth)
    part(shown, "reset").click()
    expect(part(shown, "learn-loss")).to_have_attribute("data-value", first)
    at_rest(page)
    assert shown.inner_text() == before


def test_two_tabs_do_not_disturb_each_other(page, context, address):
    other = context.new_page()
    ours, theirs = opened(page, address, "learn", **state()), opened(other, address, "learn", **state())
    at_rest(other)
    before = part(theirs, "learn-loss").get_attribute("data-value")
    part(ours, "take-ten").click()
    expect(part(ours, "learn-loss")).not_to_have_attribute("data-value", before)
    at_rest(page)
    after = part(ours, "learn-loss").get_attribute("data-value")
    part(theirs, "take-step").click()
    expect(part(theirs, "taken")).to_have_text(f"Taken: sgd with {RATE}.")
    at_rest(other)
    part(theirs, "undo").click()
    expect(part(theirs, "learn-loss")).to_have_attribute("data-value", before)
    expect(part(ours, "learn-loss")).to_have_attribute("data-value", after)
    for view in ("predictions", "learn"):
        part(page, f"tab-{view}").click()
        part(other, f"tab-{view}").click()
    expect(part(page.locator("[data-view=learn]"), "learn-loss")).to_have_attribute("data-value", after)


def test_what_was_learned_leaves_the_other_views_alone(page, address):
    opened(page, address, "predictions", target=f"6:{WORD}")
    before = value(part(page, "prediction"))
    part(page, "tab-learn").click()
    part(page, "take-ten").click()
    expect(part(page, "taken")).to_contain_text("10 times")
    part(page, "tab-predictions").click()
    assert value(part(page, "prediction")) == before


def test_the_slider_chooses_a_rate_and_too_large_a_one_is_told(page, address):
    shown = opened(page, address, "learn", **state())
    part(shown, "rate-slider").fill("100")
    expect(part(shown, "rate")).to_have_attribute("data-value", "1")
    expect(part(shown, "rate-told")).to_contain_text("A step with")
    part(shown, "optimizer-adamw").click()
    expect(part(shown, "optimizer-adamw")).to_have_attribute("aria-pressed", "true")
    part(shown, "rate-slider").fill("100")
    part(shown, "take-step").click()
    expect(part(shown, "learn-verdict")).to_contain_text(re.compile("Undo|paid for it"))
