"""At home: meals, illness, noises at night, things that are too heavy, things that one makes."""

from mini_bert.data.world import closed as c
from mini_bert.data.world.cast import Being
from mini_bert.data.world.clauses import (
    CAN,
    FULL_NOT,
    MUST,
    PAST,
    PRES,
    SHOULD,
    and_also,
    ask,
    ask_be,
    ask_what,
    base,
    be,
    clause,
    extraposed,
    fronted,
    joined,
    passive,
    so,
    to,
)
from mini_bert.data.world.gold import NEGATIVE, POSITIVE
from mini_bert.data.world.lexicon import Noun, adjective, noun, nouns, verb, zipf
from mini_bert.data.world.phrases import a, a_or_bare, count, degree, det, obl, of, pp, the
from mini_bert.data.world.scenes.steps import asks, feels, label, tells
from mini_bert.data.world.teller import Teller
from mini_bert.data.world.tree import Part, Phrase, after, before, words
from mini_bert.data.world.words.food import BAD_TASTES, DISHES, GOOD_TASTES, INGREDIENTS, KITCHEN_VERBS, MEALS
from mini_bert.data.world.words.places import PLACES, ROOMS
from mini_bert.data.world.words.things import MATERIALS
from mini_bert.data.world.words.time import DAY

EAT, TASTE, ADD, LIFT, HELP, HEAR, TRY, STAY, TAKE, MAKE, PLAY, FEEL, LOOK, MOVE = map(
    verb, words("eat taste add lift help hear try stay take make play feel look move")
)
KITCHEN = PLACES["kitchen"]
COME_IN_PLURAL = frozenset(nouns("noodle pancake dumpling"))
RAW = frozenset(nouns("sandwich salad"))
GRADABLE_TASTES = frozenset(
    adjective(w).plain for w in words("tasty sweet fresh salty bitter sour cold bland")
)
SMALL = c.NUMBER_WORDS[2:5]


def amount(t: Teller, ingredient: Noun, *, several: bool = False) -> Part:
    """ "some flour", "two eggs", "an onion"."""
    if ingredient.mass:
        return det(c.SOME, ingredient.one)
    return count(t.pick(SMALL), ingredient.many) if several or t.random() < 0.6 else a(ingredient.one)


def meal(t: Teller, cook: Being, guest: Being) -> None:
    """A dish is cooked and tasted: well or badly."""
    dish = t.fresh(DISHES)
    plural = dish in COME_IN_PLURAL
    head = dish.many if plural else dish.one
    tree = clause(
        t.subj(cook),
        t.pick(KITCHEN_VERBS[dish in RAW :]),
        t.now,
        ("obj", head if plural else a_or_bare(dish)),
        obl(c.FOR, t.pick(MEALS).one),
        ("obl", KITCHEN.at),
        front=t.later(),
    )
    t.say(tree, "meal: cooks")
    cook.place = KITCHEN
    if t.random() < 0.7:
        first = clause(t.subj(cook), ADD, t.now, ("obj", amount(t, t.fresh(INGREDIENTS))))
        second = ("obj", amount(t, t.fresh(INGREDIENTS)))
        t.say(and_also(first, ADD, t.now, second, adverb=c.THEN), "meal: adds")
    good = t.random() < 0.6
    if not good and t.random() < 0.5:
        forgot = clause(t.subj(cook), verb("forget"), t.now, ("obj", the(noun("salt").one)))
        bad = adjective(t.pick(("bland", "awful", "terrible"))).plain
        t.say(so(forgot, be(the(head), bad, t.now)), "meal: forgot", NEGATIVE)
    else:
        taste = t.pick(GOOD_TASTES if good else BAD_TASTES).plain
        if t.random() < 0.5:
            tree = clause(the(head), t.pick((TASTE, TASTE, verb("smell"))), t.now, ("xcomp", taste))
        elif taste in GRADABLE_TASTES:
            tree = be(the(head), degree(c.VERY if good else c.TOO, taste), t.now)
        else:
            tree = be(the(head), taste, t.now)
        t.say(tree, "meal: taste", label(good))
    if not good:
        t.say(
            clause(t.subj(guest), EAT, t.can, ("obj", the(head)), polarity=FULL_NOT),
            "meal: inedible",
            NEGATIVE,
        )
        feels(t, cook, "failure")
    elif t.random() < 0.5:
        much = count(t.pick(SMALL), noun("bowl").many if dish.mass else dish.many)
        t.say(
            clause(t.subj(guest), EAT, t.now, ("obj", of(much, head) if dish.mass else much)),
            "meal: eats much",
            POSITIVE,
        )
    else:
        feels(
            t, cook, "success", lambda: clause(t.named_subj(guest), verb("like"), t.now, ("obj", the(head)))
        )


