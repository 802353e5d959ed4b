"""Pairs about agreement between subject and verb."""

from mini_bert.data.world import closed as c
from mini_bert.data.world.clauses import (
    BE_PAST,
    BE_PRES,
    PAST,
    PRES,
    ask_be,
    be,
    clause,
    relative,
    there,
    which,
    who,
)
from mini_bert.data.world.closed import QUESTION
from mini_bert.data.world.pairs.frame import Contrast, countable, ended, one_or_many
from mini_bert.data.world.phrases import a, both, count, det, obl, the
from mini_bert.data.world.scenes.nominals import ANIMAL_DEEDS, TRANSFERS, kind_of, place_of, spots
from mini_bert.data.world.teller import Teller
from mini_bert.data.world.tree import ARE, IS, Part, Word, after, before
from mini_bert.data.world.words.activities import DOINGS
from mini_bert.data.world.words.people import CROWD
from mini_bert.data.world.words.things import SUITING


def _is(agr: int, past: bool) -> tuple[Word, Word]:
    """The form of "be" that agrees, and the one that does not."""
    forms = BE_PAST if past else BE_PRES
    return forms[agr], forms[ARE if agr == IS else IS]


def copular(t: Teller, subject: Part, kind: str) -> Contrast:
    past = t.random() < 0.5
    right, wrong = _is(subject.agr, past)
    tree = be(subject, t.pick(SUITING[kind]), PAST if past else PRES)
    return ended(tree), right, wrong


def _lexical(t: Teller, subject: Part) -> Contrast:
    """An intransitive verb in the present that agrees with its subject, or not."""
    doing = t.pick(DOINGS)
    right, wrong = doing.verb.present[subject.agr], doing.verb.present[ARE if subject.agr == IS else IS]
    return ended(clause(subject, doing.verb, PRES, ("advmod", t.pick(doing.manners)))), right, wrong


def agreeing(t: Teller, subject: Part, kind: str) -> Contrast:
    return _lexical(t, subject) if kind == "person" and t.random() < 0.5 else copular(t, subject, kind)


def agreement_simple(t: Teller) -> Contrast:
    kind = kind_of(t)
    return agreeing(t, the(one_or_many(t, countable(t, kind))), kind)


def agreement_across_pp(t: Teller) -> Contrast:
    """The noun next to the verb has the other number."""
    kind = kind_of(t)
    head = one_or_many(t, countable(t, kind))
    preposition, where = t.pick([spot for spot in spots(kind) if not spot[1].mass])
    near = the(where.one if head.agr == ARE else where.many)
    return agreeing(t, after(the(head), ("nmod", before(near, ("case", preposition)))), kind)


def agreement_across_subject_relative(t: Teller) -> Contrast:
    kind = "person" if t.random() < 0.5 else "animal"
    head = one_or_many(t, countable(t, kind))
    seen = countable(t, kind)
    pronoun = who(head.agr) if kind == "person" else which(head.agr)
    inner = clause(
        pronoun, t.pick(ANIMAL_DEEDS), PAST, ("obj", the(seen.one if head.agr == ARE else seen.many))
    )
    return agreeing(t, relative(the(head), inner), kind)


def agreement_across_object_relative(t: Teller) -> Contrast:
    kind = t.pick(("toy", "reading", "tool", "household"))
    head = one_or_many(t, countable(t, kind))
    doer = t.pick(CROWD)
    inner = clause(
        the(doer.one if head.agr == ARE else doer.many), t.pick(TRANSFERS), PAST, front=(("obj", c.REL_THAT),)
    )
    return copular(t, relative(the(head), inner), kind)


def agreement_in_relative(t: Teller) -> Contrast:
    """The verb inside a relative clause agrees with the noun before it."""
    head = one_or_many(t, countable(t, "person"))
    doing = t.pick(DOINGS)
    inner = clause(who(head.agr), doing.verb, PRES, ("advmod", t.pick(doing.manners)))
    right, wrong = doing.verb.present[head.agr], doing.verb.present[ARE if head.agr == IS else IS]
    tree = be(relative(the(head), inner), t.pick(SUITING["person"]), PAST)
    return ended(tree), right, wrong


def agreement_coordination(t: Teller) -> Contrast:
    kind = kind_of(t)
    first, second = countable(t, kind), countable(t, kind)
    return agreeing(t, both(the(first.one), the(second.one)), kind)


def agreement_question(t: Teller) -> Contrast:
    kind = kind_of(t)
    subject = the(one_or_many(t, countable(t, kind)))
    past = t.random() < 0.5
    right, wrong = _is(subject.agr, past)
    return ended(ask_be(subject, t.pick(SUITING[kind]), PAST if past else PRES), QUESTION), right, wrong


def agreement_there(t: Teller) -> Contrast:
    kind = kind_of(t)
    head = countable(t, kind)
    what = a(head.one) if t.random() < 0.5 else count(t.pick(c.NUMBER_WORDS[2:9]), head.many)
    past = t.random() < 0.5
    preposition, where = t.pick(spots(kind))
    tree = there(what, PAST if past else PRES, obl(preposition, the(where.one)))
    _, wrong = _is(what.agr, past)
    return ended(tree), tree.word, wrong


def agreement_quantifier(t: Teller) -> Contrast:
    kind = kind_of(t)
    head = countable(t, kind)
    if t.random() < 0.5:
        subject = det(t.pick((c.EVERY, c.EACH)), head.one)
    else:
        subject = det(t.pick((c.ALL, c.BOTH, c.SOME)), head.many)
    return copular(t, after(subject, ("nmod", place_of(t, kind))), kind)
