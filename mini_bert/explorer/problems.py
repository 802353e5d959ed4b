"""What goes wrong is told in one form: {"error": {"what": ..., "remedy": ...}}."""

from __future__ import annotations

from collections.abc import Mapping
from dis import opmap
from typing import Any

from pydantic import BaseModel, ValidationError
from starlette.responses import JSONResponse

from mini_bert.errors import unknown
from mini_bert.explorer.limits import TooLong
from mini_bert.plain_json import portable

LONGEST_QUOTE = 60
OURS = "mini_bert"


class Refused(Exception):
    """A request that is not answered, with the HTTP status that says so."""

    def __init__(
        self, status: int, what: str, remedy: str = "", headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(what)
        self.status, self.what, self.remedy, self.headers = status, what, remedy, headers


def problem(refused: Refused) -> JSONResponse:
    content = portable({"error": {"what": refused.what, "remedy": refused.remedy}})
    return JSONResponse(content, refused.status, refused.headers)


def is_told(error: ValueError) -> bool:
    """Whether a `raise` in our own code has made it, in words for whoever asked.

    One that comes from elsewhere, like NumPy's of shapes that do not fit, is a mistake of ours: nobody who asked
    can do anything about it.
    """
    last = error.__traceback__
    while last is not None and last.tb_next is not None:
        last = last.tb_next
    if last is None:
        return False
    name = last.tb_frame.f_globals.get("__name__", "")
    return (
        name.partition(".")[0] == OURS
        and last.tb_frame.f_code.co_code[last.tb_lasti] == opmap["RAISE_VARARGS"]
    )


def of_error(error: ValueError) -> Refused:
    """Our messages say what is wrong, and after a semicolon the remedy."""
    what, remedy = split(str(error))
    return Refused(413 if isinstance(error, TooLong) else 400, what, remedy)


def of_validation(error: ValidationError, asked: type[BaseModel]) -> Refused:
    """The first fault of a request, in plain words."""
    fault = error.errors(include_url=False)[0]
    where = ".".join(str(step) for step in fault["loc"])
    if fault["type"] == "json_invalid":
        return Refused(400, f"the request is not JSON ({fault['ctx']['error']})", "send one JSON object")
    if fault["type"] == "extra_forbidden":
        known = list(asked.model_fields) if len(fault["loc"]) == 1 else []
        message = unknown("field", where, known) if known else f"unknown field {where!r}; leave it out"
        return Refused(400, *split(message))
    if fault["type"] == "value_error":
        what, remedy = split(str(fault["ctx"]["error"]))
        return Refused(400, f"{where}: {what}" if where else what, remedy)
    if fault["type"] == "missing":
        return Refused(400, f"{where}: it is missing", "give it")
    message = fault["msg"][:1].lower() + fault["msg"][1:]
    return Refused(400, f"{where or 'the request'}: {quoted(fault['input'])}", message)


def split(message: str) -> tuple[str, str]:
    what, _, remedy = message.partition("; ")
    return what, remedy


def quoted(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= LONGEST_QUOTE else f"{text[:LONGEST_QUOTE]}…"
