"""Outings: trips, the zoo and the farm, shopping and counting, races."""

from mini_bert.data.world import closed as c
from mini_bert.data.world.cast import Being
from mini_bert.data.world.clauses import (
    CAN,
    FULL_NOT,
    FUTURE,
    PLAIN,
    and_also,
    ask,
    be,
    clause,
    fronted,
    so,
    that,
    there,
    to,
    when,
)
from mini_bert.data.world.deeds import SMALL_NUMBERS
from mini_bert.data.world.gold import NEGATIVE, POSITIVE
from mini_bert.data.world.lexicon import adjectives, noun, noun_form, nouns, verb, zipf
from mini_bert.data.world.phrases import a, as_as, both, count, obl, of, than, the
from mini_bert.data.world.scenes.steps import asks, exclaims, feels, goes, label, tells
from mini_bert.data.world.teller import Teller
from mini_bert.data.world.tree import Dep, Part, Phrase, Word, words
from mini_bert.data.world.words.animals import ANIMAL_LOOKS, ANIMAL_TRAITS, FARM_ANIMALS, ZOO_ANIMALS
from mini_bert.data.world.words.feelings import EVENT_BAD, EVENT_GOOD
from mini_bert.data.world.words.food import FRUITS, VEGETABLES
from mini_bert.data.world.words.people import CROWD
from mini_bert.data.world.words.places import OUTDOORS, PLACES, TOWNS
from mini_bert.data.world.words.time import DAY

SEE, BUY, WIN, GIVE, WANT, GO = map(verb, words("see buy win give want go"))
OUTING = tuple(noun(w).one for w in words("trip day visit journey walk picnic"))
SIGHTS = zipf(
    nouns(
        "castle bridge fountain tower statue museum lighthouse windmill garden parade church ship harbor palace"
    )
)
OUTDOOR_SIGHTS = zipf(
    nouns("rainbow bird fox butterfly kite tent deer boat snake squirrel nest eagle flower rabbit")
)
VEHICLES = tuple(noun(w).one for w in words("train bus car boat plane ferry"))
AFRAID = adjectives("afraid")[0].plain
LOUDLY, QUICKLY = Word("loudly", "ADV"), Word("quickly", "ADV")
MEDALS = nouns("medal cup crown ribbon ring watch")
PRIZE_LOOKS = tuple(a.plain for a in adjectives("golden silver small shiny big"))
ALL_DAY = Phrase(DAY.one, (("det", c.ALL),))


def verdict(t: Teller, who: Being, what: Part, good: bool) -> None:
    """Whether it was a good day."""
    opinion, opposite = t.pick(EVENT_GOOD if good else EVENT_BAD), t.pick(EVENT_BAD if good else EVENT_GOOD)
    roll = t.roll(5)
    if roll == 0:
        t.say(be(what, opinion.plain, t.now), "verdict: was", label(good))
    elif roll == 1:
        at_all = obl(c.AT, c.ALL)
        t.say(be(what, opposite.plain, t.now, at_all, polarity=FULL_NOT), "verdict: was not", label(good))
    elif roll == 2:
        enjoyed = clause(
            t.subj(who), verb("enjoy"), t.now, ("obj", what), polarity=PLAIN if good else FULL_NOT
        )
        t.say(enjoyed, "verdict: enjoyed", label(good))
    elif roll == 3:
        thought = clause(t.subj(who), verb("think"), t.now, that(be(what, opinion.plain, t.now)))
        t.say(thought, "verdict: thought", label(good))
    else:
        what_a = a(DAY.one, opinion.plain)
        exclaims(t, who, Phrase(DAY.one, (("det:predet", c.WHAT_DET), *what_a.left)), label(good))


def crowd(t: Teller) -> Phrase:
    """Several people of a kind."""
    many = t.pick(CROWD).many
    if t.random() < 0.5:
        return count(t.pick(SMALL_NUMBERS), many)
    return Phrase(many, (("amod", t.pick((c.MANY, c.SEVERAL))),))


