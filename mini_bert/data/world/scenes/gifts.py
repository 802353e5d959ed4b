"""Things change hands: gifts, loans, swaps, finds."""

from mini_bert.data.world import closed as c
from mini_bert.data.world.cast import Being, Thing
from mini_bert.data.world.clauses import (
    BE_PAST,
    BE_PRES,
    FULL_NOT,
    FUTURE,
    PAST,
    PERFECT,
    PRES,
    ask,
    be,
    clause,
    command,
    joined,
    passive,
    relative,
    so,
    to,
)
from mini_bert.data.world.gold import NEGATIVE, POSITIVE
from mini_bert.data.world.lexicon import adjective, noun, verb
from mini_bert.data.world.phrases import a, count, det, obl, owned, pp, the
from mini_bert.data.world.scenes.steps import asks, definite, exclaims, feels, puts, spot, tells
from mini_bert.data.world.teller import Teller
from mini_bert.data.world.tree import Deps, Phrase, after, words
from mini_bert.data.world.words.places import OUTDOORS, PLACES
from mini_bert.data.world.words.things import COLOUR_WORDS
from mini_bert.data.world.words.time import DAYS

GIVE, BUY, MAKE, WANT, LIKE, BORROW, RETURN, FIND, BELONG, HAVE = map(
    verb, words("give buy make want like borrow return find belong have")
)
PRESENT, BIRTHDAY, SURPRISE, HANDS = (
    noun("present"),
    noun("birthday").one,
    noun("surprise"),
    noun("hand").many,
)
SHOPS = [PLACES[w] for w in words("market bookshop supermarket market")]


def occasion(t: Teller, giver: Being, taker: Being) -> None:
    """Why there is to be a present."""
    roll = t.roll(4)
    if roll == 0:
        t.say(be(c.EXPLETIVE_IT, owned(t.poss(taker), BIRTHDAY), t.now, front=t.later(0.6)), "gift: birthday")
    elif roll == 1:
        subject = t.subj(giver)
        buy = to(t.pick((BUY, MAKE, GIVE)), ("iobj", t.obj(taker)), ("obj", a(PRESENT.one)))
        t.say(clause(subject, WANT, t.now, ("xcomp", buy), front=t.later(0.4)), "gift: wants to give")
    elif roll == 2:
        subject = t.subj(taker)
        helped = clause(
            subject, verb("help"), t.had, ("obj", t.obj(giver)), obl(c.WITH, the(noun("garden").one))
        )
        thank = clause(t.subj(giver), WANT, t.now, ("xcomp", to(verb("thank"), ("obj", t.obj(taker)))))
        t.say(so(helped, thank), "gift: thanks", POSITIVE)
    else:
        subject = t.subj(giver)
        t.say(
            clause(
                subject, HAVE, t.now, ("obj", a(SURPRISE.one)), obl(c.FOR, t.obj(taker)), front=t.later(0.4)
            ),
            "gift: surprise",
        )


def obtains(t: Teller, giver: Being, thing: Thing) -> None:
    roll = t.roll(4)
    subject = t.subj(giver)
    if roll <= 1:
        shop = t.pick(SHOPS)
        coins = obl(c.FOR, count(t.pick(c.NUMBER_WORDS[2:16]), noun("coin").many))
        right: Deps = (("obl", shop.at), coins) if t.random() < 0.4 else (("obl", shop.at),)
        t.say(clause(subject, BUY, t.now, ("obj", t.obj(thing)), *right, front=t.later(0.3)), "gift: buys")
        giver.place = shop
    elif roll == 2 and thing.look in COLOUR_WORDS:
        other = t.pick([colour for colour in COLOUR_WORDS if colour is not thing.look])
        wrong = a(thing.head, other) if not thing.noun.pair else after(thing.noun.many)
        choose = clause(subject, verb("see"), t.now, ("obj", wrong))
        chose = clause(t.subj(giver), verb("choose"), t.now, ("obj", t.obj(thing)), ("advmod", c.INSTEAD))
        t.say(joined(choose, chose, c.BUT), "gift: chooses")
    else:
        own = obl(c.WITH, owned(t.poss(giver), HANDS, c.OWN))
        t.say(clause(subject, MAKE, t.now, ("obj", t.obj(thing)), own, front=t.later(0.3)), "gift: makes")


