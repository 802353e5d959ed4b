"""Places: rooms, buildings, landscapes, and the towns and countries of an invented map."""

from typing import NamedTuple

from mini_bert.data.world.closed import AT, IN, ON, TO
from mini_bert.data.world.lexicon import Noun, name, noun, zipf
from mini_bert.data.world.phrases import pp, the
from mini_bert.data.world.tree import Phrase, Word, words


class Place(NamedTuple):
    """A place: `the` the noun phrase, `at` where one is, `to` where one goes."""

    noun: Noun
    kind: str
    the: Phrase
    at: Phrase
    to: Phrase


def _place(lemma: str, preposition: Word, kind: str) -> Place:
    phrase = the(noun(lemma).one)
    return Place(noun(lemma), kind, phrase, pp(preposition, phrase), pp(TO, phrase))


_PLACES = {
    ("room", IN): """kitchen bedroom bathroom hall attic cellar garage pantry nursery basement corridor
        library office classroom study""",
    (
        "building",
        AT,
    ): """school market station bakery bank hospital museum restaurant cafe hotel church theater
        airport factory supermarket zoo pool bookshop clinic castle stadium lighthouse mill court
        laboratory observatory greenhouse rink hairdresser inn racetrack barbershop boutique""",
    ("open", IN): """garden park yard forest field meadow street square village valley desert orchard jungle
        courtyard swamp vineyard pasture""",
    ("open", ON): """beach bridge hill farm playground island road path mountain shore cliff""",
    ("water", AT): "lake river pond harbor waterfall lagoon",
    ("shelter", IN): "barn stable cave tent shed cottage cabin tower workshop studio hut",
    ("work", AT): "circus forge monastery pottery mine college",
}
PLACES = {
    lemma: _place(lemma, preposition, kind)
    for (kind, preposition), lemmas in _PLACES.items()
    for lemma in lemmas.split()
}


def of_kind(*kinds: str) -> tuple[Place, ...]:
    return tuple(place for place in PLACES.values() if place.kind in kinds)


ROOMS = zipf((PLACES[lemma] for lemma in _PLACES["room", IN].split()[:11]), 3)
TOWN_PLACES = zipf((PLACES[lemma] for lemma in _PLACES["building", AT].split()[:22]), 5)
OUTDOORS = zipf((*of_kind("open")[:12], *of_kind("water"), *of_kind("open")[17:]), 6)
ANYWHERE = zipf((*of_kind("room")[:6], *of_kind("open")[:8], *of_kind("building")[:14], *of_kind("water")), 8)


class Country(NamedTuple):
    """An invented country. `language` is a proper noun; `adjective` its people's adjective."""

    name: Word
    capital: Word
    river: Word
    mountain: Word
    language: Word
    currency: Noun
    product: str
    direction: str
    towns: tuple[Word, ...]


_COUNTRIES = """
Velmora Tarnholm Arlo Kestrel Velmoran crown tea north Tillmere Saltwick
Karland Bellport Brin Hornbeak Karlish mark wool south Brackenford Pinnerby
Quillonia Estra Senn Graypeak Quillian penny silk east Larkhollow Ostwick
Brenovia Dorvale Mirra Wolfstone Brenish florin wheat west Dunmarsh Wexbury
Eskania Norrin Tavo Icehorn Eskan shell salmon north Hollowmere Cragmoor
Feldonia Mapleton Osk Broadtop Feldish thaler corn south Embervale Thistleby
Gorvia Ironbridge Volg Blackspire Gorvic gulden iron east Fallowby Greywater
Halbania Castora Lume Sunridge Halban ducat honey west Marlowick Fernlow
Jorlund Fjelby Rask Stormcap Jorlish dollar timber north Quarrydale Snowford
Lomaria Solanto Piva Eaglehead Lomarian peso olives south Applecross Vinemere
Mirandia Corvina Daro Oldtooth Mirandish real coffee east Rosewick Palmbury
Nordalia Hestad Yorn Frostfell Nordal rune copper west Birchmoor Kettleby
Pelasia Thalos Nemi Whitecliff Pelasian drachma marble north Gullhaven Sandwell
Rundia Oramba Zuni Lionrock Rundish rand cotton south Drywater Goldfield
Sorvania Petrovar Dniva Bearclaw Sorvic ruble leather east Pinewatch Millhaven
Tovaria Lakesend Ulma Mistcrown Tovar franc glass west Cloverley Stonebeck
Zandoria Azmir Kalif Sandtower Zandori dinar dates south Oasisbury Camelford
Ombria Nightfall Shade Duskhorn Ombric shilling candles east Lanternby Moonstead
"""


def _country(line: str) -> Country:
    own, capital, river, mountain, language, currency, product, direction, *towns = line.split()
    return Country(
        name(own, "B-LOC"),
        name(capital, "B-LOC"),
        name(river, "B-LOC"),
        name(mountain, "B-LOC"),
        Word(language, "PROPN", feats="Number=Sing"),
        noun(currency),
        product,
        direction,
        tuple(name(town, "B-LOC") for town in towns),
    )


COUNTRIES = tuple(_country(line) for line in _COUNTRIES.split("\n")[1:-1])
TOWNS = zipf((town for country in COUNTRIES for town in (country.capital, *country.towns)), 20)


class Street(NamedTuple):
    first: Word
    kind: Word


STREETS = tuple(
    Street(name(first, "B-LOC"), name(kind, "I-LOC"))
    for first in words("Oak Elm Mill Church Bridge Apple River Garden Rose Castle Market Maple School Hill")
    for kind in ("Street", "Road", "Lane")
)

# Organizations: a first word (a town, a family, an animal) and what they are.
ORGANIZATIONS = {
    "school": "School College Academy",
    "shop": "Bakery Bookshop Market Pharmacy",
    "club": "Chess_Club Book_Club Swimming_Club Music_Club Garden_Club Football_Club Science_Club",
    "venue": "Museum Theater Library Hotel Zoo",
    "group": "Choir Orchestra Circus",
}
EMBLEMS = words("Lion Eagle Swan Dolphin Tiger Falcon Otter Bear Fox Owl Lantern Star Oak Willow Harbor")