AILMENTS = tuple(a(noun(w).one) for w in words("cold fever headache cough stomachache toothache"))
CURES = tuple(map(noun, words("medicine tea soup honey lemon pill syrup")))
DOCTOR = the(noun("doctor").one)
GET_WELL = adjective("good").more


def illness(t: Teller, patient: Being, helper: Being) -> None:
    """Somebody is ill, is cared for, and gets well or not."""
    ill = clause(t.subj(patient), verb("have"), t.now, ("obj", t.pick(AILMENTS)), front=t.later())
    stays = clause(t.subj(patient), STAY, t.now, obl(c.IN, noun("bed").one))
    t.say(so(ill, stays), "illness: stays in bed", NEGATIVE)
    if t.random() < 0.5:
        indoors = ("advmod", c.OUTSIDE_ADV)
        feels(t, patient, "alone", lambda: clause(t.subj(patient), PLAY, t.can, indoors, polarity=FULL_NOT))
    cure = t.pick(CURES)
    what = det(c.SOME, cure.one) if cure.mass or cure.lemma == "syrup" else a(cure.one)
    roll = t.roll(4)
    if roll == 0:
        with t.speaking(helper, patient):
            inner = clause(
                t.subj(patient), TAKE, SHOULD, ("obj", what), ("obl:unmarked", det(c.EVERY, DAY.one))
            )
        tells(t, helper, patient, inner)
    elif roll == 1:
        with t.speaking(helper, patient):
            inner = clause(t.subj(patient), verb("rest"), MUST, obl(c.FOR, count(t.pick(SMALL), DAY.many)))
        tells(t, helper, patient, inner)
    elif roll == 2:
        tree = clause(t.subj(helper), verb("bring"), t.now, ("iobj", t.obj(patient)), ("obj", what))
        t.say(tree, "illness: brings", POSITIVE)
    else:
        called = clause(t.subj(helper), verb("call"), t.now, ("obj", DOCTOR))
        t.say(joined(called, clause(DOCTOR, verb("come"), t.now, adverb=c.SOON)), "illness: doctor")
    if t.random() < 0.7:
        days = fronted(pp(c.AFTER_P, count(t.pick(SMALL), DAY.many)), "obl")
        t.say(
            clause(t.subj(patient), FEEL, t.now, ("xcomp", GET_WELL), front=days), "illness: better", POSITIVE
        )
    else:
        tree = clause(t.subj(patient), FEEL, t.now, ("xcomp", GET_WELL), polarity=FULL_NOT)
        t.say(tree, "illness: not better", NEGATIVE)


LOADS = zipf(nouns("box table chest suitcase barrel stone sack log crate trunk basket ladder"))
HEAVY, STRONG = adjective("heavy").plain, adjective("strong").plain


def too_heavy(t: Teller, weak: Being, strong: Being) -> None:
    """What one cannot do alone, two can."""
    load = t.thing(None, LOADS, HEAVY)
    roll = t.roll(3)
    if roll == 0:
        wanted = clause(t.subj(weak), verb("want"), t.now, ("xcomp", to(verb("carry"), ("obj", t.obj(load)))))
        unable = clause(t.subj(weak), LIFT, t.can, ("obj", t.obj(load)), polarity=FULL_NOT)
        t.say(joined(wanted, unable, c.BUT), "heavy: could not", NEGATIVE)
    elif roll == 1:
        tried = clause(t.subj(weak), TRY, t.now, ("xcomp", to(LIFT, ("obj", t.obj(load)))), front=t.later())
        t.say(joined(tried, be(t.subj(load), degree(c.TOO, HEAVY), t.now), c.BUT), "heavy: tried", NEGATIVE)
    else:
        subject = t.subj(weak)
        enough = Phrase(STRONG, (), (("advmod", c.ENOUGH), ("advcl", to(LIFT, ("obj", t.obj(load))))))
        t.say(be(subject, enough, t.now, polarity=FULL_NOT, front=t.later()), "heavy: not enough", NEGATIVE)
    if t.random() < 0.5:
        with t.speaking(weak, strong):
            inner = clause(
                t.subj(weak), LIFT, CAN, ("obj", t.obj(load)), ("advmod", c.ALONE), polarity=FULL_NOT
            )
        tells(t, weak, strong, inner, NEGATIVE)
    subject = t.subj(strong)
    carry = ("obj", t.obj(weak)), ("xcomp", base(verb("carry"), ("obj", t.obj(load))))
    t.say(clause(subject, HELP, t.now, *carry), "heavy: helped carry", POSITIVE)
    if t.random() < 0.5:
        carried = clause(t.subj(t.pair(weak, strong)), verb("bring"), t.now, ("obj", t.obj(load)))
        t.say(after(carried, ("obl", t.pick(ROOMS).to), ("advmod", c.TOGETHER)), "heavy: together")
    feels(t, weak, "gift", lambda: clause(t.named_subj(strong), HELP, t.had, ("obj", t.obj(weak))))


