"""Weather, gardens and pets."""

from mini_bert.data.world import closed as c
from mini_bert.data.world.cast import Being
from mini_bert.data.world.clauses import (
    FULL_NOT,
    MUST,
    SHORT_NOT,
    be,
    clause,
    command,
    fronted,
    marked,
    relative,
    so,
    there,
    to,
    which,
)
from mini_bert.data.world.gold import NEGATIVE, POSITIVE
from mini_bert.data.world.lexicon import (
    BASE,
    PARTICIPLE,
    adjective,
    adjectives,
    adverb,
    noun,
    noun_form,
    nouns,
    verb,
    verbs,
    zipf,
)
from mini_bert.data.world.phrases import a, count, degree, det, obl, owned, pp, the
from mini_bert.data.world.scenes.steps import feels, spot, tells
from mini_bert.data.world.teller import Teller
from mini_bert.data.world.times import AT_LAST, SUDDEN
from mini_bert.data.world.tree import IS, Phrase, after, words
from mini_bert.data.world.words.animals import ANIMAL, ANIMAL_LOOKS, PET_LOOKS, PETS, WILD_ANIMALS
from mini_bert.data.world.words.food import FRUITS, VEGETABLES
from mini_bert.data.world.words.places import OUTDOORS, PLACES
from mini_bert.data.world.words.things import THINGS
from mini_bert.data.world.words.time import MONTHS, PARTS_OF_DAY, SEASON_OF, SEASON_WEATHER, WEATHER

STAY, PLAY, TAKE, SHINE, PLANT, GROW, WATER, LOOK, RUN, FIND, HEAR, FEED, HAVE = map(
    verb, words("stay play take shine plant grow water look run find hear feed have")
)
SUN = noun("sun").one
HOME_ADV = ("advmod", c.HOME)
MONTHS_OF = {
    season: tuple(month for month in MONTHS if SEASON_OF[month.form] == season) for season in SEASON_WEATHER
}
LANDSCAPE = zipf(nouns("village valley lake field hill garden town forest river roof street mountain"))
WET_WEATHER = ("rain", "snow", "storm", "fog")


def sky(t: Teller, kind: str, season: str) -> Phrase:
    """The weather in a clause, in a month that has such weather."""
    word, what, looks, _ = WEATHER[kind]
    roll = t.roll(4)
    month = t.pick(MONTHS_OF[season])
    front = fronted(pp(c.IN, month), "obl") if t.random() < 0.4 else ()
    if kind in ("rain", "snow") and roll <= 1:
        assert word is not None
        how = adverb(t.pick(("heavily", "hard", "quietly", "steadily")))
        tense = t.now if roll else t.doing
        return clause(c.EXPLETIVE_IT, word, tense, ("advmod", how), front=front)
    if kind in ("wind", "sun") and roll <= 1:
        assert word is not None
        return clause(
            the(what.one),
            word,
            t.now,
            ("advmod", adverb("hard" if kind == "wind" else "brightly")),
            front=front,
        )
    if roll == 2 and kind in ("fog", "storm", "wind", "rain", "snow", "heat"):
        strength = adjective(t.pick(("heavy", "terrible", "sudden"))).plain
        phrase = a(what.one, strength) if kind in ("storm", "wind") else det(c.SOME, what.one)
        return there(
            phrase, t.now, obl(c.IN, the(noun("valley" if t.random() < 0.3 else "morning").one)), front=front
        )
    return be(
        c.EXPLETIVE_IT, degree(t.pick((c.VERY, c.SO, c.QUITE)), adjective(looks).plain), t.now, front=front
    )