def trip(t: Teller, one: Being, other: Being) -> None:
    """Two people go somewhere, see something, and think well or ill of it."""
    pair = t.pair(one, other)
    where: Dep
    if t.random() < 0.5:
        place = t.pick(OUTDOORS)
        goes(t, pair, place, t.later(0.8))
        one.place = other.place = place
        where = ("obl", place.at)
    else:
        town = t.pick(TOWNS)
        by = obl(c.BY, t.pick(VEHICLES))
        t.say(
            clause(t.subj(pair), verb("travel"), t.now, obl(c.TO, town), by, front=t.later(0.8)),
            "trip: travels",
        )
        where = obl(c.IN, town)
    if t.random() < 0.4:
        t.say(there(crowd(t), t.now, where), "trip: there were")
    else:
        pool = SIGHTS if where[1].word.upos == "PROPN" else OUTDOOR_SIGHTS
        first, second = t.fresh(pool).one, t.fresh(pool).one
        sights = both(a(first), a(second)) if t.random() < 0.5 else a(first)
        t.say(clause(t.subj(pair), SEE, t.now, ("obj", sights), where), "trip: sees")
    good = t.random() < 0.55
    if not good and t.random() < 0.5:
        rained = clause(c.EXPLETIVE_IT, verb("rain"), t.now, ("obl:unmarked", ALL_DAY))
        t.say(
            so(rained, clause(t.subj(pair), GO, t.now, ("advmod", c.HOME), ("advmod", c.EARLY))),
            "trip: rained",
            NEGATIVE,
        )
    verdict(t, t.pick((one, other)), the(t.pick(OUTING)), good)
    if good and t.random() < 0.4:
        again = clause(t.subj(pair), WANT, t.now, ("xcomp", to(verb("return"), ("advmod", c.SOON))))
        t.say(again, "trip: again", POSITIVE)


def animals(t: Teller, one: Being, other: Being) -> None:
    """At the zoo or on a farm: one animal, what it is like, eats and says."""
    place, pool = (PLACES["zoo"], ZOO_ANIMALS) if t.random() < 0.5 else (PLACES["farm"], FARM_ANIMALS)
    goes(t, t.pair(one, other), place, t.later(0.7))
    one.place = other.place = place
    kind = t.fresh(pool)
    beast = t.beast(kind, t.pick(ANIMAL_LOOKS).plain)
    t.say(clause(t.subj(one), SEE, t.now, ("obj", t.named(beast)), ("obl", place.at)), "animals: sees")
    t.say(be(t.subj(beast), t.pick(ANIMAL_TRAITS).plain, t.now), "animals: is like")
    roll = t.roll(3)
    food = noun_form(kind.food)
    if roll == 0:
        hungry = clause(t.subj(beast), verb("eat"), t.now, ("obj", food))
        leaves = verb("run") if kind.moves.lemma in ("climb", "jump", "dig") else kind.moves
        t.say(and_also(hungry, leaves, t.now, ("advmod", c.AWAY)), "animals: eats")
    elif roll == 1:
        fed = clause(t.named_subj(other), GIVE, t.now, ("iobj", t.obj(beast)), ("obj", food))
        t.say(fed, "animals: feeds")
    else:
        began = when(c.WHEN, clause(t.named_subj(other), verb("come"), t.now, ("advmod", c.CLOSER)))
        word = kind.sound or kind.moves
        t.say(
            clause(
                t.subj(beast),
                word,
                t.now,
                ("advmod", LOUDLY if kind.sound else QUICKLY),
                front=fronted(began),
            ),
            "animals: sounds",
        )
    if t.random() < 0.5:
        with t.speaking(one, other):
            inner = ask(t.subj(t.pair(one, other)), verb("stay"), CAN, ("advmod", c.LONGER))
        asks(t, one, inner)
    liked = t.random() < 0.65
    if liked:
        feels(t, one, "fun", lambda: clause(t.subj(one), verb("like"), t.now, ("obj", the(kind.noun.many))))
    else:
        tree = be(t.named_subj(other), Phrase(AFRAID, (), (obl(c.OF, t.obj(beast)),)), t.now)
        t.say(tree, "animals: afraid of", NEGATIVE)