def hands_over(t: Teller, giver: Being, taker: Being, thing: Thing) -> None:
    roll = t.roll(5)
    where: Deps = (("obl", t.pick(OUTDOORS).at),) if t.random() < 0.3 else ()
    if roll == 0:
        subject = t.subj(giver)
        tree = clause(
            subject, GIVE, t.now, ("iobj", t.obj(taker)), ("obj", t.named(thing)), *where, front=t.later()
        )
        t.say(tree, "gift: gives him it", POSITIVE)
    elif roll <= 2:
        subject = t.subj(giver)
        word = t.pick((GIVE, GIVE, verb("hand"), verb("offer"), verb("bring")))
        tree = clause(
            subject, word, t.now, ("obj", t.obj(thing)), obl(c.TO, t.obj(taker)), *where, front=t.later()
        )
        t.say(tree, "gift: gives it to him", POSITIVE)
    elif roll == 3:
        subject = t.subj(thing)
        by = ("obl:agent", pp(c.BY, t.named(giver)))
        tree = passive(subject, GIVE, t.now, obl(c.TO, t.named(taker)), by, front=t.later())
        t.say(tree, "gift: was given", POSITIVE)
    else:
        subject = t.subj(taker)
        tree = clause(
            subject, verb("get"), t.now, ("obj", t.named(thing)), obl(c.FROM, t.obj(giver)), front=t.later()
        )
        t.say(tree, "gift: gets", POSITIVE)
    thing.owner = taker


def gives_thanks(t: Teller, who: Being, giver: Being, thing: Thing) -> None:
    with t.speaking(who, giver):
        if t.random() < 0.5:
            inner = command(
                verb("thank"),
                ("obj", t.obj(giver)),
                obl(
                    c.FOR,
                    det(c.THIS if not thing.noun.pair else c.THESE, thing.head, adjective("lovely").plain),
                ),
            )
        else:
            got = clause(t.subj(who), verb("get"), PERFECT, adverb=c.EVER, front=(("obj", c.REL_THAT),))
            inner = be(c.THIS_ONE, relative(the(PRESENT.one, adjective("good").most), got), PRES)
    exclaims(t, who, inner, POSITIVE)


def gift(t: Teller, giver: Being, taker: Being) -> None:
    occasion(t, giver, taker)
    thing = t.thing(None)
    obtains(t, giver, thing)
    hands_over(t, giver, taker, thing)
    feels(
        t,
        taker,
        "gift",
        lambda: clause(t.subj(taker), t.pick((LIKE, verb("love"))), t.now, ("obj", t.obj(thing))),
    )
    if t.chance(0.5):
        gives_thanks(t, taker, giver, thing)
    if t.chance(0.5):
        puts(t, taker, thing, t.later(0.3))


def loan(t: Teller, owner: Being, borrower: Being) -> None:
    """Something is lent, and comes back or does not."""
    thing = t.thing(owner)
    day = t.pick(DAYS)
    subject = t.subj(borrower)
    t.say(
        clause(subject, BORROW, t.now, ("obj", t.named(thing)), obl(c.FROM, t.obj(owner)), front=t.later()),
        "loan: borrows",
    )
    with t.speaking(borrower, owner):
        promise = clause(t.subj(borrower), RETURN, FUTURE, ("obj", t.obj(thing)), obl(c.ON, day))
    tells(t, borrower, owner, promise, how="promise" if t.random() < 0.5 else "say")
    if t.random() < 0.5:
        kept = clause(
            t.subj(borrower),
            RETURN,
            t.now,
            ("obj", t.obj(thing)),
            front=(("obl", pp(c.ON, day)), ("punct", c.COMMA)),
        )
        t.say(kept, "loan: returns", POSITIVE)
        word, good = verb("keep"), "gift"
    else:
        forgot = clause(
            t.subj(borrower),
            verb("forget"),
            t.now,
            ("xcomp", to(RETURN, ("obj", t.obj(thing)))),
            obl(c.ON, day),
        )
        t.say(forgot, "loan: forgets", NEGATIVE)
        word, good = verb("break"), "harm"
    promise_noun = noun("promise").one

    def reason() -> Phrase:
        return clause(t.named_subj(borrower), word, t.had, ("obj", owned(t.poss(borrower), promise_noun)))

    feels(t, owner, good, reason)


