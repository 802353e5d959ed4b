"""Groups of settings that refuse what does not fit, and say where and why."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, get_args

from pydantic import BaseModel, ConfigDict, ValidationError

from mini_bert.errors import unknown


class Checked(BaseModel):
    """A frozen group of settings. What does not fit is refused with a ValueError that says where, and the remedy."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    def __init__(self, **settings: Any) -> None:
        try:
            super().__init__(**settings)
        except ValidationError as error:
            raise ValueError(self.explain(error)) from None

    @classmethod
    def explain(cls, error: ValidationError) -> str:
        lines = []
        for fault in error.errors():
            where = ".".join(str(step) for step in fault["loc"])
            if fault["type"] == "extra_forbidden":
                lines.append(unknown("setting", where, list(cls.model_fields)))
            elif fault["type"] == "value_error":
                lines.append(": ".join(filter(None, [where, str(fault["ctx"]["error"])])))
            else:
                lines.append(f"{where}: {fault['msg']} (got {fault['input']!r})")
        return "\n".join(lines)

    @classmethod
    def parse(cls, settings: Mapping[str, Any]) -> Self:
        """From plain data, as YAML and JSON give it: a group inside is given as a mapping."""
        parsed = dict(settings)
        for name, field in cls.model_fields.items():
            group = group_of(field.annotation)
            if group is not None and isinstance(parsed.get(name), Mapping):
                try:
                    parsed[name] = group.parse(parsed[name])
                except ValueError as error:
                    raise ValueError(
                        "\n".join(within(name, line) for line in str(error).splitlines())
                    ) from None
        return cls(**parsed)


def within(group: str, fault: str) -> str:
    """
    >>> within("batch", "size: too small"), within("batch", "unknown setting 'sise'; did you mean 'size'?")
    ('batch.size: too small', "batch: unknown setting 'sise'; did you mean 'size'?")
    """
    return f"{group}: {fault}" if fault.startswith("unknown setting") else f"{group}.{fault}"


def group_of(annotation: Any) -> type[Checked] | None:
    """The group of settings that a field holds, whether or not it may be None."""
    kinds = [annotation, *get_args(annotation)]
    return next((kind for kind in kinds if isinstance(kind, type) and issubclass(kind, Checked)), None)
