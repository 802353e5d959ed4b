"""Conversations between two people who meet."""

from collections.abc import Callable

from mini_bert.data.world import closed as c
from mini_bert.data.world.cast import Being
from mini_bert.data.world.clauses import (
    CAN,
    FULL_NOT,
    FUTURE,
    PAST,
    PLAIN,
    PRES,
    PROGRESSIVE,
    SHORT_NOT,
    ask,
    ask_be,
    ask_what,
    be,
    clause,
    marked,
    that,
    to,
)
from mini_bert.data.world.deeds import plain_deed, some
from mini_bert.data.world.gold import POSITIVE
from mini_bert.data.world.lexicon import Noun, adjective, noun, nouns, verb, zipf
from mini_bert.data.world.phrases import a, both, count, degree, det, obl, owned, the
from mini_bert.data.world.scenes.lore import asked
from mini_bert.data.world.scenes.recall import appearance
from mini_bert.data.world.scenes.steps import asks, exclaims, label, spot, tells
from mini_bert.data.world.scenes.thoughts import question_answer, request, wh_question
from mini_bert.data.world.teller import Teller
from mini_bert.data.world.tree import Deps, Part, Phrase, about
from mini_bert.data.world.words.animals import ANIMALS
from mini_bert.data.world.words.feelings import FEELINGS
from mini_bert.data.world.words.food import FRUITS, SWEETS, VEGETABLES
from mini_bert.data.world.words.people import PASSERSBY
from mini_bert.data.world.words.places import TOWN_PLACES
from mini_bert.data.world.words.purposes import PURPOSES
from mini_bert.data.world.words.things import COLOURS
from mini_bert.data.world.words.time import DAYS, TOMORROW

REPLIES = ("say", "answer", "reply", "say")
LIKED_THINGS = zipf((*FRUITS, *VEGETABLES, *SWEETS, *(animal.noun for animal in ANIMALS)), 20)
RELATIVES = nouns("brother sister")
COUNTED = zipf(
    nouns("book hat shoe coin stamp toy pencil shell marble friend cat plate key song ticket button")
)
FAVORITE = adjective("favorite").plain
FAVORITES: dict[Noun, tuple[Part, ...]] = {
    noun("animal"): tuple(the(animal.noun.one) for animal in ANIMALS),
    noun("color"): tuple(colour.plain for colour in COLOURS),
    noun("fruit"): tuple(the(fruit.one) for fruit in FRUITS),
    noun("day"): DAYS,
    noun("season"): tuple(season.one for season in nouns("spring summer autumn winter")),
}
FAVORITE_KINDS = tuple(FAVORITES)


def yes_no(yes: bool, answer: Phrase) -> Phrase:
    """ "Yes, ..." or "No, ..." before an answer."""
    word = c.YES if yes else c.NO_INTJ
    return Phrase(answer.word, (("discourse", word), ("punct", c.COMMA), *answer.left), answer.right)


def whither(t: Teller, one: Being, other: Being) -> None:
    with t.speaking(one, other):
        inner = ask(t.subj(other), verb("go"), PROGRESSIVE, wh=(("advmod", c.WHERE),))
    asks(t, one, inner, hearer=other)
    place, deeds = t.pick(PURPOSES)
    word, objects = t.pick(deeds)
    right: Deps = (("obj", some(t, t.pick(objects))),) if objects else ()
    with t.speaking(other, one):
        inner = clause(t.subj(other), verb("go"), PROGRESSIVE, ("obl", place.to), ("advcl", to(word, *right)))
    tells(t, other, one, inner, how=t.pick(REPLIES))


def liking(t: Teller, one: Being, other: Being) -> None:
    what = t.pick(LIKED_THINGS)
    many = what.one if what.mass else what.many
    with t.speaking(one, other):
        inner = ask(t.subj(other), verb("like"), PRES, ("obj", many))
    asks(t, one, inner, hearer=other)
    yes = t.random() < 0.5
    with t.speaking(other, one):
        if t.random() < 0.5:
            answer = clause(t.subj(other), verb("love" if yes else "hate"), PRES, ("obj", many))
        else:
            polarity = PLAIN if yes else FULL_NOT
            answer = clause(
                t.subj(other),
                verb("like"),
                PRES,
                ("obj", many),
                ("advmod", degree(c.VERY, c.MUCH_ADV)),
                polarity=polarity,
            )
    tells(t, other, one, yes_no(yes, answer), label(yes), t.pick(REPLIES))


