"""Among people: parties, letters, newcomers, quarrels, secrets, plans, being late."""

from mini_bert.data.world import closed as c
from mini_bert.data.world.cast import Being
from mini_bert.data.world.clauses import (
    CAN,
    FULL_NOT,
    FUTURE,
    PAST,
    PRES,
    SHORT_NOT,
    SHOULD,
    and_also,
    ask_be,
    be,
    clause,
    command,
    fronted,
    joined,
    marked,
    so,
    that,
    to,
    when,
)
from mini_bert.data.world.gold import NEGATIVE, POSITIVE
from mini_bert.data.world.lexicon import adjective, adverb, noun, nouns, verb, zipf
from mini_bert.data.world.phrases import a, as_as, both, count, degree, nmod, obl, owned, pp, than, the
from mini_bert.data.world.scenes.steps import asks, feels, label, tells
from mini_bert.data.world.teller import Teller
from mini_bert.data.world.tree import Dep, Phrase, after, before, words
from mini_bert.data.world.words.food import DRINKS, SWEETS
from mini_bert.data.world.words.places import OUTDOORS, PLACES, TOWNS
from mini_bert.data.world.words.time import TOMORROW

INVITE, COME, LIVE, MOVE, TELL, KNOW, THINK, WANT, GO, MISS, VISIT = map(
    verb, words("invite come live move tell know think want go miss visit")
)
PARTY, LETTER, SECRET = (noun(w).one for w in words("party letter secret"))
FRIENDS, YEARS = noun("friend").many, noun("year").many
GOOD_FRIENDS = tuple(adjective(w).plain for w in words("good close"))
HOME: Dep = ("advmod", c.HOME)
ALL_NIGHT = Phrase(noun("night").one, (("det", c.ALL),))
IN_THE_END = fronted(pp(c.IN, the(noun("end").one)), "obl")


def party(t: Teller, host: Being, guest: Being) -> None:
    """An invitation, accepted or declined, and the party."""
    subject = t.subj(host)
    invited = clause(subject, INVITE, t.now, ("obj", t.obj(guest)), obl(c.TO, a(PARTY)), front=t.someday())
    t.say(invited, "party: invites", POSITIVE)
    if t.random() < 0.3:
        with t.speaking(guest, host):
            why = adjective(t.pick(("busy", "sick", "tired"))).plain
            inner = clause(t.subj(guest), COME, CAN, polarity=FULL_NOT)
            inner = after(inner, ("advcl", marked(c.BECAUSE, be(t.subj(guest), why, PRES))))
        tells(t, guest, host, inner, NEGATIVE)
        feels(t, host, "failure", lambda: clause(t.named_subj(guest), COME, t.can, polarity=FULL_NOT))
        return
    sweet = t.pick(SWEETS)
    brought = a(sweet.one) if t.random() < 0.4 else count(t.pick(c.NUMBER_WORDS[2:9]), sweet.many)
    t.say(clause(t.subj(guest), COME, t.now, obl(c.WITH, brought), front=t.later(0.3)), "party: comes with")
    roll = t.roll(4)
    if roll == 0:
        everyone = clause(c.EVERYONE, verb("eat"), t.now, ("obj", noun("cake").one))
        t.say(
            and_also(everyone, verb("drink"), t.now, ("obj", t.pick(DRINKS).one)), "party: everyone", POSITIVE
        )
    elif roll == 1:
        t.say(clause(c.NOBODY, WANT, t.now, ("xcomp", to(GO, HOME))), "party: nobody wanted", POSITIVE)
    elif roll == 2:
        danced = clause(the(noun("guest").many), verb("dance"), t.now, ("obl:unmarked", ALL_NIGHT))
        t.say(danced, "party: danced", POSITIVE)
    else:
        played = clause(t.subj(t.pair(host, guest)), verb("play"), t.now, ("obj", noun("game").many))
        t.say(and_also(played, verb("sing"), t.now, ("obj", noun("song").many)), "party: played", POSITIVE)
    feels(t, host, "fun", lambda: be(the(PARTY), a(noun("success").one), t.now))


FAR_KIN = tuple(noun(w) for w in words("uncle aunt cousin grandmother grandfather"))
GOOD_NEWS = tuple(noun(w).one for w in words("prize garden job baby boat horse puppy house"))


def letter(t: Teller, reader: Being, other: Being) -> None:
    """News from a relative far away."""
    kin = t.pick(FAR_KIN)
    town = t.pick(TOWNS)
    subject = t.subj(reader)
    sender = after(owned(t.poss(reader), kin.one), nmod(c.IN, town))
    t.say(
        clause(subject, verb("get"), t.now, ("obj", a(LETTER)), obl(c.FROM, sender), front=t.someday()),
        "letter: gets",
    )
    good = t.random() < 0.6
    the_kin = owned(t.poss(reader), kin.one)
    if good:
        news = clause(the_kin, verb("have"), t.now, ("obj", a(t.pick(GOOD_NEWS), adjective("new").plain)))
    else:
        news = be(the_kin, degree(c.VERY, adjective(t.pick(("sick", "lonely", "poor"))).plain), t.now)
    t.say(clause(the(LETTER), verb("say"), t.now, that(news)), "letter: says that", label(good))
    feels(t, reader, "fun" if good else "loss")
    if t.random() < 0.5:
        answer = ("obj", a(noun("answer").one)), obl(c.TO, town)
        t.say(clause(t.subj(reader), verb("send"), t.now, *answer, front=t.later()), "letter: answers")
    else:
        with t.speaking(reader, other):
            inner = clause(
                t.subj(reader),
                VISIT,
                FUTURE,
                ("obj", owned(t.poss(reader), kin.one)),
                obl(c.IN, noun("summer").one),
            )
        tells(t, reader, other, inner)


