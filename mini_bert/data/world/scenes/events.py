"""Single sentences about what people do: every tense, aspect, mood and voice."""

from mini_bert.data.world import closed as c
from mini_bert.data.world.cast import Being
from mini_bert.data.world.clauses import (
    COULD,
    FULL_NOT,
    FUTURE,
    MAY,
    MIGHT,
    MUST,
    PAST,
    PLAIN,
    SHORT_NOT,
    SHOULD,
    and_also,
    base,
    clause,
    fronted,
    ing,
    marked,
    passive,
    predicate,
    to,
    when,
)
from mini_bert.data.world.deeds import deed, plain_deed, some
from mini_bert.data.world.gold import NEGATIVE, NEUTRAL, POSITIVE
from mini_bert.data.world.lexicon import noun, nouns, verb, verbs
from mini_bert.data.world.phrases import obl, owned, pp, the
from mini_bert.data.world.teller import Teller
from mini_bert.data.world.times import ENDS_EVERY, ENDS_HABIT, ENDS_PAST, FREQUENCIES
from mini_bert.data.world.tree import Dep, Deps, Part, after, before
from mini_bert.data.world.words.activities import DEEDS, GESTURES
from mini_bert.data.world.words.places import ROOMS
from mini_bert.data.world.words.purposes import PURPOSES

INTENTIONS = verbs(
    "want decide plan try hope start begin promise refuse forget need learn prefer agree offer"
)
TASTES = verbs("enjoy love hate stop finish keep practice avoid dislike")
LIKED, DISLIKED = frozenset(verbs("enjoy love")), frozenset(verbs("hate dislike"))
DOOR = noun("door").one


def maybe_time(t: Teller, probability: float = 0.5) -> Deps:
    """A time at the end of a clause in the past."""
    return (t.pick(ENDS_PAST),) if t.now == PAST and t.random() < probability else ()


def habit(t: Teller, who: Being, other: Being) -> None:
    subject = t.subj(who)
    word, right = deed(t, who, manner=0, habitual=True)
    if t.random() < 0.4:
        t.say(clause(subject, word, t.now, *right, t.pick(ENDS_EVERY)), "habit: every day")
    else:
        end = (t.pick(ENDS_HABIT),) if t.random() < 0.6 else ()
        t.say(clause(subject, word, t.now, *right, *end, adverb=t.pick(FREQUENCIES)), "habit")


def not_done(t: Teller, who: Being, other: Being) -> None:
    subject = t.subj(who)
    word, right = deed(t, who, manner=0, meant=False, negative=True)
    polarity = FULL_NOT if t.random() < 0.5 else SHORT_NOT
    t.say(clause(subject, word, t.now, *right, *maybe_time(t), polarity=polarity), "negation")


def intention(t: Teller, who: Being, other: Being) -> None:
    subject = t.subj(who)
    word, right = deed(t, who, manner=0.1)
    t.say(
        clause(subject, t.pick(INTENTIONS), t.now, ("xcomp", to(word, *right)), front=t.later()), "infinitive"
    )


def taste(t: Teller, who: Being, other: Being) -> None:
    subject = t.subj(who)
    word, right = deed(t, who, manner=0, habitual=True)
    liking = t.pick(TASTES)
    sentiment = POSITIVE if liking in LIKED else NEGATIVE if liking in DISLIKED else NEUTRAL
    end = (t.pick(ENDS_HABIT),) if t.random() < 0.4 else ()
    t.say(clause(subject, liking, t.now, ("xcomp", ing(word, *right)), *end), "gerund", sentiment)


def going_to(t: Teller, who: Being, other: Being) -> None:
    subject = t.subj(who)
    word, right = deed(t, who, manner=0)
    t.say(clause(subject, verb("go"), t.doing, ("xcomp", to(word, *right))), "going to")


def modal(t: Teller, who: Being, other: Being) -> None:
    subject = t.subj(who)
    polarity = FULL_NOT if t.random() < 0.25 else PLAIN
    word, right = deed(t, who, manner=0.1, negative=polarity == FULL_NOT)
    tense = t.pick((COULD, SHOULD, MIGHT)) if t.now == PAST else t.pick((MUST, MAY, MIGHT, SHOULD, FUTURE))
    t.say(clause(subject, word, tense, *right, polarity=polarity, front=t.later(0.3)), "modal")


