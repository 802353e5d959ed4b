"""Single sentences about who does something with whom, to whom, why and with what result."""

from mini_bert.data.world import closed as c
from mini_bert.data.world.cast import Being
from mini_bert.data.world.clauses import (
    DO_PAST,
    DO_PRES,
    PAST,
    be,
    clause,
    extraposed,
    joined,
    marked,
    so,
    to,
)
from mini_bert.data.world.deeds import deed, plain_deed, some
from mini_bert.data.world.gold import NEGATIVE, NEUTRAL, POSITIVE
from mini_bert.data.world.lexicon import noun, nouns, verb, verbs
from mini_bert.data.world.phrases import both, degree, obl, the
from mini_bert.data.world.scenes.events import maybe_time
from mini_bert.data.world.teller import Teller
from mini_bert.data.world.times import ENDS_EVERY, ENDS_HABIT
from mini_bert.data.world.tree import ARE, Dep, Deps, Phrase, Word, after, before, words
from mini_bert.data.world.words.people import PASSERSBY
from mini_bert.data.world.words.places import PLACES
from mini_bert.data.world.words.purposes import REASONS
from mini_bert.data.world.words.things import COLOUR_WORDS


def both_do(t: Teller, who: Being, other: Being) -> None:
    """ "Both Anna and Tom ...", "Neither Anna nor Tom ...", "Either Anna or Tom ..."."""
    if t.speaker is who:
        who, other = other, who
    one, two = t.named_subj(who), t.named_subj(other)
    preceding, conjunction = t.pick(((c.BOTH_CC, c.AND), (c.NEITHER_CC, c.NOR), (c.EITHER_CC, c.OR)))
    pair = both(one, two, conjunction, ARE if conjunction is c.AND else two.agr)
    word, right = plain_deed(t, negative=conjunction is c.NOR)
    tense = t.now if conjunction is not c.OR else t.will
    end = maybe_time(t, 0.3) if conjunction is not c.OR else ()
    t.say(clause(before(pair, ("cc:preconj", preceding)), word, tense, *right, *end), "both or neither")


def contrast(t: Teller, who: Being, other: Being) -> None:
    """ "Anna plays games every day, but Tom does not." """
    subject = t.subj(who)
    word, right = plain_deed(t, habitual=True)
    habitual = t.pick(ENDS_EVERY if t.random() < 0.5 else ENDS_HABIT)
    first = clause(subject, word, t.now, *right, habitual)
    second = t.named_subj(other)
    does = DO_PAST[0] if t.now == PAST else DO_PRES[second.agr]
    if t.random() < 0.5:
        tree = joined(first, Phrase(does, (("nsubj", second),), (("advmod", c.NOT),)), c.BUT)
    else:
        tree = joined(first, Phrase(does, (("nsubj", second),), (("advmod", c.TOO_ALSO),)))
    t.say(tree, "ellipsis")


def reason(t: Teller, who: Being, other: Being) -> None:
    """A state and the deed that follows from it, in either order."""
    state = t.pick(STATES)
    word, objects = t.pick(REASONS[state])
    subject = t.subj(who)
    right: Deps = (("obj", some(t, t.pick(objects), single=True)),) if objects else ()
    how = degree(t.pick((c.VERY, c.SO, c.QUITE)), state.plain) if t.random() < 0.6 else state.plain
    roll = t.roll(4)
    if roll <= 1:
        because = marked(c.BECAUSE if roll else c.SINCE, be(t.subj(who), how, t.now))
        tree = clause(subject, word, t.now, *right, ("advcl", because))
    elif roll == 2:
        much = degree(t.pick((c.VERY, c.QUITE)), state.plain)
        tree = so(be(subject, much, t.now, front=t.later(0.3)), clause(t.subj(who), word, t.now, *right))
    else:
        result = marked(c.THAT, clause(t.subj(who), word, t.now, *right))
        tree = be(subject, degree(c.SO, state.plain), t.now, ("advcl", result))
    t.say(tree, "reason", GOOD_STATE.get(state.lemma, NEUTRAL))


STATES = tuple(REASONS)
GOOD_STATE = {"proud": POSITIVE, "generous": POSITIVE, "lonely": NEGATIVE, "sick": NEGATIVE, "careless": NEGATIVE,
              "bored": NEGATIVE}  # fmt: skip


def cleft(t: Teller, who: Being, other: Being) -> None:
    """ "It was Anna who broke the cup." """
    name = t.obj(who) if t.speaker is who else t.named(who)
    word, right = plain_deed(t)
    doer = clause(Phrase(c.REL_WHO, agr=name.agr), word, t.now, *right)
    t.say(after(extraposed(be(c.EXPLETIVE_IT, name, t.now)), ("acl:relcl", doer)), "cleft")


def once(t: Teller, who: Being, other: Being) -> None:
    subject = t.subj(who)
    word, right = deed(t, who, manner=0, habitual=True)
    t.say(clause(subject, verb("use"), PAST, ("xcomp", to(word, *right, t.pick(ENDS_EVERY)))), "used to")