def shopping(t: Teller, buyer: Being, friend: Being) -> None:
    """Things are bought, counted and shared: the numbers must add up."""
    goods = t.fresh(FRUITS if t.random() < 0.6 else VEGETABLES)
    market = PLACES[t.pick(("market", "supermarket"))]
    number = 3 + t.roll(8)
    price = c.NUMBER_WORDS[1 + t.roll(9)]
    purchase = count(c.NUMBER_WORDS[number], goods.many)
    t.say(
        clause(t.subj(buyer), BUY, t.now, ("obj", purchase), ("obl", market.at), front=t.later(0.7)),
        "shop: buys",
    )
    buyer.place = market
    if t.random() < 0.6:
        coins = count(price, noun("coin").one if price.form == "one" else noun("coin").many)
        t.say(clause(the(goods.many), verb("cost"), t.now, ("obj", coins)), "shop: costs")
    given = 1 + t.roll(number - 2)
    share: Part = of(c.NUMBER_WORDS[given], the(goods.many))
    t.say(
        clause(t.subj(buyer), GIVE, t.now, ("obj", share), obl(c.TO, t.obj(friend))), "shop: gives", POSITIVE
    )
    rest = number - given
    left = count(c.NUMBER_WORDS[rest], goods.one if rest == 1 else goods.many)
    if t.random() < 0.5:
        tree = clause(
            t.named_subj(buyer),
            verb("have"),
            t.now,
            ("obj", left),
            ("advmod", c.LEFT),
            front=(("advmod", c.NOW),),
        )
    else:
        tree = there(
            left, t.now, obl(c.IN, the(noun(t.pick(("bag", "basket"))).one)), front=(("advmod", c.NOW),)
        )
    t.say(tree, "shop: rest")
    if t.random() < 0.5:
        feels(
            t,
            friend,
            "gift",
            lambda: clause(t.named_subj(buyer), verb("share"), t.had, ("obj", the(goods.many))),
        )


def race(t: Teller, one: Being, other: Being) -> None:
    """A race: who is faster wins, and the other does not."""
    winner, loser = (one, other) if t.random() < 0.5 else (other, one)
    place = t.pick(OUTDOORS)
    pair = t.pair(one, other)
    t.say(
        clause(
            t.subj(pair),
            verb("have"),
            t.now,
            ("obj", a(noun("race").one)),
            ("obl", place.at),
            front=t.later(0.7),
        ),
        "race: have",
    )
    one.place = other.place = place
    fast = t.pick(adjectives("fast quick"))
    roll = t.roll(4)
    if roll == 0:
        tree = be(t.named_subj(winner), than(fast, t.named(loser)), t.now)
    elif roll == 1:
        tree = be(t.named_subj(loser), as_as(fast, t.named(winner)), t.now, polarity=FULL_NOT)
    elif roll == 2:
        much = than(fast, t.named(loser))
        tree = be(
            t.named_subj(winner), Phrase(much.word, (("advmod", c.MUCH_ADV), *much.left), much.right), t.now
        )
    else:
        tree = be(t.named_subj(winner), of(the(noun("runner").one, fast.most), c.ALL), t.now)
    t.say(tree, "race: faster")
    prize = t.thing(None, MEDALS, t.pick(PRIZE_LOOKS))
    won = clause(t.named_subj(winner), WIN, t.now, ("obj", the(noun("race").one)))
    t.say(and_also(won, verb("get"), t.now, ("obj", t.obj(prize))), "race: wins", POSITIVE)
    prize.owner = winner
    feels(t, winner, "success")
    if t.random() < 0.7:
        feels(t, loser, "failure", lambda: clause(t.subj(loser), WIN, t.had, polarity=FULL_NOT))
    else:
        with t.speaking(loser, winner):
            inner = clause(
                t.subj(loser), WIN, FUTURE, ("obl:unmarked", Phrase(noun("time").one, (("amod", c.NEXT),)))
            )
        tells(t, loser, winner, inner, POSITIVE)
