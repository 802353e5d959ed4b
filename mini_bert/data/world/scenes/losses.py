"""Things get lost, moved, broken; then they are found, fixed, forgiven."""

from mini_bert.data.world import closed as c
from mini_bert.data.world.cast import Being, Thing
from mini_bert.data.world.clauses import (
    FULL_NOT,
    FUTURE,
    PAST,
    PERFECT,
    PRES,
    and_also,
    ask,
    be,
    clause,
    extraposed,
    fronted,
    joined,
    marked,
    passive,
    relative,
    that,
    when,
)
from mini_bert.data.world.gold import NEGATIVE, POSITIVE
from mini_bert.data.world.lexicon import adjective, noun, verb
from mini_bert.data.world.phrases import a, both, degree, nmod, obl, owned, pp
from mini_bert.data.world.scenes.steps import asks, feels, spot, tells
from mini_bert.data.world.teller import Teller
from mini_bert.data.world.times import AT_LAST
from mini_bert.data.world.tree import Phrase, after, words
from mini_bert.data.world.words.places import OUTDOORS, ROOMS
from mini_bert.data.world.words.things import CLASS_OF

FIND, LOOK, LOSE, SEE, HAVE, LIKE, KNOW, THINK, MOVE, BREAK, DROP = map(
    verb, words("find look lose see have like know think move break drop")
)
FRAGILE = tuple(
    map(noun, words("cup plate vase lamp mirror bowl clock teapot jar bottle mug lantern camera radio toy"))
)


def owns(t: Teller, who: Being, thing: Thing) -> None:
    """A thing is brought in, and why it matters."""
    roll = t.roll(5)
    subject = t.subj(who)
    if roll == 0:
        owned_thing = t.named(thing)
        likes = clause(
            t.subj(who),
            t.pick((LIKE, verb("love"))),
            t.now,
            ("advmod", degree(c.VERY, c.MUCH_ADV)),
            front=(("obj", c.REL_THAT),),
        )
        t.say(
            clause(subject, HAVE, t.now, ("obj", relative(owned_thing, likes))),
            "owns: that she liked",
            POSITIVE,
        )
    elif roll == 1:
        from_whom = owned(
            t.poss(who), t.pick([noun(w).one for w in ("grandmother", "aunt", "uncle", "grandfather")])
        )
        got = clause(subject, verb("get"), t.had, ("obj", t.named(thing)), obl(c.FROM, from_whom))
        t.say(got, "owns: had got")
    elif roll == 2:
        t.say(clause(subject, HAVE, t.now, ("obj", t.named(thing))), "owns: has")
        if t.random() < 0.5:
            looks = adjective(t.pick(("old", "new", "small", "expensive", "beautiful", "useful"))).plain
            t.say(
                be(t.subj(thing), degree(t.pick((c.VERY, c.QUITE, c.RATHER)), looks), t.now),
                "owns: it was old",
            )
    elif roll == 3 and CLASS_OF.get(thing.noun) in ("jewel", "toy", "reading", "school"):
        carried = ("obj", t.named(thing)), ("advmod", c.EVERYWHERE)
        t.say(clause(subject, verb("carry"), t.now, *carried, adverb=c.ALWAYS), "owns: always carried")
    else:
        where = spot(t)
        thing.spot = where
        keep = clause(subject, verb("keep"), t.now, ("obj", t.named(thing)), ("obl", where))
        t.say(keep, "owns: kept")
    thing.owner = who


def goes_missing(t: Teller, who: Being, thing: Thing) -> None:
    roll = t.roll(4)
    front = t.later(0.8)
    if roll == 0:
        subject = t.subj(who)
        tree = clause(
            subject,
            FIND,
            t.can,
            ("obj", t.obj(thing)),
            ("advmod", c.ANYWHERE),
            polarity=FULL_NOT,
            front=front,
        )
    elif roll == 1:
        tree = be(t.subj(thing), adjective("gone").plain, t.now, front=front)
    elif roll == 2:
        subject = t.subj(who)
        tree = clause(subject, LOSE, t.now, ("obj", t.obj(thing)), ("obl", t.pick(OUTDOORS).at), front=front)
    else:
        subject = t.subj(who)
        gone = be(t.subj(thing), adjective("gone").plain, t.now)
        tree = clause(subject, verb("notice"), t.now, that(gone), front=front)
    t.say(tree, "loss: missing", NEGATIVE)