def already(t: Teller, who: Being, other: Being) -> None:
    subject = t.subj(who)
    word, right = deed(t, who, manner=0)
    if t.random() < 0.3:
        t.say(
            clause(subject, word, t.had, *right, ("advmod", c.YET), polarity=t.pick((FULL_NOT, SHORT_NOT))),
            "perfect: not yet",
        )
    else:
        t.say(
            clause(subject, word, t.had, *right, adverb=t.pick((c.ALREADY, c.JUST, c.NEVER, c.ALSO))),
            "perfect",
        )


def interrupted(t: Teller, who: Being, other: Being) -> None:
    subject = t.subj(who)
    word, right = deed(t, who, manner=0)
    visitor = t.subj(other)
    enters: tuple[Dep, ...]
    if t.random() < 0.5:
        arrives, enters = verb(t.pick(("open", "close"))), (("obj", the(DOOR)),)
    else:
        arrives, enters = verb("come"), (obl(c.INTO, t.pick(ROOMS).the),)
    t.say(
        clause(
            subject, word, t.doing, *right, ("advcl", when(c.WHEN, clause(visitor, arrives, t.now, *enters)))
        ),
        "when",
    )


def meanwhile(t: Teller, who: Being, other: Being) -> None:
    subject = t.subj(who)
    word, right = deed(t, who, manner=0)
    first = clause(subject, word, t.doing, *right)
    second = t.subj(other)
    word, right = deed(t, other, manner=0)
    t.say(clause(second, word, t.now, *right, front=fronted(marked(c.WHILE, first))), "while")


def in_order(t: Teller, who: Being, other: Being) -> None:
    """ "Before Anna washed the cups, she read a letter." """
    subject = t.subj(who)
    word, right = deed(t, who, manner=0)
    mark = t.pick((c.BEFORE, c.AFTER))
    if t.random() < 0.5:
        first = clause(subject, word, t.had if mark is c.AFTER else t.now, *right)
        second = t.subj(who)
        word, right = deed(t, who, manner=0)
        tree = clause(second, word, t.now, *right, front=fronted(marked(mark, first)))
    else:
        second = t.subj(other)
        later, more = deed(t, other, manner=0)
        tree = clause(
            subject, word, t.now, *right, ("advcl", marked(mark, clause(second, later, t.now, *more)))
        )
    t.say(tree, "before and after")


def after_doing(t: Teller, who: Being, other: Being) -> None:
    """ "After washing the cups, Anna read a letter." """
    word, right = plain_deed(t)
    first = ing(word, *right, mark=t.pick((c.BEFORE, c.AFTER)))
    subject = t.subj(who)
    word, right = deed(t, who)
    t.say(clause(subject, word, t.now, *right, front=fronted(first)), "after doing")


def two_deeds(t: Teller, who: Being, other: Being) -> None:
    subject = t.subj(who)
    if t.random() < 0.3:
        word, part = t.pick(GESTURES)
        first = clause(subject, word, t.now, ("obj", owned(t.poss(who), part)), front=t.later(0.4))
    else:
        word, right = deed(t, who, manner=0.1)
        first = clause(subject, word, t.now, *right, front=t.later(0.4))
    word, right = deed(t, who, manner=0.1)
    t.say(and_also(first, word, t.now, *right, adverb=c.THEN if t.random() < 0.5 else None), "two deeds")


def three_deeds(t: Teller, who: Being, other: Being) -> None:
    subject = t.subj(who)
    word, right = deed(t, who, manner=0)
    first = clause(subject, word, t.now, *right)
    word, right = deed(t, who, manner=0)
    second = before(predicate(subject.agr, word, t.now, *right), ("punct", c.COMMA))
    word, right = deed(t, who, manner=0)
    third = before(predicate(subject.agr, word, t.now, *right), ("punct", c.COMMA), ("cc", c.AND))
    t.say(after(first, ("conj", second), ("conj", third)), "three deeds")


CAUSES = verbs("help make let")


def causes(t: Teller, who: Being, other: Being) -> None:
    """ "Anna helped Tom carry the box." """
    subject = t.subj(who)
    whom = t.obj(other)
    word, right = plain_deed(t)
    t.say(
        clause(
            subject, t.pick(CAUSES), t.now, ("obj", whom), ("xcomp", base(word, *right)), front=t.later(0.4)
        ),
        "causes",
    )


