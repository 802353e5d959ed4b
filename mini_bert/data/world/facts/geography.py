"""Facts about the invented map."""

from mini_bert.data.world.clauses import (
    PRES,
    ask,
    ask_what,
    be,
    clause,
    fronted,
    passive,
    relative,
    to,
    who,
)
from mini_bert.data.world.closed import (
    AT,
    COMMA,
    EVERYBODY,
    FOR,
    FROM,
    IN,
    IT,
    THROUGH,
    TO,
    WHAT,
    WHICH_DET,
    WITH,
)
from mini_bert.data.world.facts.fact import Relation, called
from mini_bert.data.world.lexicon import adjective, noun, verb
from mini_bert.data.world.phrases import a, det, nmod, obl, of, owned, pp, the
from mini_bert.data.world.tree import ARE, Part, Phrase, Word, after, words

SPEAK, LEARN, FLOW, LIE, SELL, COME, GO, PAY, LIVE, COVER, VISIT, WANT, BRING = map(
    verb, words("speak learn flow lie sell come go pay live cover visit want bring")
)
CAPITAL, LANGUAGE, RIVER, MOUNTAIN, MONEY, COIN, COUNTRY, TOWN, SCHOOL, SNOW, KING, PALACE = (
    noun(w).one
    for w in words("capital language river mountain money coin country town school snow king palace")
)
PEOPLE, CHILDREN, MERCHANTS, NEIGHBORS, TRAVELERS, FARMS = (
    noun(w).many for w in words("person child merchant neighbor traveler farm")
)
LONG, HIGH, GOOD, FAMOUS = map(adjective, words("long high good famous"))


def _in(head: Part, where: Part) -> Phrase:
    return after(head, nmod(IN, where))


def _from(head: Part, where: Part) -> Phrase:
    return after(head, nmod(FROM, where))


def _apposed(country: Word) -> tuple[tuple[str, Part], ...]:
    """ ", the highest mountain in Velmora," after its name."""
    mountain = _in(the(MOUNTAIN, HIGH.most), country)
    return (("punct", COMMA), ("appos", mountain), ("punct", COMMA))


COUNTRY_RELATIONS: tuple[Relation[Word], ...] = (
    Relation(
        "capital",
        lambda x: ask_what(WHAT, of(the(CAPITAL), x), PRES),
        (
            lambda x, o: be(of(the(CAPITAL), x), o, PRES),
            lambda x, o: be(o, of(the(CAPITAL), x), PRES),
            lambda x, o: clause(of(the(KING), x), LIVE, PRES, obl(IN, _in(a(PALACE), o))),
            lambda x, o: clause(
                relative(
                    PEOPLE, clause(who(ARE), WANT, PRES, ("xcomp", to(VISIT, ("obj", of(the(CAPITAL), x)))))
                ),
                GO,
                PRES,
                obl(TO, o),
            ),
        ),
    ),
    Relation(
        "language",
        lambda x: ask(_in(PEOPLE, x), SPEAK, PRES, wh=(("obj", det(WHICH_DET, LANGUAGE)),)),
        (
            lambda x, o: clause(_in(PEOPLE, x), SPEAK, PRES, ("obj", o)),
            lambda x, o: be(of(the(LANGUAGE), x), o, PRES),
            lambda x, o: passive(o, SPEAK, PRES, obl(IN, x)),
            lambda x, o: clause(_in(CHILDREN, x), LEARN, PRES, ("obj", o), obl(AT, SCHOOL)),
            lambda x, o: clause(EVERYBODY, SPEAK, PRES, ("obj", o), front=fronted(pp(IN, x), "obl")),
        ),
    ),
    Relation(
        "river",
        lambda x: ask_what(WHAT, _in(the(RIVER, LONG.most), x), PRES),
        (
            lambda x, o: be(_in(the(RIVER, LONG.most), x), the(o), PRES),
            lambda x, o: clause(the(o), FLOW, PRES, obl(THROUGH, x)),
            lambda x, o: be(the(o), _in(a(RIVER), x), PRES),
            lambda x, o: clause(the(o), BRING, PRES, ("obj", noun("water").one), obl(TO, of(the(FARMS), x))),
        ),
    ),
    Relation(
        "mountain",
        lambda x: ask_what(WHAT, _in(the(MOUNTAIN, HIGH.most), x), PRES),
        (
            lambda x, o: be(_in(the(MOUNTAIN, HIGH.most), x), o, PRES),
            lambda x, o: be(o, _in(the(MOUNTAIN, HIGH.most), x), PRES),
            lambda x, o: passive(after(o, *_apposed(x)), COVER, PRES, obl(WITH, SNOW)),
        ),
    ),
    Relation(
        "currency",
        lambda x: ask_what(WHAT, of(the(MONEY), x), PRES),
        (
            lambda x, o: be(of(the(MONEY), x), the(o), PRES),
            lambda x, o: called(_from(a(COIN), x), a(o)),
            lambda x, o: clause(_in(PEOPLE, x), PAY, PRES, obl(WITH, the(o))),
        ),
    ),
    Relation(
        "product",
        lambda x: ask(x, SELL, PRES, wh=(("obj", WHAT),)),
        (
            lambda x, o: clause(x, SELL, PRES, ("obj", o), obl(TO, owned(IT.my, NEIGHBORS))),
            lambda x, o: be(x, FAMOUS.plain, PRES, obl(FOR, o)),
            lambda x, o: clause(the(o, GOOD.most), COME, PRES, obl(FROM, x)),
            lambda x, o: clause(_from(MERCHANTS, x), SELL, PRES, ("obj", o)),
        ),
    ),
    Relation(
        "direction",
        lambda x: ask(x, LIE, PRES, wh=(("obl", pp(IN, det(WHICH_DET, noun("direction").one))),)),
        (
            lambda x, o: clause(x, LIE, PRES, obl(IN, the(o))),
            lambda x, o: be(x, _in(a(COUNTRY), the(o)), PRES),
            lambda x, o: clause(
                relative(TRAVELERS, clause(who(ARE), WANT, PRES, ("xcomp", to(VISIT, ("obj", x))))),
                GO,
                PRES,
                obl(TO, the(o)),
            ),
        ),
    ),
)
TOWN_RELATION: Relation[Word] = Relation(
    "country",
    lambda x: ask_what(pp(IN, det(WHICH_DET, COUNTRY)), x, PRES),
    (
        lambda x, o: be(x, _in(a(TOWN), o), PRES),
        lambda x, o: clause(of(the(TOWN), x), LIE, PRES, obl(IN, o)),
        lambda x, o: clause(of(the(PEOPLE), x), LIVE, PRES, obl(IN, o)),
    ),
)
