"""Texts about the facts of the world: encyclopedia entries, lessons with questions, descriptions of a town."""

from mini_bert.data.world import closed as c
from mini_bert.data.world.cast import Being
from mini_bert.data.world.clauses import (
    CAN,
    FULL_NOT,
    PRES,
    be,
    clause,
    extraposed,
    fronted,
    joined,
    marked,
    there,
)
from mini_bert.data.world.facts import FACTS
from mini_bert.data.world.facts.fact import Fact
from mini_bert.data.world.gold import NEGATIVE, POSITIVE
from mini_bert.data.world.lexicon import adjective, adjectives, adverbs, noun, nouns, verb, verbs, zipf
from mini_bert.data.world.phrases import a, as_as, both, count, det, nmod, obl, pp, than, the
from mini_bert.data.world.scenes.lore import FACTS_BY_RELATION, next_fact
from mini_bert.data.world.scenes.nominals import (
    beside,
    doing_something,
    stranger,
    that_did,
    there_is,
    whose,
)
from mini_bert.data.world.scenes.outings import crowd
from mini_bert.data.world.scenes.quantities import quantified
from mini_bert.data.world.scenes.steps import asks, feels, tells
from mini_bert.data.world.scenes.work import organization
from mini_bert.data.world.teller import Teller
from mini_bert.data.world.tree import Part, Phrase, Word, after, words
from mini_bert.data.world.words.animals import ANIMALS, BY_SIZE, Animal
from mini_bert.data.world.words.people import JOBS, MR, MRS, Job
from mini_bert.data.world.words.places import COUNTRIES, STREETS, Country

FACTS_ABOUT: dict[str, list[Fact]] = {}
for _fact in FACTS:
    FACTS_ABOUT.setdefault(_fact.subject, []).append(_fact)
ENUMERATED = tuple(
    facts
    for relation, facts in FACTS_BY_RELATION.items()
    if len(facts) > 11 and relation not in ("capital", "river")
)
WIDELY_KNOWN = (
    clause(c.EVERYBODY, verb("know"), PRES),
    clause(the(noun("teacher").many), verb("say"), PRES),
    clause(noun("book").many, verb("say"), PRES),
    clause(noun("scientist").many, verb("say"), PRES),
    clause(Phrase(noun("child").many, (("amod", c.MANY),)), verb("know"), PRES),
    clause(Phrase(noun("person").many, (("amod", c.FEW),)), verb("forget"), PRES),
    extraposed(be(c.EXPLETIVE_IT, adjective("true").plain, PRES)),
    extraposed(be(c.EXPLETIVE_IT, a(noun("fact").one), PRES)),
)
MANNERS = adverbs("quickly slowly quietly well silently fast")
BIG, SMALL = adjective("big"), adjective("small")


def entry(t: Teller, facts: list[Fact]) -> None:
    """One or two facts in a sentence: alone, joined, or as common knowledge."""
    fact = t.fresh(facts)
    tree = t.pick(fact.statements)
    chance = t.random()
    if chance < 0.3:
        t.say(tree, f"fact: {fact.relation}", facts=(fact,))
        return
    second = t.fresh(facts)
    if chance < 0.75 and second is not fact:
        t.say(joined(tree, t.pick(second.statements)), "fact: joined", facts=(fact, second))
        return
    known = t.pick(WIDELY_KNOWN)
    relation = "csubj" if known.word.upos in ("ADJ", "NOUN") else "ccomp"
    t.say(after(known, (relation, marked(c.THAT, tree))), "fact: known", facts=(fact,))


def compares(t: Teller, animal: Animal) -> None:
    """What such animals can do, and how they compare with others."""
    one, other = animal.noun, t.pick(ANIMALS)
    two = other.noun
    roll = t.roll(5)
    if roll == 0 or other is animal:
        right = ("advmod", t.pick(MANNERS)), obl(c.AT, noun("night").one)
        t.say(clause(one.many, animal.moves, CAN, *right), "animal: can")
    elif roll == 1:
        smaller = BY_SIZE[one.lemma] < BY_SIZE[two.lemma]
        t.say(be(a(one.one), than(SMALL if smaller else BIG, a(two.one)), PRES), "animal: bigger")
    elif roll == 2:
        low, high = sorted((one, two), key=lambda x: BY_SIZE[x.lemma])
        t.say(be(a(low.one), as_as(BIG, a(high.one)), PRES, polarity=FULL_NOT), "animal: not as big")
    elif roll == 3:
        liked = clause(
            noun("child").many, t.pick(LIKING), PRES, ("obj", both(one.many, two.many)), obl(c.AT, the(ZOO))
        )
        t.say(liked, "animal: children")
    elif animal.family != other.family:
        differs = be(a(two.one), a(noun(other.family).one), PRES)
        t.say(joined(be(a(one.one), a(noun(animal.family).one), PRES), differs, c.BUT), "animal: but")
    else:
        t.say(be(both(one.many, two.many), noun(animal.family).many, PRES), "animal: both")


