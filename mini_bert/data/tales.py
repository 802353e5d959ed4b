"""Tales: a small world told in plain English, for a first training where there is no data at all.

>>> for sentence in tales(1, seed=31)[0].split(". "):
...     print(sentence)
Mary walks to the lake
She sees two pigs near the cart
The pigs by the bridges are tired
The pigs eat turnips.

A word is often fixed by others, at times far from it, so a model must look at the context:

- number: "the dogs near the tree are hungry", but "the dog near the trees is hungry";
- the person named before: "Anna ... she ... her", "Tom ... he ... his";
- habitual facts: a cow says moo, fish swim in the sea, snow is cold and white;
- the order of events: first Anna picks an apple, then she washes it, at last Anna eats it.
"""

from collections.abc import Callable, Sequence
from random import Random
from typing import NamedTuple, TypeVar

Option = TypeVar("Option")


class Person(NamedTuple):
    name: str
    she: str
    her: str


class Noun(NamedTuple):
    one: str
    many: str


class Animal(NamedTuple):
    noun: Noun
    sound: str
    food: str
    home: str


class Group(NamedTuple):
    """Animals of one kind, one or several: all that agrees with them follows from `several`."""

    animal: Animal
    several: bool

    @property
    def noun(self) -> str:
        return self.animal.noun.many if self.several else self.animal.noun.one

    @property
    def kind(self) -> str:
        """The animals in general: "cows", "a cow"."""
        return self.noun if self.several else _a(self.noun)

    def verb(self, one: str, many: str) -> str:
        return many if self.several else one

    def counted(self, rng: Random) -> str:
        return f"{pick(NUMBERS, rng)} {self.noun}" if self.several else _a(self.noun)


WOMEN = tuple(Person(name, "she", "her") for name in ("Anna", "Mary", "Lucy", "Clara", "Emma"))
MEN = tuple(Person(name, "he", "his") for name in ("Tom", "Ben", "Jack", "Peter", "Paul"))
PEOPLE = WOMEN + MEN
RELATIVES = ("mother", "father", "sister", "brother", "friend", "aunt")

ANIMALS = (
    Animal(Noun("cow", "cows"), "moo", "grass", "meadow"),
    Animal(Noun("dog", "dogs"), "woof", "bones", "yard"),
    Animal(Noun("cat", "cats"), "meow", "fish", "house"),
    Animal(Noun("duck", "ducks"), "quack", "bread", "pond"),
    Animal(Noun("pig", "pigs"), "oink", "turnips", "mud"),
    Animal(Noun("hen", "hens"), "cluck", "corn", "barn"),
    Animal(Noun("horse", "horses"), "neigh", "hay", "stable"),
    Animal(Noun("lamb", "lambs"), "baa", "clover", "field"),
    Animal(Noun("mouse", "mice"), "squeak", "cheese", "cellar"),
    Animal(Noun("bee", "bees"), "buzz", "honey", "garden"),
    Animal(Noun("owl", "owls"), "hoot", "mice", "tower"),
    Animal(Noun("wolf", "wolves"), "howl", "meat", "forest"),
)
COLOURS = ("black", "white", "brown", "grey")
NUMBERS = ("two", "three", "four", "five")
MOODS = ("hungry", "tired", "happy", "thirsty", "sad", "old", "young", "quiet")
LANDMARKS = tuple(
    Noun(one, f"{one}s") for one in ("tree", "house", "wall", "gate", "rock", "bridge", "cart", "tent")
)
BESIDE = ("near", "behind", "by", "beside")
PLACES = ("river", "lake", "market", "mill", "village", "school", "hill", "beach")
DEEDS = (("sleeps", "sleep"), ("waits", "wait"), ("rests", "rest"), ("plays", "play"))

# What is always so: snow is cold and white.
QUALITIES = (
    ("snow", "cold", "white"),
    ("fire", "hot", "red"),
    ("grass", "soft", "green"),
    ("honey", "sweet", "yellow"),
    ("stone", "hard", "grey"),
    ("coal", "dry", "black"),
    ("water", "wet", "clear"),
    ("night", "dark", "long"),
)
# What they do, and where: fish swim in the sea.
HABITS = (
    ("fish", "swim", "sea"),
    ("birds", "fly", "sky"),
    ("trees", "grow", "forest"),
    ("farmers", "work", "field"),
    ("children", "learn", "school"),
    ("boats", "sail", "lake"),
    ("frogs", "jump", "pond"),
    ("roses", "bloom", "garden"),
)
# What is done to a thing, in the only order that makes sense.
CRAFTS = (
    ("an apple", "picks", "washes", "eats"),
    ("a letter", "writes", "folds", "sends"),
    ("a book", "opens", "reads", "closes"),
    ("a cake", "bakes", "cuts", "eats"),
    ("a rose", "plants", "waters", "picks"),
    ("a fish", "catches", "cooks", "eats"),
    ("a picture", "draws", "paints", "hangs"),
    ("a shirt", "washes", "dries", "folds"),
)
# A day, from its beginning to its end.
DAY = (
    ("in the morning", ("wakes up", "drinks milk", "feeds the hens")),
    ("at noon", ("eats soup", "cooks rice", "works in the field")),
    ("in the evening", ("reads a book", "sings a song", "sits by the fire")),
    ("at night", ("sleeps", "looks at the stars", "dreams")),
)
GIFTS = ("a book", "a cake", "a rose", "an apple", "a letter", "a picture")


