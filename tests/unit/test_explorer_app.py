"""The app as anybody may speak to it: good questions, bad ones, and what is no question at all."""

import json
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import numpy as np
import pytest

from mini_bert.analysis.attention import attention_of
from mini_bert.analysis.reading import read
from mini_bert.core.functions.linear import linear
from mini_bert.explorer.answers import Answer, File
from mini_bert.explorer.desk import Desk
from mini_bert.explorer.limits import Limits
from mini_bert.explorer.question import Asked
from mini_bert.explorer.wire import unpack
from tests.unit.analysed_models import member
from tests.unit.explorer_server import running, until

TEXT = "a cow says [MASK] ."
GOOD = {"question": {"text": TEXT}}


class TimesAsked(Asked):
    times: float = 1.0


def give_weights(desk, asked):
    return {"weights": attention_of(desk.reading(asked.question)) * asked.times, "word": "é"}


def fail(desk, asked):
    raise RuntimeError("secret of the program")


def nothing(desk, asked):
    desk.model("giant")


def stumble(desk, asked):
    """NumPy's own words, from a product in the middle of a model."""
    linear(np.ones((2, 3)), np.ones((5, 4)), np.ones(4))


ANSWERS = {
    answer.name: answer
    for answer in (
        Answer("weights", TimesAsked, give_weights),
        Answer("deep/weights", TimesAsked, give_weights),
        Answer("fail", Asked, fail),
        Answer("nothing", Asked, nothing),
        Answer("stumble", Asked, stumble),
        Answer("outside", Asked, lambda desk, asked: int("secret")),
        Answer("file", Asked, lambda desk, asked: File("a.html", "text/html", b"<p>")),
    )
}


@pytest.fixture(scope="module")
def model(tokenizer):
    return member("mini", tokenizer)


@pytest.fixture(scope="module")
def server(model, tmp_path_factory):
    static = tmp_path_factory.mktemp("outer") / "static"
    (static / "js").mkdir(parents=True)
    (static / "index.html").write_text("<!doctype html>")
    (static / "js" / "main.js").write_text("export {}")
    (static.parent / "secret.txt").write_text("secret")
    with running(Desk.of(model, Limits(rate=10_000, patience=1.0)), ANSWERS, static=static) as server:
        yield server


def test_arrays_travel_as_they_are(server, model):
    reply = server.ask("/api/weights", {**GOOD, "times": 2})
    assert (reply.status, reply.headers["content-type"]) == (200, "application/octet-stream")
    expected = attention_of(read(model, TEXT)) * 2
    np.testing.assert_array_equal(unpack(reply.content)["weights"], expected.astype(np.float32))
    assert server.ask("/api/deep/weights", {**GOOD, "times": 2}).content == reply.content


def test_or_as_rounded_json(server, model):
    reply = server.ask("/api/weights", GOOD, Accept="application/json")
    assert reply.headers["content-type"] == "application/json"
    np.testing.assert_allclose(
        json.loads(reply.content)["weights"], attention_of(read(model, TEXT)), rtol=1e-5
    )


def test_a_file_travels_as_it_is(server):
    reply = server.ask("/api/file", GOOD)
    assert reply.content == b"<p>"
    assert reply.headers["content-disposition"] == 'attachment; filename="a.html"'


def test_models_and_health(server, model):
    (about,) = json.loads(server.ask("/api/models").content)["models"]
    assert about["default"]
    assert about["parameters"] == model.num_parameters
    assert about["sizes"]["layers"] == 3
    assert json.loads(server.ask("/api/health").content)["well"]


