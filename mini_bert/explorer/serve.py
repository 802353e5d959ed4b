"""The explorer as a program: a server on this machine, and a browser that shows it."""

from __future__ import annotations

import errno
import gc
import logging
import socket
import webbrowser
from collections.abc import Callable
from contextlib import suppress
from threading import Thread
from urllib.parse import quote

import uvicorn

from mini_bert.explorer.app import create_app
from mini_bert.explorer.desk import Desk
from mini_bert.explorer.guard import EVERYWHERE, LOOPBACK, Allowed

PORT = 8192
LOCAL = "127.0.0.1"


class Server(uvicorn.Server):
    """Says when it answers, and ends at once when it is told to, whatever is still asked."""

    def __init__(self, config: uvicorn.Config, on_start: Callable[[], None]) -> None:
        super().__init__(config)
        self.on_start = on_start

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.on_start()

    def is_serving(self, _: logging.LogRecord) -> bool:
        """Whether a fault is worth telling: requests that break off because we end are none."""
        return not self.should_exit


def serve(
    desk: Desk,
    *,
    port: int | None = None,
    host: str = LOCAL,
    text: str | None = None,
    browser: bool = True,
    tell: Callable[[str], None],
) -> None:
    """Answer until Ctrl-C. Without a port it is PORT, or any other if that is taken."""
    listening = bound(host, port)
    if port is None and listening.getsockname()[1] != PORT:
        tell(f"Port {PORT} is taken; another one was free.")
    port = listening.getsockname()[1]
    address = url(host, port, text)
    if host not in LOOPBACK:
        tell(
            f"warning: --host {host}: everybody who reaches this machine can use the explorer and its models"
        )

    def on_start() -> None:
        tell(f"The explorer is at {address}")
        tell("Ctrl-C ends it.")
        if browser:
            Thread(target=webbrowser.open, args=[address], daemon=True).start()

    config = uvicorn.Config(
        create_app(desk, Allowed(port, host)),
        log_config=None,
        access_log=False,
        log_level="error",
        server_header=False,
        timeout_graceful_shutdown=0,
        ws="none",
    )
    gc.collect()
    gc.freeze()  # what is loaded now stays: nobody need look through it again, at the end neither
    server = Server(config, on_start)
    log = logging.getLogger("uvicorn.error")
    log.addFilter(server.is_serving)
    try:
        with suppress(KeyboardInterrupt):
            server.run(sockets=[listening])
    finally:
        log.removeFilter(server.is_serving)
        listening.close()
    tell("The explorer has ended.")


def bound(host: str, port: int | None) -> socket.socket:
    """A socket at the port, if it is free; at any free one, if none was asked for."""
    try:
        return bound_to(host, PORT if port is None else port)
    except (TypeError, UnicodeError):
        raise ValueError(f"--host {host!r}: not the name of a machine; choose another") from None
    except OSError as error:
        if error.errno not in (errno.EADDRINUSE, errno.EACCES) or port is not None:
            raise ValueError(
                f"port {PORT if port is None else port} of {host}: {error.strerror or error}; choose another --port or "
                "--host"
            ) from None
    return bound_to(host, 0)


def bound_to(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    found = socket.socket(family, socket.SOCK_STREAM)
    try:
        # Windows would let two servers share a port by SO_REUSEADDR; elsewhere it only skips the wait after an end.
        option = getattr(socket, "SO_EXCLUSIVEADDRUSE", socket.SO_REUSEADDR)
        found.setsockopt(socket.SOL_SOCKET, option, 1)
        found.bind((host, port))
    except BaseException:
        found.close()
        raise
    return found


def url(host: str, port: int, text: str | None = None) -> str:
    """Where the page is, for a browser on this machine."""
    name = LOCAL if host in EVERYWHERE else f"[{host}]" if ":" in host else host
    return f"http://{name}:{port}/" + (f"#text={quote(text)}" if text else "")
