"""Facts about animals and plants."""

from mini_bert.data.world.clauses import (
    CAN,
    FULL_NOT,
    MODALS,
    PRES,
    ask,
    ask_what,
    be,
    clause,
    fronted,
    joined,
    marked,
    passive,
    to,
    when,
)
from mini_bert.data.world.closed import (
    AT,
    BUT,
    EVERY,
    FOR,
    HOW,
    IF,
    IN,
    IT,
    MANY,
    ON,
    THEY,
    UP,
    USUALLY,
    WHAT,
    WHAT_DET,
    WHEN,
    WHERE,
    WITH,
    YOU,
)
from mini_bert.data.world.facts.fact import Relation, called, xcomp
from mini_bert.data.world.lexicon import Noun, adjective, adverb, noun, verb
from mini_bert.data.world.phrases import a, bare, both, count, det, headed, obl, of, owned, pp, the
from mini_bert.data.world.tree import IS, Dep, Part, Phrase, Word, words

EAT, LIKE, FEED, LOOK, LIVE, FIND, SLEEP, GET = map(verb, words("eat like feed look live find sleep get"))
COVER, HAVE, WALK, HEAR, GROW, TURN, BECOME, COUNT, MAKE = map(
    verb, words("cover have walk hear grow turn become count make")
)
FAVORITE, YOUNG, BABY, HUNGRY, RIPE = (adjective(w).plain for w in words("favorite young baby hungry ripe"))
BODY, HOME, FOOD, GROUP, CHILD, KIND, COLOR, NIGHT, SUN, SOUND, ANIMAL = (
    noun(w).one for w in words("body home food group child kind color night sun sound animal")
)
LEGS = noun("leg").many
YOU_, IT_, THEY_ = YOU.nominative, IT.nominative, THEY.nominative


def _does(subject: Part, answer: Word, *right: Dep, able: bool = False) -> Phrase:
    """ "cows moo", "a cow can moo": here the verb itself is the answer."""
    auxiliary: tuple[Dep, ...] = (("aux", MODALS[CAN][IS]),) if able else ()
    return Phrase(answer, (("nsubj", subject), *auxiliary), right)


def _contrast(x: Noun, o: Word) -> Phrase:
    """ "Dogs bark, but cows moo." """
    other, does = ("dog", "bark") if o.lemma != "bark" else ("cat", "meow")
    return joined(_does(noun(other).many, verb(does).present[1]), _does(x.many, o), BUT)


_TAKES_ON = frozenset(words("ice roof shore beach cliff"))
_TAKES_THE = frozenset(
    words("""ice shore beach river lake ocean sea desert savanna jungle swamp pasture forest grass grassland
    ground""")
)


def _place(answer: Word) -> Phrase:
    return the(answer) if answer.lemma in _TAKES_THE else a(answer)


def _lives(answer: Word) -> Dep:
    return obl(ON if answer.lemma in _TAKES_ON else IN, _place(answer))


def _grows(answer: Word) -> Dep:
    return obl(IN if answer.lemma == "ground" else ON, _place(answer))


def _not_but(o: Word) -> Phrase:
    """ "(is not) a bird but a mammal"."""
    other = noun("bird" if o.lemma != "bird" else "fish").one
    return both(a(other), a(o), BUT, IS)


def _what_kind(head: Word) -> Phrase:
    return headed(("det", WHAT_DET), head)


