"""When a sentence is typed, each view asks exactly what mini_bert/explorer/typed.py says: the bench measures that."""

import json

import pytest

from mini_bert.explorer.answers import all_answers
from mini_bert.explorer.typed import Wanted, question_of, views
from tests.e2e.pages import VIEWS, at_rest, opened, part

SENTENCE = "A dog ran over the [MASK]."


def written(wanted):
    return f"{wanted.name} {json.dumps(wanted.body, sort_keys=True)}"


def foretold(desk, view):
    """Of one view, and of the row of pieces."""
    answers = all_answers()
    question = question_of(SENTENCE)
    said = [Wanted("words", {"question": question})]
    asking = views(desk.library.names)[view](question)
    try:
        batch = next(asking)
        while True:
            said += batch
            given = [
                answers[one.name].give(desk, answers[one.name].asked.model_validate(one.body))
                for one in batch
            ]
            batch = asking.send(given)
    except StopIteration:
        return sorted({written(one) for one in said})


@pytest.mark.parametrize("view", VIEWS)
def test_the_requests_of_a_view(page, address, desk, view):
    opened(page, address, view)
    at_rest(page)
    seen = []
    page.on(
        "request",
        lambda one: (
            "/api/" in one.url and seen.append(Wanted(one.url.rpartition("/")[2], one.post_data_json))
        ),
    )
    part(page, "text").fill(SENTENCE)
    page.wait_for_timeout(200)
    at_rest(page)
    assert sorted(map(written, seen)) == foretold(desk, view)


def test_every_view_has_its_requests(desk):
    assert tuple(views(desk.library.names)) == VIEWS
