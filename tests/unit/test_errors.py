"""The wording of messages."""

import doctest

from mini_bert import errors


def test_numbers_of_things() -> None:
    assert doctest.testmod(errors) == doctest.TestResults(failed=0, attempted=1)


def test_a_near_name_is_offered_and_a_long_list_is_cut() -> None:
    assert (
        errors.unknown("preset", "mnii", ["mini", "debug"]) == "unknown preset 'mnii'; did you mean 'mini'?"
    )
    many = [f"name-{i:02d}" for i in range(15)]
    told = errors.unknown("thing", "zzz", many)
    assert "name-11 and 3 more" in told
    assert "name-12" not in told
