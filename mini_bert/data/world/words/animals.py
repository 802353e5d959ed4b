"""Animals: what they are, eat, say and live in, and what their young are called."""

from typing import NamedTuple

from mini_bert.data.world.lexicon import Noun, Verb, adjectives, name, noun, verb, zipf
from mini_bert.data.world.tree import words


class Animal(NamedTuple):
    """An animal; "-" in the table stands for what is not worth a fact."""

    noun: Noun
    family: str
    home: str
    food: str
    young: str
    sound: Verb | None
    cover: str
    moves: Verb


_ANIMALS = """
dog mammal kennel bones puppy bark fur run
cat mammal basket fish kitten meow fur jump
cow mammal barn grass calf moo - walk
horse mammal stable hay foal neigh - gallop
pig mammal sty scraps piglet oink - walk
sheep mammal pasture clover lamb bleat wool walk
goat mammal shed leaves kid bleat - climb
hen bird coop corn chick cluck feathers walk
duck bird pond weeds duckling quack feathers swim
goose bird lake grass gosling honk feathers fly
rooster bird coop grain - crow feathers walk
turkey bird farm seeds - gobble feathers walk
donkey mammal stable thistles foal bray - walk
lion mammal savanna meat cub roar fur run
tiger mammal jungle meat cub growl fur run
bear mammal cave honey cub growl fur climb
wolf mammal den meat pup howl fur run
fox mammal den chickens cub yelp fur run
rabbit mammal burrow carrots bunny - fur hop
mouse mammal hole cheese pup squeak fur run
squirrel mammal tree nuts - chatter fur climb
deer mammal forest leaves fawn - - run
elephant mammal savanna fruit calf trumpet - walk
monkey mammal jungle bananas infant chatter fur climb
giraffe mammal savanna leaves calf - - walk
zebra mammal savanna grass foal - - gallop
kangaroo mammal grassland grass joey - fur hop
camel mammal desert thorns calf grunt - walk
owl bird tree mice owlet hoot feathers fly
eagle bird cliff snakes eaglet screech feathers fly
swan bird river reeds cygnet - feathers swim
penguin bird ice fish chick - feathers swim
parrot bird jungle seeds - squawk feathers fly
pigeon bird roof crumbs squab coo feathers fly
crow bird treetop worms - caw feathers fly
sparrow bird hedge seeds - chirp feathers fly
frog amphibian swamp flies tadpole croak - hop
snake reptile grass eggs - hiss scales crawl
turtle reptile beach lettuce hatchling - - crawl
crocodile reptile swamp fish hatchling - scales swim
lizard reptile desert insects - - scales run
bee insect hive nectar - buzz - fly
ant insect anthill sugar - - - crawl
butterfly insect meadow nectar caterpillar - scales fly
cricket insect field leaves nymph chirp - jump
spider arachnid web flies spiderling - - crawl
shark fish ocean fish pup - scales swim
salmon fish river insects - - scales swim
trout fish stream worms - - scales swim
whale mammal ocean plankton calf - - swim
dolphin mammal sea squid calf - - swim
seal mammal shore fish pup bark fur swim
bat mammal cave insects pup squeak fur fly
beaver mammal dam bark kit - fur swim
hedgehog mammal garden worms hoglet - spines walk
mole mammal tunnel worms - - fur dig
panda mammal bamboo_forest bamboo cub - fur climb
crab crustacean shore shells - - - crawl
"""


def _animal(line: str) -> Animal:
    own, family, home, food, young, sound, cover, moves = line.split()
    return Animal(
        noun(own),
        family,
        "-" if "_" in home else home,
        food,
        young,
        None if sound == "-" else verb(sound),
        cover,
        verb(moves),
    )


ANIMALS = tuple(_animal(line) for line in _ANIMALS.split("\n")[1:-1])
ANIMAL = {animal.noun.lemma: animal for animal in ANIMALS}
LEGS = {"mammal": "four", "bird": "two", "reptile": "four", "insect": "six", "arachnid": "eight"}
NO_LEGS = frozenset(words("snake whale dolphin seal bat kangaroo monkey"))
GROUPS = tuple(
    pair.split(":")
    for pair in words("""cow:herd sheep:flock wolf:pack bee:swarm lion:pride ant:colony goose:gaggle
    elephant:herd crow:murder dolphin:pod trout:shoal puppy:litter""")
)

PETS = zipf((ANIMAL[lemma] for lemma in words("dog cat rabbit horse parrot goat donkey mouse duck pig")), 2)
FARM_ANIMALS = zipf(
    (ANIMAL[a] for a in words("cow sheep hen pig horse goat duck goose donkey rooster turkey")), 4
)
WILD_ANIMALS = zipf(
    (
        ANIMAL[lemma]
        for lemma in words("""fox rabbit owl deer frog squirrel bear wolf eagle snake hedgehog crow swan beaver
        turtle bat butterfly sparrow lizard mole""")
    ),
    6,
)
ZOO_ANIMALS = zipf(
    (
        ANIMAL[lemma]
        for lemma in words("""lion elephant monkey tiger giraffe zebra penguin bear camel kangaroo crocodile
        parrot seal panda snake wolf""")
    ),
    6,
)
PET_NAMES = zipf(
    (
        name(form, "B-PER")
        for form in words("""Rex Luna Spot Fluffy Buddy Coco Daisy Rusty Ginger Shadow Patch Biscuit Pepper Snowy
        Whiskers Tiger Bingo Cookie Honey Misty Pumpkin Sparky Smoky Lucky Bubbles Muffin Scout Bandit Poppy
        Duke Nibbles Domino Toffee Clover Pebbles Jet Hopper Marble Olive Trixie""")
    ),
    8,
)
ANIMAL_LOOKS = zipf(adjectives("small big old young fat thin gray brown black white fluffy tiny wild"), 5)
PET_LOOKS = zipf(adjectives("small big old young fat gray brown black white fluffy tiny golden"), 5)
ANIMAL_TRAITS = zipf(
    adjectives("hungry tired playful friendly shy lazy clever noisy quiet gentle fierce curious thirsty"), 5
)
# From the smallest to the biggest: who is bigger than whom never changes.
BY_SIZE = {
    lemma: rank
    for rank, lemma in enumerate(
        words("""ant bee spider cricket butterfly mouse sparrow bat mole frog lizard squirrel crab pigeon parrot crow
        trout hedgehog owl rabbit duck hen rooster cat salmon turtle fox goose beaver turkey eagle monkey snake
        swan penguin dog wolf goat sheep pig kangaroo panda seal deer donkey lion tiger zebra dolphin bear
        crocodile horse cow camel shark giraffe elephant whale""")
    )
}