ANIMAL_RELATIONS: tuple[Relation[Noun], ...] = (
    Relation(
        "sound",
        lambda x: ask(x.many, MAKE, PRES, wh=(("obj", _what_kind(SOUND)),)),
        (
            lambda x, o: _does(a(x.one), o, able=True),
            lambda x, o: _does(bare(x.many, HUNGRY), o, ("advmod", adverb("loudly"))),
            lambda x, o: clause(YOU_, HEAR, CAN, ("obj", x.many), xcomp(o)),
            _contrast,
        ),
    ),
    Relation(
        "home",
        lambda x: ask(x.many, LIVE, PRES, wh=(("advmod", WHERE),)),
        (
            lambda x, o: clause(a(x.one), LIVE, PRES, _lives(o)),
            lambda x, o: clause(x.many, LIVE, PRES, _lives(o), adverb=USUALLY),
            lambda x, o: be(of(the(HOME), a(x.one)), _place(o), PRES),
            lambda x, o: clause(YOU_, FIND, CAN, ("obj", a(x.one)), _lives(o)),
            lambda x, o: clause(a(x.one), SLEEP, PRES, _lives(o), front=fronted(pp(AT, NIGHT), "obl")),
        ),
    ),
    Relation(
        "food",
        lambda x: ask(x.many, EAT, PRES, wh=(("obj", WHAT),)),
        (
            lambda x, o: clause(x.many, EAT, PRES, ("obj", o)),
            lambda x, o: clause(a(x.one), LIKE, PRES, xcomp(to(EAT, ("obj", o)))),
            lambda x, o: be(of(the(FOOD, FAVORITE), a(x.one)), o, PRES),
            lambda x, o: clause(a(x.one, HUNGRY), LOOK, PRES, obl(FOR, o)),
            lambda x, o: clause(x.many, FEED, PRES, obl(ON, o), adverb=USUALLY),
        ),
    ),
    Relation(
        "young",
        lambda x: ask_what(WHAT, of(the(CHILD), a(x.one)), PRES),
        (
            lambda x, o: called(a(x.one, YOUNG), a(o)),
            lambda x, o: be(of(the(CHILD), a(x.one)), a(o), PRES),
            lambda x, o: be(a(x.one, BABY), a(o), PRES),
            lambda x, o: clause(
                IT_,
                BECOME,
                PRES,
                xcomp(a(x.one)),
                front=fronted(when(WHEN, clause(a(o), GROW, PRES, ("compound:prt", UP)))),
            ),
        ),
    ),
    Relation(
        "family",
        lambda x: ask_what(of(_what_kind(KIND), ANIMAL), a(x.one), PRES),
        (
            lambda x, o: be(a(x.one), a(o), PRES),
            lambda x, o: be(det(EVERY, x.one), a(o), PRES),
            lambda x, o: be(the(x.one), of(a(KIND), o), PRES),
            lambda x, o: be(a(x.one), _not_but(o), PRES, polarity=FULL_NOT),
        ),
    ),
    Relation(
        "cover",
        lambda x: ask(a(x.one), HAVE, PRES, obl(ON, owned(IT.my, BODY)), wh=(("obj", WHAT),)),
        (
            lambda x, o: passive(a(x.one), COVER, PRES, obl(WITH, o)),
            lambda x, o: passive(of(the(BODY), a(x.one)), COVER, PRES, obl(WITH, o)),
            lambda x, o: clause(a(x.one), HAVE, PRES, ("obj", o), obl(ON, owned(IT.my, BODY))),
        ),
    ),
    Relation(
        "legs",
        lambda x: ask(
            a(x.one),
            HAVE,
            PRES,
            wh=(("obj", Phrase(LEGS, (("amod", Phrase(MANY, (("advmod", HOW),))),))),),
        ),
        (
            lambda x, o: clause(a(x.one), HAVE, PRES, ("obj", count(o, LEGS))),
            lambda x, o: clause(x.many, WALK, PRES, obl(ON, count(o, LEGS))),
            lambda x, o: clause(
                YOU_,
                GET,
                PRES,
                ("obj", o),
                front=fronted(marked(IF, clause(YOU_, COUNT, PRES, ("obj", of(the(LEGS), a(x.one)))))),
            ),
        ),
    ),
    Relation(
        "group",
        lambda x: ask_what(WHAT, of(a(GROUP), x.many), PRES),
        (
            lambda x, o: called(of(a(GROUP), x.many), a(o)),
            lambda x, o: be(a(o), of(a(GROUP), x.many), PRES),
            lambda x, o: clause(x.many, LIVE, PRES, obl(IN, a(o)), adverb=USUALLY),
        ),
    ),
)
PLANT_RELATIONS: tuple[Relation[Noun], ...] = (
    Relation(
        "color",
        lambda x: ask_what(_what_kind(COLOR), a(x.one, RIPE), PRES),
        (
            lambda x, o: be(a(x.one, RIPE), o, PRES),
            lambda x, o: be(of(the(COLOR), a(x.one, RIPE)), o, PRES),
            lambda x, o: clause(x.many, TURN, PRES, xcomp(o), ("advcl", when(WHEN, be(THEY_, RIPE, PRES)))),
            lambda x, o: clause(a(x.one), BECOME, PRES, xcomp(o), obl(IN, the(SUN))),
        ),
    ),
    Relation(
        "grows",
        lambda x: ask(x.many, GROW, PRES, wh=(("advmod", WHERE),)),
        (
            lambda x, o: clause(a(x.one), GROW, PRES, _grows(o)),
            lambda x, o: clause(x.many, GROW, PRES, _grows(o), adverb=USUALLY),
            lambda x, o: clause(YOU_, FIND, CAN, ("obj", a(x.one)), _grows(o)),
        ),
    ),
)