BAD = {
    "no body": b"",
    "half": b'{"question": {"te',
    "no object": b"[1, 2]",
    "a text": b'"question"',
    "null": b"null",
    "nothing asked": b"{}",
    "no text": b'{"question": {}}',
    "text is a number": b'{"question": {"text": 3}}',
    "another field": b'{"question": {"text": "a"}, "more": 1}',
    "another field inside": b'{"question": {"text": "a", "more": 1}}',
    "deep": b'{"question": ' + b"[" * 100_000,
    "deep and whole": b'{"question": ' + b"[" * 50_000 + b"]" * 50_000 + b"}",
    "not utf-8": b'{"question": {"text": "\xff"}}',
    "half a character": b'{"question": {"text": "\\ud800"}}',
    "nan": b'{"question": {"text": "a"}, "times": NaN}',
    "infinite": b'{"question": {"text": "a"}, "times": 1e999}',
    "huge number": b'{"question": {"text": "a", "hidden": [' + b"9" * 6000 + b"]}}",
    "large number": b'{"question": {"text": "a", "hidden": [99999999999999999999999]}}',
    "negative place": b'{"question": {"text": "a", "hidden": [-1]}}',
    "place of a target": b'{"question": {"text": "a", "target": {"99999999999999999999": "cow"}}}',
    "no place": b'{"question": {"text": "a", "target": {"x": "cow"}}}',
    "no such word, and long": b'{"question": {"text": "a", "target": {"1": "' + b"q" * 9000 + b'"}}}',
    "no such model, and long": b'{"question": {"text": "a", "model": "' + b"q" * 9000 + b'"}}',
    "no word": b'{"question": {"text": "a", "target": {"1": "qqqqqqq"}}}',
    "many places": b'{"question": {"text": "a", "hidden": [' + b"1," * 9000 + b"1]}}",
    "no head": b'{"question": {"text": "a", "edits": [{"layer": 99, "head": 0, "kind": "off"}]}}',
    "no kind": b'{"question": {"text": "a", "edits": [{"layer": 0, "head": 0, "kind": "eval"}]}}',
    "a path": b'{"question": {"text": "a", "model": "../../secret"}}',
    "more words than it reads": b'{"question": {"text": "' + b"cow " * 200 + b'"}}',
}


@pytest.mark.parametrize("body", BAD.values(), ids=BAD)
def test_bad_questions_are_told_what_is_wrong(server, body):
    reply = server.ask("/api/weights", body)
    assert reply.status == 400
    assert reply.error["what"]
    assert len(reply.content) < 500
    assert "Traceback" not in reply.content.decode()


def test_the_remedy_is_told(server):
    error = server.ask("/api/nothing", GOOD).error
    assert "giant" in error["what"]
    assert error["remedy"]
    assert "did you mean 'times'" in server.ask("/api/weights", {**GOOD, "time": 1}).error["remedy"]


@pytest.mark.parametrize("size", [2_001, 100_000, 1_000_000, 3_000_000])
def test_long_texts_are_refused(server, size):
    reply = server.ask("/api/weights", {"question": {"text": "x" * size}})
    assert reply.status == 413
    assert "2,000" in reply.error["what"] + reply.error["remedy"]


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/api/weights", 405),
        ("HEAD", "/api/weights", 405),
        ("PUT", "/api/weights", 405),
        ("POST", "/api/models", 405),
        ("POST", "/api/nope", 404),
        ("GET", "/api/nope", 404),
        ("GET", "/api/", 404),
        ("GET", "/api/../secret.txt", 404),
        ("GET", "/nope.js", 404),
        ("POST", "/", 405),
        ("DELETE", "/js/main.js", 405),
    ],
)
def test_other_addresses_and_methods(server, method, path, status):
    reply = server.ask(path, b"{}" if method in ("POST", "PUT") else None, method=method)
    assert reply.status == status
    if method != "HEAD":
        assert reply.error["what"]
    if status == 405 and path == "/api/weights":
        assert reply.headers["allow"] == "POST"


def test_head(server):
    for path in ("/", "/js/main.js", "/api/models", "/api/health"):
        reply = server.ask(path, method="HEAD")
        assert (reply.status, reply.content) == (200, b"")