def weather(t: Teller, who: Being, other: Being) -> None:
    """The weather, and what people do because of it."""
    season = t.pick(tuple(SEASON_WEATHER))
    kind = t.pick(SEASON_WEATHER[season])
    bad = kind in WET_WEATHER or kind in ("frost", "wind")
    wear = noun(WEATHER[kind][3])
    roll = t.roll(4)
    if roll == 0:
        took = clause(
            t.subj(who),
            TAKE,
            t.now,
            ("obj", owned(t.poss(who), wear.one if wear.lemma != "sandal" else wear.many)),
        )
        t.say(so(sky(t, kind, season), took), "weather: so takes")
    elif roll == 1 and bad:
        inside = clause(t.subj(who), STAY, t.now, HOME_ADV)
        t.say(after(inside, ("advcl", marked(c.BECAUSE, sky_now(t, kind)))), "weather: stays because")
    elif roll == 2 and bad:
        although = fronted(marked(c.ALTHOUGH, sky_now(t, kind)))
        t.say(
            clause(t.subj(who), verb("go"), t.now, ("advmod", c.OUTSIDE_ADV), front=although),
            "weather: although",
        )
    else:
        t.say(sky(t, kind, season), "weather: sky")
    if bad:
        roll = t.roll(3)
        if roll == 0:
            t.say(
                clause(t.subj(who), PLAY, t.can, ("advmod", c.OUTSIDE_ADV), polarity=FULL_NOT),
                "weather: cannot",
                NEGATIVE,
            )
        elif roll == 1:
            wet = adjective("wet" if kind in ("rain", "storm", "fog") else "cold").plain
            t.say(be(owned(t.poss(who), noun("shoe").many), wet, t.now), "weather: wet shoes", NEGATIVE)
        else:
            with t.speaking(other, who):
                inner = command(
                    verb("forget"),
                    ("obj", owned(t.poss(who), noun("umbrella" if kind == "rain" else "coat").one)),
                    polarity=SHORT_NOT,
                )
            tells(t, other, who, inner)
        if t.random() < 0.6:
            later = fronted(pp(c.IN, the(noun("afternoon").one)), "obl")
            over = obl(c.OVER, the(t.pick(LANDSCAPE).one))
            shone = clause(the(SUN), SHINE, t.now, over, ("advmod", c.AGAIN), front=later)
            t.say(shone, "weather: sun again", POSITIVE)
            feels(t, who, "fun")
    else:
        feels(t, who, "fun", lambda: be(c.EXPLETIVE_IT, adjective("sunny").plain, t.now))


def sky_now(t: Teller, kind: str) -> Phrase:
    """The weather as a reason: "it was raining"."""
    word, _, looks, _ = WEATHER[kind]
    if word is not None and kind in ("rain", "snow"):
        return clause(c.EXPLETIVE_IT, word, t.doing)
    return be(c.EXPLETIVE_IT, adjective(looks).plain, t.now)


CROPS = zipf((*FRUITS, *VEGETABLES, *THINGS["plant"]), 8)


def garden(t: Teller, gardener: Being, other: Being) -> None:
    """Seeds are planted, watered or forgotten, and grow or die."""
    crop = t.fresh(CROPS)
    where = ("obl", PLACES["garden"].at) if t.random() < 0.5 else obl(c.BEHIND, the(noun("house").one))
    seeds = count(t.pick(c.NUMBER_WORDS[2:13]), noun("seed").many)
    t.say(
        clause(
            t.subj(gardener),
            PLANT,
            t.now,
            ("obj", Phrase(seeds.word, (seeds.left[0], ("compound", crop.one)))),
            where,
            front=t.someday(),
        ),
        "garden: plants",
    )
    good = t.random() < 0.65
    if good:
        t.say(
            clause(
                t.subj(gardener),
                WATER,
                t.now,
                ("obj", the(noun("seed").many)),
                ("obl:unmarked", det(c.EVERY, t.pick(PARTS_OF_DAY[:3]).one)),
            ),
            "garden: waters",
        )
        weeks = fronted(pp(c.AFTER_P, count(t.pick(c.NUMBER_WORDS[3:9]), noun("week").many)), "obl")
        few = Phrase(crop.many, (("amod", t.pick((c.MANY, c.SEVERAL))),))
        t.say(there(few, t.now, ("obl", PLACES["garden"].at), front=weeks), "garden: there are", POSITIVE)
        if t.random() < 0.5:
            gave = clause(
                t.subj(gardener),
                verb("give"),
                t.now,
                ("iobj", t.obj(other)),
                ("obj", the(crop.one, adjective("big").most)),
            )
            t.say(gave, "garden: gives the biggest", POSITIVE)
        feels(t, gardener, "success")
    else:
        t.say(
            clause(
                t.subj(gardener), verb("forget"), t.now, ("xcomp", to(WATER, ("obj", the(noun("seed").many))))
            ),
            "garden: forgets",
            NEGATIVE,
        )
        nothing = clause(c.NOTHING, GROW, t.now, ("obl", PLACES["garden"].at), adverb=c.EVER)
        t.say(nothing, "garden: nothing ever grew", NEGATIVE)
        feels(t, gardener, "failure")


