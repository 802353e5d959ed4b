"""Which results of a model stay when others are given."""

import pytest

from mini_bert.pretrained.given_results import renewed
from tests.unit.packing.samples import EXAM
from tests.unit.test_card_results import CONTEST


def pairs(name: str, accuracy: float) -> dict:
    one = {"accuracy": accuracy, "pairs": 10, "baselines": {}}
    return one | {"set": name, "chance": 0.5, "paradigms": {f"{name} 1": one}}


def of_sets(**accuracies: float) -> dict:
    sets = {name: pairs(name, accuracy) for name, accuracy in accuracies.items()}
    return {"accuracy": 0.5, "paradigms": {}, "sets": sets}


@pytest.mark.parametrize(
    ("older", "newer", "stays"),
    [
        (EXAM, EXAM, False),
        (EXAM, EXAM | {"text": "tales.txt"}, True),
        (CONTEST, CONTEST | {"accuracy": 0.9}, False),
        (CONTEST, CONTEST | {"origin": "another set"}, True),
        (CONTEST, EXAM, True),
        ({"score": 1}, {"score": 1}, True),
        (pairs("BLiMP", 0.6), of_sets(BLiMP=0.7, Zorro=0.8), False),
    ],
)
def test_what_was_asked_again_goes(older, newer, stays):
    found, replaced = renewed({"older": older}, {"newer": newer})
    assert list(found) == (["older", "newer"] if stays else ["newer"])
    assert replaced == ([] if stays else ["older"])


def test_of_several_sets_the_others_stay():
    found, replaced = renewed({"all": of_sets(BLiMP=0.6, Zorro=0.8)}, {"blimp": pairs("BLiMP", 0.7)})
    assert list(found["all"]["sets"]) == [name.split()[0] for name in found["all"]["paradigms"]] == ["Zorro"]
    assert found["all"]["accuracy"] == 0.8
    assert replaced == ["all"]


def test_a_result_of_the_same_name_keeps_its_place():
    found, replaced = renewed({"a": EXAM, "b": {"score": 1}}, {"a": EXAM | {"loss": 1.0}})
    assert list(found) == ["a", "b"]
    assert replaced == ["a"]


def test_another_exam_stays_though_its_name_was_given_again():
    other = EXAM | {"text": "other.txt"}
    found, replaced = renewed({"a": EXAM, "a-2": {"score": 1}}, {"a": other})
    assert found == {"a": other, "a-3": EXAM, "a-2": {"score": 1}}
    assert replaced == []


def test_other_sets_stay_though_their_name_was_given_again():
    blimp = pairs("BLiMP", 0.7)
    found, replaced = renewed({"pairs": of_sets(BLiMP=0.6, Zorro=0.8)}, {"pairs": blimp})
    assert list(found) == ["pairs", "pairs-2"]
    assert found["pairs"] is blimp
    assert list(found["pairs-2"]["sets"]) == ["Zorro"]
    assert replaced == ["pairs"]


def test_figures_of_an_unknown_kind_go_by_their_name():
    assert renewed({"a": {"score": 1}}, {"a": {"score": 2}}) == ({"a": {"score": 2}}, ["a"])
