"""Words and phrases: every phrase is a dependency tree from the moment it is made.

A `Phrase` is a head word with dependents to its left and right; each dependent is a pair
(relation, word or phrase) as in Universal Dependencies. Its text is joined when it is made, so that
writing a corpus never walks a tree; heads and relations are read off only when somebody asks.
"""

from typing import ClassVar, Final

IS, ARE, AM = 0, 1, 2  # with which form of "be" (and of every other verb) a subject agrees

QUOTE_SENTENCE: Final = "\x01"  # inside the text of an opening quotation mark: no space, then a capital
QUOTE_REST: Final = "\x02"  # the same where the quoted sentence only goes on: no capital

Dep = tuple[str, "Part"]
Deps = tuple[Dep, ...]


class Word:
    """An inflected word. `text` is what it adds to a sentence: its form with the space before it."""

    __slots__ = ("agr", "entity", "feats", "form", "lemma", "text", "upos", "vowel", "word")

    left: ClassVar[Deps] = ()
    right: ClassVar[Deps] = ()
    coref: ClassVar[int | None] = None
    text: str

    def __init__(
        self,
        form: str,
        upos: str,
        lemma: str = "",
        feats: str = "_",
        *,
        agr: int = IS,
        entity: str = "O",
        glued: bool = False,
    ) -> None:
        self.form = form
        self.upos = upos
        self.lemma = lemma or form
        self.feats = feats
        self.agr = agr
        self.entity = entity
        self.text = form if glued else " " + form
        self.vowel = begins_with_vowel_sound(form)
        self.word = self

    @property
    def glued(self) -> bool:
        """Written with no space before it, as in the comma, "'s" and "n't"."""
        return self.text[0] != " "

    def __repr__(self) -> str:
        return f"{self.form}/{self.upos}"


class Phrase:
    """A head word with its dependents. `coref` names the referent that the phrase stands for."""

    __slots__ = ("agr", "coref", "left", "right", "text", "word")

    text: str

    def __init__(
        self,
        word: Word,
        left: Deps = (),
        right: Deps = (),
        coref: int | None = None,
        agr: int | None = None,
    ) -> None:
        self.word = word
        self.left = left
        self.right = right
        self.coref = coref
        self.agr = word.agr if agr is None else agr
        text = ""  # a few short pieces: adding them up is faster than joining a list
        for dep in left:
            text += dep[1].text
        text += word.text
        for dep in right:
            text += dep[1].text
        self.text = text

    def __repr__(self) -> str:
        return f"<{self.text.strip()}>"


Part = Word | Phrase


def before(part: Part, *deps: Dep) -> Phrase:
    """The phrase with further dependents in front of all it has."""
    return Phrase(part.word, deps + part.left, part.right, part.coref, part.agr)


def after(part: Part, *deps: Dep) -> Phrase:
    """The phrase with further dependents behind all it has."""
    return Phrase(part.word, part.left, part.right + deps, part.coref, part.agr)


def about(part: Part, referent: int) -> Phrase:
    """The phrase as a mention of a referent."""
    return Phrase(part.word, part.left, part.right, referent, part.agr)


def first_word(part: Part) -> Word:
    """The leftmost word."""
    while part.left:
        part = part.left[0][1]
    return part.word


def finished(text: str) -> str:
    """A sentence as it is printed: capital at its start and at the start of what is quoted."""
    if QUOTE_SENTENCE in text:
        first, *quoted = text.split(QUOTE_SENTENCE + " ")
        text = first + "".join([part[0].upper() + part[1:] for part in quoted])
    if QUOTE_REST in text:
        text = text.replace(QUOTE_REST + " ", "")
    return text[1].upper() + text[2:]


def words(text: str) -> list[str]:
    """The words of a word list."""
    return text.split()


VOWEL_LETTER_BUT_CONSONANT_SOUND = ("uni", "use", "usu", "eu", "one", "once")
SILENT_H = ("hour", "honest", "honor")


def begins_with_vowel_sound(form: str) -> bool:
    """Whether the article before it is "an"."""
    form = form.lower()
    if form.startswith(SILENT_H):
        return True
    if form.startswith("unin"):  # "uninvited" is not "uni-form"
        return True
    return form[0] in "aeiou" and not form.startswith(VOWEL_LETTER_BUT_CONSONANT_SOUND)
