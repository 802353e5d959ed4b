"""What the readers yield: one frozen value per example, whatever file it came from."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Labelled:
    """A text, or a pair of texts, and its class as the file writes it."""

    text: str
    label: str
    pair: str | None = None


@dataclass(frozen=True, slots=True)
class TaggedSentence:
    """Words and one tag for each. `text` is the sentence as it was written, or the words with spaces between."""

    words: tuple[str, ...]
    tags: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True)
class DependencySentence:
    """A dependency tree: word i (counted from 1) hangs on word `heads[i - 1]`, and the root on 0.

    `text` is the sentence as it was written; `space_after` says after which words a space stood in it.
    """

    words: tuple[str, ...]
    upos: tuple[str, ...]
    heads: tuple[int, ...]
    relations: tuple[str, ...]
    space_after: tuple[bool, ...]
    text: str


@dataclass(frozen=True, slots=True)
class MinimalPair:
    """Two sentences that differ in one thing, which makes one of them ungrammatical.

    `paradigm` names what is tested; `case` is the condition within it, where the file has one.
    """

    good: str
    bad: str
    paradigm: str
    case: str = ""


@dataclass(frozen=True, slots=True)
class Fact:
    """`relation(subject) = object`, with the patterns that state it: "[X] was born in [Y]."."""

    relation: str
    subject: str
    object: str
    patterns: tuple[str, ...]

    def clozes(self, mask: str = "[MASK]") -> tuple[str, ...]:
        """The patterns with the subject filled in and a mask where the object belongs."""
        return tuple(pattern.replace("[Y]", mask).replace("[X]", self.subject) for pattern in self.patterns)


@dataclass(frozen=True, slots=True)
class WordPair:
    """Two words and how similar people find them."""

    a: str
    b: str
    score: float


@dataclass(frozen=True, slots=True)
class Analogy:
    """a is to b as c is to d."""

    a: str
    b: str
    c: str
    d: str
    section: str
