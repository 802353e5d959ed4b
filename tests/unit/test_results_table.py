"""The table of what the shipped models reach."""

from mini_bert.pretrained.results_table import paradigms_asked, results_table
from tests.unit.packing.samples import EXAM
from tests.unit.test_pretrained_results import of_sets, pairs

ABILITY = {
    "title": "Minimal pairs",
    "measure": "right",
    "is_share": True,
    "score": {"value": 0.81, "low": 0.79, "high": 0.83},
    "rivals": [{"name": "chance", "value": 0.5}, {"name": "random weights", "value": 0.52}],
}


def test_each_model_stands_beside_the_best_baseline():
    one = {"results": {"one-metrics": {"texts": [EXAM]}}}
    other = {"results": {"other-metrics": {"texts": [EXAM | {"masked_accuracy": 0.6}]}}}
    table = results_table({"one": one, "other": other})
    assert table.splitlines()[0] == "| exam | best baseline | one | other |"
    row = table.splitlines()[2]
    assert "31.0 %, trigrams" in row
    assert row.endswith("| 51.2 % (50.0–52.4) | 60.0 % (50.0–52.4) |")


def test_what_was_asked_less_is_not_called_the_best_baseline():
    asked = pairs("BLiMP", 0.7) | {"baselines": {"random weights": 0.6, "words counted": 0.55}}
    for few, best in ((5, "55.0 %, words counted"), (10, "60.0 %, random weights")):
        found = {"results": {"pairs": asked | {"pairs_for_random_weights": few}}}
        assert results_table({"one": found}).splitlines()[2].split(" | ")[1] == best


def test_a_baseline_that_each_model_has_of_its_own_is_told_with_its_model():
    weaker = ABILITY | {
        "rivals": [{"name": "chance", "value": 0.5}, {"name": "random weights", "value": 0.4}]
    }
    found = {name: {"results": {"full": {"summary": [one]}}} for name, one in (("a", ABILITY), ("b", weaker))}
    assert "| 52.0 %, random weights of a |" in results_table(found)


def test_abilities_are_told_too_and_what_a_model_was_not_asked_is_left_open():
    table = results_table({"one": {"results": {"full": {"summary": [ABILITY]}}}, "other": {"results": {}}})
    assert (
        table.splitlines()[2] == "| Minimal pairs (right) | 52.0 %, random weights | 81.0 % (79.0–83.0) | – |"
    )


def test_without_results_there_are_no_rows():
    assert len(results_table({"one": {}}).splitlines()) == 2


def test_of_how_many_paradigms_a_score_is_stands_below():
    one = {"results": {"hidden": EXAM, "both": of_sets(BLiMP=0.6, Zorro=0.7)}}
    other = {"results": {"blimp": pairs("BLiMP", 0.5)}}
    told = paradigms_asked({"one": one, "other": other}).removeprefix(
        "Scores of minimal pairs are means over "
    )
    assert told == "1 of BLiMP's 67 paradigms, 1 of Zorro's 23 paradigms."


def test_what_was_asked_less_is_told_to_be_left_out():
    for few, is_left_out in ((5, True), (10, False)):
        asked = pairs("BLiMP", 0.7) | {"baselines": {"random weights": 0.6}, "pairs_for_random_weights": few}
        told = paradigms_asked({"one": {"results": {"pairs": asked}}})
        assert ("Random weights were asked about fewer of these pairs" in told) is is_left_out
