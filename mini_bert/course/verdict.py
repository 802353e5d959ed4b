"""What a check found."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Literal, Self

Kind = Literal["passed", "open", "wrong", "raised", "syntax", "ended", "slow", "memory", "refused", "checker"]


@dataclass(frozen=True)
class Verdict:
    """`kind` is machine-readable; `message` is for the learner, and empty if all is well."""

    kind: Kind
    message: str = ""
    line: int | None = None
    steps_passed: tuple[str, ...] = ()
    step_failed: str | None = None
    printed: str = ""
    warned: tuple[str, ...] = ()
    seconds: float = 0.0

    @property
    def passed(self) -> bool:
        return self.kind == "passed"

    def to_json(self) -> str:
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> Self:
        found = json.loads(text)
        return cls(**found | {name: tuple(found[name]) for name in ("steps_passed", "warned")})
