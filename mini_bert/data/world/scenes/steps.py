"""Steps that many scenes share: going somewhere, feeling something, speaking."""

from collections.abc import Callable

from mini_bert.data.world import closed as c
from mini_bert.data.world.cast import Being, Character, Thing
from mini_bert.data.world.clauses import (
    FULL_NOT,
    SHORT_NOT,
    be,
    clause,
    ing,
    joined,
    marked,
    predicate,
    said,
    says,
)
from mini_bert.data.world.facts.fact import Fact
from mini_bert.data.world.gold import NEGATIVE, NEUTRAL, POSITIVE
from mini_bert.data.world.lexicon import Adjective, Verb, adjective, adverb, noun, nouns, verb, zipf
from mini_bert.data.world.phrases import a, degree, obl, of, owned, pp, the
from mini_bert.data.world.teller import Teller
from mini_bert.data.world.times import FEELING_LINKS
from mini_bert.data.world.tree import Dep, Deps, Part, Phrase, Word, about, after, words
from mini_bert.data.world.words.feelings import (
    BECOME,
    EXTREME,
    FEELINGS,
    FULL_OF,
    GOOD_CAUSES,
    NOT_FEELINGS,
    SHOWS_BAD,
    SHOWS_FEAR,
    SHOWS_GOOD,
)
from mini_bert.data.world.words.places import Place
from mini_bert.data.world.words.things import INDOOR_SPOTS, OUTDOOR_SPOTS

Reason = Callable[[], Phrase]

GO = verb("go")
ON_FOOT = zipf(map(verb, words("walk run hurry return rush stroll march sneak")), 2)
VEHICLES = zipf(map(noun, words("bus train car bicycle taxi boat ferry truck")), 2)
PUBLIC_VEHICLES = zipf(map(noun, words("bus train taxi ferry boat tram")), 2)
INTENSIFIERS = (c.VERY, c.VERY, c.SO, c.QUITE, c.REALLY, c.RATHER)
HOUSE = noun("house").one
FULL = adjective("full").plain
FACE, EYES, SMILE, TEARS = noun("face").one, noun("eye").many, noun("smile").one, noun("tear").many


def label(good: bool) -> str:
    return POSITIVE if good else NEGATIVE


LASTING: tuple[Dep, ...] = (
    obl(c.FOR, of(the(noun("rest").one), the(noun("day").one))),
    obl(c.FOR, a(noun("time").one, adjective("long").plain)),
    ("obl:unmarked", Phrase(noun("day").one, (("det", c.ALL),))),
    ("obl:unmarked", Phrase(noun("evening").one, (("det", c.ALL),))),
    obl(c.UNTIL_P, the(noun("evening").one)),
)


def because(t: Teller, reason: Reason | None) -> Deps:
    if reason is None:
        return (t.pick(LASTING),) if t.random() < 0.4 else ()
    return (("advcl", marked(c.BECAUSE if t.random() < 0.8 else c.SINCE, reason())),)


