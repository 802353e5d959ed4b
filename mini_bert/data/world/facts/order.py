"""Facts about time, parts, materials and opposites."""

from mini_bert.data.world.clauses import (
    BE_PRES,
    CAN,
    PRES,
    ask,
    ask_what,
    be,
    clause,
    fronted,
    passive,
    there,
    to,
)
from mini_bert.data.world.closed import (
    AFTER_P,
    BY,
    EVERY,
    EXPLETIVE_IT,
    FROM,
    IN,
    NUMBER_WORDS,
    OF,
    ON,
    TO,
    WHAT,
    WHERE,
    WHICH_DET,
    YOU,
)
from mini_bert.data.world.facts.fact import Relation
from mini_bert.data.world.lexicon import PARTICIPLE, Adjective, Noun, noun, verb
from mini_bert.data.world.phrases import a, both, det, nmod, obl, of, pp, the
from mini_bert.data.world.tree import IS, Phrase, Word, after, words

COME, FOLLOW, BELONG, BRING, MAKE, NEED, FIND, SEE, HAVE = map(
    verb, words("come follow belong bring make need find see have")
)
DAY, MONTH, SEASON, PART, OPPOSITE, WORD, LOT = (
    noun(w).one for w in words("day month season part opposite word lot")
)
OPPOSITES, PEOPLE = noun("opposite").many, noun("person").many
YOU_ = YOU.nominative


def _after(head: Word, x: Word) -> Phrase:
    return after(the(head), nmod(AFTER_P, x))


def _following(name: str, head: Word) -> Relation[Word]:
    return Relation(
        name,
        lambda x: clause(det(WHICH_DET, head), COME, PRES, obl(AFTER_P, x)),
        (
            lambda x, o: be(_after(head, x), o, PRES),
            lambda x, o: clause(o, COME, PRES, obl(AFTER_P, x)),
            lambda x, o: passive(x, FOLLOW, PRES, ("obl:agent", pp(BY, o))),
        ),
    )


TIME_RELATIONS = {
    "next day": _following("next day", DAY),
    "next month": _following("next month", MONTH),
    "season": Relation[Word](
        "season",
        lambda x: ask_what(det(WHICH_DET, SEASON), EXPLETIVE_IT, PRES, obl(IN, x)),
        (
            lambda x, o: clause(x, BELONG, PRES, obl(TO, o)),
            lambda x, o: be(x, after(a(MONTH), nmod(IN, o)), PRES),
            lambda x, o: be(EXPLETIVE_IT, o, PRES, front=fronted(pp(IN, x), "obl")),
        ),
    ),
    "brings": Relation[Word](
        "brings",
        lambda x: ask(x, BRING, PRES, wh=(("obj", WHAT),)),
        (
            lambda x, o: clause(x, BRING, PRES, ("obj", o)),
            lambda x, o: there(of(a(LOT), o), PRES, front=fronted(pp(IN, x), "obl")),
            lambda x, o: clause(PEOPLE, SEE, PRES, ("obj", o), front=fronted(pp(IN, det(EVERY, x)), "obl")),
        ),
    ),
}
PART_RELATION: Relation[Noun] = Relation(
    "whole",
    lambda x: ask(YOU_, FIND, CAN, ("obj", a(x.one)), wh=(("advmod", WHERE),)),
    (
        lambda x, o: be(a(x.one), of(a(PART), a(o)), PRES),
        lambda x, o: be(the(x.one), of(NUMBER_WORDS[1], of(the(noun("part").many), a(o))), PRES),
        lambda x, o: clause(det(EVERY, o), HAVE, PRES, ("obj", a(x.one))),
        lambda x, o: clause(YOU_, FIND, CAN, ("obj", a(x.one)), obl(ON, a(o))),
    ),
)
MATERIAL_RELATION: Relation[Noun] = Relation(
    "material",
    lambda x: Phrase(
        MAKE.forms[PARTICIPLE],
        (("obl", pp(OF, WHAT)), ("aux:pass", BE_PRES[IS]), ("nsubj:pass", a(x.one))),
    ),
    (
        lambda x, o: passive(a(x.one), MAKE, PRES, obl(OF, o)),
        lambda x, o: clause(PEOPLE, MAKE, PRES, ("obj", x.many), obl(FROM, o)),
        lambda x, o: clause(YOU_, NEED, PRES, ("obj", o), ("advcl", to(MAKE, ("obj", a(x.one))))),
    ),
)
OPPOSITE_RELATION: Relation[Adjective] = Relation(
    "opposite",
    lambda x: ask_what(WHAT, of(the(OPPOSITE), x.plain), PRES),
    (
        lambda x, o: be(of(the(OPPOSITE), x.plain), o, PRES),
        lambda x, o: be(x.plain, of(the(OPPOSITE), o), PRES),
        lambda x, o: be(both(x.plain, o), OPPOSITES, PRES),
        lambda x, o: be(
            of(the(OPPOSITE), after(the(WORD), ("appos", x.plain))), after(the(WORD), ("appos", o)), PRES
        ),
    ),
)
