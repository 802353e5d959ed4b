"""One check of one source, in this process. `apart` does the same at arm's length."""

from __future__ import annotations

import importlib.util
import io
import sys
import time
import warnings
from contextlib import redirect_stderr, redirect_stdout
from types import CodeType, FrameType, ModuleType, TracebackType

import numpy as np

from mini_bert.course import calls
from mini_bert.course.exercise import Exercise
from mini_bert.course.guard import Refused
from mini_bert.course.judging import Mismatch
from mini_bert.course.learner import Learner
from mini_bert.course.showing import told_input
from mini_bert.course.verdict import Kind, Verdict

PRINTED = 2000
WARNED = 3
INNER_SIZES = (
    "the inner sizes of a matrix product differ: transpose one of the two; of more than two axes .T reverses all, "
    "and swapaxes(-1, -2) exchanges the last two"
)
TIPS = {
    "remapped shapes": "a matrix product works on the last two axes, and those before them must be alike; of more than "
    "two axes .T reverses all, and swapaxes(-1, -2) exchanges the last two",
    "could not be broadcast": "NumPy lines shapes up from the right, and two lengths must be equal or one of them 1; "
    "[:, None] makes an axis of length 1, keepdims=True keeps an axis that a sum or a mean takes away, and a slice "
    "like [:T] takes the first T",
    "mismatch in its core dimension": INNER_SIZES,
    "not aligned": INNER_SIZES,
    "truth value of an array": "`and`, `or` and `if` ask for one answer: join conditions on arrays by & and |, with "
    "brackets around each; np.where chooses place by place",
    "out of bounds": "an index is no place of the axis, whose places are counted from 0 to its length − 1",
    "is not defined": "a name is misspelt, or used before it is assigned",
    "EOF when reading a line": "input() asks the keyboard, and nobody is there; take the arguments",
}


class Printed(io.StringIO):
    """What was printed, as far as anybody would read it."""

    def write(self, text: str) -> int:
        room = PRINTED - self.tell()
        if room > 0:
            super().write(text[:room] if len(text) <= room else f"{text[:room]} …")
        return len(text)


class Trial:
    """Loads the learner's source, runs the check, and tells whatever happens. `path` names the source."""

    def __init__(self, exercise: Exercise, source: str, path: str) -> None:
        self.exercise, self.path = exercise, path
        self.lines = source.splitlines()
        self.source = source
        self.module = ModuleType(f"learner_{exercise.name}")
        self.module.__file__ = path
        self.learner = Learner(self.module)
        self.printed = Printed()
        self.warned: tuple[str, ...] = ()
        self.begun = time.perf_counter()

    def verdict(self) -> Verdict:
        check = check_of(self.exercise)
        calls.forget()
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            with redirect_stdout(self.printed), redirect_stderr(self.printed), np.errstate():
                found = self.judged(check)
        self.warned = tuple(
            dict.fromkeys(f"line {one.lineno}: {one.message}" for one in warned if one.filename == self.path)
        )[:WARNED]
        return self.told(*found)

    def judged(self, check: ModuleType) -> tuple[Kind, str, int | None]:
        try:
            code: CodeType = compile(self.source, self.path, "exec")
        except (SyntaxError, ValueError) as error:  # ValueError: the file has zero bytes
            return self.unreadable(error)
        sys.modules[self.module.__name__] = self.module
        try:
            exec(code, self.module.__dict__)
            check.check(self.learner)
        except Mismatch as mismatch:
            return "wrong", str(mismatch), None
        except BaseException as error:
            return self.raised(error)
        finally:
            del sys.modules[self.module.__name__]
        return "passed", "", None

    def unreadable(self, error: SyntaxError | ValueError) -> tuple[Kind, str, int | None]:
        told, line = (error.msg, error.lineno) if isinstance(error, SyntaxError) else (str(error), None)
        if "\0" in self.source:
            told, line = "it has null bytes; save it as UTF-8 text", None
        return "syntax", f"Python cannot read your file: {told}.{self.quoted(line)}", line

    def raised(self, error: BaseException) -> tuple[Kind, str, int | None]:
        line, function = self.last_line(error.__traceback__)
        if isinstance(error, KeyboardInterrupt) and line is None:
            raise error
        if line is None:
            told = f"{type(error).__name__}: {error}"
            return (
                "checker",
                f"the check cannot go on with your answer, or is at fault itself ({told}).",
                None,
            )
        if isinstance(error, NotImplementedError) and "NotImplementedError" in self.lines[line - 1]:
            return "open", f"the gap in `{function}` is still open.{self.quoted(line)}", line
        if isinstance(error, SystemExit):
            return "ended", f"your code ends the program: leave exit() out.{self.quoted(line)}", line
        if isinstance(error, Refused):
            return "refused", f"{error}{self.quoted(line)}", line
        if isinstance(error, MemoryError):
            return "memory", f"your code asks for too much memory: {error}.{self.quoted(line)}", line
        told = f"`{function}` raised {type(error).__name__}: {error}{self.quoted(line)}"
        if self.learner.running_calls and (call := self.learner.running_calls[-1]).arguments:
            told += f"\nIt was called as {call} with\n{told_input(call.arguments)}"
        tip = next((tip for sign, tip in TIPS.items() if sign in str(error)), None)
        return "raised", told + (f"\nLikely mistake: {tip}." if tip else ""), line

    def last_line(self, traceback: TracebackType | None) -> tuple[int | None, str]:
        """The deepest line of the learner's own file, and the function it is in."""
        line, function = None, ""
        while traceback is not None:
            if traceback.tb_frame.f_code.co_filename == self.path:
                line, function = traceback.tb_lineno, traceback.tb_frame.f_code.co_name
            traceback = traceback.tb_next
        return line, "your file" if function == "<module>" else function

    def too_slow(self, frame: FrameType | None, seconds: float) -> Verdict:
        """Still at work after so long: where?"""
        while frame is not None and frame.f_code.co_filename != self.path:
            frame = frame.f_back
        line = frame.f_lineno if frame else None
        told = f"your code was still running after {seconds:g} seconds, and was stopped.{self.quoted(line)}"
        return self.told("slow", f"{told}\nLikely mistake: a loop that never ends.", line)

    def told(self, kind: Kind, message: str, line: int | None) -> Verdict:
        steps, passed = tuple(self.learner.steps_begun), kind == "passed"
        return Verdict(
            kind,
            message,
            line,
            steps_passed=steps if passed else steps[:-1],
            step_failed=None if passed or not steps else steps[-1],
            printed=self.printed.getvalue(),
            warned=self.warned,
            seconds=round(time.perf_counter() - self.begun, 3),
        )

    def quoted(self, line: int | None) -> str:
        if line is None or not 0 < line <= len(self.lines):
            return ""
        return f"\n  line {line}:  {self.lines[line - 1].strip()}"


def check_of(exercise: Exercise) -> ModuleType:
    """The module check.py of an exercise; its folder is no package, for a name cannot begin with a number."""
    spec = importlib.util.spec_from_file_location(f"check_{exercise.name}", exercise.folder / "check.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