def feels(t: Teller, who: Being, cause: str, reason: Reason | None = None, front: Deps = ()) -> None:
    """How an event makes somebody feel, said in one of a dozen ways."""
    good = cause in GOOD_CAUSES
    feeling = t.pick(FEELINGS[cause])
    who.feeling = feeling
    sentiment = label(good)
    shows = SHOWS_GOOD if good else SHOWS_FEAR if cause == "danger" else SHOWS_BAD
    if not front and t.random() < 0.25:
        front = t.pick(FEELING_LINKS)
    roll = t.roll(12)
    if roll == 0:
        subject = t.subj(who)
        tree = clause(
            subject, t.pick(BECOME), t.now, ("xcomp", feeling.plain), *because(t, reason), front=front
        )
        t.say(tree, "feeling: become", sentiment)
    elif roll == 1:
        how, manners = t.pick(shows)
        subject = t.subj(who)
        tree = clause(subject, how, t.now, ("advmod", t.pick(manners)), *because(t, reason), front=front)
        t.say(tree, "feeling: shown", sentiment)
    elif roll == 2:
        subject = t.subj(who)
        how, _ = t.pick(shows)
        result = marked(c.THAT, clause(t.subj(who), how, t.now))
        tree = be(subject, degree(c.SO, feeling.plain), t.now, ("advcl", result), front=front)
        t.say(tree, "feeling: so that", sentiment)
    elif roll in (3, 4):
        other = t.pick(NOT_FEELINGS[cause])
        subject = t.subj(who)
        polarity = FULL_NOT if t.random() < 0.6 else SHORT_NOT
        ending: Deps = (("advmod", c.ANYMORE),) if cause == "relief" else because(t, reason)
        t.say(
            be(subject, other.plain, t.now, *ending, polarity=polarity, front=front),
            "feeling: negated",
            sentiment,
        )
    elif roll == 5:
        subject = t.subj(who)
        how, _ = t.pick(shows)
        stop: Dep = ("xcomp", ing(how))
        tree = clause(subject, verb("stop"), t.can, stop, *because(t, reason), polarity=FULL_NOT, front=front)
        t.say(tree, "feeling: could not stop", sentiment)
    elif roll == 6:
        subject = t.subj(who)
        what: Phrase | Word = a(SMILE, adjective("big").plain) if good else TEARS
        where = obl(c.ON, owned(t.poss(who), FACE)) if good else obl(c.IN, owned(t.poss(who), EYES))
        tree = clause(subject, verb("have"), t.now, ("obj", what), where, *because(t, reason), front=front)
        t.say(tree, "feeling: face", sentiment)
    elif roll == 7:
        subject = t.subj(who)
        full = Phrase(FULL, (), (obl(c.OF, t.pick(FULL_OF[cause])),))
        t.say(be(subject, full, t.now, *because(t, reason), front=front), "feeling: full of", sentiment)
    elif roll == 8:
        tree = clause(
            c.THIS_ONE, verb("make"), t.now, ("obj", t.obj(who)), ("xcomp", _intense(t, feeling)), front=front
        )
        t.say(tree, "feeling: made", sentiment)
    elif roll == 9:
        subject = t.subj(who)
        tree = be(subject, degree(c.SO, feeling.plain), t.had, adverb=c.NEVER, front=front)
        t.say(tree, "feeling: never so", sentiment)
    else:
        subject = t.subj(who)
        t.say(
            be(subject, _intense(t, feeling), t.now, *because(t, reason), front=front),
            "feeling: be",
            sentiment,
        )


def _intense(t: Teller, feeling: Adjective) -> Part:
    if feeling in EXTREME or t.random() < 0.5:
        return feeling.plain
    return degree(t.pick(INTENSIFIERS), feeling.plain)


def goes(t: Teller, who: Character, place: Place, front: Deps = (), purpose: Deps = ()) -> None:
    """Somebody goes somewhere, on foot or otherwise."""
    subject = t.subj(who)
    roll = t.roll(6)
    if roll <= 1:
        tree = clause(subject, GO, t.now, ("obl", place.to), *purpose, front=front)
    elif roll == 2:
        tree = clause(subject, t.pick(ON_FOOT), t.now, ("obl", place.to), *purpose, front=front)
    elif roll == 3:
        ride = ("obj", the(t.pick(PUBLIC_VEHICLES).one))
        tree = clause(subject, verb("take"), t.now, ride, ("obl", place.to), *purpose, front=front)
    elif roll == 4:
        by = obl(c.BY, t.pick(VEHICLES).one)
        tree = clause(subject, GO, t.now, ("obl", place.to), by, *purpose, front=front)
    else:
        went = predicate(subject.agr, GO, t.now, ("obl", place.to), *purpose)
        tree = joined(
            clause(subject, verb("leave"), t.now, ("obj", the(HOUSE)), front=front), went, comma=False
        )
    t.say(tree, "goes")
    if isinstance(who, Being):
        who.place = place


