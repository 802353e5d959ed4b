"""Who may ask, how often and how much: pages of this server only, from this machine.

A page of another site can make a browser send requests here, or have its own name point to this machine. The first
tells its Origin, the second is recognised by its Host.
"""

from __future__ import annotations

import asyncio
import ipaddress
import re
import socket
from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect, Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from mini_bert.explorer.limits import Limits
from mini_bert.explorer.problems import Refused, problem

HOST = re.compile(r"(\[(?P<six>[0-9A-Fa-f:.]+)\]|(?P<name>[A-Za-z0-9._-]+))(:(?P<port>[0-9]{1,5}))?")
LOOPBACK = ("localhost", "127.0.0.1", "::1")
EVERYWHERE = ("0.0.0.0", "::", "")
HUNG_UP = Refused(499, "the other side has hung up")
SECURITY = {
    "content-security-policy": "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
}


@dataclass(frozen=True)
class Allowed:
    """The names under which the server may be spoken to: those of this machine, and the one it was told to listen at.

    One that listens everywhere is spoken to by any address, but only by this machine's names.
    """

    port: int
    host: str = "127.0.0.1"

    def permits(self, netloc: str) -> bool:
        """Whether this is we, as a Host header or an Origin names it."""
        found = HOST.fullmatch(netloc)
        if found is None:
            return False
        name = (found["six"] or found["name"]).lower().rstrip(".")
        return int(found["port"] or 80) == self.port and self.knows(name)

    def knows(self, name: str) -> bool:
        if name in LOOPBACK or name == self.host.lower():
            return True
        if self.host not in EVERYWHERE:
            return False
        own = socket.gethostname().lower()
        return is_address(name) or name in (own, f"{own}.local")

    def permits_origin(self, origin: str) -> bool:
        return origin.startswith("http://") and self.permits(origin.removeprefix("http://"))


def is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


class Bucket:
    """`rate` drops fall in each second, up to `burst`; each request takes one."""

    def __init__(self, rate: float, burst: int, clock: Callable[[], float] = monotonic) -> None:
        self.rate, self.burst, self.clock = rate, burst, clock
        self.drops, self.then = float(burst), clock()

    def take(self) -> float:
        """0, or how many seconds to wait for the next."""
        now = self.clock()
        self.drops = min(self.burst, self.drops + (now - self.then) * self.rate)
        self.then = now
        if self.drops < 1:
            return (1 - self.drops) / self.rate
        self.drops -= 1
        return 0.0


class Guard:
    """Around the app: refuses who may not ask, and adds headers with which browsers protect the page."""

    def __init__(self, app: ASGIApp, allowed: Allowed, limits: Limits) -> None:
        self.app, self.allowed = app, allowed
        self.bucket = Bucket(limits.rate, limits.burst)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            if scope["type"] == "websocket":
                await send({"type": "websocket.close", "code": 1008})
            else:
                await self.app(scope, receive, send)
            return

        async def send_safely(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in SECURITY.items():
                    headers[name] = value
                headers.setdefault("cache-control", "no-store" if is_api(scope) else "no-cache")
            await send(message)

        refused = self.refusal(scope)
        await (problem(refused) if refused else self.app)(scope, receive, send_safely)

    def refusal(self, scope: Scope) -> Refused | None:
        headers = Headers(scope=scope)
        hosts = headers.getlist("host")
        if len(hosts) != 1 or not self.allowed.permits(hosts[0]):
            return Refused(
                403,
                f"the explorer is not at {', '.join(hosts)[:80] or 'an unknown address'}",
                f"open http://localhost:{self.allowed.port}/",
            )
        origin = headers.get("origin")
        if (origin is not None and not self.allowed.permits_origin(origin)) or not is_ours(scope, headers):
            return Refused(
                403, "another page may not ask the explorer", f"open http://localhost:{self.allowed.port}/"
            )
        if is_api(scope) and (wait := self.bucket.take()):
            return Refused(
                429, "too many requests at once", "wait a second", {"retry-after": str(max(1, round(wait)))}
            )
        return None


def is_api(scope: Scope) -> bool:
    path: str = scope["path"]
    return path.startswith("/api/")


def is_ours(scope: Scope, headers: Headers) -> bool:
    """Whether the browser says that one of our pages asks, or somebody who follows a link to it."""
    if headers.get("sec-fetch-site", "none") in ("none", "same-origin"):
        return True
    follows_link = headers.get("sec-fetch-mode") == "navigate" and headers.get("sec-fetch-dest") == "document"
    return scope["method"] == "GET" and follows_link and not is_api(scope)


async def bounded_body(request: Request, limits: Limits) -> bytes:
    """What was sent, unless it is too much or comes too slowly."""
    too_much = Refused(
        413,
        f"the request is larger than {limits.body // 1024} kB",
        f"ask about a text of up to {limits.text:,} characters",
    )
    body, heard = bytearray(), 0
    try:
        async with asyncio.timeout(limits.patience):
            async for chunk in request.stream():
                heard += len(chunk)
                if heard > limits.heard:
                    raise too_much
                if heard <= limits.body:
                    body += chunk
    except ClientDisconnect:
        raise HUNG_UP from None
    except TimeoutError:
        raise Refused(
            408, f"the request did not arrive within {limits.patience:g} seconds", "send it again"
        ) from None
    if heard > limits.body:
        raise too_much
    return bytes(body)