NOISES = tuple(map(noun, words("noise sound voice whisper knock scream howl")))
SOURCES = tuple(map(noun, words("cat owl mouse branch shutter clock dog door kettle")))
STRANGE = tuple(adjective(w).plain for w in words("strange loud soft terrible"))
DARK = tuple(adjective(w).plain for w in words("dark quiet empty silent"))


def noise_at_night(t: Teller, who: Being, other: Being) -> None:
    """A noise frightens somebody, and turns out to be harmless."""
    room, noise = t.pick(ROOMS), t.pick(NOISES).one
    front = fronted(pp(c.AT, noun("night").one), "obl")
    heard = ("obj", a(noise, t.pick(STRANGE))), obl(c.FROM, room.the)
    t.say(clause(t.subj(who), HEAR, t.now, *heard, front=front), "night: heard")
    feels(t, who, "danger", lambda: be(room.the, t.pick(DARK), t.now))
    if t.random() < 0.5:
        with t.speaking(who, other):
            inner = (
                ask_be(c.SOMEONE, c.THERE_ADV, PRES)
                if t.random() < 0.5
                else ask_what(c.WHO, c.THERE_ADV, PRES)
            )
            if t.random() < 0.5:
                inner = ask(t.subj(other), HEAR, PAST, ("obj", det(c.THAT_DET, noise)))
        asks(t, who, inner)
    elif t.random() < 0.5:
        dared = clause(t.subj(who), verb("dare"), t.now, ("xcomp", to(MOVE)), polarity=FULL_NOT)
        t.say(dared, "night: did not dare", NEGATIVE)
    opened = clause(
        t.named_subj(other), verb("open"), t.now, ("obj", the(noun("door").one)), front=t.later(0.3)
    )
    t.say(and_also(opened, LOOK, t.now, ("advmod", c.INSIDE_ADV)), "night: opened")
    source = t.pick(SOURCES).one
    t.say(be(c.EXPLETIVE_IT, before(a(source), ("advmod", c.ONLY)), t.now), "night: it was only", POSITIVE)
    if t.random() < 0.6:
        feels(t, who, "relief")
    else:
        laughed = clause(t.subj(t.pair(who, other)), verb("laugh"), t.now, obl(c.ABOUT, the(noise)))
        t.say(laughed, "night: laughed", POSITIVE)


MADE = {noun(thing): noun(material) for thing, material in MATERIALS.items() if thing in
        words("sweater kite shirt scarf box candle raft pot table statue shoe ring knife")}  # fmt: skip
SHAPING = {
    "wood": ("cut", "saw"), "wool": ("sew", "needle"), "paper": ("cut", "scissors"), "cotton": ("sew", "needle"),
    "silk": ("sew", "needle"), "clay": ("shape", "wheel"), "bamboo": ("tie", "rope"), "leather": ("cut", "knife"),
    "cardboard": ("cut", "knife"), "wax": ("melt", "pot"), "gold": ("melt", "pot"), "steel": ("shape", "hammer"),
    "marble": ("cut", "chisel"),
}  # fmt: skip


def making(t: Teller, maker: Being, other: Being) -> None:
    """Something is made of a material with a tool; it turns out well or badly."""
    thing = t.thing(None, tuple(MADE))
    material = MADE[thing.noun]
    made = clause(
        t.subj(maker), verb("decide"), t.now, ("xcomp", to(MAKE, ("obj", t.obj(thing)))), front=t.later()
    )
    t.say(made, "making: decides")
    thing.owner = maker
    if t.random() < 0.6:
        how, tool = SHAPING[material.lemma]
        instrument = obl(c.IN if tool == "pot" else c.WITH, a_or_bare(noun(tool)))
        t.say(
            clause(t.subj(maker), verb(how), t.now, ("obj", the(material.one)), instrument),
            "making: with a tool",
        )
    else:
        t.say(passive(t.subj(thing), MAKE, t.now, obl(c.OF, material.one)), "making: made of")
    time = count(t.pick(c.NUMBER_WORDS[2:9]), noun(t.pick(("hour", "day"))).many)
    to_finish = ("csubj", to(verb("finish"), ("obj", t.obj(thing))))
    t.say(extraposed(clause(c.EXPLETIVE_IT, TAKE, t.now, ("obj", time), to_finish)), "making: it took")
    good = t.random() < 0.65
    pool = "beautiful strong useful perfect lovely" if good else "ugly useless crooked weak"
    t.say(be(t.subj(thing), adjective(t.pick(pool.split())).plain, t.now), "making: result", label(good))
    if good:
        tree = clause(t.named_subj(other), verb("admire"), t.now, ("obj", t.obj(thing)))
        t.say(tree, "making: admired", POSITIVE)
    feels(t, maker, "success" if good else "failure")
