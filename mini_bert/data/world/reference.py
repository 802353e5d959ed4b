"""Reference: by which name, description or pronoun a character is spoken of at this point of a story.

A pronoun stands for a character only where no other of its gender was just mentioned, so that a reader can
always tell who is meant.
"""

from random import Random

from mini_bert.data.world.cast import Being, Character, Pair, Thing
from mini_bert.data.world.chance import Chance
from mini_bert.data.world.closed import AND, WE, YOU, I, Pronoun
from mini_bert.data.world.lexicon import PARTICIPLE, verb
from mini_bert.data.world.phrases import a, a_or_bare, genitive, owned, the
from mini_bert.data.world.tree import ARE, Phrase, about, after, before

NAMED, CALLED = verb("name").forms[PARTICIPLE], verb("call").forms[PARTICIPLE]
MUST_BE_NAME, MAY_BE_PRONOUN, MUST_BE_PRONOUN = range(3)


class Reference(Chance):
    """Who was mentioned in this sentence and the one before; who speaks and who is spoken to."""

    def __init__(self, rng: Random) -> None:
        super().__init__(rng)
        self.speaker: Being | None = None
        self.hearer: Being | None = None
        self.mentioned: list[Character] = []
        self.mentioned_before: list[Character] = []

    def _person(self, who: Character) -> Pronoun | None:
        """The pronoun of the first or second person, if `who` speaks or is spoken to."""
        if self.speaker is None:
            return None
        if who is self.speaker:
            return I
        if who is self.hearer:
            return YOU
        if isinstance(who, Pair) and self.speaker in (who.one, who.other):
            return WE
        return None

    def _choice(self, who: Character) -> int:
        """Whether a pronoun may, or must, stand for `who`: no other of its gender may be near."""
        if not who.known and not isinstance(who, Pair):
            return MUST_BE_NAME
        gender = who.gender
        mentioned = self.mentioned
        if who in mentioned:
            for other in mentioned:
                if other.gender == gender and other is not who:
                    return MUST_BE_NAME
            return MUST_BE_PRONOUN
        before = self.mentioned_before
        if who not in before:
            return MUST_BE_NAME
        for other in before:
            if other.gender == gender and other is not who:
                return MUST_BE_NAME
        for other in mentioned:
            if other.gender == gender:
                return MUST_BE_NAME
        return MAY_BE_PRONOUN

    def _pronoun(self, who: Character, preference: float = 0.7) -> Pronoun | None:
        if self.speaker is not None:
            person = self._person(who)
            if person is not None:
                return person
        choice = self._choice(who)
        if choice == MUST_BE_PRONOUN or (choice == MAY_BE_PRONOUN and self.random() < preference):
            return who.pronoun
        return None

    def subj(self, who: Character) -> Phrase:
        """The character as a subject."""
        pronoun = self._pronoun(who)
        if pronoun is None:
            return self.named(who)
        self.mentioned.append(who)
        return Phrase(pronoun.nominative, (), (), who.id)

    def named_subj(self, who: Character) -> Phrase:
        """The character as a subject by name, unless it speaks or is spoken to."""
        person = self._person(who)
        return self.named(who) if person is None else Phrase(person.nominative, (), (), who.id)

    def obj(self, who: Character) -> Phrase:
        """The character as an object or after a preposition."""
        pronoun = self._pronoun(who)
        if pronoun is None:
            return self.named(who)
        self.mentioned.append(who)
        return Phrase(pronoun.objective, (), (), who.id)

    def poss(self, who: Character) -> Phrase:
        """The character as an owner: "her", "Anna's"."""
        pronoun = self._pronoun(who, 0.85)
        if pronoun is None:
            return genitive(self.named(who))
        self.mentioned.append(who)
        return Phrase(pronoun.my, (), (), who.id)

    def mine(self, who: Character) -> Phrase:
        """What belongs to the character, without its noun: "hers", "Anna's"."""
        pronoun = self._pronoun(who)
        if pronoun is None:
            return genitive(self.named(who))
        self.mentioned.append(who)
        return Phrase(pronoun.mine, (), (), who.id)

    def self(self, who: Character) -> Phrase:
        """The reflexive pronoun of a subject."""
        pronoun = self._person(who) or who.pronoun
        return Phrase(pronoun.reflexive, (), (), who.id)

    def named(self, who: Character) -> Phrase:
        """The character by name or description; only who speaks or is spoken to is "me" or "you"."""
        if isinstance(who, Being):
            phrase = self._being(who)
        elif isinstance(who, Thing):
            phrase = self._thing(who)
        else:
            assert isinstance(who, Pair)
            one, other = self.named(who.one), self.named(who.other)
            conjunction = about(AND, who.id)
            phrase = after(one, ("conj", before(other, ("cc", conjunction))))
            phrase.agr = ARE
        who.known = True
        self.mentioned.append(who)
        return phrase

    def _being(self, who: Being) -> Phrase:
        if self.speaker is not None:
            person = self._person(who)
            if person is not None:
                return Phrase(person.objective, (), (), who.id)
        if who.given is None:
            if who.known:
                return about(the(who.noun.one), who.id)
            return about(a(who.noun.one, *([who.look] if who.look else [])), who.id)
        if who.title is not None and who.family is not None:
            return Phrase(who.family.alone, (("nmod:desc", who.title),), (), who.id)
        if not who.known:
            return about(self._introduction(who), who.id)
        if who.kin is not None and self.random() < 0.18 and self._choice(who.kin[1]) != MUST_BE_NAME:
            return about(owned(self.poss(who.kin[1]), who.kin[0].one), who.id)
        if who.kind == "animal" and self.random() < 0.4:
            return about(the(who.noun.one), who.id)
        return Phrase(who.given, (), (), who.id)

    def _introduction(self, who: Being) -> Phrase:
        """A person by both names, or as the brother or the dog of somebody."""
        assert who.given is not None
        if who.kin is None:
            if who.family is None or self.random() < 0.6:
                return Phrase(who.given)
            return Phrase(who.given, (), (("flat", who.family.after_given),))
        kin, of_whom = who.kin
        modifiers = [who.look] if who.look else []
        if who.kind == "animal" and self.random() < 0.3:
            name = Phrase(NAMED if self.random() < 0.6 else CALLED, (), (("xcomp", who.given),))
            return after(a(kin.one, *modifiers), ("acl", name))
        return after(owned(self.poss(of_whom), kin.one, *modifiers), ("appos", who.given))

    def _thing(self, what: Thing) -> Phrase:
        modifiers = () if what.look is None else (what.look,)
        owner = what.owner
        if not what.known:
            if owner is not None and owner in self.mentioned and self._choice(owner) == MUST_BE_PRONOUN:
                return about(owned(self.poss(owner), what.head, *modifiers), what.id)
            return about(a_or_bare(what.noun, *modifiers), what.id)
        if self.random() < 0.55:
            modifiers = ()
        if owner is not None and self.random() < 0.35 and self._choice(owner) != MUST_BE_NAME:
            return about(owned(self.poss(owner), what.head, *modifiers), what.id)
        return about(the(what.head, *modifiers), what.id)
