"""Facts about work: where it is done, with what, and what those who do it are called."""

from mini_bert.data.world.clauses import (
    CAN,
    FULL_NOT,
    PRES,
    ask,
    ask_what,
    be,
    clause,
    fronted,
    marked,
    passive,
    relative,
    to,
    who,
)
from mini_bert.data.world.closed import AT, FOR, IF, SOMEONE, WHAT, WHERE, WITH, WITHOUT, YOU
from mini_bert.data.world.facts.fact import Relation, called, xcomp
from mini_bert.data.world.lexicon import Noun, Verb, adjective, noun, verb
from mini_bert.data.world.phrases import a, bare, obl, of, the
from mini_bert.data.world.tree import ARE, IS, Dep, Part, Word, words

WORK, FIND, USE, NEED = map(verb, words("work find use need"))
WORKPLACE, TOOL, PERSON = (noun(w).one for w in words("workplace tool person"))
PEOPLE, IMPORTANT = noun("person").many, adjective("important")
YOU_ = YOU.nominative


def _tool(answer: Word) -> Part:
    return answer if answer.agr == ARE or noun(answer.lemma).mass else a(answer)


JOB_RELATIONS: tuple[Relation[Noun], ...] = (
    Relation(
        "workplace",
        lambda x: ask(a(x.one), WORK, PRES, wh=(("advmod", WHERE),)),
        (
            lambda x, o: clause(a(x.one), WORK, PRES, obl(AT, a(o))),
            lambda x, o: be(of(the(WORKPLACE), a(x.one)), a(o), PRES),
            lambda x, o: clause(YOU_, FIND, CAN, ("obj", a(x.one)), obl(AT, a(o))),
            lambda x, o: clause(bare(x.many), WORK, PRES, obl(AT, a(o))),
        ),
    ),
    Relation(
        "tool",
        lambda x: ask(a(x.one), NEED, PRES, wh=(("obj", WHAT),)),
        (
            lambda x, o: clause(a(x.one), USE, PRES, ("obj", _tool(o))),
            lambda x, o: clause(a(x.one), WORK, PRES, obl(WITH, _tool(o))),
            lambda x, o: clause(x.many, WORK, CAN, obl(WITHOUT, _tool(o)), polarity=FULL_NOT),
            lambda x, o: clause(a(x.one), NEED, PRES, ("obj", _tool(o)), obl(FOR, the(noun("work").one))),
            lambda x, o: be(of(the(TOOL, IMPORTANT.most), a(x.one)), _tool(o), PRES),
        ),
    ),
)
AGENT_RELATION: Relation[Verb] = Relation(
    "agent",
    lambda v: ask_what(WHAT, relative(a(PERSON), clause(who(IS), v, PRES)), PRES),
    (
        lambda v, o: called(relative(SOMEONE, clause(who(IS), v, PRES)), a(o)),
        lambda v, o: be(relative(a(PERSON), clause(who(IS), v, PRES)), a(o), PRES),
        lambda v, o: be(YOU_, a(o), PRES, front=fronted(marked(IF, clause(YOU_, v, PRES)))),
    ),
)
Use = tuple[Verb, Word]


def _deed(use: Use) -> tuple[Verb, Dep]:
    return use[0], ("obj", use[1])


USE_RELATION: Relation[Use] = Relation(
    "use",
    lambda u: ask(YOU_, NEED, PRES, ("advcl", to(*_deed(u))), wh=(("obj", WHAT),)),
    (
        lambda u, o: clause(PEOPLE, u[0], PRES, ("obj", u[1]), obl(WITH, _tool(o))),
        lambda u, o: passive(_tool(o), USE, PRES, xcomp(to(*_deed(u)))),
        lambda u, o: clause(YOU_, NEED, PRES, ("obj", _tool(o)), ("advcl", to(*_deed(u)))),
        lambda u, o: clause(YOU_, u[0], CAN, ("obj", u[1]), obl(WITHOUT, _tool(o)), polarity=FULL_NOT),
    ),
)
