"""What the shipped models must reach: weaker weights, or an exam that was not sat, are not shipped unnoticed."""

import json
import re
from pathlib import Path

import pytest

from mini_bert.pretrained.shipped import BEST, GUIDE, HOME, NAMES

DOCS = Path(__file__).parents[2] / "docs"
SOURCES = {"books", "stories", "tales", "tatoeba", "wikipedia"}


@pytest.fixture(params=NAMES)
def results(request):
    return json.loads((HOME / request.param / "evaluation.json").read_text("utf-8"))["results"].values()


@pytest.fixture
def best():
    return json.loads((HOME / BEST / "evaluation.json").read_text("utf-8"))


@pytest.fixture
def guide():
    return json.loads((HOME / GUIDE / "evaluation.json").read_text("utf-8"))


def only(results, *keys):
    """The one result that has these keys."""
    [found] = [one for one in results if all(key in one for key in keys)]
    return found


def test_hidden_words_of_every_source_beside_both_baselines(results):
    found = only(results, "texts", "overall")
    texts = {one["text"].split(".")[0]: one for one in found["texts"]}
    assert set(texts) == SOURCES
    for one in (*texts.values(), found["overall"]):
        counts = one["baselines"]
        assert one["masked_accuracy"] > counts["neighbours"]["masked_accuracy"]
        assert counts["neighbours"]["masked_accuracy"] > counts["unigram"]["masked_accuracy"]


def test_half_of_the_hidden_words_of_everyday_sentences_are_found(results):
    [tatoeba] = [one for one in only(results, "texts")["texts"] if one["text"].startswith("tatoeba")]
    assert tatoeba["masked_accuracy"] >= 0.50
    assert tatoeba["perplexity"] <= 18


def test_words_are_known_by_their_part_of_speech(results):
    found = only(results, "most_frequent", "control")
    assert found["accuracy"] >= 0.90 > found["majority"] > found["random_model"]


def test_trees_are_found_better_than_by_linking_neighbours(results):
    found = only(results, "uuas")
    assert found["uuas"] >= found["linear_chain"] + 0.10


def test_grammar_with_a_small_vocabulary_is_known(results):
    pairs = only(results, "sets")["sets"]
    assert len(pairs["BLiMP"]["paradigms"]) == len(pairs["Zorro"]["paradigms"]) == 23
    assert pairs["Zorro"]["accuracy"] >= 0.70


def test_the_best_model_reaches_what_it_is_shipped_for(best):
    results = best["results"].values()
    assert only(results, "texts", "overall")["overall"]["masked_accuracy"] >= 0.38
    assert only(results, "sets")["sets"]["BLiMP"]["accuracy"] >= 0.62


def test_fine_tuning_was_asked_of_both_networks_alike(results):
    found = only(results, "judged_on")
    for key in ("by_seed", "random_model_by_seed"):
        assert len(found[key]) == 5
        assert found["accuracy" if key == "by_seed" else "random_model"] == sorted(found[key])[2]
    rates = [[one["rate"] for one in found["sweep"][key]["tried"]] for key in ("model", "random_model")]
    assert rates[0] == rates[1]


def test_pretraining_is_worth_more_than_two_points_of_fine_tuning(best):
    found = only(best["results"].values(), "judged_on")
    assert found["accuracy"] >= 0.825
    assert found["accuracy"] >= found["random_model"] + 0.02
    assert found["accuracy"] > found["bag_of_words"]
    assert found["ahead_of"]["random_model"]["low"] > 0


def test_pages_tell_what_was_measured_of_the_weights_that_ship(best):
    storage, pairs = best["storage"], only(best["results"].values(), "sets")["sets"]
    page = (DOCS / "pretraining.md").read_text("utf-8")
    assert last_row(page, "single tokens hidden").split(" | ")[1] == f"{storage['loss_before']:.3f}"
    told = last_row((DOCS / "recipe_search.md").read_text("utf-8"), "highest rate | held-out loss")
    sets = ("BLiMP", "Zorro", "Marvin & Linzen")
    assert told.strip("| ").split(" | ")[3:] == [f"{100 * pairs[name]['accuracy']:.2f} %" for name in sets]


def test_the_page_tells_what_fine_tuning_reached(best):
    found = only(best["results"].values(), "judged_on")
    page = " ".join((DOCS / "pretraining.md").read_text("utf-8").split())
    lead, seeds = found["ahead_of"]["random_model"], found["by_seed"]
    with_it, without, bag = (
        f"{100 * found[key]:.1f} %" for key in ("accuracy", "random_model", "bag_of_words")
    )
    spread = f"the median of five seeds ({100 * min(seeds):.1f} to {100 * max(seeds):.1f})"
    assert f"reach {with_it} of its dev set, {spread}" in page
    assert f"as many epochs, {without}, and a bag of words {bag}" in page
    value, low, high = (f"{100 * lead[name]:.1f}" for name in ("value", "low", "high"))
    assert f"lead of {value} points has an interval from {low} to {high}" in page


def test_the_page_tells_what_the_guides_architecture_reached(guide):
    page = " ".join((DOCS / "pretraining.md").read_text("utf-8").split())
    words, tuned = (only(guide["results"].values(), *keys) for keys in (("texts", "overall"), ("judged_on",)))
    with_it, without, bag = (
        f"{100 * tuned[key]:.1f}" for key in ("accuracy", "random_model", "bag_of_words")
    )
    assert f"{with_it} % with it, {without} % without, {bag} % by a bag of words" in page
    lead = tuned["ahead_of"]["random_model"]
    value, low, high = (f"{100 * lead[name]:.1f}".replace("-", "−") for name in ("value", "low", "high"))
    assert f"a lead of {value} points over the network without pretraining ({low} to {high})" in page
    assert f"`mini` finds {100 * words['overall']['masked_accuracy']:.1f} % of the hidden words" in page


def last_row(page: str, header: str) -> str:
    """Of the table whose header has these words."""
    [table] = [
        part for part in re.split(r"\n\n", page) if part.startswith("|") and header in part.split("\n")[0]
    ]
    return table.strip().split("\n")[-1]
