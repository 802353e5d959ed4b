"""The page as one file, opened from disk without a network: every forward view works, with the program's numbers."""

import pytest
from playwright.sync_api import expect

from mini_bert.explorer.question import Question
from mini_bert.explorer.views.cell import CellAsked, give_cell
from mini_bert.explorer.views.export import ExportAsked, give_export
from mini_bert.explorer.views.predictions import PredictionsAsked, give_predictions

TEXT = "The cat sat on the [MASK]."
HASH = f"#view=forward&text={TEXT.replace(' ', '+')}"
CELLS = (("scores_1", (0, 2, 3, 4)), ("ffn_pre_0", (0, 3, 10)), ("norm2_0", (0, 1, 5)))


@pytest.fixture(scope="module")
def saved(desk, tmp_path_factory):
    path = tmp_path_factory.mktemp("saved") / "page.html"
    path.write_bytes(
        give_export(desk, ExportAsked(question=Question(text=TEXT), state={"hash": HASH})).content
    )
    return path.as_uri()


@pytest.fixture
def offline(context):
    context.set_offline(True)


@pytest.mark.usefixtures("offline")
def test_every_forward_view_opens(page, saved):
    page.goto(saved)
    for view in ("words", "forward", "attention", "predictions", "backward", "representations", "family"):
        page.locator(f"[data-test=tab-{view}]").click()
        expect(page.locator(f"[data-view={view}] .panel:visible").first).to_be_visible()
        expect(page.locator("[data-test=problem]")).to_have_count(0)


@pytest.mark.usefixtures("offline")
def test_the_sum_behind_a_number_is_added_up_in_the_file(page, saved, desk):
    page.goto(saved)
    for name, index in CELLS:
        place = ",".join(map(str, index))
        page.evaluate(
            "hash => { location.hash = hash }", f"{HASH}&forward.tensor={name}&forward.cell={place}"
        )
        shown = page.locator(f"[data-test=cell-panel][data-cell='{place}']")
        wanted = give_cell(desk, CellAsked(question=Question(text=TEXT), name=name, index=index))
        value = float(shown.locator("[data-test=cell-value]").get_attribute("data-value"))
        assert value == pytest.approx(wanted["value"], rel=1e-6)
        factor = wanted["terms"][0]["factors"][0]
        first = shown.locator(".factor-value").first
        assert float(first.get_attribute("data-value")) == pytest.approx(factor["value"], rel=1e-6)


@pytest.mark.usefixtures("offline")
def test_predictions_are_those_of_the_program(page, saved, desk):
    page.goto(f"{saved}{HASH.replace('view=forward', 'view=predictions')}")
    (place,) = give_predictions(desk, PredictionsAsked(question=Question(text=TEXT)))["places"]
    expect(page.locator("[data-view=predictions]")).to_contain_text(place["words"][0]["word"])


@pytest.mark.usefixtures("offline")
def test_what_is_not_in_the_file_is_told(page, saved):
    page.goto(saved)
    page.locator("[data-test=tab-learn]").click()
    expect(page.locator("[data-test=problem]")).to_contain_text("This needs the program")
    page.locator("[data-test=tab-attention]").click()
    expect(page.locator("[data-test=problem]")).to_have_count(0)


@pytest.mark.usefixtures("offline")
def test_who_has_gone_hears_of_no_answer(page, saved):
    page.goto(saved)
    told = page.evaluate(
        """async text => {
          const { ask } = await import("mini-bert/js/source.js");
          const leaving = new AbortController();
          const question = { model: "", text, hidden: [], target: {}, edits: [] };
          const answer = ask("attention", { question }, { signal: leaving.signal });
          leaving.abort();
          return answer.then(() => "an answer", (error) => error.name);
        }""",
        TEXT,
    )
    assert told == "AbortError"
