"""The page of an evaluation: well-formed, by itself, and readable aloud."""

import re
from html.parser import HTMLParser

import pytest

from mini_bert.evaluation.abilities import Ability, Rival
from mini_bert.evaluation.estimate import Estimate
from mini_bert.evaluation.evaluate import evaluate
from mini_bert.evaluation.exam import Pace
from mini_bert.evaluation.report_page import page_of
from mini_bert.evaluation.report_tables import verdict_line
from tests.unit.exams_by_hand import install, tiny_model, write_suite

VOID = {"meta", "path", "use", "rect", "image"}


class Outline(HTMLParser):
    """Fails on a tag that closes nothing; gathers headings, ids, references and what is read aloud."""

    def __init__(self):
        super().__init__()
        self.open, self.headings, self.ids, self.references, self.said, self.text = [], [], [], [], [], ""

    def handle_starttag(self, tag, attrs):
        told = dict(attrs)
        self.ids += [told["id"]] if "id" in told else []
        self.references += [told["href"]] if tag == "a" else []
        if tag in {"svg", "div"} and told.get("role") == "img":
            self.said.append(told["aria-label"])
        if re.fullmatch("h[1-6]", tag):
            self.headings.append(int(tag[1]))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        pass

    def handle_endtag(self, tag):
        if tag not in VOID:
            assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data


@pytest.fixture
def text(tokenizer, tmp_path, monkeypatch):
    install(monkeypatch)
    monkeypatch.setattr("mini_bert.evaluation.evaluate.pace_of", lambda subject: Pace(1e4, 1e3, 1e9))
    files = [write_suite(tmp_path, "none", "one"), write_suite(tmp_path, "does not apply", "two")]
    return page_of(evaluate(tiny_model(tokenizer), suites=files, command="mini-bert evaluate <x>"))


@pytest.fixture
def outline(text):
    found = Outline()
    found.feed(text)
    return found


def test_it_is_well_formed_with_headings_in_order(outline):
    assert outline.open == []
    assert outline.headings[0] == 1
    assert outline.headings.count(1) == 1
    assert all(
        after <= before + 1 for before, after in zip(outline.headings, outline.headings[1:], strict=False)
    )


def test_every_reference_leads_to_one_place_on_the_page(outline):
    assert len(set(outline.ids)) == len(outline.ids)
    assert outline.references
    assert {reference.removeprefix("#") for reference in outline.references} <= set(outline.ids)


def test_it_needs_nothing_but_itself(text):
    names = re.sub(r'xmlns(:\w+)?="http://[^"]*"', "", text)
    assert not re.search(r"https?:|src=|@import|url\((?!#)", names)


def test_it_tells_scores_with_intervals_beside_their_rivals(outline):
    said = "right 90.0 % (82.6–94.5), per-word majority 50.0 %, random weights 40.0 % (35.0–45.0)"
    assert outline.said == [said, said, "Coins <tossed>: Heads", "Coins <tossed>: Heads"]
    for told in ("It beats all its baselines and controls in 2 of 2 abilities.", "Heads & tails.", "a note"):
        assert told in outline.text
    assert "90.0 %(82.6–94.5)1.25100" in outline.text  # the row of the model
    assert "Coins <tossed>right, this model90.0 %" in outline.text  # the row of the summary
    assert "odd: this model has no head for it; take another" in outline.text
    assert "mini-bert evaluate <x>" in outline.text


def test_rows_are_marked_by_kind(text):
    kinds = re.findall(r'<tr class="(\w+)">', text)
    assert kinds == ["model", "baseline", "control", "model", "model", "baseline", "control"]


def of_verdicts(*rivals):
    return [
        Ability("", "", "", "", Estimate(0.5, 0.4, 0.6), (Rival("", Estimate(r), "baseline"),))
        for r in rivals
    ]


def test_the_verdict_counts():
    assert verdict_line(of_verdicts(0.1, 0.2)) == (
        "It beats all its baselines and controls in 2 of 2 abilities.",
        "good",
    )
    text, tone = verdict_line(of_verdicts(0.1, 0.5, 0.9))
    assert text.endswith("in 1 of 3 abilities, is within noise of one in 1, is beaten by one in 1.")
    assert tone == "plain"
    assert verdict_line(of_verdicts(0.9, 0.8))[1] == "poor"