REFLEXIVE = tuple(
    (verb(word), obl_noun)
    for word, obl_noun in (
        ("hurt", "knife"), ("teach", ""), ("see", "mirror"), ("wash", "river"), ("introduce", ""), ("blame", ""),
        ("hide", "cellar"), ("cut", "needle"), ("enjoy", ""), ("behave", ""), ("dry", "towel"), ("warm", "fire"),
    )
)  # fmt: skip
BY_WHICH = {
    "knife": c.WITH,
    "mirror": c.IN,
    "river": c.IN,
    "cellar": c.IN,
    "needle": c.WITH,
    "towel": c.WITH,
    "fire": c.BY,
}


def reflexive(t: Teller, who: Being, other: Being) -> None:
    subject = t.subj(who)
    word, thing = t.pick(REFLEXIVE)
    right: Deps = (("obj", t.self(who)),)
    if thing:
        right = (*right, obl(BY_WHICH[thing], the(noun(thing).one)))
    elif word.lemma == "teach":
        right = (
            ("iobj", t.self(who)),
            ("obj", some(t, t.pick(nouns("song game trick dance language poem")))),
        )
    t.say(clause(subject, word, t.now, *right, front=t.later()), "reflexive")


def themselves(t: Teller, who: Being, other: Being) -> None:
    """A plural subject and its reflexive pronoun."""
    pair = t.pair(who, other)
    subject = t.subj(pair)
    word = t.pick(verbs("enjoy hide warm dry wash introduce"))
    t.say(
        clause(
            subject, word, t.now, ("obj", t.self(pair)), ("obl", t.pick(REFLEXIVE_PLACES).at), front=t.later()
        ),
        "reflexive: plural",
    )


REFLEXIVE_PLACES = tuple(PLACES[w] for w in words("beach lake park garden forest hill river"))
RECIPROCAL = verbs("help meet call visit greet follow hug see")
KNOWING = {"well": ("know", "understand"), "much": ("like", "love", "trust", "miss")}


def reciprocal(t: Teller, who: Being, other: Being) -> None:
    subject = t.subj(t.pair(who, other))
    if t.random() < 0.3:
        how = degree(c.VERY, Word(t.pick(("well", "much")), "ADV"))
        t.say(
            clause(
                subject, verb(t.pick(KNOWING[how.word.form])), t.now, ("obj", c.EACH_OTHER), ("advmod", how)
            ),
            "reciprocal: very",
        )
    else:
        t.say(
            clause(subject, t.pick(RECIPROCAL), t.now, ("obj", c.EACH_OTHER), t.pick(ENDS_EVERY)),
            "reciprocal",
        )


PARTICLES = tuple(
    (verb(word), particle, nouns(objects))
    for word, particle, objects in (
        ("pick", c.UP, "coin bag pencil phone newspaper"),
        ("put", c.ON, "coat hat scarf apron glove uniform"),
        ("take", c.OFF, "coat hat boot jacket glove"),
        ("turn", c.ON, "lamp radio oven computer"),
        ("turn", c.OFF, "light lamp television engine"),
        ("throw", c.AWAY_P, "letter box bottle newspaper"),
        ("clean", c.UP, "kitchen room garage mess"),
        ("look", c.UP, "word name address number"),
        ("write", c.DOWN, "name address number idea"),
        ("give", c.UP, "plan game search job"),
    )
)


def particle_verb(t: Teller, who: Being, other: Being) -> None:
    """ "picked up the coin", "picked the coin up"."""
    subject = t.subj(who)
    word, particle, objects = t.pick(PARTICLES)
    what: Dep = ("obj", some(t, t.pick(objects), single=True))
    part: Dep = ("compound:prt", particle)
    right = (part, what) if t.random() < 0.6 else (what, part)
    t.say(clause(subject, word, t.now, *right, front=t.later()), "particle verb")


def resultative(t: Teller, who: Being, other: Being) -> None:
    """ "painted the fence white"."""
    subject = t.subj(who)
    what = the(t.pick(nouns("fence door wall boat gate chair room roof box bench")).one)
    t.say(
        clause(
            subject, verb("paint"), t.now, ("obj", what), ("xcomp", t.pick(COLOUR_WORDS)), front=t.later()
        ),
        "resultative",
    )


def visited(t: Teller, who: Being, other: Being) -> None:
    """ "The teacher helped them with the garden", "The neighbors invited us to a party"."""
    stranger = t.pick(PASSERSBY)
    subject = the(stranger.one if t.random() < 0.6 else stranger.many)
    word, preposition, nouns_ = t.pick(KINDNESSES)
    right = ("obj", t.obj(t.pair(who, other))), obl(preposition, some(t, t.pick(nouns_), single=True))
    t.say(clause(subject, word, t.now, *right, front=t.later()), "visited", POSITIVE)


KINDNESSES = (
    (verb("help"), c.WITH, nouns("suitcase box cart tent boat lesson ladder")),
    (verb("invite"), c.TO, nouns("party concert picnic meal game")),
    (verb("thank"), c.FOR, nouns("present cake letter lamp song")),
    (verb("meet"), c.AT, nouns("bridge fountain gate station")),
    (verb("warn"), c.ABOUT, nouns("storm dog hole wolf")),
    (verb("tell"), c.ABOUT, nouns("castle trip dream treasure secret")),
)
INTERACTIONS = (
    visited, both_do, contrast, reason, cleft, once, reflexive, reflexive, themselves, reciprocal, particle_verb,
    resultative,
)  # fmt: skip
