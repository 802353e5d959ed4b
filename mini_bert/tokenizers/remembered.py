"""The ids of stretches of text, of which a language has few: worked out once each.

>>> sizes = Remembered(lambda text: [len(text)], longest=4)
>>> sizes["hen"], sizes["heron"], [*sizes]
([3], [5], ['hen'])
"""

from collections.abc import Callable, Sequence

SIZE = 1 << 18
LONGEST = 100
"""In letters. A script without spaces has stretches as long as a paragraph, none of which is ever seen again."""


class Remembered(dict[str, Sequence[int]]):
    """What `work` makes of a text. Forgets all when it holds `size` texts; one above `longest` is never kept."""

    def __init__(
        self, work: Callable[[str], Sequence[int]], *, size: int = SIZE, longest: int = LONGEST
    ) -> None:
        super().__init__()
        self.work, self.size, self.longest = work, size, longest

    def __missing__(self, text: str) -> Sequence[int]:
        made = self.work(text)
        if len(text) <= self.longest:
            if len(self) >= self.size:
                self.clear()
            self[text] = made
        return made
