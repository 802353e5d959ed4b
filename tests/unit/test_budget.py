"""How much of a run is done, in steps, tokens or minutes."""

import pytest

from mini_bert.training.budget import Budget, Spent
from mini_bert.training.config_groups import BudgetConfig


@pytest.mark.parametrize(
    ("settings", "share"), [({"steps": 40}, 0.25), ({"tokens": 4000}, 0.5), ({"minutes": 2.0}, 0.75)]
)
def test_the_share_that_is_spent(settings, share):
    budget = Budget(BudgetConfig(**settings))
    assert budget.share(Spent(steps=10, tokens=2000, seconds=90.0)) == share


def test_a_schedule_is_asked_in_the_middle_of_the_next_step():
    steps, tokens, minutes = (
        Budget(BudgetConfig(**settings)) for settings in ({"steps": 10}, {"tokens": 1000}, {"minutes": 1.0})
    )
    spent = Spent(steps=3, tokens=300, seconds=18.0)
    assert steps.middle_of_next_step(spent, tokens=100, seconds=6.0) == 0.35
    assert tokens.middle_of_next_step(spent, tokens=100, seconds=6.0) == 0.35
    assert minutes.middle_of_next_step(spent, tokens=100, seconds=6.0) == 0.35
    assert tokens.middle_of_next_step(Spent(tokens=990), tokens=100, seconds=1.0) == 0.995


def test_the_last_step_is_known_beforehand_unless_the_clock_decides():
    spent = Spent(steps=9, tokens=900, seconds=59.9)
    assert Budget(BudgetConfig(steps=10)).ends_with(spent, 100)
    assert Budget(BudgetConfig(tokens=1000)).ends_with(spent, 100)
    assert not Budget(BudgetConfig(tokens=1001)).ends_with(spent, 100)
    assert not Budget(BudgetConfig(minutes=1.0)).ends_with(spent, 100)