def perceives(t: Teller, who: Being, other: Being) -> None:
    """ "Anna saw Tom open the window", "Anna watched Tom opening the window"."""
    subject = t.subj(who)
    whom = t.obj(other)
    word, right = plain_deed(t)
    seen = base(word, *right) if t.random() < 0.5 else ing(word, *right)
    t.say(
        clause(
            subject,
            t.pick(verbs("see watch notice")),
            t.now,
            ("obj", whom),
            ("xcomp", seen),
            front=t.later(0.3),
        ),
        "perceives",
    )


def was_done(t: Teller, who: Being, other: Being) -> None:
    """A passive, with or without who did it."""
    act = t.pick(DEEDS)
    what = some(t, t.pick(act.objects))
    agent: Deps = (("obl:agent", pp(c.BY, t.obj(who))),) if t.random() < 0.6 else ()
    tense = t.pick((t.now, t.now, t.had, t.will))
    polarity = FULL_NOT if t.random() < 0.2 else PLAIN
    t.say(
        passive(
            what, act.verb, tense, *agent, *(maybe_time(t, 0.4) if tense != t.will else ()), polarity=polarity
        ),
        "passive",
    )


def purpose(t: Teller, who: Being, other: Being) -> None:
    """Somebody goes where one does such a thing."""
    place, deeds = t.pick(PURPOSES)
    word, objects = t.pick(deeds)
    right: Deps = (("obj", some(t, t.pick(objects))),) if objects else ()
    go = t.pick(GOINGS)
    t.say(
        clause(t.subj(who), go, t.now, ("obl", place.to), ("advcl", to(word, *right)), front=t.later()),
        "purpose",
    )
    who.place = place


WITHOUT_ARTICLE = ("breakfast", "lunch", "goodbye")
LEFT_PLACES = nouns("house school office kitchen hotel library room")
GOINGS = verbs("go go walk return run hurry")
OMITTED = tuple(
    (verb(word), tuple(what.one if what.lemma in WITHOUT_ARTICLE else the(what.one) for what in nouns(lemmas)))
    for word, lemmas in (
        ("lock", "door gate window"), ("close", "door window gate"), ("eat", "breakfast lunch"), ("say", "goodbye"),
        ("take", "umbrella key bag map"), ("feed", "cat dog rabbit"), ("finish", "homework book"),
        ("clean", "kitchen table"), ("open", "letter parcel present"), ("read", "letter newspaper note"),
    )
)  # fmt: skip


def without_doing(t: Teller, who: Being, other: Being) -> None:
    subject = t.subj(who)
    word, objects = t.pick(OMITTED)
    left = clause(subject, verb("leave"), t.now, ("obj", the(t.pick(LEFT_PLACES).one)), front=t.later())
    t.say(after(left, ("advcl", ing(word, ("obj", t.pick(objects)), mark=c.WITHOUT_SC))), "without doing")


INDEFINITES: tuple[Part, ...] = (c.SOMEBODY, c.SOMEONE, c.SOMEBODY)
FALLING = nouns("roof tree table shelf sky wall window bridge")


def somebody_did(t: Teller, who: Being, other: Being) -> None:
    """ "Somebody had opened the door", "Something fell from the roof", "Anna heard something in the cellar"."""
    roll = t.roll(3)
    if roll == 0:
        word, right = plain_deed(t)
        tree = clause(t.pick(INDEFINITES), word, t.had, *right, front=t.later(0.3))
    elif roll == 1:
        tree = clause(
            c.SOMETHING, verb("fall"), t.now, obl(c.FROM, the(t.pick(FALLING).one)), front=t.later()
        )
    else:
        sensed = ("obj", c.SOMETHING), ("obl", t.pick(ROOMS).at)
        tree = clause(
            t.subj(who), t.pick(verbs("hear see notice find smell")), t.now, *sensed, front=t.later()
        )
    t.say(tree, "indefinite pronoun")


EVENTS = (
    somebody_did, habit, habit, not_done, intention, intention, taste, going_to, modal, already, interrupted, meanwhile,
    in_order, after_doing, two_deeds, three_deeds, causes, perceives, was_done, purpose, without_doing,
)  # fmt: skip
