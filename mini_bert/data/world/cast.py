"""Who and what a story speaks of: beings, things and groups, each with a state that events change."""

from __future__ import annotations

from mini_bert.data.world.closed import HE, IT, SHE, THEY, Pronoun
from mini_bert.data.world.lexicon import Adjective, Noun
from mini_bert.data.world.tree import Phrase, Word
from mini_bert.data.world.words.people import FamilyName, Job
from mini_bert.data.world.words.places import Place

PRONOUN_OF = {"he": HE, "she": SHE, "it": IT, "they": THEY}


class Character:
    """Whatever can be spoken of twice: it has an identity and a pronoun."""

    __slots__ = ("gender", "id", "kind", "known", "pronoun")

    def __init__(self, id: int, kind: str, gender: str) -> None:
        self.id = id
        self.kind = kind
        self.gender = gender
        self.pronoun: Pronoun = PRONOUN_OF[gender]
        self.known = False


class Being(Character):
    """A person or an animal. `kin` says who it is to another: (brother, Anna)."""

    __slots__ = ("family", "feeling", "given", "job", "kin", "look", "noun", "place", "title")

    def __init__(self, id: int, kind: str, gender: str, noun: Noun, given: Word | None = None) -> None:
        super().__init__(id, kind, gender)
        self.noun = noun
        self.given = given
        self.family: FamilyName | None = None
        self.title: Word | None = None
        self.kin: tuple[Noun, Being] | None = None
        self.look: Word | None = None
        self.job: Job | None = None
        self.place: Place | None = None
        self.feeling: Adjective | None = None


class Thing(Character):
    """A thing with a look of its own, an owner, and a spot where it is."""

    __slots__ = ("look", "noun", "owner", "spot")

    def __init__(self, id: int, noun: Noun, look: Word | None, owner: Being | None) -> None:
        super().__init__(id, "thing", "they" if noun.pair else "it")
        self.noun = noun
        self.look = look
        self.owner = owner
        self.spot: Phrase | None = None

    @property
    def head(self) -> Word:
        return self.noun.many if self.noun.pair else self.noun.one


class Pair(Character):
    """Two beings taken together."""

    __slots__ = ("one", "other")

    def __init__(self, id: int, one: Being, other: Being) -> None:
        super().__init__(id, "group", "they")
        self.one = one
        self.other = other
