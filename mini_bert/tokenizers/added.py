"""Added tokens: pieces that are found in the text before anything else is done with it, and never cut.

>>> added = AddedTokens([AddedToken("[MASK]"), AddedToken("<eop>", lstrip=True)])
>>> [(part.text, part.token) for part in added.split("snow is [MASK] . <eop>")]
[('snow is ', None), ('[MASK]', '[MASK]'), (' .', None), (' <eop>', '<eop>')]
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from mini_bert.tokenizers.description import Description

NOTHING = r"(?!)"


@dataclass(frozen=True)
class AddedToken:
    """Its spelling, and whether it takes the white space before or behind it along.

    `special` tokens frame or hide text and are left out when text is decoded for people.
    """

    content: str
    special: bool = True
    lstrip: bool = False
    rstrip: bool = False

    def to_json(self, index: int) -> dict[str, Any]:
        return {
            "id": index,
            "content": self.content,
            "single_word": False,
            "lstrip": self.lstrip,
            "rstrip": self.rstrip,
            "normalized": False,
            "special": self.special,
        }

    @classmethod
    def from_json(cls, entry: Description, *, before_normalization: bool = True) -> AddedToken:
        """One entry of a file. Tokens are looked for in text that is not normalized yet, if there is such a thing."""
        if entry.flag("single_word", False):
            raise entry.unsupported("single_word", "true", ["false"])
        if before_normalization and entry.flag("normalized", False) and not entry.flag("special", False):
            raise entry.unsupported(
                "normalized", "true", ["false (add_tokens(AddedToken(..., normalized=False)))"]
            )
        return cls(
            entry.text("content"),
            entry.flag("special", False),
            entry.flag("lstrip", False),
            entry.flag("rstrip", False),
        )


def added_tokens_of(description: Description) -> list[AddedToken]:
    """The added tokens of a tokenizer.json."""
    normalizes = description.part("normalizer") is not None
    return [
        AddedToken.from_json(entry, before_normalization=normalizes)
        for entry in description.parts("added_tokens")
    ]


def with_further(tokens: Iterable[AddedToken], contents: Iterable[str]) -> tuple[AddedToken, ...]:
    """The tokens, and further special ones by their spelling."""
    if isinstance(contents, str):
        raise ValueError(f"special_tokens={contents!r} is one string; pass a list of tokens, [{contents!r}]")
    known = {token.content: token for token in tokens}
    for content in contents:
        if not content:
            raise ValueError("special_tokens: a token without letters is found nowhere; remove it")
        known.setdefault(content, AddedToken(content))
    return tuple(known.values())


class Part(NamedTuple):
    """A stretch of a text that starts at `start`: an added token, or ordinary text (None)."""

    text: str
    start: int
    token: str | None


class AddedTokens:
    """All added tokens of a vocabulary; among those that begin at one place the longest is found."""

    def __init__(self, tokens: Iterable[AddedToken]) -> None:
        self.by_content = {token.content: token for token in tokens}
        longest_first = sorted(self.by_content, key=len, reverse=True)
        self._any = re.compile("|".join(map(re.escape, longest_first)) or NOTHING)

    def __iter__(self) -> Iterator[AddedToken]:
        return iter(self.by_content.values())

    def __contains__(self, content: object) -> bool:
        return content in self.by_content

    def found_in(self, text: str) -> bool:
        return self._any.search(text) is not None

    def split(self, text: str) -> Iterator[Part]:
        """The text cut around the tokens written in it."""
        done = 0
        for match in self._any.finditer(text):
            token = self.by_content[match.group()]
            start, end = match.span()
            while token.lstrip and start > done and is_space(text[start - 1]):
                start -= 1
            while token.rstrip and end < len(text) and is_space(text[end]):
                end += 1
            if start > done:
                yield Part(text[done:start], done, None)
            yield Part(text[start:end], start, token.content)
            done = end
        if done < len(text):
            yield Part(text[done:], done, None)


def is_space(char: str) -> bool:
    """White space as Unicode has it; Python counts four separators of old files in, too."""
    return char.isspace() and not "\x1c" <= char <= "\x1f"
