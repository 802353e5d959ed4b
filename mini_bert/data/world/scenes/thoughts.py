"""Single sentences about what people think, say, ask, wish; polarity items; questions and answers."""

from mini_bert.data.world import closed as c
from mini_bert.data.world.cast import Being
from mini_bert.data.world.clauses import (
    DO_PAST,
    FULL_NOT,
    PAST,
    PLAIN,
    SHORT_NOT,
    WOULD,
    ask,
    be,
    clause,
    command,
    fronted,
    joined,
    marked,
    that,
    to,
    to_be,
    when,
)
from mini_bert.data.world.deeds import deed, plain_deed, some
from mini_bert.data.world.lexicon import BASE, adjectives, noun, nouns, verb, verbs, zipf
from mini_bert.data.world.phrases import a, det, obl, the
from mini_bert.data.world.scenes.steps import asks, exclaims, label, tells
from mini_bert.data.world.teller import Teller
from mini_bert.data.world.times import ENDS_PAST
from mini_bert.data.world.tree import Deps, Part, Phrase, Word
from mini_bert.data.world.words.activities import ACTIVITIES
from mini_bert.data.world.words.animals import ANIMALS
from mini_bert.data.world.words.food import DISHES, FRUITS, SWEETS
from mini_bert.data.world.words.people import NEGATIVE_TRAITS, PASSERSBY, POSITIVE_TRAITS
from mini_bert.data.world.words.places import TOWN_PLACES

BELIEVES = zipf(verbs("think know believe hope say remember forget guess notice hear feel understand"), 4)
WONDERS = verbs("wonder ask know forget")
TELLS = verbs("tell ask remind warn")


def thinks_that(t: Teller, who: Being, other: Being) -> None:
    subject = t.subj(who)
    inner_subject = t.subj(other)
    if t.random() < 0.35:
        good = t.random() < 0.5
        nature = t.pick(POSITIVE_TRAITS if good else NEGATIVE_TRAITS)
        belief = be(inner_subject, nature.plain, t.now)
        t.say(clause(subject, t.pick(BELIEVES), t.now, that(belief)), "complement: trait", label(good))
        return
    word, right = deed(t, other)
    tense = t.pick((t.now, t.doing, t.had, t.will))
    t.say(
        clause(subject, t.pick(BELIEVES), t.now, that(clause(inner_subject, word, tense, *right))),
        "complement",
    )


def wonders(t: Teller, who: Being, other: Being) -> None:
    """Embedded questions: whether, where, when, why, who."""
    subject = t.subj(who)
    asking = t.pick(WONDERS)
    polarity = FULL_NOT if asking.lemma == "know" else PLAIN
    roll = t.roll(4)
    if roll == 0:
        inner_subject = t.subj(other)
        word, right = deed(t, other)
        inner = marked(t.pick((c.WHETHER, c.IF)), clause(inner_subject, word, t.had, *right))
    elif roll == 1:
        inner = when(t.pick((c.WHY, c.WHEN, c.WHERE)), _did(t, other))
    elif roll == 2:
        word, right = plain_deed(t)
        inner = clause(c.WHO, word, t.had, *right)
    else:
        what = t.pick(ACTIVITIES)
        inner = clause(t.subj(other), what.verb, t.had, front=(("obj", c.WHAT),))
    t.say(clause(subject, asking, t.now, ("ccomp", inner), polarity=polarity), "embedded question")


def _did(t: Teller, who: Being) -> Phrase:
    subject = t.subj(who)
    word, right = plain_deed(t)
    return clause(subject, word, t.had, *right)


def tells_to(t: Teller, who: Being, other: Being) -> None:
    """ "Tom asked Anna (not) to open the window." """
    subject = t.subj(who)
    whom = t.obj(other)
    negative = t.random() < 0.35
    word, right = plain_deed(t, negative=negative)
    wish = to(word, *right, negated=negative)
    t.say(
        clause(subject, t.pick(TELLS), t.now, ("obj", whom), ("xcomp", wish), front=t.later(0.4)), "tells to"
    )


