"""The explorer as a program: many at once, some who leave, some who dawdle, and its end."""

import json
import os
import signal
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import numpy as np
import pytest

from mini_bert.analysis.attention import attention_of
from mini_bert.analysis.reading import read
from mini_bert.cli import main
from mini_bert.explorer.answers import Answer
from mini_bert.explorer.desk import Desk
from mini_bert.explorer.limits import Limits
from mini_bert.explorer.question import Asked
from mini_bert.explorer.serve import bound, url
from mini_bert.explorer.wire import unpack
from mini_bert.explorer.work import Gone
from mini_bert.models.zoo import bert
from tests.unit.analysed_models import SIZES, lively
from tests.unit.explorer_server import running, until

TEXT = "a cow says [MASK] ."


@pytest.fixture(scope="module")
def model(tokenizer):
    return lively(bert(vocab_size=tokenizer.vocab_size, **SIZES), tokenizer, dtype=np.float32)


@pytest.fixture(scope="module")
def folder(model, tmp_path_factory):
    folder = tmp_path_factory.mktemp("cows")
    model.save_pretrained(folder)
    return folder


def give_weights(desk, asked):
    return {"weights": attention_of(desk.reading(asked.question))}


def request_to(port, name, body):
    content = json.dumps(body).encode()
    head = f"POST /api/{name} HTTP/1.1\r\nHost: localhost:{port}\r\nContent-Length: {len(content)}\r\n\r\n"
    return head.encode() + content


def test_two_hundred_at_once(model):
    texts = [f"a cow says {word} ." for word in ("moo", "[MASK]", "a cow", "what a dog says")]
    expected = [attention_of(read(model, text)) for text in texts]
    with running(Desk.of(model), {"weights": Answer("weights", Asked, give_weights)}) as server:
        with ThreadPoolExecutor(200) as pool:
            replies = list(
                pool.map(
                    lambda n: server.ask("/api/weights", {"question": {"text": texts[n % 4]}}), range(200)
                )
            )
        assert {reply.status for reply in replies} == {200}
        for n, reply in enumerate(replies):
            np.testing.assert_array_equal(unpack(reply.content)["weights"], expected[n % 4])
        assert server.ask("/api/health").status == 200


def test_work_ends_when_whoever_asked_has_gone(model):
    begun, ended = Event(), Event()

    def forever(desk, asked):
        try:
            while True:
                begun.set()
                desk.go_on()
                ended.wait(0.005)
        except Gone:
            ended.set()
            raise

    with running(Desk.of(model), {"forever": Answer("forever", Asked, forever)}) as server:
        with socket.create_connection(("127.0.0.1", server.port)) as asking:
            asking.sendall(request_to(server.port, "forever", {"question": {"text": TEXT}}))
            assert begun.wait(20)
            assert not ended.is_set()
        assert ended.wait(20)
        assert server.ask("/api/health").status == 200


def test_who_dawdles_or_leaves_in_the_middle_does_no_harm(model, caplog):
    answers = {"weights": Answer("weights", Asked, give_weights)}
    with running(Desk.of(model, Limits(patience=0.2)), answers) as server:
        half = request_to(server.port, "weights", {"question": {"text": TEXT}})[:-5]
        with socket.create_connection(("127.0.0.1", server.port)) as slow:
            slow.sendall(half)
            slow.settimeout(20)
            assert b"408" in slow.recv(4096).splitlines()[0]
        for broken in (half, half[:20], b"GET", b"\x00\xff\r\n\r\n", b"GET / HTTP/1.1\r\n\r\n"):
            with socket.create_connection(("127.0.0.1", server.port)) as leaving:
                leaving.sendall(broken)
        assert server.ask("/api/weights", {"question": {"text": TEXT}}).status == 200
    assert "Traceback" not in caplog.text


@pytest.mark.skipif(os.name == "nt", reason="there is no Ctrl-C for another program's console on Windows")
def test_ctrl_c_ends_it_at_once_whatever_is_open(folder):
    command = [
        sys.executable,
        "-m",
        "mini_bert",
        "explore",
        "--model",
        str(folder),
        "--no-browser",
        "--port",
        "0",
    ]
    program = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert program.stdout is not None
    address = program.stdout.readline()
    assert "http://127.0.0.1:" in address
    assert "Ctrl-C" in program.stdout.readline()
    port = int(address.rstrip().rstrip("/").rsplit(":", 1)[1])
    with socket.create_connection(("127.0.0.1", port)) as open_:
        open_.sendall(request_to(port, "attention", {"question": {"text": TEXT}})[:-5])
        program.send_signal(signal.SIGINT)
        told, faults = program.communicate(timeout=60)
    assert program.returncode == 0
    assert told == "The explorer has ended.\n"
    assert faults == f"model: {folder.name}\n"


def test_a_port_that_is_taken():
    with bound("127.0.0.1", 0) as taken:
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(ValueError, match=f"port {port} of 127.0.0.1: .*choose another --port"):
            bound("127.0.0.1", port)


def test_a_host_that_cannot_be_a_name():
    with pytest.raises(ValueError, match=r"--host 'héllo\.\.x': not the name of a machine"):
        bound("héllo..x", None)


def test_without_a_port_another_is_found(monkeypatch):
    with bound("127.0.0.1", 0) as taken:
        taken.listen()
        port = taken.getsockname()[1]
        monkeypatch.setattr("mini_bert.explorer.serve.PORT", port)
        with bound("127.0.0.1", None) as other:
            assert other.getsockname()[1] not in (0, port)


def test_addresses():
    assert url("127.0.0.1", 8192) == "http://127.0.0.1:8192/"
    assert url("0.0.0.0", 8192) == "http://127.0.0.1:8192/"
    assert url("::1", 8192) == "http://[::1]:8192/"
    assert url("localhost", 80, "a [MASK] & b") == "http://localhost:80/#text=a%20%5BMASK%5D%20%26%20b"


def test_the_command_tells_what_it_needs(tmp_path, capsys, monkeypatch):
    assert main(["explore", "--help"]) == 0
    assert "mini-bert explore --text" in capsys.readouterr().out
    assert main(["explore", "--model", str(tmp_path / "nope"), "--no-browser"]) == 2
    assert main(["explore", "--port", "99999"]) == 2
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MINI_BERT_MODEL", raising=False)
    monkeypatch.setattr("mini_bert.explorer.library.is_here", lambda name: False)
    assert main(["explore", "--no-browser"]) == 2
    assert "`mini-bert demo` takes two minutes" in capsys.readouterr().err


def test_the_browser_opens_when_it_answers(folder, monkeypatch, capsys):
    from mini_bert.explorer import serve

    opened = []

    class Once(serve.Server):
        async def main_loop(self):
            assert until(lambda: opened)

    monkeypatch.setattr(serve, "Server", Once)
    monkeypatch.setattr("webbrowser.open", opened.append)
    monkeypatch.setattr("gc.freeze", lambda: None)
    assert main(["explore", "--model", str(folder), "--port", "0", "--text", "a cow"]) == 0
    told = capsys.readouterr().out
    assert opened[0].endswith("/#text=a%20cow")
    assert f"The explorer is at {opened[0]}" in told
