"""The program with the shipped model, and everybody at once: each gets the answer that it would get alone."""

import json
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection
from itertools import cycle, islice
from urllib.parse import urlsplit

import numpy as np

from mini_bert.explorer.answers import all_answers
from mini_bert.explorer.typed import question_of
from mini_bert.explorer.wire import pack, unpack

REQUESTS = 200
QUESTIONS = [
    question_of(f"The {word} sat on the [MASK].") for word in ("cat", "dog", "king", "old man", "bird")
]
NAMES = ("words", "forward", "attention", "effect", "predictions", "attribution", "backward", "family_words")
MORE = {"family_words": {"model": "mini", "top": 4}}
SPOILED = (
    (b'{"question": {"te', {}, 400),
    (b'{"question": {"text": "' + b"x" * 1_000_000 + b'"}}', {}, 413),
    (b"{}", {"Host": "evil.example"}, 403),
    (b"{}", {"Origin": "https://evil.example"}, 403),
)


def post(address, name, content, headers=None):
    connection = HTTPConnection(urlsplit(address).netloc, timeout=120)
    try:
        connection.request("POST", f"/api/{name}", content, headers or {})
        reply = connection.getresponse()
        return reply.status, reply.read()
    finally:
        connection.close()


def same(a, b):
    """Whether two answers are equal, arrays number by number."""
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    if isinstance(a, list):
        return len(a) == len(b) and all(map(same, a, b))
    return np.array_equal(a, b, equal_nan=True) if isinstance(a, np.ndarray) else a == b


def test_two_hundred_at_once_among_them_some_that_are_spoiled(address, desk):
    answers = all_answers()
    asked = list(islice(cycle([(name, question) for name in NAMES for question in QUESTIONS]), REQUESTS))
    bodies = [{"question": question, **MORE.get(name, {})} for name, question in asked]
    with ThreadPoolExecutor(REQUESTS + len(SPOILED)) as pool:
        good = [
            pool.submit(post, address, name, json.dumps(body).encode())
            for (name, _), body in zip(asked, bodies, strict=True)
        ]
        bad = [pool.submit(post, address, "words", content, headers) for content, headers, _ in SPOILED]
        replies, refusals = [one.result() for one in good], [one.result() for one in bad]
    assert [status for status, _ in replies] == [200] * REQUESTS
    assert [status for status, _ in refusals] == [status for _, _, status in SPOILED]
    assert all(json.loads(content)["error"]["what"] for _, content in refusals)
    for (name, _), body, (_, content) in list(zip(asked, bodies, replies, strict=True))[
        : len(NAMES) * len(QUESTIONS)
    ]:
        alone = answers[name].give(desk, answers[name].asked.model_validate(body))
        assert same(unpack(content), unpack(pack(alone))), (name, body)
    status, content = post(address, "words", json.dumps({"question": QUESTIONS[0]}).encode())
    assert status == 200
