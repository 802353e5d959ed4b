"""Names, kin, professions, and the adjectives that describe people."""

from typing import NamedTuple

from mini_bert.data.world.lexicon import Noun, adjectives, name, noun, nouns, zipf
from mini_bert.data.world.tree import Word, words

WOMEN = tuple(
    words("""
    Anna Mary Lucy Emma Clara Sara Nora Alice Ella Rosa Julia Ruth Helen Ida Lena Maya Olga Paula Tina Vera
    Zoe Amy Bella Carla Dora Eva Fiona Grace Hanna Irene Jane Kate Laura Mia Nina Olivia Penny Rita Sophie
    Tessa Una Violet Wendy Yara Agnes Beth Celia Diana Edith Flora Greta Hazel Iris Judy Kira Linda Molly
    Nadia Pearl Rachel Stella Thea Ursula Willa Ada Bianca Cora Daphne Esther Freda Gwen Heidi
    """)
)
MEN = tuple(
    words("""
    Tom Ben Jack Peter Paul Sam Max Leo Adam David Henry Oscar Felix Hugo Ivan Jonas Karl Luke Martin Noah
    Oliver Philip Robert Simon Thomas Victor Walter Alan Bruno Colin Daniel Erik Frank George Harry Isaac
    James Kevin Louis Mark Nick Otto Patrick Quentin Ralph Stefan Theo Ulrich Vincent William Arthur Boris
    Charles Dennis Edgar Fred Gordon Hector Igor Jasper Kurt Lewis Milo Nathan Owen Percy Rufus Toby Wesley
    Albert Basil Conrad Derek
    """)
)
FAMILIES = tuple(
    words("""
    Bell Carter Stone Miller Brook Hale Marsh Reed Lane Potter Fields Moss Price Sutton Walsh Barlow Crane
    Dalton Ellis Fisher Garner Harper Ingram Jarvis Keller Lambert Mercer Norris Osborne Parker Quinn Rivers
    Sawyer Turner Vance Weaver York Ashby Bolton Clayton Draper Emery Foster Gibbs Hobbs Irving Jordan Kemp
    Lowell Mason Nolan Oakley Pratt Ramsey Shaw Tanner Underhill Vickers Wilder Abbott Brewer Collins Doyle
    Everett Finch Grady Hodge Jennings Kirby
    """)
)


class FamilyName(NamedTuple):
    """A family name as a surname alone, after a given name, and in the plural: the Bells."""

    alone: Word
    after_given: Word
    plural: Word


def _family(form: str) -> FamilyName:
    many = form + ("es" if form.endswith(("s", "x", "z", "ch", "sh")) else "s")
    plural = Word(many, "PROPN", form, "Number=Plur", agr=1, entity="B-PER")
    return FamilyName(name(form, "B-PER"), name(form, "I-PER"), plural)


WOMEN_NAMES = zipf((name(form, "B-PER") for form in WOMEN), 12)
MEN_NAMES = zipf((name(form, "B-PER") for form in MEN), 12)
FAMILY_NAMES = zipf(map(_family, FAMILIES), 12)
MRS, MR = (Word(form, "PROPN") for form in ("Mrs.", "Mr."))

FEMALE_KIN = zipf(nouns("mother sister aunt grandmother daughter cousin niece"), 4)
MALE_KIN = zipf(nouns("father brother uncle grandfather son cousin nephew"), 4)
FRIEND = noun("friend")
BOY, GIRL, MAN, WOMAN = nouns("boy girl man woman")

ROLES = nouns("person child student player neighbor")

# Who may be met on any street; no gender is implied but in the first ten.
PASSERSBY = zipf(
    nouns(
        """
        man woman boy girl lady gentleman grandmother grandfather waiter waitress child student neighbor
        visitor tourist guest stranger customer traveler passenger teenager tenant pupil
        shopper hiker camper cyclist driver dancer singer player runner swimmer reader worker
        volunteer villager pedestrian musician helper leader climber
        author poet inventor explorer magician acrobat athlete student fisherman grandchild bride groom captain
        painter sculptor drummer violinist
        """
    ),
    6,
)
CROWD = zipf(
    nouns(
        """
        child boy girl man woman neighbor guest student pupil tourist visitor worker farmer sailor singer
        dancer player passenger customer traveler parent teacher musician soldier fisherman villager
        """
    ),
    6,
)

POSITIVE_TRAITS = zipf(
    adjectives(
        """
        kind friendly brave clever honest polite patient helpful funny careful generous cheerful gentle wise
        strong smart thoughtful loyal creative fair hopeful peaceful skillful playful respectful truthful
        """
    ),
    6,
)
NEGATIVE_TRAITS = zipf(
    adjectives(
        """
        lazy rude selfish careless mean greedy stubborn impatient grumpy clumsy unkind dishonest unfriendly
        noisy messy impolite forgetful boastful unfair thoughtless reckless heartless
        """
    ),
    6,
)
LOOKS = zipf(adjectives("tall short young old thin strong slim elderly bald blond"), 6)


class Job(NamedTuple):
    """A profession, where it is done (a place's noun), with what, and what it yields."""

    noun: Noun
    workplace: str
    tool: str
    deed: str  # "verb object": what such a person does all day


_JOBS = """
baker bakery oven bake:cake
farmer farm tractor grow:vegetable
teacher school chalk teach:child
doctor hospital thermometer help:patient
nurse hospital bandage help:patient
chef restaurant pan cook:meal
waiter cafe tray serve:guest
gardener greenhouse rake plant:flower
painter studio brush paint:picture
carpenter workshop saw build:table
mechanic garage wrench repair:engine
librarian library stamp lend:book
pilot airport plane fly:plane
sailor harbor rope sail:ship
miner mine pickaxe dig:tunnel
judge court gavel judge:case
actor theater costume play:hero
scientist laboratory microscope study:insect
astronomer observatory telescope watch:star
cashier supermarket register count:coin
banker bank calculator count:bill
firefighter station hose fight:fire
monk monastery candle copy:book
blacksmith forge hammer shape:sword
potter pottery kiln make:pot
weaver mill loom weave:carpet
jockey racetrack saddle ride:horse
clown circus wig amuse:child
vet clinic syringe treat:pet
photographer studio camera take:photograph
secretary office keyboard type:letter
skater rink helmet practice:jump
porter hotel trolley carry:suitcase
lifeguard beach whistle guard:swimmer
zookeeper zoo bucket feed:animal
shepherd pasture staff guard:sheep
barber barbershop razor cut:beard
tailor boutique needle sew:suit
florist shop vase sell:rose
reporter newspaper notebook write:article
curator museum catalog guard:painting
priest church bell ring:bell
butcher market cleaver cut:steak
"""
JOBS = tuple(
    Job(noun(who), where, tool, deed) for who, where, tool, deed in map(str.split, _JOBS.split("\n")[1:-1])
)

# What a person of a kind is called: verb, noun in "-er".
AGENTS = tuple(
    pair.split(":")
    for pair in words("""
    bake:baker teach:teacher paint:painter sing:singer dance:dancer write:writer drive:driver run:runner
    swim:swimmer hunt:hunter build:builder clean:cleaner play:player read:reader dream:dreamer climb:climber
    travel:traveler drum:drummer farm:farmer lead:leader win:winner lose:loser help:helper work:worker
    ride:rider skate:skater print:printer weave:weaver juggle:juggler garden:gardener
    """)
)