CLOZES: tuple[tuple[str, str], ...] = (
    ("the dogs near the tree [MASK] hungry .", "are"),
    ("the cow behind the houses [MASK] tired .", "is"),
    ("anna walks to the river . [MASK] sees two dogs near the gate .", "she"),
    ("tom lives near the lake . he gives [MASK] mother a cake .", "his"),
    ("a cow says [MASK] .", "moo"),
    ("fish swim in the [MASK] .", "sea"),
    ("snow is cold and [MASK] .", "white"),
    ("first ben opens a book . [MASK] he reads it . at last ben closes it .", "then"),
    ("in the morning lucy drinks milk . at [MASK] she eats soup .", "noon"),
)


def tales(count: int, seed: int = 0) -> list[str]:
    """`count` tales of three to five sentences. A seed always tells the same tales, in the same order."""
    rng = Random(seed)
    return [" ".join(map(_written, pick(KINDS, rng)(rng))) for _ in range(count)]


def walk(rng: Random) -> list[str]:
    """Someone goes to a place and meets animals there."""
    person, group = pick(PEOPLE, rng), some_animals(rng)
    return [
        f"{person.name} walks to the {pick(PLACES, rng)}",
        f"{person.she} sees {group.counted(rng)} {pick(BESIDE, rng)} the {pick(LANDMARKS, rng).one}",
        scene(group, rng),
        f"the {group.noun} {group.verb('eats', 'eat')} {group.animal.food}",
    ]


def pets(rng: Random) -> list[str]:
    """Someone has animals and cares for them."""
    person, group = pick(PEOPLE, rng), some_animals(rng)
    it, it_object = ("they", "them") if group.several else ("it", "it")
    return [
        f"{person.name} has {group.counted(rng)}",
        f"{it} {group.verb('is', 'are')} {pick(COLOURS, rng)} and {pick(MOODS, rng)}",
        f"{it} {group.verb('says', 'say')} {group.animal.sound}",
        f"{person.she} gives {it_object} {group.animal.food}",
    ]


def gift(rng: Random) -> list[str]:
    """Someone gives a relative a present."""
    person, relative = pick(PEOPLE, rng), pick(RELATIVES, rng)
    return [
        f"{person.name} lives near the {pick(PLACES, rng)}",
        f"{person.she} gives {person.her} {relative} {pick(GIFTS, rng)}",
        f"{person.her} {relative} is {pick(MOODS, rng)}",
    ]


def craft(rng: Random) -> list[str]:
    """Someone makes or uses a thing, step by step."""
    person = pick(PEOPLE, rng)
    thing, begins, goes_on, ends = pick(CRAFTS, rng)
    return [
        f"first {person.name} {begins} {thing}",
        f"then {person.she} {goes_on} it",
        f"at last {person.name} {ends} it",
    ]


def day(rng: Random) -> list[str]:
    """Someone's day, from morning to night."""
    person = pick(PEOPLE, rng)
    names = (person.name, person.she) * 2
    return [f"{when} {name} {pick(deeds, rng)}" for name, (when, deeds) in zip(names, DAY, strict=True)]


def lore(rng: Random) -> list[str]:
    """What everyone knows of an animal, and of the world, from any point on."""
    group = some_animals(rng)
    clauses = [sound(group), custom(group, rng), scene(group, rng), quality(rng), habit(rng)]
    start = pick(range(len(clauses)), rng)
    return clauses[start:] + clauses[:start]


# Lore twice: each fact must be told often enough to be learned in a minute.
KINDS: tuple[Callable[[Random], list[str]], ...] = (walk, pets, gift, craft, day, lore, lore)


def scene(group: Group, rng: Random) -> str:
    """The dogs near the tree are hungry: the verb heeds the first noun, the nearest is of either number."""
    colour = pick(("", *(f"{colour} " for colour in COLOURS)), rng)
    landmark = pick(pick(LANDMARKS, rng), rng)
    moods = [f"{group.verb('is', 'are')} {mood}" for mood in MOODS]
    deeds = [group.verb(*deed) for deed in DEEDS]
    predicate = pick((*moods, *deeds), rng)
    return f"the {colour}{group.noun} {pick(BESIDE, rng)} the {landmark} {predicate}"


def sound(group: Group) -> str:
    return f"{group.kind} {group.verb('says', 'say')} {group.animal.sound}"


def custom(group: Group, rng: Random) -> str:
    food = f"{group.verb('eats', 'eat')} {group.animal.food}"
    home = f"{group.verb('lives', 'live')} in the {group.animal.home}"
    return f"{group.kind} {pick((food, home), rng)}"


def quality(rng: Random) -> str:
    thing, felt, seen = pick(QUALITIES, rng)
    return f"{thing} is {felt} and {seen}"


def habit(rng: Random) -> str:
    who, act, place = pick(HABITS, rng)
    return f"{who} {act} in the {place}"


def some_animals(rng: Random) -> Group:
    return Group(pick(ANIMALS, rng), pick((False, True), rng))


def pick(options: Sequence[Option], rng: Random) -> Option:
    """One of the options, all as likely."""
    # Of all that Random offers, only random() is promised to stay the same in every Python version.
    return options[int(rng.random() * len(options))]


def _a(noun: str) -> str:
    return f"an {noun}" if noun[0] in "aeiou" else f"a {noun}"


def _written(clause: str) -> str:
    return f"{clause[0].upper()}{clause[1:]}."
