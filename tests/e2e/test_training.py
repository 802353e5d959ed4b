"""Training: the curves of a run are its log, and a sentence is followed through its checkpoints."""

import json

import numpy as np
import pytest
from playwright.sync_api import expect

import mini_bert
from mini_bert.analysis.reading import read
from mini_bert.core.functions.softmax import softmax
from tests.e2e.pages import at_rest, opened, part, value

TEXT = "the cat saw the [MASK] ."


@pytest.fixture(scope="module")
def lines(home):
    return [json.loads(line) for line in (home / "runs/small/metrics.jsonl").read_text("utf-8").splitlines()]


def test_a_finished_run_shows_its_curves_and_whether_it_is_sound(page, address, lines):
    shown = opened(page, address, "training", TEXT, training__run="small")
    expect(part(shown, "run-picker")).to_have_value("small")
    expect(part(shown, "run-state")).to_have_text("finished")
    expect(part(shown, "run-verdict")).not_to_be_empty()
    expect(part(shown, "diagnosis")).to_contain_text("healthy")
    loss = shown.locator("[data-test=run-panel]").first
    expect(part(loss, "curve").first).to_be_visible()
    for fact, wanted in {"steps": str(lines[-1]["step"]), "loss": f"{lines[-1]['loss']:.3f}"}.items():
        expect(shown.locator(".training-facts")).to_contain_text(f"{fact}{wanted}")


def test_the_run_of_the_shipped_model_comes_first(page, address):
    shown = opened(page, address, "training")
    expect(part(shown, "run-picker").locator("option").first).to_contain_text("this model's own")
    expect(part(shown, "run-panel").first).to_be_visible()


def test_a_sentence_is_followed_through_the_checkpoints(page, address, home):
    shown = opened(page, address, "training", TEXT, training__run="small")
    expect(part(shown, "checkpoint-step")).to_have_attribute("data-value", "60")
    part(shown, "checkpoint-slider").focus()
    page.keyboard.press("ArrowLeft")
    expect(part(shown, "checkpoint-step")).to_have_attribute("data-value", "40")
    page.keyboard.press("ArrowLeft")
    expect(part(shown, "checkpoint-step")).to_have_attribute("data-value", "20")
    at_rest(page)
    model = mini_bert.load(str(home / "runs/small/checkpoints/step-00000020"))
    weights = read(model, TEXT).passed["attention_weights_0"][0, 0]
    course = part(shown, "course")
    course.locator("[data-test=heatmap] [tabindex='0']").first.focus()
    for key in ("ArrowDown", "ArrowDown", "ArrowRight"):
        page.keyboard.press(key)
    told = part(course, "heatmap-value").first
    row, column = map(int, told.get_attribute("data-cell").split(","))
    assert value(told) == pytest.approx(float(weights[row, column]), rel=1e-4)


def test_a_head_of_a_larger_run_does_not_hinder_a_smaller_one(page, address):
    shown = opened(
        page, address, "training", TEXT, training__run="small", training__layer=7, training__head=0
    )
    expect(part(shown, "course-head")).to_have_value("1.0")
    part(shown, "course-head").select_option("0.1")
    expect(part(shown, "course-head")).to_have_value("0.1")
    assert "training.layer=0" in page.url


def test_the_words_of_a_checkpoint_are_its_own(page, address, home):
    shown = opened(page, address, "training", TEXT, training__run="small", training__step=20)
    expect(part(shown, "checkpoint-step")).to_have_attribute("data-value", "20")
    model = mini_bert.load(str(home / "runs/small/checkpoints/step-00000020"))
    reading = read(model, TEXT)
    chances = softmax(reading.passed.logits[0, reading.masked[0]].astype(np.float64))
    best = model.tokenizer.id_to_token[int(chances.argmax())]
    expect(part(shown, "course")).to_contain_text(best)


def test_the_checkpoints_are_examined(page, address):
    shown = opened(page, address, "training", TEXT, training__run="small")
    part(shown, "examine").click()
    expect(part(shown, "examine")).not_to_be_visible()
    expect(part(page, "problem")).to_have_count(0)


def test_another_run_is_chosen(page, address):
    shown = opened(page, address, "training", TEXT)
    part(shown, "run-picker").select_option("small")
    expect(shown.locator(".training-facts")).to_contain_text("60")
    assert "training.run=small" in page.url
