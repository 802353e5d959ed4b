"""A text under way to its normal form, each of whose characters knows where in the original text it came from.

>>> quoted = AlignedText.of("x``y")
>>> quoted.replaced([(1, 3)], '"')
AlignedText(text='x"y', spans=[(0, 1), (2, 3), (3, 4)])
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

Span = tuple[int, int]
Change = tuple[str, int]
"""A new character, and how it came about. 0: it replaces one; -n: it replaces one, and n behind that one are gone;
positive: it is put in, and shares the place of the character before."""


@dataclass(frozen=True)
class AlignedText:
    """A text, and for each character the stretch of the original, start and end, that it stands for."""

    text: str
    spans: list[Span]

    @classmethod
    def of(cls, text: str) -> AlignedText:
        return cls(text, [(place, place + 1) for place in range(len(text))])

    def __getitem__(self, part: slice) -> AlignedText:
        return AlignedText(self.text[part], self.spans[part])

    def changed(self, changes: Iterable[Change], dropped: int = 0) -> AlignedText:
        """The text that changes make, character by character, after the first `dropped` are left out."""
        chars: list[str] = []
        spans: list[Span] = []
        place = dropped
        for char, change in changes:
            chars.append(char)
            if change > 0:
                spans.append(self.spans[place - 1] if place else (0, 0))
            else:
                spans.append(self.spans[place])
                place += 1 - change
        return AlignedText("".join(chars), spans)

    def kept(self, keep: Iterable[bool]) -> AlignedText:
        """Only the characters to be kept."""
        places = [place for place, wanted in enumerate(keep) if wanted]
        return AlignedText(
            "".join(self.text[place] for place in places), [self.spans[place] for place in places]
        )

    def replaced(self, places: Iterable[Span], content: str) -> AlignedText:
        """With other content at these places, in order; it stands for the last character that it replaces."""
        parts: list[str] = []
        spans: list[Span] = []
        done = 0
        for start, end in places:
            parts += (self.text[done:start], content)
            spans += self.spans[done:start]
            spans += [self.spans[end - 1]] * len(content)
            done = end
        return AlignedText("".join([*parts, self.text[done:]]), spans + self.spans[done:])