LIKING = verbs("like watch draw love photograph see")
ZOO = noun("zoo").one


def about_animal(t: Teller) -> None:
    t.narrate(past=False)
    animal = t.pick(ANIMALS)
    for _ in range(3 + t.roll(3)):
        entry(t, FACTS_ABOUT[animal.noun.lemma])
        compares(t, animal)


def about_country(t: Teller) -> None:
    t.narrate(past=False)
    country = t.pick(COUNTRIES)
    facts = [*FACTS_ABOUT[country.name.form], *(FACTS_ABOUT[town.form][0] for town in country.towns)]
    for _ in range(3 + t.roll(3)):
        entry(t, facts)
        in_country(t, country)


def in_country(t: Teller, country: Country) -> None:
    """How people live in a country or one of its towns."""
    town = t.pick((country.capital, *country.towns))
    roll = t.roll(4)
    if roll == 0:
        first, second = t.fresh(SIGHTS), t.fresh(SIGHTS)
        what: Part = count(t.pick(c.NUMBER_WORDS[2:20]), first.many)
        if second is not first:
            what = both(what, count(t.pick(c.NUMBER_WORDS[2:20]), second.many))
        t.say(there(what, PRES, obl(c.IN, town)), "country: there are")
    elif roll == 1:
        season = fronted(pp(c.IN, noun(t.pick(("spring", "summer", "autumn", "winter"))).one), "obl")
        visitors = after(crowd(t), nmod(c.FROM, t.pick(COUNTRIES).name))
        t.say(clause(visitors, verb("visit"), PRES, ("obj", town), front=season), "country: visitors")
    elif roll == 2:
        people = after(the(noun("person").many), nmod(c.IN, town))
        one, two = t.pick(PEOPLE_ARE), t.pick(PEOPLE_ARE)
        t.say(be(people, one if one is two else both(one, two), PRES), "country: people", POSITIVE)
    else:
        folk = after(t.pick(FOLK).many, nmod(c.FROM, country.name))
        sell = clause(folk, verb(t.pick(("make", "sell", "like", "buy"))), PRES, ("obj", t.pick(GOODS).many))
        t.say(after(sell, obl(c.IN, town)), "country: folk")


SIGHTS = zipf(
    nouns("bridge church school market tower museum garden castle library bakery hotel fountain theater mill")
)
FOLK = zipf(nouns("farmer fisherman baker sailor merchant painter tailor teacher child carpenter"))
GOODS = zipf(nouns("shoe boat carpet basket apple hat clock candle toy violin pot cake scarf bell chair"))
PEOPLE_ARE = tuple(adjective(w).plain for w in words("friendly kind polite helpful cheerful honest"))


def about_relation(t: Teller) -> None:
    """Many facts of one kind, as in a schoolbook."""
    t.narrate(past=False)
    facts = t.pick(ENUMERATED)
    for _ in range(6 + t.roll(4)):
        entry(t, facts)


def about_jobs(t: Teller) -> None:
    t.narrate(past=False)
    for _ in range(3 + t.roll(2)):
        job = t.fresh(JOBS)
        entry(t, FACTS_ABOUT[job.noun.lemma])
        at_work(t, job)


def at_work(t: Teller, job: Job) -> None:
    deed, what = job.deed.split(":")
    worker: Part = a(job.noun.one, t.pick(WORKERS)) if t.random() < 0.5 else job.noun.many
    right = (
        ("obj", noun(what).many),
        ("obl:unmarked", det(c.EVERY, noun(t.pick(("day", "week", "morning"))).one)),
    )
    if t.random() < 0.6:
        t.say(clause(worker, verb(deed), PRES, *right), "job: does")
    else:
        rivals = t.pick(JOBS).noun
        t.say(
            clause(
                worker,
                verb(deed),
                CAN,
                right[0],
                ("advmod", Word("better", "ADV")),
                obl(c.THAN_P, a(rivals.one)),
            ),
            "job: better",
        )


