"""What a reader must have kept in mind: where somebody is, whose a thing is, how it looks, who is who."""

from mini_bert.data.world import closed as c
from mini_bert.data.world.cast import Being, Thing
from mini_bert.data.world.clauses import FULL_NOT, PRES, ask_what, be, clause, fronted, joined, passive, that
from mini_bert.data.world.lexicon import adjective, noun, verb, verbs
from mini_bert.data.world.phrases import a, det, genitive, obl, of, owned, pp, the
from mini_bert.data.world.scenes.steps import asks, definite, label, tells
from mini_bert.data.world.teller import Teller
from mini_bert.data.world.tree import Phrase, about, words
from mini_bert.data.world.words.feelings import CAUSES, GOOD_CAUSES
from mini_bert.data.world.words.people import MR, MRS
from mini_bert.data.world.words.things import COLOUR_WORDS

GOOD_WORDS = frozenset(word for cause in GOOD_CAUSES for word in CAUSES[cause].split())


def once(t: Teller, what: str) -> bool:
    """Whether this is the first time that a story looks back at such a thing."""
    if what in t.used:
        return False
    t.used.add(what)
    return True


def whereabouts(t: Teller, who: Being, other: Being) -> bool:
    """Where somebody still is."""
    if who.place is None or not once(t, "place"):
        return False
    roll = t.roll(4)
    if roll == 0:
        t.say(be(t.subj(who), who.place.at, t.now, adverb=c.STILL), "recall: still there")
    elif roll == 1:
        t.say(
            clause(t.subj(who), verb("leave"), t.had, ("obj", who.place.the), polarity=FULL_NOT),
            "recall: not left",
        )
    elif roll == 2:
        word = t.pick(verbs("stay wait rest"))
        hours = obl(c.FOR, Phrase(noun("hour").many, (("nummod", t.pick(c.NUMBER_WORDS[2:6])),)))
        t.say(clause(t.subj(who), word, t.now, ("obl", who.place.at), hours), "recall: stays")
    else:
        knew = that(be(t.subj(who), who.place.at, t.now))
        t.say(clause(c.NOBODY, verb("know"), t.now, knew), "recall: nobody knew")
    return True


def a_thing(t: Teller) -> Thing | None:
    """A thing that has been spoken of."""
    things = [x for x in t.cast if isinstance(x, Thing) and x.known]
    return t.pick(things) if things else None


def ownership(t: Teller, who: Being, other: Being) -> bool:
    thing = a_thing(t)
    if thing is None or thing.owner is None:
        return False
    owner = thing.owner
    roll = t.roll(4)
    if roll == 0:
        t.say(
            clause(definite(t, thing), verb("belong"), t.now, obl(c.TO, t.named(owner)), adverb=c.STILL),
            "recall: belongs",
        )
    elif roll == 1 and t.speaker is None and t.random() < 0.4:
        owner_name = t.named(owner)
        mine = about(owner.pronoun.mine, owner.id)
        said_that = clause(owner_name, verb("say"), t.now, that(be(definite(t, thing), mine, t.now)))
        t.say(said_that, "recall: is hers")
    elif roll == 1 and t.speaker is None:
        t.say(be(definite(t, thing), genitive(t.named(owner)), t.now), "recall: is Anna's")
    elif roll == 2:
        knew = clause(
            c.EVERYBODY,
            verb("know"),
            t.now,
            that(clause(definite(t, thing), verb("belong"), t.now, obl(c.TO, t.obj(owner)))),
        )
        t.say(knew, "recall: everybody knew")
    else:
        subject = t.named_subj(owner)
        t.say(
            clause(subject, verb("look"), t.now, obl(c.AT, t.named(thing)), ("advmod", c.AGAIN)),
            "recall: looks at",
        )
    return True


def appearance(t: Teller, who: Being, other: Being) -> bool:
    """The colour of a thing, asked for or told again."""
    thing = a_thing(t)
    if thing is None or thing.look not in COLOUR_WORDS:
        return False
    head = thing.head
    if t.random() < 0.4:
        with t.speaking(who, other):
            colour = Phrase(noun("color").one, (("det", c.WHAT_DET),))
            question = ask_what(colour, about(the(head), thing.id), PRES)
        asks(t, who, question)
        with t.speaking(other, who):
            t.mentioned.append(thing)
            inner = be(t.subj(thing), thing.look, PRES)
        tells(t, other, who, inner)
    else:
        t.say(be(of(the(noun("color").one), about(the(head), thing.id)), thing.look, t.now), "recall: color")
    return True


def spot_of(t: Teller, who: Being, other: Being) -> bool:
    """Where a thing was put."""
    thing = a_thing(t)
    if thing is None or thing.spot is None:
        return False
    roll = t.roll(3)
    if roll == 0:
        t.say(be(t.named(thing), thing.spot, t.now, adverb=c.STILL), "recall: still under")
    elif roll == 1:
        subject = t.subj(who)
        t.say(
            clause(subject, verb("see"), t.now, ("obj", t.named(thing)), ("obl", thing.spot)),
            "recall: sees under",
        )
    else:
        with t.speaking(who, other):
            question = ask_what(c.WHERE, t.named(thing), PRES)
        asks(t, who, question)
        with t.speaking(other, who):
            inner = be(t.subj(thing), thing.spot, PRES)
        tells(t, other, who, inner)
    return True


