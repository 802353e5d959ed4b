"""Family: a member beside the model; what differs is marked, and shapes and counts are those of its configuration."""

import pytest
from playwright.sync_api import expect

from mini_bert.inference.fill_mask import fill_mask
from mini_bert.models.build import build_network
from mini_bert.models.config import ModelConfig
from mini_bert.models.cost import parameters
from tests.e2e.pages import TEXT, at_rest, opened, part, values


def test_albert_differs_in_structure(page, address, desk):
    shown = opened(page, address, "family")
    shown.locator("[data-test=member][data-member=albert]").click()
    expect(shown.locator("[data-test=member][data-member=albert]")).to_have_attribute("aria-pressed", "true")
    expect(part(shown, "differences")).to_contain_text("→")
    expect(shown.locator("[data-test=box][data-differs=true]").first).to_be_visible()
    at_rest(page)
    name = part(shown, "family-size").input_value()
    counts = [
        sum(parameters(build_network(config)).values())
        for config in (desk.model("").config, ModelConfig.preset(name))
    ]
    assert values(part(shown, "parameters")) == counts


@pytest.mark.parametrize("member", ["deberta-mini", "gpt2-mini", "distilbert-mini"])
def test_any_member_has_shapes_and_no_predictions(page, address, desk, member):
    shown = opened(page, address, "family", family__member=member)
    expect(part(shown, "family-size")).to_have_value(member)
    expect(part(shown, "family-reading")).to_have_count(len(desk.library.names))
    pieces = len(desk.model("").tokenizer.encoding(TEXT).tokens)
    expect(shown).to_contain_text(f"For your sentence of {pieces} pieces")


def test_the_models_that_are_trained_tell_their_words(page, address, desk):
    shown = opened(page, address, "family")
    for name in desk.library.names:
        (blank,) = fill_mask(desk.model(name), TEXT, top=4)
        told = shown.locator(f"[data-test=family-reading][data-model='{name}'] [data-value]")
        expect(told).to_have_count(4)
        assert values(told) == pytest.approx([one.probability for one in blank.guesses], rel=1e-4)


def test_a_member_stands_beside_its_parent(page, address):
    shown = opened(page, address, "family", family__member="albert-mini", family__beside="mini")
    expect(part(shown, "family-beside")).to_have_value("mini")
    expect(part(shown, "setting").first).to_be_visible()