def searches(t: Teller, who: Being, thing: Thing) -> None:
    roll = t.roll(4)
    first, second = spot(t), spot(t)
    if roll == 0 or first.text == second.text:
        room = t.pick(ROOMS)
        looked = clause(t.subj(who), LOOK, t.now, obl(c.FOR, t.obj(thing)), ("obl", room.at))
        t.say(
            joined(looked, be(t.subj(thing), c.THERE_ADV, t.now, polarity=FULL_NOT), c.BUT),
            "search: not there",
        )
    elif roll == 1:
        looked = clause(t.subj(who), LOOK, t.now, ("obl", both(first, second)))
        t.say(
            joined(looked, be(t.subj(thing), c.THERE_ADV, t.now, polarity=FULL_NOT), c.BUT),
            "search: two spots",
        )
    elif roll == 2:
        asked = clause(t.subj(who), verb("ask"), t.now, ("obj", c.EVERYONE))
        nobody = clause(c.NOBODY, SEE, t.had, ("obj", t.obj(thing)))
        t.say(joined(asked, nobody, c.BUT), "search: nobody", NEGATIVE)
    else:
        nobody = clause(c.NOBODY, KNOW, t.now, ("obj", after(c.ANYTHING, nmod(c.ABOUT, t.obj(thing)))))
        t.say(nobody, "search: nobody knew anything", NEGATIVE)


def loss(t: Teller, loser: Being, helper: Being) -> None:
    """Something is lost, looked for, and found by another."""
    thing = t.thing(None)
    owns(t, loser, thing)
    goes_missing(t, loser, thing)
    feels(t, loser, "loss")
    if t.random() < 0.6:
        searches(t, loser, thing)
    if t.random() < 0.4:
        with t.speaking(loser, helper):
            seen = ask(t.subj(helper), SEE, PERFECT, ("obj", t.named(thing)))
        asks(t, loser, seen)
    where = spot(t, t.pick(OUTDOORS) if t.random() < 0.4 else None)
    found = clause(
        t.named_subj(helper), FIND, t.now, ("obj", t.obj(thing)), ("obl", where), front=t.pick(AT_LAST)
    )
    t.say(found, "loss: found", POSITIVE)
    thing.spot = where
    feels(
        t,
        loser,
        "relief",
        lambda: clause(t.subj(loser), HAVE, t.now, ("obj", t.obj(thing)), ("advmod", c.AGAIN)),
    )
    if t.random() < 0.3:
        with t.speaking(loser, helper):
            inner = clause(
                t.subj(loser), LOSE, FUTURE, ("obj", t.obj(thing)), ("advmod", c.AGAIN), adverb=c.NEVER
            )
        tells(t, loser, helper, inner, POSITIVE)