@pytest.mark.parametrize(
    "path",
    [
        "/../secret.txt",
        "/js/../../secret.txt",
        "/%2e%2e/secret.txt",
        "/..%2fsecret.txt",
        "/js/..%2f..%2fsecret.txt",
        "/..%5csecret.txt",
        "//secret.txt",
        "/js/%00",
        "/" + "a" * 5000,
    ],
)
def test_no_way_leads_out_of_the_folder(server, path):
    reply = server.ask(path)
    assert reply.status == 404
    assert b"secret" not in reply.content.replace(path.encode(), b"")


def test_the_page(server):
    page = server.ask("/")
    assert page.headers["content-type"].startswith("text/html")
    script = server.ask("/js/main.js")
    assert script.headers["content-type"].startswith("text/javascript")
    assert script.headers["cache-control"] == "no-cache"
    again = server.ask("/js/main.js", If_None_Match=script.headers["etag"])
    assert (again.status, again.content) == (304, b"")


@pytest.mark.parametrize(
    ("path", "body"),
    [("/", None), ("/api/models", None), ("/nope", None), ("/api/fail", GOOD), ("/api/weights", b"x")],
)
def test_browsers_are_told_to_protect_the_page(server, path, body):
    headers = server.ask(path, body).headers
    assert "default-src 'self'" in headers["content-security-policy"]
    assert "frame-ancestors 'none'" in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"


def test_a_fault_of_ours_tells_the_page_nothing_and_the_terminal_all(server, caplog):
    reply = server.ask("/api/fail", GOOD)
    assert reply.status == 500
    assert reply.error["remedy"]
    assert b"secret" not in reply.content
    assert until(lambda: "secret of the program" in caplog.text)
    assert server.ask("/api/weights", GOOD).status == 200


@pytest.mark.parametrize(("name", "trouble"), [("stumble", "matmul"), ("outside", "'secret'")])
def test_an_error_that_is_not_in_our_words_is_a_fault_of_ours(server, caplog, name, trouble):
    reply = server.ask(f"/api/{name}", GOOD)
    assert reply.status == 500
    assert trouble.encode() not in reply.content
    assert until(lambda: trouble in caplog.text)


def test_what_one_thread_read_for_another_is_told_to_both(server):
    """The error of a reading that two wait for comes out of the future that they share."""
    too_long = {"question": {"text": "cow " * 200}}
    with ThreadPoolExecutor(2) as pool:
        replies = list(
            pool.map(lambda times: server.ask("/api/weights", {**too_long, "times": times}), (1, 2))
        )
    assert [reply.status for reply in replies] == [400, 400]
    assert "pieces" in replies[0].error["what"]


def test_strangers_are_refused(server):
    assert server.ask("/", Host="evil.example").status == 403
    assert server.ask("/api/models", Host=f"evil.example:{server.port}").error["remedy"]
    assert server.ask("/api/weights", GOOD, Origin="https://evil.example").status == 403
    assert server.ask("/api/weights", GOOD, Origin=f"http://localhost:{server.port}").status == 200


def test_too_many_requests_and_too_much_work(model):
    held = Event()
    answers = {"wait": Answer("wait", TimesAsked, lambda desk, asked: {"held": held.wait(20)})}
    from threading import Thread

    with running(Desk.of(model, Limits(rate=0.001, burst=4, waiting=2)), answers) as server:
        replies = []
        threads = [
            Thread(target=lambda n=n: replies.append(server.ask("/api/wait", {**GOOD, "times": n})))
            for n in range(4)
        ]
        for thread in threads:
            thread.start()
        assert until(lambda: len(replies) == 2)
        assert {reply.status for reply in replies} == {503}
        assert replies[0].headers["retry-after"] == "1"
        late = server.ask("/api/wait", GOOD)
        assert (late.status, late.headers["retry-after"].isdecimal()) == (429, True)
        held.set()
        for thread in threads:
            thread.join(20)
        assert sorted(reply.status for reply in replies) == [200, 200, 503, 503]