def newcomer(t: Teller, who: Being, friend: Being) -> None:
    """Somebody new moves to the town, is lonely, and makes a friend."""
    friend = who
    who = t.person("he" if friend.gender == "she" else "she")
    old, new = t.fresh(TOWNS), t.town or t.fresh(TOWNS)
    years = count(t.pick(c.NUMBER_WORDS[2:10]), YEARS)
    roll = t.roll(3)
    if roll == 0:
        t.say(
            clause(t.subj(who), verb("use"), PAST, ("xcomp", to(LIVE, obl(c.IN, old)))),
            "newcomer: used to live",
        )
    elif roll == 1:
        t.say(clause(t.subj(who), LIVE, t.had, obl(c.IN, old), obl(c.FOR, years)), "newcomer: had lived")
    else:
        t.say(be(t.subj(who), pp(c.FROM, old), t.now), "newcomer: is from")
    move = clause(t.subj(who), MOVE, t.now, obl(c.FROM, old), obl(c.TO, new), front=t.someday())
    t.say(move, "newcomer: moves")
    if t.random() < 0.5:
        knew = clause(t.subj(who), KNOW, t.now, ("obj", c.ANYBODY), obl(c.IN, new), polarity=FULL_NOT)
        t.say(knew, "newcomer: knows nobody", NEGATIVE)
    feels(t, who, "alone")
    place = t.pick(MEETING_PLACES)
    t.say(
        clause(
            t.subj(who), verb("meet"), t.now, ("obj", t.named(friend)), ("obl", place.at), front=t.later(0.8)
        ),
        "newcomer: meets",
    )
    pair = t.subj(t.pair(who, friend))
    t.say(
        clause(pair, verb("become"), t.now, ("xcomp", Phrase(FRIENDS, (("amod", t.pick(GOOD_FRIENDS)),)))),
        "newcomer: friends",
        POSITIVE,
    )
    if t.random() < 0.5:
        feels(
            t, who, "relief", lambda: clause(t.subj(who), verb("have"), t.now, ("obj", a(noun("friend").one)))
        )


RIVALS = tuple(
    (noun(one), noun(other))
    for one, other in (
        pair.split(":")
        for pair in words("""summer:winter cat:dog tea:coffee apple:pear train:plane book:film city:village
        tennis:football cake:pie lake:mountain rose:tulip spring:autumn pizza:soup horse:donkey morning:evening""")
    )
)


def quarrel(t: Teller, one: Being, other: Being) -> None:
    """Two opinions that cannot both be true."""
    first, second = t.pick(RIVALS)
    mass = first.mass or first.lemma in UNCOUNTED
    left, right = (first.one, second.one) if mass else (first.many, second.many)
    quality = adjective(t.pick(("good", "beautiful", "interesting", "exciting", "useful")))
    believed = clause(t.subj(one), THINK, t.now, that(be(left, than(quality, right), t.now)), front=t.later())
    t.say(believed, "quarrel: thinks")
    roll = t.roll(3)
    if roll == 0:
        t.say(
            clause(t.subj(other), verb("agree"), t.now, obl(c.WITH, t.obj(one)), polarity=FULL_NOT),
            "quarrel: disagrees",
            NEGATIVE,
        )
    elif roll == 1:
        liked = clause(t.subj(other), verb("prefer"), t.now, ("obj", right))
        t.say(liked, "quarrel: prefers")
    else:
        said_that = clause(
            t.subj(other), verb("say"), t.now, that(be(left, as_as(quality, right), t.now, polarity=FULL_NOT))
        )
        t.say(said_that, "quarrel: not as")
    pair = t.pair(one, other)
    hours = obl(c.FOR, count(t.pick(c.NUMBER_WORDS[2:6]), noun("hour").many))
    t.say(
        clause(t.subj(pair), verb("argue"), t.now, ("advmod", adverb("loudly")), hours),
        "quarrel: argue",
        NEGATIVE,
    )
    if t.random() < 0.6:
        agreed = clause(
            t.subj(pair),
            verb("agree"),
            t.now,
            that(be(before(both(left, right), ("cc:preconj", c.BOTH_CC)), quality.plain, t.now)),
            front=IN_THE_END,
        )
        t.say(agreed, "quarrel: agree", POSITIVE)
    else:
        feels(t, t.pick((one, other)), "harm")


