"""Facts of the world inside a story: told, read, known, asked and answered."""

from mini_bert.data.world import closed as c
from mini_bert.data.world.cast import Being
from mini_bert.data.world.clauses import clause, that
from mini_bert.data.world.facts import FACTS
from mini_bert.data.world.facts.fact import Fact
from mini_bert.data.world.lexicon import noun, nouns, verb, verbs
from mini_bert.data.world.phrases import a, obl, the
from mini_bert.data.world.scenes.steps import asks, tells
from mini_bert.data.world.teller import Teller
from mini_bert.data.world.tree import Phrase, words

KNOWS = verbs("know learn remember hear say explain read think forget")
SOURCES = tuple(
    the(noun(w).one) for w in words("book newspaper teacher letter magazine dictionary sign poster guide")
)
FACTS_BY_RELATION: dict[str, list[Fact]] = {}
for _fact in FACTS:
    FACTS_BY_RELATION.setdefault(_fact.relation, []).append(_fact)


STRIDE, LEAP = 619, 7919  # primes: neighbouring stories and facts of one story are far apart in the list


def next_fact(t: Teller) -> tuple[Fact, Phrase]:
    """The next fact of this story's turn, in the next of its paraphrases.

    Over many stories every fact comes up equally often, and in every way.
    """
    t.turn += LEAP
    fact = FACTS[t.turn * STRIDE % len(FACTS)]
    return fact, fact.statements[t.turn // len(FACTS) % len(fact.statements)]


def aside(t: Teller, who: Being, other: Being) -> None:
    """The fact as something that is known, read or said."""
    fact, inner = next_fact(t)
    roll = t.roll(5)
    if roll == 0:
        t.say(inner, f"fact: {fact.relation}", facts=(fact,))
        return
    if roll == 1:
        tree = clause(t.subj(who), t.pick(KNOWS), t.now, that(inner))
    elif roll == 2:
        tree = clause(t.pick(SOURCES), verb("say"), t.now, that(inner))
    elif roll == 3:
        subject = t.subj(who)
        tree = clause(subject, verb("tell"), t.now, ("iobj", t.obj(other)), that(inner))
    else:
        reader = t.subj(who)
        tree = clause(reader, verb("read"), t.now, obl(c.IN, a(t.pick(BOOKS).one)), that(inner))
    t.say(tree, "fact: reported", facts=(fact,))


BOOKS = nouns("book newspaper magazine letter dictionary atlas")


def asked(t: Teller, who: Being, other: Being) -> None:
    """A question and its answer."""
    fact, statement = next_fact(t)
    asks(t, who, fact.question, hearer=other)
    tells(t, other, who, statement, how=t.pick(("say", "answer", "reply")), facts=(fact,))