SEEN = tuple((verb("see"), a_.noun) for a_ in ANIMALS)
EXPERIENCES = (
    *SEEN,
    *((verb("eat"), dish) for dish in dict.fromkeys((*DISHES, *SWEETS, *FRUITS)) if not dish.mass),
    *((verb("visit"), place.noun) for place in dict.fromkeys(TOWN_PLACES)),
    *((verb("ride"), animal) for animal in nouns("horse camel donkey elephant pony bicycle")),
)


NOBODIES: tuple[Part, ...] = (c.NOBODY, c.NO_ONE)
NOTHING_IN = (
    ("see", "dark"), ("see", "fog"), ("find", "box"), ("find", "bag"), ("hear", "noise"), ("see", "distance"),
    ("find", "drawer"), ("see", "smoke"), ("find", "cellar"), ("hear", "storm"),
)  # fmt: skip


def polarity_item(t: Teller, who: Being, other: Being) -> None:
    """ "any" and "ever" only where a negation licenses them."""
    word, thing = t.pick(EXPERIENCES)
    roll = t.roll(7)
    if roll == 0:
        tree = clause(t.subj(who), word, t.had, ("obj", det(c.ANY, thing.many)), adverb=c.NEVER)
    elif roll == 1:
        tree = clause(t.pick(NOBODIES), word, t.had, ("obj", a(thing.one)), adverb=c.EVER)
    elif roll == 2:
        people = t.pick(PASSERSBY)
        crowd = det(c.NO, people.one if t.random() < 0.5 else people.many)
        tree = clause(crowd, word, t.had, ("obj", det(c.ANY, thing.many)), adverb=c.EVER)
    elif roll == 3:
        tree = clause(
            t.subj(who), word, t.now, ("obj", det(c.ANY, thing.many)), polarity=t.pick((FULL_NOT, SHORT_NOT))
        )
    elif roll == 4:
        few = Phrase(t.pick(PASSERSBY).many, (("amod", c.FEW),))
        tree = clause(few, word, t.had, ("obj", a(thing.one)), adverb=c.EVER)
    elif roll == 5:
        subject = t.subj(who)
        doubt = marked(
            t.pick((c.WHETHER, c.IF)), clause(c.ANYONE, word, t.had, ("obj", a(thing.one)), adverb=c.EVER)
        )
        tree = clause(subject, verb("wonder"), t.now, ("ccomp", doubt))
    else:
        sense, place = t.pick(NOTHING_IN)
        nothing = ("obj", c.ANYTHING), obl(c.IN, the(noun(place).one))
        tree = clause(t.subj(who), verb(sense), t.can, *nothing, polarity=FULL_NOT)
    t.say(tree, "polarity item")


def conditional(t: Teller, who: Being, other: Being) -> None:
    """Real ("if it rains, ... will") and unreal ("if she had ..., she would") conditions."""
    if t.random() < 0.5:
        subject = t.subj(who)
        owns = clause(subject, verb("have"), PAST, ("obj", a(t.pick(WISHED).one)))
        again = t.subj(who)
        word, right = deed(t, who)
        tree = clause(again, word, WOULD, *right, front=fronted(marked(c.IF, owns)))
    else:
        subject = t.subj(other)
        word, right = deed(t, other)
        first = clause(subject, word, t.now, *right)
        again = t.subj(who)
        word, right = deed(t, who)
        tree = clause(
            again, word, t.will, *right, front=fronted(marked(c.IF if t.random() < 0.7 else c.UNLESS, first))
        )
    t.say(tree, "conditional")


WISHED = nouns("boat horse car garden house castle bicycle plane farm sister brother dog")


def seems(t: Teller, who: Being, other: Being) -> None:
    good = t.random() < 0.5
    state = t.pick(
        adjectives("happy cheerful calm excited relaxed")
        if good
        else adjectives("sad tired angry worried bored")
    )
    subject = t.subj(who)
    negated = t.random() < 0.3
    tree = clause(
        subject,
        t.pick(verbs("seem appear")),
        t.now,
        ("xcomp", to_be(state.plain)),
        polarity=FULL_NOT if negated else PLAIN,
    )
    t.say(tree, "raising", label(good != negated))


