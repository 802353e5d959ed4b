"""What a page asks: a model, a text, which pieces are hidden, and what is changed in the model while it reads.

Every request carries the whole question, so that the server keeps nothing that two pages could disagree about.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

MOST_PLACES, MOST_EDITS = 2_000, 100
LONGEST_NAME = 300
"""Letters of a model's name, or of a word that is to be told."""
Name = Annotated[str, Field(max_length=LONGEST_NAME)]


class Request(BaseModel):
    """What may be in a request; anything else is refused."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class Edit(Request):
    """A change of one head while it reads.

    off: it writes nothing, for its context is 0. mean: each piece gets the mean of what it writes over the text.
    even: it looks everywhere alike. look: piece `query` (all of them without one) looks at piece `key` alone.
    """

    layer: int = Field(ge=0)
    head: int = Field(ge=0)
    kind: Literal["off", "mean", "even", "look"]
    query: int | None = Field(None, ge=0)
    key: int | None = Field(None, ge=0)

    @model_validator(mode="after")
    def is_whole(self) -> Self:
        if self.kind == "look" and self.key is None:
            raise ValueError("look: there is no key; give the place of the piece that it looks at")
        if self.kind != "look" and (self.query, self.key) != (None, None):
            raise ValueError(f"{self.kind}: it takes no query and no key; leave them out")
        return self


class Question(Request):
    """`hidden` are places whose pieces the model does not see; `target` are words to be told by place, in the stead of
    a hidden piece or at a [MASK] that is written in the text. The model "" is the server's first."""

    model: Name = ""
    text: str
    hidden: tuple[int, ...] = Field((), max_length=MOST_PLACES)
    target: dict[int, Name] = Field({}, max_length=MOST_PLACES)
    edits: tuple[Edit, ...] = Field((), max_length=MOST_EDITS)

    @field_validator("hidden", mode="after")
    @classmethod
    def in_order(cls, places: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(sorted(set(places)))

    @property
    def key(self) -> tuple[Any, ...]:
        """The same for equal questions; it can be hashed."""
        return self.model, self.text, self.hidden, tuple(sorted(self.target.items())), self.edits

    def __hash__(self) -> int:
        return hash(self.key)

    @property
    def unedited(self) -> Question:
        """The same, of the model as it is."""
        return self.model_copy(update={"edits": ()}) if self.edits else self


class Asked(Request):
    """A view's request: it derives from this, and adds what it wants to know of the question."""

    question: Question