def runaway(t: Teller, owner: Being, helper: Being) -> None:
    """A pet runs away and is found by its sound."""
    animal = t.fresh(PETS)
    pet = next((being for being in t.pets if being.kin is not None and being.kin[1] is owner), None)
    if pet is None:
        pet = t.pet(animal, owner, t.pick(PET_LOOKS).plain)
        has_pet(t, owner, pet)
    ran = clause(t.subj(pet), RUN, t.now, ("advmod", c.AWAY), front=t.later(0.8))
    t.say(ran, "pet: runs away", NEGATIVE)
    feels(t, owner, "loss")
    place = t.pick(OUTDOORS)
    if t.random() < 0.6:
        pair = t.pair(owner, helper)
        looked = clause(t.subj(pair), LOOK, t.now, obl(c.FOR, t.obj(pet)), ("obl", place.at))
        t.say(looked, "pet: looks for")
    where = spot(t, place)
    kind = ANIMAL[pet.noun.lemma]
    roll = t.roll(3)
    if roll == 0 and kind.sound is not None:
        heard = clause(
            t.named_subj(helper),
            HEAR,
            t.now,
            ("obj", t.obj(pet)),
            ("xcomp", kind.sound.forms[BASE]),
            ("obl", where),
            front=SUDDEN,
        )
        t.say(heard, "pet: hears")
    else:
        t.say(
            clause(
                t.named_subj(helper), FIND, t.now, ("obj", t.obj(pet)), ("obl", where), front=t.pick(AT_LAST)
            ),
            "pet: finds",
            POSITIVE,
        )
    if t.random() < 0.5:
        hungry = adjective(t.pick(("hungry", "tired", "wet", "dirty", "cold"))).plain
        t.say(be(t.subj(pet), degree(c.VERY, hungry), t.now), "pet: is hungry")
    food = noun_form(kind.food)
    if t.random() < 0.5:
        fed = clause(
            t.named_subj(owner),
            verb("give"),
            t.now,
            ("iobj", t.obj(pet)),
            ("obj", food),
            obl(c.AT, noun("home").one),
        )
        t.say(fed, "pet: feeds")
    feels(t, owner, "relief", lambda: be(t.subj(pet), adjective("safe").plain, t.now))


def has_pet(t: Teller, owner: Being, pet: Being) -> None:
    """ "Anna had a brown dog named Rex that liked bones." """
    kind = ANIMAL[pet.noun.lemma]
    subject = t.subj(owner)
    phrase = a_pet(t, pet)
    if t.random() < 0.7:
        likes = clause(which(IS), t.pick(verbs("like love eat")), t.now, ("obj", noun_form(kind.food)))
        phrase = relative(phrase, likes)
    t.say(clause(subject, HAVE, t.now, ("obj", phrase)), "pet: has")


def a_pet(t: Teller, pet: Being) -> Phrase:
    """ "a brown dog named Rex"."""
    assert pet.given is not None
    pet.known = True
    t.mentioned.append(pet)
    named = Phrase(verb("name").forms[PARTICIPLE], (), (("xcomp", pet.given),))
    look = () if pet.look is None else (pet.look,)
    return Phrase(pet.noun.one, a(pet.noun.one, *look).left, (("acl", named),), pet.id)


TROUBLE = adjectives("hurt weak hungry lost cold frightened")


def rescue(t: Teller, who: Being, other: Being) -> None:
    """A wild animal in trouble is helped and set free, or kept."""
    kind = t.fresh(WILD_ANIMALS)
    place = t.pick(OUTDOORS)
    beast = t.beast(kind, t.pick(ANIMAL_LOOKS).plain)
    t.say(
        clause(
            t.subj(who), FIND, t.now, ("obj", t.named(beast)), ("obl", spot(t, place)), front=t.later(0.7)
        ),
        "rescue: finds",
    )
    t.say(be(t.subj(beast), t.pick(TROUBLE).plain, t.now), "rescue: in trouble", NEGATIVE)
    roll = t.roll(3)
    if roll == 0:
        feels(t, who, "loss")
    elif roll == 1:
        with t.speaking(who, other):
            inner = clause(t.subj(t.pair(who, other)), verb("help"), MUST, ("obj", t.obj(beast)))
        tells(t, who, other, inner)
    else:
        wrapped = clause(
            t.subj(who),
            verb("wrap"),
            t.now,
            ("obj", t.obj(beast)),
            obl(c.IN, a(noun(t.pick(("blanket", "towel", "scarf"))).one)),
        )
        t.say(wrapped, "rescue: wraps", POSITIVE)
    food = noun_form(kind.food)
    t.say(
        clause(t.named_subj(other), FEED, t.now, ("obj", t.obj(beast)), obl(c.WITH, food)),
        "rescue: feeds",
        POSITIVE,
    )
    week = fronted(pp(c.AFTER_P, a(noun(t.pick(("week", "month", "day"))).one)), "obl")
    if t.random() < 0.6:
        away = clause(t.subj(beast), kind.moves, t.can, ("advmod", c.AGAIN), front=week)
        t.say(away, "rescue: can move again", POSITIVE)
        feels(t, who, "relief")
    else:
        t.say(
            be(t.subj(beast), adjective("healthy").plain, t.now, ("advmod", c.AGAIN), front=week),
            "rescue: healthy",
            POSITIVE,
        )
