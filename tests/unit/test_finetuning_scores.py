"""How sure the score of a fine-tuned model is, and its lead over others."""

import pytest

from mini_bert.evaluation.downstream.scores import lead, score
from mini_bert.finetuning.scores import point_score


def test_scores_have_intervals_that_hold_them() -> None:
    right, told = list("aabbabab" * 10), list("aabbabaa" * 10)
    assert point_score("accuracy", right, told) == 0.875
    for metric in ("accuracy", "matthews"):
        found = score(metric, right, [told])
        assert found.low is not None
        assert found.high is not None
        assert found.low < found.value < found.high < 1
    sentences = [("B-PER", "I-PER", "O")] * 8, [("B-PER", "O", "O")] * 4 + [("B-PER", "I-PER", "O")] * 4
    assert score("f1", sentences[0], [sentences[1]]).value == 0.5
    assert point_score("accuracy", *sentences) == pytest.approx(20 / 24)


def test_the_interval_of_several_seeds_tells_of_their_spread() -> None:
    right = ["a", "b"] * 100
    runs = [right[:good] + ["c"] * (200 - good) for good in (100, 130, 160, 180, 190)]
    alone, together = score("accuracy", right, [runs[2]]), score("accuracy", right, runs)
    assert alone.value == together.value == 0.8
    assert together.low < 0.66 < alone.low < alone.high < 0.89 < together.high
    same = score("accuracy", right, [runs[2]] * 5)
    assert same == pytest.approx(alone, abs=0.01)
    assert (same.low, same.high) <= (alone.low, same.high)


def test_a_lead_is_surer_than_the_scores_it_is_the_difference_of() -> None:
    right = ["a", "b"] * 100
    theirs = ["c"] * 40 + right[40:]
    ours = ["c"] * 30 + right[30:]
    found = lead("accuracy", right, [ours] * 3, [theirs])
    assert found.value == pytest.approx(0.05)
    assert 0.02 < found.low < 0.05 < found.high < 0.09
    one, other = score("accuracy", right, [ours]), score("accuracy", right, [theirs])
    assert one.low < other.high, "their intervals overlap"
    assert lead("accuracy", right, [theirs], [ours]) == pytest.approx(
        (-0.05, -found.high, -found.low), abs=0.01
    )
    assert lead("accuracy", right, [ours], [ours]) == (0.0, None, None)
    spread = lead("accuracy", right, [ours, theirs, right], [theirs])
    assert spread.low < found.low < found.high < spread.high, "other seeds might have come out otherwise"
