"""Who did what to whom: a person acts upon a thing, and the same words with the two exchanged.

>>> role_pairs("active", 1)[0]
Pair(good='The boy drove the car.', bad='The car drove the boy.')
"""

from collections.abc import Callable
from random import Random

from mini_bert.data.world.clauses import PAST, clause, passive
from mini_bert.data.world.closed import BY
from mini_bert.data.world.lexicon import Verb, verbs
from mini_bert.data.world.pairs.frame import Pair
from mini_bert.data.world.phrases import pp, the
from mini_bert.data.world.teller import Teller
from mini_bert.data.world.tree import Phrase, finished
from mini_bert.data.world.words.activities import ACTIVITIES
from mini_bert.data.world.words.people import CROWD
from mini_bert.data.world.words.things import CLASS_OF

ALIVE = ("person", "animal")
THINGS_MAY = verbs("hold pull push carry fill protect hide lift follow cross guard teach hear")
"""What a thing may do as well, or may be said to."""
DEEDS = tuple(
    (deed.verb, thing)
    for deed in ACTIVITIES
    for thing in deed.objects
    if CLASS_OF.get(thing, "person") not in ALIVE
    and not (thing.mass or thing.pair or deed.verb in THINGS_MAY)
)


def _active(doer: Phrase, word: Verb, done_to: Phrase) -> Phrase:
    return clause(doer, word, PAST, ("obj", done_to))


def _passive(doer: Phrase, word: Verb, done_to: Phrase) -> Phrase:
    return passive(done_to, word, PAST, ("obl:agent", pp(BY, doer)))


VOICES: dict[str, Callable[[Phrase, Verb, Phrase], Phrase]] = {"active": _active, "passive": _passive}


def role_pairs(voice: str, count: int, seed: int = 0) -> list[Pair]:
    """So many pairs in the active or the passive voice; both sentences have the same words."""
    return [_pair(voice, Teller(Random(f"{seed}/roles/{voice}/{index}"))) for index in range(count)]


def _pair(voice: str, t: Teller) -> Pair:
    word, thing = t.pick(DEEDS)
    person, what = the(t.pick(CROWD).one), the(thing.one)
    good, bad = VOICES[voice](person, word, what), VOICES[voice](what, word, person)
    return Pair(finished(good.text + "."), finished(bad.text + "."))
