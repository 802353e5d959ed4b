"""A page's side of the explorer without the page: the requests of its views, sent as a browser sends them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection
from typing import Any
from urllib.parse import urlsplit

from mini_bert.explorer.typed import Answers, Requests, Wanted
from mini_bert.explorer.wire import unpack

CONNECTIONS = 6
"""As many as a browser opens to one server."""
PATIENCE = 60.0


class Asking:
    """A page's connections to the server: what goes out together is on its way at the same time."""

    def __init__(self, address: str) -> None:
        self.host, self.port = urlsplit(address).hostname or "", urlsplit(address).port
        self.pool = ThreadPoolExecutor(CONNECTIONS)

    def post(self, wanted: Wanted) -> Any:
        kinds = {"Content-Type": "application/json", "Accept": "application/octet-stream"}
        return unpack(self.request("POST", wanted.name, json.dumps(wanted.body), kinds))

    def models(self) -> list[str]:
        found = json.loads(self.request("GET", "models", None, {"Accept": "application/json"}))
        return [one["name"] for one in found["models"]]

    def request(self, method: str, name: str, body: str | None, headers: dict[str, str]) -> bytes:
        connection = HTTPConnection(self.host, self.port, timeout=PATIENCE)
        try:
            connection.request(method, f"/api/{name}", body, headers)
            reply = connection.getresponse()
            content = reply.read()
        finally:
            connection.close()
        if reply.status != 200:
            raise ValueError(f"{name}: the server answered {reply.status}: {content[:300].decode()}")
        return content

    def together(self, wanted: Sequence[Wanted]) -> Answers:
        return list(self.pool.map(self.post, wanted))

    def all_of(self, several: Sequence[Requests]) -> None:
        """Views side by side, each going on as soon as its own answers are there."""
        with ThreadPoolExecutor(max(len(several), 1)) as views:
            list(views.map(self.follow, several))

    def follow(self, requests: Requests) -> None:
        try:
            batch = next(requests)
            while True:
                batch = requests.send(self.together(batch))
        except StopIteration:
            return
