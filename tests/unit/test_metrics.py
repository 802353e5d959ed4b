"""Figures of merit: entities against a count by hand, and what is refused. tests/parity has the rest."""

import numpy as np
import pytest

from mini_bert.metrics.calibration import brier_score, expected_calibration_error, reliability
from mini_bert.metrics.classification import accuracy, class_scores, confusion_matrix
from mini_bert.metrics.entities import Entity, entities, entity_scores
from mini_bert.metrics.perplexity import perplexity_of_loss
from mini_bert.metrics.ranking import pearson, spearman

TAGS = ["O", "B-PER", "I-PER", "B-LOC", "I-LOC"]


def begins(tags, i):
    """By the table of conlleval: B always, I after O or after another kind."""
    if tags[i] == "O":
        return False
    return tags[i][0] == "B" or i == 0 or tags[i - 1] == "O" or tags[i - 1][2:] != tags[i][2:]


def by_hand(tags):
    """All (kind, start, end) that are one entity, tried one by one."""
    found = []
    for start in range(len(tags)):
        for end in range(start + 1, len(tags) + 1):
            goes_on = all(tags[i] != "O" and not begins(tags, i) for i in range(start + 1, end))
            stops = end == len(tags) or tags[end] == "O" or begins(tags, end)
            if begins(tags, start) and goes_on and stops:
                found.append((tags[start][2:], start, end))
    return found


def test_entities_are_those_of_a_naive_search():
    rng = np.random.default_rng(0)
    true = [rng.choice(TAGS, rng.integers(1, 9)).tolist() for _ in range(300)]
    told = [[tag if rng.random() < 0.8 else str(rng.choice(TAGS)) for tag in tags] for tags in true]
    for tags in true:
        assert [tuple(one) for one in entities(tags)] == by_hand(tags)
    scores = entity_scores(true, told)
    pairs = [(by_hand(a), by_hand(b)) for a, b in zip(true, told, strict=True)]
    right = sum(one in b for a, b in pairs for one in a)
    assert scores == (right, sum(len(b) for _, b in pairs), sum(len(a) for a, _ in pairs))
    assert scores.f1 == pytest.approx(
        2 * scores.precision * scores.recall / (scores.precision + scores.recall), rel=1e-12
    )
    by_kind = [entity_scores(true, told, kind) for kind in ("PER", "LOC")]
    assert tuple(map(sum, zip(*by_kind, strict=True))) == scores


def test_an_entity_is_wrong_if_a_word_is_missing_or_its_kind_is():
    true = [["B-PER", "I-PER", "O", "B-LOC"]]
    assert entity_scores(true, [["B-PER", "O", "O", "B-PER"]]) == (0, 2, 2)
    assert entity_scores(true, [["B-PER", "I-PER", "O", "O"]]).precision == 1
    assert entity_scores([["O"]], [["O"]]).f1 == 0
    assert entities(["B-A", "B-A"]) == [Entity("A", 0, 1), Entity("A", 1, 2)]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: entities(["PER"]), "'PER' of word 1 is not IOB2"),
        (lambda: entity_scores([["O", "O"]], [["O"]]), "sentence 1: 1 tags for 2 words"),
        (lambda: accuracy(np.array([]), np.array([])), "at least one example"),
        (lambda: accuracy(np.zeros(3, int), np.zeros(2, int)), "one of each"),
        (lambda: accuracy(np.zeros(3), np.zeros(3)), "numbers of classes"),
        (lambda: confusion_matrix(np.array([0, 5]), np.array([0, 1]), 3), "class 5 with classes=3"),
        (lambda: reliability(np.array([1.5]), np.array([1])), "give probabilities"),
        (lambda: brier_score(np.ones((2, 2)) / 2, np.array([0, 2])), "number the classes from 0"),
        (lambda: pearson(np.ones(1), np.ones(1)), "at least two"),
    ],
)
def test_what_makes_no_sense_is_refused(wrong, message):
    with pytest.raises(ValueError, match=message):
        wrong()


def test_nothing_rises_with_what_is_no_number():
    x = np.array([1.0, 2.0, np.nan])
    assert np.isnan(spearman(x, np.arange(3)))
    assert np.isnan(spearman(np.arange(3), x))


def test_classes_that_never_occur_have_scores_of_zero():
    scores = class_scores(np.array([0, 2]), np.array([0, 2]), 4)
    assert scores.f1.tolist() == [1, 0, 1, 0]
    assert scores.support.tolist() == [1, 0, 1, 0]


def test_a_model_that_knows_how_sure_it_may_be_is_calibrated():
    rng = np.random.default_rng(1)
    confidences = rng.random(20_000)
    honest = rng.random(20_000) < confidences
    assert expected_calibration_error(confidences, honest) < 0.02
    always_sure = expected_calibration_error(np.ones(20_000), honest)
    assert always_sure == pytest.approx(1 - honest.mean(), abs=1e-12)


def test_a_perplexity_is_a_number_however_great_the_loss_unless_the_loss_is_none():
    assert perplexity_of_loss(np.log(8)) == pytest.approx(8)
    assert np.isfinite(perplexity_of_loss(np.inf))
    assert np.isnan(perplexity_of_loss(np.nan))