def swap(t: Teller, one: Being, other: Being) -> None:
    """Two things change owners: who has what must be remembered."""
    first, second = t.thing(None), t.thing(None)
    had = clause(t.subj(one), HAVE, t.now, ("obj", t.named(first)))
    t.say(joined(had, clause(t.subj(other), HAVE, t.now, ("obj", t.named(second)))), "swap: both have")
    first.owner, second.owner = one, other
    roll = t.roll(3)
    if roll == 0:
        pair = t.subj(t.pair(one, other))
        t.say(
            clause(
                pair, verb("trade"), t.now, ("obj", owned(t.poss(t.pair(one, other)), noun("thing").many))
            ),
            "swap: trade",
        )
    elif roll == 1:
        subject = t.subj(one)
        right = obl(c.FOR, t.named(second))
        t.say(clause(subject, verb("trade"), t.now, ("obj", t.named(first)), right), "swap: trades for")
    else:
        gave = clause(t.subj(one), GIVE, t.now, ("iobj", t.obj(other)), ("obj", t.named(first)))
        back = clause(t.subj(other), GIVE, t.now, ("iobj", t.obj(one)), ("obj", t.named(second)))
        t.say(joined(gave, back), "swap: give and take")
    first.owner, second.owner = other, one
    tree = joined(
        clause(definite(t, first), BELONG, t.now, obl(c.TO, t.obj(other)), front=(("advmod", c.NOW),)),
        clause(definite(t, second), BELONG, t.now, obl(c.TO, t.obj(one))),
    )
    t.say(tree, "swap: belongs")
    if t.random() < 0.5:
        feels(t, t.pick((one, other)), "gift")


def find(t: Teller, finder: Being, owner: Being) -> None:
    """Somebody finds a thing, asks whose it is, and returns it."""
    place = t.pick(OUTDOORS)
    thing = t.thing(None)
    where = spot(t, place)
    finder.place = place
    tree = clause(
        t.subj(finder), FIND, t.now, ("obj", t.obj(thing)), ("obl", where), ("obl", place.at), front=t.later()
    )
    t.say(tree, "find: finds")
    if t.random() < 0.5:
        subject, what = t.subj(finder), t.subj(thing)
        whose = Phrase(
            c.WHOSE, (), (("nsubj", what), ("cop", (BE_PAST if t.now == PAST else BE_PRES)[what.agr]))
        )
        t.say(clause(subject, verb("know"), t.now, ("ccomp", whose), polarity=FULL_NOT), "find: whose")
    else:
        with t.speaking(finder, owner):
            inner = ask(t.subj(thing), BELONG, PRES, obl(c.TO, t.obj(owner)))
        asks(t, finder, inner)
    belonged = clause(t.subj(thing), BELONG, t.now, obl(c.TO, t.named(owner)))
    t.say(belonged, "find: belongs")
    thing.owner = owner
    gave = clause(
        t.named_subj(finder), GIVE, t.now, ("obj", t.obj(thing)), obl(c.TO, t.obj(owner)), front=t.later(0.3)
    )
    t.say(gave, "find: gives back", POSITIVE)
    feels(t, owner, "relief")
