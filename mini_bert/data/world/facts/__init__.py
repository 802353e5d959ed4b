"""The facts of the world: always true, stated in many stories and in several ways."""

from collections.abc import Iterator

from mini_bert.data.world.closed import NUMBER_WORDS
from mini_bert.data.world.facts.fact import Fact
from mini_bert.data.world.facts.geography import COUNTRY_RELATIONS, TOWN_RELATION
from mini_bert.data.world.facts.nature import ANIMAL_RELATIONS, PLANT_RELATIONS
from mini_bert.data.world.facts.order import (
    MATERIAL_RELATION,
    OPPOSITE_RELATION,
    PART_RELATION,
    TIME_RELATIONS,
)
from mini_bert.data.world.facts.people import AGENT_RELATION, JOB_RELATIONS, USE_RELATION
from mini_bert.data.world.lexicon import BASE, adjective, noun, noun_form, verb
from mini_bert.data.world.words.animals import ANIMALS, GROUPS, LEGS, NO_LEGS, Animal
from mini_bert.data.world.words.food import PRODUCE
from mini_bert.data.world.words.opposites import OPPOSITES
from mini_bert.data.world.words.people import AGENTS, JOBS
from mini_bert.data.world.words.places import COUNTRIES, Country
from mini_bert.data.world.words.things import MATERIALS, PARTS, USES
from mini_bert.data.world.words.time import DAYS, MONTHS, SEASON_OF

BROUGHT = {"spring": "rain", "summer": "sunshine", "autumn": "fog", "winter": "snow"}
NUMBERS = {word.form: word for word in NUMBER_WORDS}


def _animal_facts(animal: Animal) -> Iterator[Fact]:
    relation = {r.name: r for r in ANIMAL_RELATIONS}
    own = animal.noun
    if animal.sound is not None:
        yield relation["sound"].fact(own.lemma, own, animal.sound.forms[BASE])
    for name in ("home", "food", "young", "family", "cover"):
        answer: str = getattr(animal, name)
        if answer != "-":
            yield relation[name].fact(own.lemma, own, noun_form(answer))
    if animal.family in LEGS and own.lemma not in NO_LEGS:
        yield relation["legs"].fact(own.lemma, own, NUMBERS[LEGS[animal.family]])


def _country_facts(country: Country) -> Iterator[Fact]:
    answers = {
        "capital": country.capital,
        "language": country.language,
        "river": country.river,
        "mountain": country.mountain,
        "currency": country.currency.one,
        "product": noun_form(country.product),
        "direction": noun(country.direction).one,
    }
    for relation in COUNTRY_RELATIONS:
        yield relation.fact(country.name.form, country.name, answers[relation.name])
    for town in country.towns:
        yield TOWN_RELATION.fact(town.form, town, country.name)


def _all_facts() -> Iterator[Fact]:
    for animal in ANIMALS:
        yield from _animal_facts(animal)
    group = ANIMAL_RELATIONS[-1]
    for lemma, many in GROUPS:
        yield group.fact(lemma, noun(lemma), noun(many).one)
    colour_of, grows = PLANT_RELATIONS
    for plant, colour, place in PRODUCE:
        if plant.lemma != colour:
            yield colour_of.fact(plant.lemma, plant, adjective(colour).plain)
        yield grows.fact(plant.lemma, plant, noun(place).one)
    workplace, tool = JOB_RELATIONS
    for job in JOBS:
        yield workplace.fact(job.noun.lemma, job.noun, noun(job.workplace).one)
        yield tool.fact(job.noun.lemma, job.noun, noun_form(job.tool))
    for deed, agent in AGENTS:
        yield AGENT_RELATION.fact(deed, verb(deed), noun(agent).one)
    for instrument, deed, what in USES:
        yield USE_RELATION.fact(f"{deed} {what}", (verb(deed), noun_form(what)), noun_form(instrument))
    for country in COUNTRIES:
        yield from _country_facts(country)
    for names, relation in ((DAYS, TIME_RELATIONS["next day"]), (MONTHS, TIME_RELATIONS["next month"])):
        for this, following in zip(names, (*names[1:], names[0]), strict=True):
            yield relation.fact(this.form, this, following)
    for month in MONTHS:
        yield TIME_RELATIONS["season"].fact(month.form, month, noun(SEASON_OF[month.form]).one)
    for season, brought in BROUGHT.items():
        yield TIME_RELATIONS["brings"].fact(season, noun(season).one, noun(brought).one)
    for part, whole in PARTS:
        yield PART_RELATION.fact(part, noun(part), noun(whole).one)
    for thing, material in MATERIALS.items():
        yield MATERIAL_RELATION.fact(thing, noun(thing), noun(material).one)
    for one, other in OPPOSITES:
        yield OPPOSITE_RELATION.fact(one.lemma, one, other.plain)


FACTS: tuple[Fact, ...] = tuple(_all_facts())
