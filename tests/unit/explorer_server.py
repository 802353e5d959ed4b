"""A real server of the explorer on a free port, and requests to it that no library makes more polite."""

import json
import threading
import time
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPResponse
from typing import NamedTuple

import uvicorn

from mini_bert.explorer.app import create_app
from mini_bert.explorer.guard import Allowed
from mini_bert.explorer.serve import Server, bound


class Reply(NamedTuple):
    status: int
    headers: dict
    content: bytes

    @property
    def error(self):
        return json.loads(self.content)["error"]


class Running(NamedTuple):
    port: int

    def ask(self, path, body=None, *, method=None, **headers):
        """One request; the names of headers are written with _ for -."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=20)
        try:
            content = json.dumps(body).encode() if isinstance(body, dict) else body
            named = {name.replace("_", "-"): value for name, value in headers.items()}
            connection.request(method or ("GET" if body is None else "POST"), path, content, named)
            reply: HTTPResponse = connection.getresponse()
            return Reply(reply.status, {k.lower(): v for k, v in reply.getheaders()}, reply.read())
        finally:
            connection.close()


@contextmanager
def running(desk, answers=None, **folder):
    listening = bound("127.0.0.1", 0)
    port = listening.getsockname()[1]
    started = threading.Event()
    config = uvicorn.Config(
        create_app(desk, Allowed(port), answers, **folder),
        log_config=None,
        access_log=False,
        timeout_graceful_shutdown=0,
        ws="none",
    )
    server = Server(config, started.set)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    assert started.wait(20)
    try:
        yield Running(port)
    finally:
        server.should_exit = True
        thread.join(10)
        listening.close()
        assert not thread.is_alive()


def until(condition, seconds=10.0):
    """Whether it comes true in time."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.01)
    return False
