"""Circumstances: what else was going on, as a clause before or after any other."""

from collections.abc import Callable
from typing import NamedTuple

from mini_bert.data.world import closed as c
from mini_bert.data.world.clauses import PAST, PAST_PROGRESSIVE, PROGRESSIVE, be, clause, marked, when
from mini_bert.data.world.lexicon import Noun, Verb, adjective, adverb, nouns, verb, verbs
from mini_bert.data.world.phrases import the
from mini_bert.data.world.tree import Deps, Phrase, Word


class Happening(NamedTuple):
    """A subject, what it does or is, and adverbs or adjectives that go with it."""

    subjects: tuple[Noun, ...]
    verb: Verb | None
    details: tuple[Word, ...]


_HAPPENINGS = """
sun rise | slowly brightly
sun set | slowly
moon rise | slowly
bell clock telephone ring | loudly suddenly
guest visitor tourist passenger arrive | suddenly finally early
teacher doctor mailman policeman driver arrive | finally early late
child baby puppy kitten sleep | soundly quietly
child pupil student laugh | loudly happily
baby kitten cry | loudly
dog puppy bark | loudly wildly
rooster crow | loudly
bird sparrow sing | sweetly loudly
shop bakery bank library museum close | early
shop bakery market library open | early late
train bus ship ferry plane leave | late early
train bus ship ferry plane arrive | late early
music song rain stop | suddenly finally
wind storm start | suddenly
door gate window open | slowly suddenly
lamp candle fire burn | brightly
friend neighbor cousin leave | early quietly
farmer worker sailor work | hard quietly
leaf snow fall | slowly quietly
kettle soup boil | quickly
game lesson concert film party meeting begin | late early
game lesson concert film party meeting end | early late
water river lake pond be | cold deep clear calm
street road path be | empty dark wet dusty narrow
room house kitchen be | dark quiet cold empty warm
sky be | gray blue dark clear
sea be | calm rough blue
shop museum market be | closed open crowded
dinner breakfast lunch be | ready late cold
weather be | fine bad cold warm
"""


def _happening(row: str) -> Happening:
    names, details = row.split(" | ")
    *subjects, word = names.split()
    if word == "be":
        return Happening(nouns(" ".join(subjects)), None, tuple(adjective(w).plain for w in details.split()))
    return Happening(nouns(" ".join(subjects)), verb(word), tuple(map(adverb, details.split())))


HAPPENINGS = tuple(map(_happening, _HAPPENINGS.split("\n")[1:-1]))
LASTING = frozenset(verbs("sleep laugh cry bark sing burn work boil fall"))
MARKS = (c.WHEN, c.WHEN, c.BEFORE, c.AFTER)
ONE_OF_A_KIND = frozenset(nouns("sun moon wind snow rain soup music"))
WITHOUT_ARTICLE = frozenset(nouns("dinner breakfast lunch"))


def circumstance(random: Callable[[], float], now: int) -> Phrase:
    """A subordinate clause of time: "when the street was empty", "while the children were sleeping"."""
    happening = HAPPENINGS[int(random() * len(HAPPENINGS))]
    who = happening.subjects[int(random() * len(happening.subjects))]
    detail = happening.details[int(random() * len(happening.details))]
    if happening.verb is None:
        return when(c.WHEN, be(who.one if who in WITHOUT_ARTICLE else the(who.one), detail, now))
    plural = who not in ONE_OF_A_KIND and random() < 0.4
    subject = the(who.many if plural else who.one)
    right: Deps = (("advmod", detail),) if random() < 0.5 else ()
    if happening.verb in LASTING:
        doing = PAST_PROGRESSIVE if now == PAST else PROGRESSIVE
        return marked(c.WHILE, clause(subject, happening.verb, doing, *right))
    mark = MARKS[int(random() * len(MARKS))]
    inner = clause(subject, happening.verb, now, *right)
    return when(mark, inner) if mark is c.WHEN else marked(mark, inner)