def false_belief(t: Teller, owner: Being, mover: Being) -> None:
    """A thing is moved while its owner is away: where will the owner look?"""
    thing = t.thing(None)
    place, first, second = t.pick(ROOMS), spot(t), spot(t)
    while second.text == first.text:
        second = spot(t)
    thing.owner = owner
    left = clause(
        t.subj(owner), verb("leave"), t.now, ("obj", t.named(thing)), ("obl", first), ("obl", place.at)
    )
    t.say(left, "belief: leaves")
    away = clause(t.subj(owner), verb("play"), t.doing, ("advmod", c.OUTSIDE_ADV))
    moved = clause(t.subj(mover), MOVE, t.now, ("obj", t.obj(thing)), front=fronted(marked(c.WHILE, away)))
    t.say(moved, "belief: moves")
    t.say(be(t.named_subj(thing), second, t.now, adverb=c.NOW), "belief: is now")
    thing.spot = second
    roll = t.roll(3)
    if roll == 0:
        knew = clause(
            t.named_subj(owner), KNOW, t.now, that(be(t.subj(thing), second, t.now)), polarity=FULL_NOT
        )
        t.say(knew, "belief: did not know")
    elif roll == 1:
        thought = clause(
            t.named_subj(owner), THINK, t.now, that(be(t.subj(thing), first, t.now, adverb=c.STILL))
        )
        t.say(thought, "belief: thought")
    else:
        came = when(c.WHEN, clause(t.named_subj(owner), verb("come"), t.now, ("advmod", c.BACK)))
        looked = clause(
            t.subj(owner), LOOK, t.now, obl(c.FOR, t.obj(thing)), ("obl", first), front=fronted(came)
        )
        t.say(looked, "belief: looked")
    with t.speaking(mover, owner):
        inner = clause(t.subj(mover), verb("put"), PAST, ("obj", t.obj(thing)), ("obl", second))
    tells(t, mover, owner, inner)
    if t.random() < 0.5:
        found = clause(
            t.named_subj(owner), FIND, t.now, ("obj", t.obj(thing)), ("obl", second), front=t.pick(AT_LAST)
        )
        t.say(found, "belief: found", POSITIVE)


def breakage(t: Teller, owner: Being, culprit: Being) -> None:
    """Something is broken; there is anger, an apology, and amends."""
    thing = t.thing(None, FRAGILE)
    owns(t, owner, thing)
    roll = t.roll(4)
    if roll == 0:
        tree = clause(
            t.subj(culprit),
            BREAK,
            t.now,
            ("obj", t.obj(thing)),
            obl(c.BY, noun("accident").one),
            front=t.later(),
        )
    elif roll == 1:
        dropped = clause(t.subj(culprit), DROP, t.now, ("obj", t.obj(thing)), front=t.later())
        tree = joined(dropped, clause(t.subj(thing), BREAK, t.now))
    elif roll == 2:
        tree = passive(
            t.subj(thing), BREAK, t.now, ("obl:agent", pp(c.BY, t.named(culprit))), front=t.later()
        )
    else:
        was = extraposed(be(c.EXPLETIVE_IT, t.named(culprit), t.now))
        broke = clause(Phrase(c.REL_WHO), BREAK, t.now, ("obj", t.obj(thing)))
        tree = Phrase(was.word, was.left, (*was.right, ("acl:relcl", broke)))
    t.say(tree, "breakage: breaks", NEGATIVE)
    feels(t, owner, "harm", lambda: passive(t.subj(thing), BREAK, t.now))
    if t.random() < 0.7:
        with t.speaking(culprit, owner):
            sorry = that(clause(t.subj(culprit), BREAK, PAST, ("obj", owned(t.poss(owner), thing.head))))
            inner = be(t.subj(culprit), degree(c.SO, adjective("sorry").plain), PRES, sorry)
        tells(t, culprit, owner, inner, NEGATIVE)
    else:
        feels(t, culprit, "guilt")
    amends = t.roll(3)
    if amends == 0:
        tree = clause(
            t.named_subj(culprit),
            t.pick((verb("fix"), verb("repair"))),
            t.now,
            ("obj", t.obj(thing)),
            front=t.later(),
        )
        t.say(tree, "breakage: fixed", POSITIVE)
    elif amends == 1:
        new = a(thing.head, adjective("new").plain)
        tree = clause(
            t.named_subj(culprit), verb("buy"), t.now, ("iobj", t.obj(owner)), ("obj", new), front=t.later()
        )
        t.say(tree, "breakage: new one", POSITIVE)
    else:
        tree = passive(t.subj(thing), verb("repair"), t.can, ("advmod", c.ANYMORE), polarity=FULL_NOT)
        t.say(tree, "breakage: beyond repair", NEGATIVE)
        return
    forgave = clause(t.named_subj(owner), verb("forgive"), t.now, ("obj", t.obj(culprit)))
    t.say(and_also(forgave, verb("smile"), t.now), "breakage: forgives", POSITIVE)