WORKERS = tuple(adjective(w).plain for w in words("good young careful clever busy strong skillful"))


SUBJECTS = nouns("science geography history biology grammar")
ANSWERS = ("say", "answer", "reply")
RIGHT = tuple(adjective(w).plain for w in words("right correct perfect wonderful"))
CLASS, ANSWER = noun("class").one, noun("answer").one


def lesson(t: Teller) -> None:
    """A teacher asks, pupils answer; right answers are praised, missing ones supplied."""
    teacher, pupil, other = t.person(), t.person("she"), t.person("he")
    teacher.title = MRS if teacher.gender == "she" else MR
    right = ("obj", t.pick(SUBJECTS).one), obl(c.AT, organization(t, "school"))
    t.say(clause(t.named_subj(teacher), verb("teach"), t.now, *right), "lesson: teaches")
    pupils = after(count(c.NUMBER_WORDS[2], noun("pupil").many), nmod(c.IN, the(CLASS)))
    t.say(be(t.subj(t.pair(pupil, other)), pupils, t.now), "lesson: pupils")
    length = 5 + t.roll(6)
    while len(t.sentences) < length:
        exchange(t, teacher, t.pick((pupil, other)))
    feels(t, t.pick((pupil, other)), "success" if t.random() < 0.6 else "fun")


def exchange(t: Teller, teacher: Being, pupil: Being) -> None:
    """A question, an answer, and what the teacher says to it."""
    fact, statement = next_fact(t)
    asks(t, teacher, fact.question, hearer=pupil)
    if t.random() < 0.75:
        tells(t, pupil, None, statement, how=t.pick(ANSWERS), facts=(fact,))
        if t.random() < 0.6:
            tells(t, teacher, pupil, be(c.THAT_ONE, t.pick(RIGHT), PRES), POSITIVE)
    else:
        unsure = clause(t.named_subj(pupil), verb("know"), t.now, ("obj", the(ANSWER)), polarity=FULL_NOT)
        t.say(unsure, "lesson: does not know", NEGATIVE)
        tells(t, teacher, pupil, statement, how=t.pick(("say", "explain")), facts=(fact,))


def town(t: Teller) -> None:
    """A town and what is to be seen there."""
    country = t.pick(COUNTRIES)
    here = t.pick(country.towns)
    fact = FACTS_ABOUT[here.form][0]
    t.say(t.pick(fact.statements), "fact: country", facts=(fact,))
    t.person(), t.person()
    length = 6 + t.roll(6)
    while len(t.sentences) < length:
        roll = t.roll(6)
        if roll == 0:
            name, kind = t.pick(STREETS)
            where = obl(c.ON, Phrase(kind, (("compound", name),)))
            what = a(t.pick(SIGHTS).one, t.pick(BUILDING_LOOKS))
            t.say(there(what, t.now, where), "town: street")
        elif roll == 1 and not t.used.issuperset(STREET_LOOKS):
            name, kind = t.fresh(STREETS)
            street = Phrase(kind, (("compound", name),))
            longest = after(the(noun("street").one, t.fresh(STREET_LOOKS).most), nmod(c.IN, here))
            t.say(be(street, longest, t.now), "town: longest street")
        elif roll == 2:
            venue = organization(t, t.pick(("venue", "shop", "school")))
            stands = clause(
                venue,
                verb("stand"),
                t.now,
                obl(t.pick((c.NEAR, c.BEHIND, c.BESIDE)), the(t.pick(SIGHTS).one)),
            )
            t.say(stands, "town: venue")
        elif roll == 3:
            in_country(t, country)
        else:
            t.pick(TOWN_SENTENCES)(t, *t.people)


STREET_LOOKS = adjectives("long old quiet beautiful narrow wide")
BUILDING_LOOKS = tuple(
    adjective(w).plain for w in words("old big small famous new beautiful tall quiet white empty")
)
TOWN_SENTENCES = (beside, quantified, stranger, there_is, doing_something, that_did, whose)