def spot(t: Teller, place: Place | None = None) -> Phrase:
    """Where a thing lies: "under the table"."""
    inside = place is None or place.kind == "room"
    preposition, where = t.pick(INDOOR_SPOTS if inside else OUTDOOR_SPOTS)
    return pp(preposition, the(where.one))


TAG_MANNERS = tuple(
    adverb(w) for w in words("quietly softly loudly politely kindly calmly quickly slowly shyly")
)


def tag(t: Teller, who: Being, hearer: Being | None) -> Deps:
    """How and to whom something is said, now and then."""
    chance = t.random()
    if chance < 0.2:
        return (("advmod", t.pick(TAG_MANNERS)),)
    if chance < 0.3 and hearer is not None and hearer.known and hearer is not t.speaker:
        return (obl(c.TO, t.obj(hearer)),)
    if chance < 0.36:
        return (obl(c.WITH, a(t.pick(SPEECH_GESTURES).one)),)
    return ()


SPEECH_GESTURES = nouns("smile nod laugh sigh")


def speaks(
    t: Teller,
    who: Being,
    hearer: Being | None,
    inner: Phrase,
    word: Verb,
    end: Word,
    kind: str,
    sentiment: str,
    facts: tuple[Fact, ...] = (),
) -> None:
    """Direct speech, with who speaks before or after it."""
    subject = t.subj(who)
    right = tag(t, who, hearer) if word is verb("say") else tag(t, who, None)
    if t.random() < 0.35:
        t.say(says(subject, word, t.now, inner, end, *right), f"{kind}: after", sentiment, None, facts)
    else:
        closing = c.COMMA if end is c.PERIOD else end
        t.say(said(subject, word, t.now, inner, closing, *right), f"{kind}: before", sentiment, facts=facts)


def tells(
    t: Teller,
    who: Being,
    hearer: Being | None,
    inner: Phrase,
    sentiment: str = NEUTRAL,
    how: str = "say",
    facts: tuple[Fact, ...] = (),
) -> None:
    """Direct speech: `inner` was made with `t.speaking(who, hearer)`."""
    speaks(t, who, hearer, inner, verb(how), c.PERIOD, "speech", sentiment, facts)


def asks(t: Teller, who: Being, inner: Phrase, sentiment: str = NEUTRAL, hearer: Being | None = None) -> None:
    """A question in direct speech, now and then with the name of who is asked."""
    if hearer is not None and hearer.given is not None and hearer.known and t.random() < 0.4:
        inner = after(inner, ("punct", c.COMMA), ("vocative", about(hearer.given, hearer.id)))
    speaks(t, who, None, inner, verb("ask"), c.QUESTION, "question", sentiment)


def exclaims(t: Teller, who: Being, inner: Phrase, sentiment: str = NEUTRAL) -> None:
    speaks(t, who, None, inner, t.pick(EXCLAIMING), c.EXCLAMATION, "exclamation", sentiment)


EXCLAIMING = tuple(verb(w) for w in words("cry shout call exclaim say"))


def puts(t: Teller, who: Being, thing: Thing, front: Deps = ()) -> None:
    """Somebody puts a thing somewhere: its spot is then known."""
    place = spot(t, who.place)
    word = t.pick((verb("put"), verb("put"), verb("leave"), verb("hide"), verb("place")))
    subject = t.subj(who)
    thing.spot = place
    t.say(clause(subject, word, t.now, ("obj", t.obj(thing)), ("obl", place), front=front), "puts")


def definite(t: Teller, thing: Thing) -> Phrase:
    """ "the red ball", not "her ball": the owner is what is asked for."""
    t.mentioned.append(thing)
    look = () if thing.look is None or t.random() < 0.5 else (thing.look,)
    return about(the(thing.head, *look), thing.id)
