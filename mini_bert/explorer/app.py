"""The web app: its page, and POST /api/NAME for every answer."""

from __future__ import annotations

import asyncio
import mimetypes
from collections.abc import AsyncIterator, Awaitable, Callable, Hashable, Mapping
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import NamedTuple

from pydantic import ValidationError
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from mini_bert import __version__
from mini_bert.explorer.answers import Answer, File, all_answers
from mini_bert.explorer.desk import Desk, check_length
from mini_bert.explorer.guard import HUNG_UP, Allowed, Guard, bounded_body
from mini_bert.explorer.problems import Refused, is_told, of_error, of_validation, problem
from mini_bert.explorer.question import Asked
from mini_bert.explorer.wire import as_json, pack
from mini_bert.explorer.work import Busy, Work

STATIC = Path(__file__).parent / "static"
BINARY, PLAIN = "application/octet-stream", "application/json"
REMEDIES = {404: "look at the address", 405: "use GET"}
METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]
# Windows may have other ideas of these in its registry, and browsers refuse modules that do not say what they are.
for ending, kind in {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}.items():
    mimetypes.add_type(kind, ending)


def create_app(
    desk: Desk, allowed: Allowed, answers: Mapping[str, Answer] | None = None, static: Path = STATIC
) -> Guard:
    """`answers` are those of all views, if they are not given."""
    api = Api(desk, all_answers() if answers is None else answers)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        yield
        api.work.end()

    inner = Starlette(
        routes=[
            Route("/api/{name:path}", api.api, methods=METHODS),
            Mount("/", StaticFiles(directory=static, html=True, check_dir=False)),
        ],
        exception_handlers={
            Refused: told,
            HTTPException: told_by_starlette,
            Exception: told_nothing,
        },
        lifespan=lifespan,
    )
    return Guard(inner, allowed, desk.limits)


class Sent(NamedTuple):
    content: bytes
    kind: str
    headers: Mapping[str, str] | None = None


class Api:
    """What is under /api/, each by its method and name."""

    def __init__(self, desk: Desk, answers: Mapping[str, Answer]) -> None:
        self.desk = desk
        self.work = Work(desk.limits.threads, desk.limits.waiting)
        self.by_name: dict[str, tuple[str, Callable[[Request], Awaitable[Response]]]] = {
            "health": ("GET", self.health),
            "models": ("GET", self.models),
            **{name: ("POST", partial(self.answer, answer)) for name, answer in answers.items()},
        }

    async def api(self, request: Request) -> Response:
        name: str = request.path_params["name"]
        if name not in self.by_name:
            raise Refused(404, f"there is no answer called {name[:60]!r}", "look at the address")
        method, give = self.by_name[name]
        if request.method.replace("HEAD", "GET") != method:
            what = f"{request.method} /api/{name}: it takes another method"
            raise Refused(405, what, f"use {method}", {"allow": method})
        return await give(request)

    async def health(self, _: Request) -> Response:
        return JSONResponse({"well": True, "version": __version__})

    async def models(self, request: Request) -> Response:
        library = self.desk.library

        def compute() -> Sent:
            return Sent(as_json({"models": [library.about(name) for name in library.names]}), PLAIN)

        return await self.computed(request, "models", compute)

    async def answer(self, answer: Answer, request: Request) -> Response:
        asked = understood(answer.asked, await bounded_body(request, self.desk.limits))
        packs = as_json if wants_json(request) else pack

        def compute() -> Sent:
            check_length(asked.question.text, self.desk.limits)
            given = answer.give(self.desk, asked)
            if isinstance(given, File):
                return Sent(
                    given.content, given.kind, {"content-disposition": f'attachment; filename="{given.name}"'}
                )
            return Sent(packs(given), PLAIN if packs is as_json else BINARY)

        return await self.computed(request, (answer.name, packs, asked.model_dump_json()), compute)

    async def computed(self, request: Request, key: Hashable, compute: Callable[[], Sent]) -> Response:
        """What a thread computes, unless whoever asked goes away before."""
        result = asyncio.ensure_future(self.work.do(key, compute))
        left = asyncio.ensure_future(leaving(request))
        try:
            await asyncio.wait((result, left), return_when=asyncio.FIRST_COMPLETED)
            if not result.done():
                raise HUNG_UP
            sent = result.result()
        except Busy:
            raise Refused(
                503, "the explorer is busy", "wait a second and ask again", {"retry-after": "1"}
            ) from None
        except ValueError as error:
            if not is_told(error):
                raise
            raise of_error(error) from None
        finally:
            left.cancel()
            result.cancel()
        return Response(sent.content, media_type=sent.kind, headers=sent.headers)


def understood(kind: type[Asked], body: bytes) -> Asked:
    try:
        return kind.model_validate_json(body)
    except ValidationError as error:
        raise of_validation(error, kind) from None


def wants_json(request: Request) -> bool:
    accepted = request.headers.get("accept", "")
    return PLAIN in accepted and BINARY not in accepted


async def leaving(request: Request) -> None:
    """Returns when the other side has hung up."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


async def told(_: Request, error: Exception) -> Response:
    assert isinstance(error, Refused)
    return problem(error)


async def told_by_starlette(_: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return problem(
        Refused(error.status_code, error.detail, REMEDIES.get(error.status_code, ""), error.headers)
    )


async def told_nothing(_: Request, __: Exception) -> Response:
    """A fault of ours: the page hears that there was one, the terminal hears which."""
    return problem(Refused(500, "the explorer made a mistake", "the terminal tells more; please report it"))
