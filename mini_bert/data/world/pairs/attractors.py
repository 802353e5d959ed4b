"""Agreement across other nouns: the verb agrees with its subject, and nouns between may have another number.

>>> attractor_pairs("prepositional phrase", True, 1)[0]
Pair(good='The swan beside the puddle is friendly.', bad='The swan beside the puddle are friendly.')
"""

from collections.abc import Callable
from random import Random

from mini_bert.data.world import closed as c
from mini_bert.data.world.clauses import PAST, clause, relative, which, who
from mini_bert.data.world.lexicon import Noun
from mini_bert.data.world.pairs.agreement import agreeing, copular
from mini_bert.data.world.pairs.frame import Contrast, Pair, countable, one_or_many, written
from mini_bert.data.world.phrases import nmod, the
from mini_bert.data.world.scenes.nominals import ANIMAL_DEEDS, TRANSFERS, kind_of, spots
from mini_bert.data.world.teller import Teller
from mini_bert.data.world.tree import ARE, Word, after
from mini_bert.data.world.words.people import CROWD


def numbered(noun: Noun, head: Word, same: bool) -> Word:
    """The noun in the number of the subject's head, or in the other."""
    return noun.many if (head.agr == ARE) == same else noun.one


def none(t: Teller, same: bool) -> Contrast:
    kind = kind_of(t)
    return agreeing(t, the(one_or_many(t, countable(t, kind))), kind)


def prepositional(t: Teller, same: bool) -> Contrast:
    """ "The rake near the doors is long"."""
    kind = kind_of(t)
    head = one_or_many(t, countable(t, kind))
    preposition, where = spot(t, kind)
    return agreeing(t, after(the(head), nmod(preposition, the(numbered(where, head, same)))), kind)


def two_prepositional(t: Teller, same: bool) -> Contrast:
    """ "The rake on the benches near the doors is long"."""
    kind = kind_of(t)
    head = one_or_many(t, countable(t, kind))
    (preposition, first), (_, second) = spot(t, kind), spot(t, kind)
    inner = after(the(numbered(first, head, same)), nmod(c.NEAR, the(numbered(second, head, same))))
    return agreeing(t, after(the(head), nmod(preposition, inner)), kind)


def spot(t: Teller, kind: str) -> tuple[Word, Noun]:
    return t.pick([spot for spot in spots(kind) if not spot[1].mass])


def subject_relative(t: Teller, same: bool) -> Contrast:
    kind = "person" if t.random() < 0.5 else "animal"
    head = one_or_many(t, countable(t, kind))
    pronoun = who(head.agr) if kind == "person" else which(head.agr)
    seen = the(numbered(countable(t, kind), head, same))
    return agreeing(t, relative(the(head), clause(pronoun, t.pick(ANIMAL_DEEDS), PAST, ("obj", seen))), kind)


def object_relative(t: Teller, same: bool) -> Contrast:
    kind = t.pick(("toy", "reading", "tool", "household"))
    head = one_or_many(t, countable(t, kind))
    doer = the(numbered(t.pick(CROWD), head, same))
    return copular(
        t, relative(the(head), clause(doer, t.pick(TRANSFERS), PAST, front=(("obj", c.REL_THAT),))), kind
    )


STRUCTURES: dict[str, Callable[[Teller, bool], Contrast]] = {
    "no noun between": none,
    "prepositional phrase": prepositional,
    "two such phrases": two_prepositional,
    "subject relative": subject_relative,
    "object relative": object_relative,
}


def attractor_pairs(structure: str, same: bool, count: int, seed: int = 0) -> list[Pair]:
    """So many pairs of a structure, in which all nouns between subject and verb have its number, or none has."""
    maker = STRUCTURES[structure]
    tellers = (Teller(Random(f"{seed}/attractors/{structure}/{same}/{index}")) for index in range(count))
    return [written(maker(teller, same)) for teller in tellers]