def kinship(t: Teller, who: Being, other: Being) -> bool:
    for being, relative_ in ((other, who), (who, other)):
        if being.known and being.kin is not None and being.kin[1] is relative_ and once(t, "kin"):
            subject = t.named_subj(being)
            is_kin = be(subject, owned(t.poss(relative_), being.kin[0].one), t.now)
            every = ("obl:unmarked", det(c.EVERY, noun(t.pick(("day", "week", "month", "year"))).one))
            meets = clause(t.subj(t.pair(who, other)), t.pick(MEETING), t.now, ("obj", c.EACH_OTHER), every)
            t.say(joined(is_kin, meets), "recall: kin")
            return True
    return False


def pet_name(t: Teller, who: Being, other: Being) -> bool:
    if not t.pets or t.pets[0].given is None or not t.pets[0].known or not once(t, "pet"):
        return False
    pet = t.pets[0]
    assert pet.given is not None
    if t.random() < 0.5:
        owned_pet = about(the(pet.noun.one), pet.id)
        t.mentioned.append(pet)
        t.say(passive(owned_pet, verb("call"), t.now, ("xcomp", pet.given)), "recall: is called")
    else:
        t.say(
            be(of(the(noun("name").one), about(the(pet.noun.one), pet.id)), pet.given, t.now),
            "recall: name of",
        )
        t.mentioned_before = [pet]
    return True


def occupation(t: Teller, who: Being, other: Being) -> bool:
    if who.job is None:
        return False
    if t.random() < 0.5:
        tree = clause(t.subj(who), verb("work"), t.now, obl(c.AS_P, a(who.job.noun.one)), adverb=c.STILL)
    else:
        subject = t.subj(who)
        tree = clause(
            subject, verb("return"), t.now, obl(c.TO, the(noun(who.job.workplace).one)), front=t.later(0.6)
        )
    t.say(tree, "recall: job")
    return True


def mood(t: Teller, who: Being, other: Being) -> bool:
    """Somebody still feels as before, or does no longer."""
    if who.feeling is None or not once(t, "mood"):
        return False
    good = who.feeling.lemma in GOOD_WORDS
    evening = t.later(0.5)
    if t.random() < 0.7:
        tree = be(t.subj(who), who.feeling.plain, t.now, adverb=c.STILL, front=evening)
    else:
        tree = be(
            t.subj(who), who.feeling.plain, t.now, ("advmod", c.ANYMORE), polarity=FULL_NOT, front=evening
        )
        good = not good
        who.feeling = None
    t.say(tree, "recall: mood", label(good))
    return True


def surname(t: Teller, who: Being, other: Being) -> bool:
    """ "Mrs. Bell", "the Bells": the family name must be known."""
    if who.family is None or t.speaker is who or not once(t, "surname"):
        return False
    title = MRS if who.gender == "she" else MR
    formal = Phrase(who.family.alone, (("nmod:desc", title),), (), who.id)
    t.mentioned.append(who)
    word = t.pick(verbs("smile wave nod laugh look"))
    right = ("advmod", t.pick(MANNERS)), obl(c.TO if word.lemma in ("wave", "nod") else c.AT, t.obj(other))
    t.say(clause(formal, word, t.now, *right, front=t.later(0.4)), "recall: Mrs.")
    return True


def home_town(t: Teller, who: Being, other: Being) -> bool:
    """The town where the story plays."""
    if t.town is None or not once(t, "town"):
        return False
    roll = t.roll(4)
    if roll == 0:
        tree = clause(
            c.EVERYBODY, verb("know"), t.now, ("obj", t.obj(who)), front=fronted(pp(c.IN, t.town), "obl")
        )
    elif roll == 1:
        tree = clause(t.subj(who), verb("live"), t.now, obl(c.IN, t.town), adverb=t.pick((c.STILL, c.ALWAYS)))
    elif roll == 2:
        who_else = noun(t.pick(("person", "child", "neighbor", "farmer", "teacher"))).many
        people = Phrase(who_else, (("amod", c.MANY),), (("nmod", pp(c.IN, t.town)),))
        tree = clause(people, verb("like"), t.now, ("obj", t.obj(who)))
    else:
        subject = t.subj(who)
        tree = clause(subject, verb("leave"), t.now, ("obj", t.town), adverb=t.pick((c.NEVER, c.RARELY)))
    t.say(tree, "recall: town")
    return True


MEETING = verbs("see meet call help visit")
MANNERS = tuple(adjective(w).adverb for w in words("quiet polite kind warm calm"))
RECALLS = (
    whereabouts, whereabouts, ownership, ownership, appearance, spot_of, spot_of, kinship, pet_name, occupation,
    mood, mood, surname, home_town,
)  # fmt: skip