ATTITUDES = {True: adjectives("glad happy proud sure"), False: adjectives("sad angry afraid sorry worried")}


def attitude(t: Teller, who: Being, other: Being) -> None:
    """ "Anna was glad that Tom had cleaned the kitchen." """
    good = t.random() < 0.5
    subject = t.subj(who)
    feeling = t.pick(ATTITUDES[good])
    negated = t.random() < 0.25
    content = that(_did(t, other))
    polarity = FULL_NOT if negated else PLAIN
    t.say(be(subject, feeling.plain, t.now, content, polarity=polarity), "attitude", label(good != negated))


def question_answer(t: Teller, who: Being, other: Being) -> None:
    """A question in direct speech and its short answer."""
    word, right = plain_deed(t)
    with t.speaking(who, other):
        question = ask(t.subj(other), word, PAST, *right)
    asks(t, who, question, hearer=other)
    yes = t.random() < 0.5
    with t.speaking(other, who):
        subject = t.subj(other)
        interjection: Deps = (("discourse", c.YES if yes else c.NO_INTJ), ("punct", c.COMMA))
        if t.random() < 0.3:
            negation: Deps = () if yes else (("advmod", c.NOT),)
            answer = Phrase(DO_PAST[subject.agr], (*interjection, ("nsubj", subject)), negation)
        elif yes:
            answer = clause(subject, word, PAST, *right, t.pick(ENDS_PAST), front=interjection)
        else:
            other_word, other_right = plain_deed(t)
            answer = clause(
                subject, word, PAST, *right, polarity=t.pick((FULL_NOT, SHORT_NOT)), front=interjection
            )
            if t.random() < 0.5:
                answer = joined(answer, clause(t.subj(other), other_word, PAST, *other_right), c.BUT)
    tells(t, other, who, answer)


def wh_question(t: Teller, who: Being, other: Being) -> None:
    """Who, what, when, where: a question and the answer that fits it."""
    act = t.pick(ACTIVITIES)
    thing = t.pick(act.objects)
    roll = t.roll(3)
    with t.speaking(who, other):
        if roll == 0:
            question = ask(t.subj(other), act.verb, PAST, wh=(("obj", c.WHAT),))
        elif roll == 1:
            question = clause(c.WHO, act.verb, PAST, ("obj", the(thing.many if thing.pair else thing.one)))
        else:
            question = ask(
                t.subj(other),
                act.verb,
                PAST,
                ("obj", the(thing.many if thing.pair else thing.one)),
                wh=(("advmod", c.WHEN),),
            )
    asks(t, who, question, hearer=other)
    with t.speaking(other, who):
        if roll == 0:
            answer = clause(t.subj(other), act.verb, PAST, ("obj", some(t, thing)))
        elif roll == 1:
            answer = Phrase(DO_PAST[0], (("nsubj", t.subj(other)),))
        else:
            answer = clause(
                t.subj(other),
                act.verb,
                PAST,
                ("obj", the(thing.many if thing.pair else thing.one)),
                t.pick(ENDS_PAST),
            )
    tells(t, other, who, answer, how=t.pick(("say", "answer", "reply")))


def request(t: Teller, who: Being, other: Being) -> None:
    """Imperatives: do, do not, please, let us."""
    roll = t.roll(4)
    word, right = plain_deed(t, negative=roll == 1)
    with t.speaking(who, other):
        if roll == 0:
            inner = command(word, *right, front=(("discourse", c.PLEASE),))
        elif roll == 1:
            inner = command(word, *right, polarity=t.pick((FULL_NOT, SHORT_NOT)))
        elif roll == 2:
            inner = command(word, *right)
        else:
            inner = Phrase(
                verb("let").imperative, (), (("obj", LETS), ("xcomp", Phrase(word.forms[BASE], (), right)))
            )
    if t.random() < 0.5:
        exclaims(t, who, inner)
    else:
        tells(t, who, other, inner)


LETS = Word("'s", "PRON", "we", glued=True)
THOUGHTS = (
    thinks_that, thinks_that, wonders, tells_to, polarity_item, polarity_item, conditional, seems, attitude,
    question_answer, wh_question, request, request,
)  # fmt: skip
