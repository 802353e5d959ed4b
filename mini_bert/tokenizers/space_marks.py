"""SentencePiece's way with spaces: a space is written ▁ and belongs to the word behind it.

>>> SpaceMarks().words_in("snow")
['▁snow']
>>> [word.text for word in SpaceMarks(at_white_space=False).words(AlignedText.of("white  snow"), 0)]
['▁white', '▁', '▁snow']
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from mini_bert.tokenizers.aligned import AlignedText
from mini_bert.tokenizers.description import Description
from mini_bert.tokenizers.older_unicode import SPACES

MARK = "▁"
SCHEMES = ("always", "first", "never")
_MARKED = re.compile(f"{MARK}[^{MARK}]*|[^{MARK}]+")
_STRETCH = re.compile(f"[^{SPACES}]+")
_NOT_SPACES = re.compile("[\x1c-\x1f]")


@dataclass(frozen=True)
class SpaceMarks:
    """How text is cut into words and where marks are set.

    `prepend`: a mark is set before every stretch of text, before the first, or never. `split`: a word ends before
    each mark; else a stretch is one word. `at_white_space`: any white space ends a stretch and is forgotten.
    """

    prepend: str = "always"
    split: bool = True
    at_white_space: bool = True

    def stretches(self, text: str, start: int) -> list[str] | None:
        """Parts of a text that are cut into words one by one; None if their places must be known for that."""
        if self.prepend == "first" and start == 0:
            return None
        if not self.at_white_space:
            marked = self._marked(text, False)
            return _MARKED.findall(marked) if self.split else [marked] if marked else []
        return _STRETCH.findall(text) if _NOT_SPACES.search(text) else text.split()

    def words_in(self, stretch: str) -> list[str]:
        """The words of one of these parts."""
        if not self.at_white_space:
            return [stretch]
        marked = self._marked(stretch, False)
        return _MARKED.findall(marked) if self.split else [marked]

    def words(self, text: AlignedText, start: int) -> Iterator[AlignedText]:
        """The words with their places; the text begins at `start` of the original."""
        stretches = [text] if text.text else []
        if self.at_white_space:
            stretches = [text[slice(*match.span())] for match in _STRETCH.finditer(text.text)]
        for stretch in stretches:
            marked = self._marked(stretch.text, start + stretch.spans[0][0] == 0)
            prepended = len(marked) - len(stretch.text)
            word = AlignedText(marked, stretch.spans[:prepended] + stretch.spans)
            if self.split:
                yield from (word[slice(*match.span())] for match in _MARKED.finditer(marked))
            else:
                yield word

    def _marked(self, text: str, is_first: bool) -> str:
        marked = text.replace(" ", MARK)
        wanted = self.prepend == "always" or (self.prepend == "first" and is_first)
        return MARK + marked if wanted and marked and marked[0] != MARK else marked

    def to_json(self) -> dict[str, Any]:
        """The pre-tokenizer of a tokenizer.json."""
        marks = self.decoder_json()
        if not self.at_white_space:
            return marks
        return {"type": "Sequence", "pretokenizers": [{"type": "WhitespaceSplit"}, marks]}

    def decoder_json(self) -> dict[str, Any]:
        return {
            "type": "Metaspace",
            "replacement": MARK,
            "prepend_scheme": self.prepend,
            "split": self.split,
        }

    @classmethod
    def from_json(cls, cutter: Description) -> SpaceMarks:
        """Metaspace, alone or in a sequence, with WhitespaceSplit before it or without."""
        kind = cutter.text("type")
        steps = cutter.parts("pretokenizers") if kind == "Sequence" else [cutter]
        kinds = [step.text("type") for step in steps]
        for step, one in zip(steps, kinds, strict=True):
            if one not in ("WhitespaceSplit", "Metaspace"):
                raise step.unsupported("type", one, ["WhitespaceSplit", "Metaspace"])
        if kinds not in (["Metaspace"], ["WhitespaceSplit", "Metaspace"]):
            raise cutter.unsupported(
                "sequence", ", ".join(kinds), ["Metaspace", "WhitespaceSplit, Metaspace"]
            )
        marks = steps[-1]
        if (written := marks.text("replacement", MARK)) != MARK:
            raise marks.unsupported("replacement", written, [MARK])
        customary = "always" if marks.flag("add_prefix_space", True) else "never"
        prepend = marks.text("prepend_scheme", customary)
        if prepend not in SCHEMES:
            raise marks.unsupported("prepend_scheme", prepend, SCHEMES)
        return cls(prepend, marks.flag("split", True), len(kinds) == 2)