def family(t: Teller, one: Being, other: Being) -> None:
    with t.speaking(one, other):
        kin = both(det(c.ANY, RELATIVES[0].many), RELATIVES[1].many, c.OR)
        inner = ask(t.subj(other), verb("have"), PRES, ("obj", kin))
    asks(t, one, inner, hearer=other)
    with t.speaking(other, one):
        if t.random() < 0.7:
            kind = t.pick(RELATIVES)
            some_kin = a(kind.one) if t.random() < 0.4 else count(t.pick(c.NUMBER_WORDS[2:6]), kind.many)
            answer = yes_no(True, clause(t.subj(other), verb("have"), PRES, ("obj", some_kin)))
        else:
            none = both(det(c.ANY, RELATIVES[0].many), RELATIVES[1].many, c.OR)
            answer = yes_no(
                False, clause(t.subj(other), verb("have"), PRES, ("obj", none), polarity=FULL_NOT)
            )
    tells(t, other, one, answer, how=t.pick(REPLIES))


def how_many(t: Teller, one: Being, other: Being) -> None:
    what = t.pick(COUNTED)
    with t.speaking(one, other):
        many = Phrase(what.many, (("amod", Phrase(c.MANY, (("advmod", c.HOW),))),))
        inner = ask(t.subj(other), verb("have"), PRES, wh=(("obj", many),))
    asks(t, one, inner, hearer=other)
    with t.speaking(other, one):
        answer = clause(
            t.subj(other), verb("have"), PRES, ("obj", count(t.pick(c.NUMBER_WORDS[2:]), what.many))
        )
    tells(t, other, one, answer, how=t.pick(REPLIES))


def favorite(t: Teller, one: Being, other: Being) -> None:
    kind = t.pick(FAVORITE_KINDS)
    with t.speaking(one, other):
        inner = ask_what(c.WHAT, owned(t.poss(other), kind.one, FAVORITE), PRES)
    asks(t, one, inner, hearer=other)
    with t.speaking(other, one):
        answer = be(owned(t.poss(other), kind.one, FAVORITE), t.pick(FAVORITES[kind]), PRES)
    tells(t, other, one, answer, how=t.pick(REPLIES))


WHY = {
    "loss": lambda t, who: clause(
        t.subj(who), verb("lose"), PAST, ("obj", owned(t.poss(who), t.pick(COUNTED[:20]).one))
    ),
    "gift": lambda t, who: clause(
        t.subj(who),
        verb("get"),
        PAST,
        ("obj", a(noun("present").one)),
        obl(c.FROM, the(t.pick(PASSERSBY).one)),
    ),
    "success": lambda t, who: clause(
        t.subj(who), verb("win"), PAST, ("obj", the(noun(t.pick(("race", "game", "match"))).one))
    ),
    "failure": lambda t, who: clause(
        t.subj(who), verb("fail"), PAST, ("obj", the(noun(t.pick(("test", "exam"))).one))
    ),
    "harm": lambda t, who: clause(
        c.SOMEONE, verb("break"), PAST, ("obj", owned(t.poss(who), t.pick(COUNTED[:20]).one))
    ),
    "alone": lambda t, who: be(c.NOBODY, c.HERE, PRES),
}
WHY_KINDS = tuple(WHY)


def why(t: Teller, one: Being, other: Being) -> None:
    """ "Why are you sad?" "I am sad because ..." """
    cause = t.pick(WHY_KINDS)
    feeling = t.pick(FEELINGS[cause])
    sentiment = label(cause in ("gift", "success"))
    with t.speaking(one, other):
        inner = ask_be(t.subj(other), degree(c.SO, feeling.plain), PRES, wh=(("advmod", c.WHY),))
    asks(t, one, inner, sentiment, other)
    with t.speaking(other, one):
        answer = be(t.subj(other), feeling.plain, PRES, ("advcl", marked(c.BECAUSE, WHY[cause](t, other))))
    tells(t, other, one, answer, sentiment, t.pick(REPLIES))


