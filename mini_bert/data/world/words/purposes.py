"""Why people do things: the state that makes them, and the place where one goes to do them."""

from mini_bert.data.world.lexicon import Noun, Verb, adjective, noun, verb, zipf
from mini_bert.data.world.words.places import PLACES


def _purpose(what: str) -> tuple[Verb, tuple[Noun, ...]]:
    word, _, lemmas = what.partition(":")
    return verb(word), tuple(map(noun, lemmas.split(","))) if lemmas else ()


# why people do what they do: a state, and what it makes them do
REASONS = {
    adjective(state): tuple(_purpose(what) for what in deeds.split())
    for state, deeds in {
        "tired": "sleep rest yawn drink:coffee,tea lie",
        "hungry": "eat:sandwich,apple,soup,pancake,banana cook:soup,rice,egg,stew bake:bread,pie buy:bread,melon",
        "thirsty": "drink:water,milk,juice,lemonade,tea buy:juice,lemonade,milk",
        "cold": "shiver wear:coat,sweater,scarf light:fire,stove close:window,door drink:tea,cocoa",
        "bored": "read:comic,magazine,book play:game,tune draw:picture,castle yawn watch:film,parade",
        "curious": "open:box,letter,parcel,drawer follow:path,rabbit,footprint examine:coin,shell,bone read:letter,map",
        "dirty": "bathe wash:shirt,sock",
        "sick": "cough sneeze drink:tea visit:doctor,nurse take:pill",
        "hot": "swim open:window,door drink:water,lemonade wear:hat",
        "lonely": "cry call:friend,cousin visit:neighbor,aunt write:letter,postcard hug:doll,pillow",
        "careful": "lock:door,gate,car check:list,map count:coin,ticket read:rule,menu",
        "careless": "break:cup,plate,vase spill:milk,tea,soup lose:key,ticket,wallet drop:glass,egg",
        "generous": "share:sandwich,cake,orange help:neighbor,stranger lend:umbrella,book",
        "proud": "smile polish:medal,trumpet show:medal,drawing,picture",
        "sleepy": "yawn sleep drop:book,spoon",
    }.items()
}


# where people go, and what for
_PURPOSES = """
market: buy:apple,melon,flower,potato,cheese,fish,carrot sell:apple,vegetable,carpet,flower
library: read:book,newspaper,magazine borrow:book,novel return:book,atlas study
kitchen: cook:soup,dinner,rice,egg bake:cake,bread,pie wash:cup,plate,pan peel:potato,carrot drink:water,tea
garden: plant:tree,rose,bean,bulb water:flower,rose,plant pick:flower,plum,strawberry
station: meet:friend,cousin,aunt buy:ticket,newspaper
school: learn:song,poem,word,language teach:lesson,song meet:teacher,friend
park: fly:kite feed:duck,pigeon walk play photograph:bird,flower,statue
museum: admire:painting,statue study:painting,bone,map
beach: collect:shell,stone swim build:castle
lake: catch:fish,trout swim row fish
forest: pick:mushroom,berry collect:leaf,feather cut:tree,branch camp
bakery: buy:bread,cake,muffin,pie
zoo: watch:lion,elephant,monkey photograph:tiger,giraffe,parrot
hospital: visit:friend,neighbor,doctor,grandmother
theater: watch:film,clown,dance sing dance
bookshop: buy:book,map,dictionary,postcard
pool: swim dive
field: fly:kite run gather:corn,wheat
farm: milk:cow,goat feed:hen,horse,pig ride:horse,donkey buy:egg,milk
bedroom: sleep rest read:book,letter fold:blanket,shirt
bathroom: bathe shave
garage: repair:car,bicycle,engine clean:car find:hammer,ladder
cafe: drink:coffee,tea,cocoa,lemonade eat:cake,pancake meet:friend,cousin
restaurant: eat:soup,pizza,salad,stew celebrate
church: sing:hymn light:candle ring:bell pray
yard: play chop:wood,log feed:hen,rabbit,dog sweep
hill: watch:sunset,star,cloud fly:kite rest
bridge: watch:boat,ship photograph:river,castle
supermarket: buy:rice,bread,milk,juice,egg,soap
square: dance watch:parade,clown sell:newspaper,flower
bank: count:coin borrow:money
river: catch:fish,salmon wash:shirt swim
mountain: climb ski watch:eagle
attic: find:photograph,toy,hat hide:present,letter
cellar: hide:treasure,present store:potato,apple
"""


PURPOSES = zipf(
    (
        (PLACES[place], tuple(map(_purpose, deeds.split())))
        for place, deeds in (row.split(": ") for row in _PURPOSES.split("\n")[1:-1])
    ),
    12,
)