UNCOUNTED = frozenset(words("summer spring tennis tea morning"))


def secret(t: Teller, teller: Being, hearer: Being) -> None:
    """A secret is told, and kept or not."""
    subject = t.subj(teller)
    t.say(
        clause(subject, TELL, t.now, ("iobj", t.obj(hearer)), ("obj", a(SECRET)), front=t.later()),
        "secret: tells",
    )
    with t.speaking(teller, hearer):
        if t.random() < 0.5:
            inner = command(TELL, ("obj", c.ANYONE), adverb=c.EVER, polarity=SHORT_NOT)
        else:
            inner = clause(
                t.subj(hearer), TELL, SHOULD, ("obj", c.ANYBODY), obl(c.ABOUT, c.THIS_ONE), polarity=FULL_NOT
            )
    tells(t, teller, hearer, inner)
    kept = t.random() < 0.5
    if kept:
        t.say(
            clause(t.subj(hearer), TELL, t.now, ("obj", c.ANYONE), polarity=FULL_NOT),
            "secret: tells nobody",
            POSITIVE,
        )
        feels(
            t,
            teller,
            "relief",
            lambda: clause(t.named_subj(hearer), verb("keep"), t.had, ("obj", the(SECRET))),
        )
    else:
        t.say(
            clause(c.EVERYBODY, KNOW, t.now, ("obj", the(SECRET)), front=t.later(0.9)),
            "secret: everybody",
            NEGATIVE,
        )
        feels(
            t,
            teller,
            "harm",
            lambda: clause(
                t.named_subj(hearer), verb("keep"), t.had, ("obj", the(SECRET)), polarity=FULL_NOT
            ),
        )


def plan(t: Teller, one: Being, other: Being) -> None:
    """What will be if the weather is fine, and what becomes of it."""
    place = t.pick(OUTDOORS)
    pair = t.pair(one, other)
    with t.speaking(one, other):
        rain = clause(c.EXPLETIVE_IT, verb("rain"), PRES, ("obl:unmarked", TOMORROW), polarity=FULL_NOT)
        inner = clause(t.subj(pair), GO, FUTURE, ("obl", place.to), front=fronted(marked(c.IF, rain)))
    tells(t, one, other, inner)
    if t.random() < 0.4:
        t.say(clause(t.subj(pair), verb("hope"), t.now, obl(c.FOR, noun("sunshine").one)), "plan: hopes")
    fine = t.random() < 0.5
    next_day = (("obl:unmarked", the(noun("day").one, c.NEXT)), ("punct", c.COMMA))
    if fine:
        shone = clause(the(noun("sun").one), verb("shine"), t.now, front=next_day)
        t.say(joined(shone, clause(t.named_subj(pair), GO, t.now, ("obl", place.to))), "plan: sun", POSITIVE)
        one.place = other.place = place
        feels(t, one, "fun")
    else:
        rained = clause(c.EXPLETIVE_IT, verb("rain"), t.now, ("advmod", adverb("heavily")), front=next_day)
        t.say(so(rained, clause(t.named_subj(pair), verb("stay"), t.now, HOME)), "plan: rain", NEGATIVE)
        feels(t, one, "failure")


def late(t: Teller, who: Being, other: Being) -> None:
    """Somebody oversleeps, misses the bus, and comes too late."""
    subject = t.subj(who)
    broken = marked(
        c.BECAUSE, be(owned(t.poss(who), noun("clock").one), adjective(t.pick(CLOCKS)).plain, t.now)
    )
    overslept = clause(subject, verb("oversleep"), t.now, ("advcl", broken), front=t.someday(0.8))
    t.say(overslept, "late: oversleeps", NEGATIVE)
    vehicle = noun(t.pick(("bus", "train", "boat"))).one
    left = when(c.WHEN, clause(t.subj(who), verb("reach"), t.now, ("obj", the(noun("station").one))))
    gone = clause(the(vehicle), verb("leave"), t.had, adverb=c.ALREADY, front=fronted(left))
    t.say(gone, "late: already left", NEGATIVE)
    walked = to(verb("walk"), obl(c.TO, noun("school").one), obl(c.WITHOUT, a(t.pick(LEFT_BEHIND).one)))
    t.say(clause(t.subj(who), verb("have"), t.now, ("xcomp", walked)), "late: had to walk")
    if t.random() < 0.5:
        with t.speaking(other, who):
            inner = ask_be(t.subj(who), adjective("late").plain, PRES, wh=(("advmod", c.WHY),))
        asks(t, other, inner)
        with t.speaking(who, other):
            inner = clause(t.subj(who), MISS, PAST, ("obj", the(vehicle)))
        tells(t, who, other, inner, NEGATIVE, how="answer")
    feels(t, who, "guilt", lambda: be(t.subj(who), adjective("late").plain, t.now))


CLOCKS = ("broken", "old", "slow", "wrong")
LEFT_BEHIND = zipf(nouns("coat umbrella hat sandwich book map bag scarf jacket pencil"))
MEETING_PLACES = tuple(PLACES[w] for w in words("library park school market station beach playground museum"))