def invites(t: Teller, one: Being, other: Being) -> None:
    day = t.pick(DAYS)
    place = t.pick(TOWN_PLACES)
    with t.speaking(one, other):
        inner = ask(t.subj(other), verb("come"), CAN, ("obl", place.to), obl(c.ON, day))
    asks(t, one, inner, hearer=other)
    yes = t.random() < 0.5
    with t.speaking(other, one):
        if yes:
            answer = clause(t.subj(other), verb("come"), FUTURE, obl(c.ON, day))
        else:
            word, right = plain_deed(t)
            answer = clause(t.subj(other), verb("have"), PRES, ("xcomp", to(word, *right)))
    tells(t, other, one, yes_no(yes, answer), label(yes), t.pick(REPLIES))


def forecast(t: Teller, one: Being, other: Being) -> None:
    with t.speaking(one, other):
        inner = ask(c.EXPLETIVE_IT, verb(t.pick(("rain", "snow"))), FUTURE, ("obl:unmarked", TOMORROW))
    asks(t, one, inner, hearer=other)
    weather = adjective(t.pick(("sunny", "windy", "cold", "warm", "cloudy", "stormy", "foggy"))).plain
    with t.speaking(other, one):
        answer = clause(t.subj(other), verb("think"), PRES, that(be(c.EXPLETIVE_IT, weather, FUTURE)))
    tells(t, other, one, yes_no(False, answer), how=t.pick(REPLIES))


def lost_thing(t: Teller, one: Being, other: Being) -> None:
    """Where is it, what colour is it: the answers are remembered."""
    thing = t.thing(None)
    with t.speaking(one, other):
        t.mentioned.append(one)
        thing.owner = one
        inner = ask_what(c.WHERE, about(owned(t.poss(one), thing.head), thing.id), PRES)
    thing.known = True
    t.mentioned.append(thing)
    asks(t, one, inner, hearer=other)
    thing.spot = spot(t)
    with t.speaking(other, one):
        inner = be(t.subj(thing), thing.spot, PRES)
    tells(t, other, one, inner, how=t.pick(REPLIES))
    if t.random() < 0.6:
        appearance(t, other, one)


def whose(t: Teller, one: Being, other: Being) -> None:
    """ "Is this umbrella yours?" "No, it is not mine." """
    thing = t.thing(None)
    this = det(
        c.THESE if thing.noun.pair else c.THIS, thing.head, *(() if thing.look is None else (thing.look,))
    )
    with t.speaking(one, other):
        inner = ask_be(about(this, thing.id), about(c.YOU.mine, other.id), PRES)
    thing.known = True
    t.mentioned.append(thing)
    asks(t, one, inner, hearer=other)
    yes = t.random() < 0.5
    with t.speaking(other, one):
        answer = be(
            t.subj(thing),
            about(c.I.mine, other.id),
            PRES,
            polarity=PLAIN if yes else t.pick((FULL_NOT, SHORT_NOT)),
        )
    thing.owner = other if yes else None
    tells(t, other, one, yes_no(yes, answer), how=t.pick(REPLIES))


EXCHANGES: tuple[Callable[[Teller, Being, Being], object], ...] = (
    whither, whose, liking, family, how_many, favorite, why, invites, forecast, lost_thing, asked, asked,
    question_answer, wh_question, request,
)  # fmt: skip


LONGEST = 13


def dialogue(t: Teller) -> None:
    one = t.person()
    other = t.person("he" if one.gender == "she" else "she")
    place = t.pick(TOWN_PLACES)
    subject = t.named_subj(one)
    t.say(
        clause(subject, verb("meet"), t.now, ("obj", t.named(other)), ("obl", place.at), front=t.later(0.7)),
        "dialogue: meets",
    )
    one.place = other.place = place
    if t.random() < 0.6:
        assert other.given is not None
        hello = Phrase(c.HELLO, (), (("punct", c.COMMA), ("vocative", about(other.given, other.id))))
        exclaims(t, one, hello, POSITIVE)
    length = 6 + t.roll(7)
    while len(t.sentences) < length:
        speakers = (one, other) if t.random() < 0.5 else (other, one)
        t.fresh(EXCHANGES)(t, *speakers)
    del t.sentences[LONGEST:]
    if t.random() < 0.5 and length < 12:
        both_left = clause(
            t.subj(t.pair(one, other)),
            verb("leave"),
            t.now,
            ("obj", place.the),
            ("advmod", c.TOGETHER),
            front=t.later(),
        )
        t.say(both_left, "dialogue: leave")
