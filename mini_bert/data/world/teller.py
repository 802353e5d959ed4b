"""The teller: the cast of a story, its tense and clock, and the sentences told so far."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from random import Random
from typing import TYPE_CHECKING

from mini_bert.data.world.cast import Being, Character, Pair, Thing
from mini_bert.data.world.circumstances import circumstance
from mini_bert.data.world.clauses import (
    CAN,
    COULD,
    FUTURE,
    PAST,
    PAST_PROGRESSIVE,
    PERFECT,
    PLUPERFECT,
    PRES,
    PROGRESSIVE,
    WOULD,
    fronted,
    joined,
)
from mini_bert.data.world.closed import PERIOD
from mini_bert.data.world.gold import NEUTRAL, Referent, Sentence
from mini_bert.data.world.lexicon import Noun
from mini_bert.data.world.reference import Reference
from mini_bert.data.world.times import LATER_FRONTS, LINKS, OPENINGS, SOMEDAY
from mini_bert.data.world.tree import Deps, Part, Phrase, Word, after, before
from mini_bert.data.world.words.animals import PET_NAMES, Animal
from mini_bert.data.world.words.people import (
    FAMILY_NAMES,
    FEMALE_KIN,
    FRIEND,
    MALE_KIN,
    MAN,
    MEN_NAMES,
    WOMAN,
    WOMEN_NAMES,
)
from mini_bert.data.world.words.things import PORTABLE, looks

if TYPE_CHECKING:
    from mini_bert.data.world.facts.fact import Fact

UNLINKED = ("feeling", "job", "owns")  # sentences that never begin with "luckily" or "sadly"
SETTABLE = frozenset(
    (
        "negation", "infinitive", "two deeds", "three deeds", "causes", "perceives", "passive", "particle verb",
        "resultative", "reflexive", "reflexive: plural", "both or neither", "cleft", "going to", "modal", "purpose",
    )
)  # fmt: skip
PLAIN_STARTS = ("nsubj", "nsubj:pass")  # sentences that begin with their subject
JOINABLE_STARTS = ("nsubj", "nsubj:pass", "obl", "obl:unmarked")
JOINED = 0.55  # how often two sentences become one with "and"
LINKED = 0.25  # how often one begins with "luckily" and the like
SET_IN = 0.45  # how often one gets a clause of time
SHORT, LONG = 75, 120  # characters


class Teller(Reference):
    """The state of one story while it is told.

    `now`, `had`, `doing`, `can` and `will` are the tenses of the narration: what happens, what happened
    before, what goes on, ability, and what is yet to come.
    """

    def __init__(self, rng: Random, turn: int = 0) -> None:
        super().__init__(rng)
        self.turn = turn  # which facts of the world this story may mention
        self.sentences: list[Sentence] = []
        self.cast: list[Character] = []
        self.people: list[Being] = []
        self.pets: list[Being] = []
        self.clock_started = False
        self.town: Word | None = None
        self.joining = False  # whether two sentences in a row belong so closely that "and" may join them
        self.open: Phrase | None = None  # the last sentence, if another may be joined to it
        self.narrate(past=self.random() < 0.75)

    def narrate(self, *, past: bool) -> None:
        self.now = PAST if past else PRES
        self.had = PLUPERFECT if past else PERFECT
        self.doing = PAST_PROGRESSIVE if past else PROGRESSIVE
        self.can = COULD if past else CAN
        self.will = WOULD if past else FUTURE

    def later(self, probability: float = 0.5) -> Deps:
        """An adverbial before the subject that moves the story on, or nothing."""
        if self.random() >= probability:
            return ()
        fronts = LATER_FRONTS if self.clock_started else OPENINGS
        self.clock_started = True
        return self.pick(fronts[self.now == PAST])

    def someday(self, probability: float = 0.6) -> Deps:
        """An adverbial that names another day, or nothing."""
        self.clock_started = True
        return self.pick(SOMEDAY[self.now == PAST]) if self.random() < probability else ()

    # The cast.

    def person(self, gender: str | None = None) -> Being:
        """A new person."""
        gender = gender or ("she" if self.random() < 0.5 else "he")
        noun, names = (WOMAN, WOMEN_NAMES) if gender == "she" else (MAN, MEN_NAMES)
        being = Being(len(self.cast), "person", gender, noun, self.fresh(names))
        being.family = self.fresh(FAMILY_NAMES)
        self.cast.append(being)
        self.people.append(being)
        return being

    def relative(self, being: Being, gender: str | None = None) -> Being:
        """A new person who is kin or a friend of another, of the other gender unless told."""
        other = self.person(gender or ("he" if being.gender == "she" else "she"))
        kin = FRIEND if self.random() < 0.35 else self.pick(FEMALE_KIN if other.gender == "she" else MALE_KIN)
        if kin is not FRIEND:
            other.family = being.family
        other.kin = (kin, being)
        return other

    def pet(self, animal: Animal, owner: Being, look: Word | None = None) -> Being:
        being = Being(
            len(self.cast), "animal", self.pick(("he", "she", "it")), animal.noun, self.fresh(PET_NAMES)
        )
        being.kin = (animal.noun, owner)
        being.look = look
        self.cast.append(being)
        self.pets.append(being)
        return being

    def beast(self, animal: Animal, look: Word | None = None) -> Being:
        """An animal without a name."""
        being = Being(len(self.cast), "animal", "it", animal.noun)
        being.look = look
        self.cast.append(being)
        return being

    def thing(self, owner: Being | None, kinds: Sequence[Noun] = PORTABLE, look: Word | None = None) -> Thing:
        noun = self.fresh(kinds)
        thing = Thing(len(self.cast), noun, look or self.pick(looks(noun)), owner)
        self.cast.append(thing)
        return thing

    def pair(self, one: Being, other: Being) -> Pair:
        for character in self.cast:
            if isinstance(character, Pair) and {character.one, character.other} == {one, other}:
                return character
        pair = Pair(len(self.cast), one, other)
        self.cast.append(pair)
        return pair

    # Telling.

    @contextmanager
    def speaking(self, speaker: Being, hearer: Being | None) -> Iterator[None]:
        """What is made inside is said by `speaker` to `hearer`, in the present."""
        kept = self.speaker, self.hearer, self.now, self.had, self.doing, self.can, self.will
        self.speaker, self.hearer = speaker, hearer
        self.narrate(past=False)
        yield
        self.speaker, self.hearer, self.now, self.had, self.doing, self.can, self.will = kept

    def say(
        self,
        tree: Phrase,
        construction: str,
        sentiment: str = NEUTRAL,
        end: Part | None = PERIOD,
        facts: tuple[Fact, ...] = (),
    ) -> None:
        """Add a sentence; `end` is None where a quotation already ends it."""
        self.clock_started = self.clock_started or self.joining
        declarative = end is PERIOD and bool(tree.left)
        if declarative and tree.left[0][0] in PLAIN_STARTS and len(tree.text) < SHORT:
            tree = self._embellished(tree, construction, sentiment)
        open_before, self.open = self.open, tree if declarative and self.joining else None
        if self.open is not None and open_before is not None and self._joins(open_before, tree, sentiment):
            last = self.sentences.pop()
            tree = joined(open_before, tree)
            sentiment = last.sentiment if sentiment == NEUTRAL else sentiment
            construction, facts, self.open = "compound", last.facts + facts, None
        if end is not None:
            tree = Phrase(tree.word, tree.left, (*tree.right, ("punct", end)), tree.coref)
        self.sentences.append(Sentence(tree, construction, sentiment, facts))
        self.mentioned_before = self.mentioned
        self.mentioned = []

    def _joins(self, last: Phrase, tree: Phrase, sentiment: str) -> bool:
        """Whether a sentence is joined to the last: not if too long, nor if one is glad and one is sad."""
        if tree.left[0][0] not in JOINABLE_STARTS or len(tree.text) + len(last.text) > LONG:
            return False
        alike = sentiment == NEUTRAL or self.sentences[-1].sentiment in (NEUTRAL, sentiment)
        return alike and self.chance(JOINED)

    def _embellished(self, tree: Phrase, construction: str, sentiment: str) -> Phrase:
        """A short sentence, now and then with an adverb or a clause that sets it in its place."""
        chance = self.random()
        if self.joining:
            if chance > LINKED or sentiment == NEUTRAL or construction.startswith(UNLINKED):
                return tree
            return before(tree, *self.pick(LINKS[sentiment]))
        if chance < SET_IN and construction in SETTABLE:
            inner = circumstance(self.random, self.now)
            return before(tree, *fronted(inner)) if self.random() < 0.6 else after(tree, ("advcl", inner))
        return tree

    def referents(self) -> tuple[Referent, ...]:
        return tuple(Referent(c.id, c.kind, c.gender, _label(c)) for c in self.cast)


def _label(character: Character) -> str:
    if isinstance(character, Pair):
        return f"{_label(character.one)} and {_label(character.other)}"
    assert isinstance(character, (Being, Thing))
    if isinstance(character, Being) and character.given is not None:
        return character.given.form
    return character.noun.lemma
