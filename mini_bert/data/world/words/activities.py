"""What people do: verbs with the objects, manners and places that go with them."""

from typing import NamedTuple

from mini_bert.data.world.closed import ABOUT, ACROSS, ALONG, AROUND, AT, FOR, IN, NEAR, ON, TO, UNDER, WITH
from mini_bert.data.world.lexicon import Noun, Verb, adjective, adverbs, noun, verb, zipf
from mini_bert.data.world.tree import Word, words


class Deed(NamedTuple):
    """A verb and what it is done to."""

    verb: Verb
    objects: tuple[Noun, ...]


class OwnDeed(NamedTuple):
    """A verb and what belongs to who does it: "brushed her teeth"."""

    verb: Verb
    objects: tuple[Word, ...]


_DEEDS = """
read: book letter newspaper poem magazine map story comic sign menu article novel
write: letter poem story note list song report postcard article essay
draw: picture map house horse tree face circle bridge castle portrait
paint: picture fence wall door boat portrait chair gate
clean: window floor kitchen table shoe car cage bathroom stove
wash: cup plate pan window car shirt apple carrot sock dish
carry: bag box basket bucket suitcase ladder chair lamp parcel
open: door window box gate letter bottle umbrella drawer parcel curtain
close: door window gate box book drawer curtain suitcase lid
push: cart wagon wheelchair box table door bicycle swing
pull: rope wagon sled cart door weed cord
throw: ball stone stick snowball net coin
catch: ball fish butterfly mouse frog coin
kick: ball stone bucket can
build: house bridge tower wall boat fence shelf snowman kennel nest raft
repair: bicycle roof clock chair fence engine radio bridge camera toy
fix: lamp radio car door bicycle sink fence toy
break: cup plate window vase toy glass promise lamp
buy: book hat ticket apple bread milk shirt lamp flower newspaper stamp melon
sell: apple flower car painting cow house newspaper vegetable carpet
find: coin key ring shell feather stone mushroom treasure glove path
lose: key ring glove ticket coin wallet game button
hide: coin key present letter treasure toy cookie secret
bring: present cake flower basket chair newspaper blanket lemonade
cook: soup dinner rice egg stew potato meal pasta
bake: cake bread pie cookie potato muffin
eat: apple sandwich cake soup pear cookie egg pancake salad banana bread
drink: water milk tea juice coffee lemonade cocoa
peel: apple potato orange carrot banana onion
slice: bread cheese tomato cucumber ham lemon
chop: wood onion carrot log tree
pick: flower apple berry cherry plum mushroom strawberry
plant: tree rose seed bulb bean potato bush
water: garden flower plant rose lawn
feed: hen duck cat horse baby rabbit bird goat
ride: horse bicycle pony camel donkey scooter bus
drive: car truck bus tractor taxi van
sail: boat ship raft
fly: kite plane helicopter drone
climb: tree hill ladder wall mountain rope
cross: street river bridge road square desert
visit: museum zoo castle neighbor friend market farm village aunt
watch: bird film game parade star sunset race clown
hear: song noise voice bell whistle drum cry
see: rainbow fox ship castle plane deer cloud
notice: mistake hole shadow footprint spot sign stain
sing: song lullaby hymn tune
play: game song tune melody trick
tell: story joke secret lie riddle tale
hear: story joke rumor tale
answer: question letter telephone riddle
solve: puzzle problem riddle mystery crime
study: map insect star poem painting rock
teach: lesson song game trick dance
learn: poem song word game trick dance language
count: coin sheep star page step window
collect: stamp shell coin leaf stone postcard feather
pack: suitcase bag box basket trunk backpack
fold: shirt towel letter blanket map sheet
iron: shirt dress sheet tablecloth
sew: dress button curtain pillow shirt costume
knit: sweater scarf sock mitten hat
wear: hat coat scarf dress uniform ring necklace costume sweater
choose: hat present book melon card color name
borrow: book pen ladder umbrella bicycle hammer
return: book key ladder coin umbrella jacket
send: letter postcard parcel present message invitation
receive: letter present parcel prize message invitation
invite: friend neighbor cousin guest classmate teacher
greet: neighbor guest visitor teacher friend stranger
thank: teacher nurse driver neighbor waiter doctor
help: neighbor child friend farmer stranger tourist
follow: path river rabbit footprint guide rule dog
chase: cat rabbit thief butterfly hen dog
photograph: bird castle flower sunset bridge statue
measure: table window room board wall
sweep: floor yard street stairs kitchen path
decorate: cake tree room hall table window
light: candle lamp fire lantern stove
win: race game prize medal contest match
guard: gate castle bridge treasure sheep
polish: shoe mirror ring table spoon trumpet
wrap: present parcel sandwich vase
cut: bread paper rope grass cake cloth string
dig: hole tunnel ditch well pond
fill: bucket bottle glass basket bathtub jar
empty: bucket basket bottle bag drawer
lock: door gate box drawer suitcase shop
unlock: door gate box chest car
unpack: suitcase box bag basket
tie: rope ribbon knot balloon
untie: rope knot ribbon boat
rewrite: letter essay story report
reread: book letter poem chapter
rebuild: wall bridge house barn
repaint: fence door boat room
reheat: soup tea stew pizza
reopen: shop window box bakery
refill: glass bottle bucket jar
lift: box stone suitcase child chair log
hold: rope baby candle umbrella bag rabbit
drop: plate glass spoon bag egg key
spill: milk tea soup water paint
stir: soup tea paint porridge batter
taste: soup cheese cake sauce jam
share: sandwich cake blanket umbrella secret orange
explain: rule problem joke lesson game plan
describe: picture dream house accident plan
remember: name song promise poem address
forget: name promise umbrella password address
enjoy: concert film meal picnic trip story
cancel: trip party meeting game concert
plan: trip party picnic garden surprise
finish: book meal puzzle letter race drawing
start: fire race game engine journey fight
ring: bell doorbell
rent: boat bicycle house car cabin tent
mail: letter parcel postcard
milk: cow goat
shear: sheep
tame: horse wolf fox parrot
train: dog horse dolphin parrot
pat: dog horse cat donkey
hug: child friend doll puppy pillow
rescue: kitten bird child puppy sailor
copy: sentence drawing word poem
erase: word line drawing mistake
print: photograph poster page ticket
type: letter report message
record: song interview concert
examine: coin shell painting footprint bone
admire: painting view garden dress statue
recognize: voice face song handwriting
ignore: noise rule joke warning sign
obey: rule order teacher
hammer: nail board fence
oil: hinge chain wheel engine
sharpen: pencil knife axe blade
unwrap: present parcel sandwich
unroll: carpet map rope
weigh: parcel flour melon baby
taste: berry wine honey
sketch: bridge tree castle horse
translate: letter poem sentence book
recite: poem speech verse
whistle: tune melody song
conduct: orchestra choir experiment
design: house bridge dress garden poster
test: soup boat engine bridge
protect: nest baby garden castle
hunt: deer rabbit fox
scrub: floor pot bathtub step
stack: chair box plate log
squeeze: lemon orange sponge
grate: cheese carrot
mash: potato banana
fry: egg fish onion potato
mend: sock shirt net roof
trim: hedge beard bush
row: boat canoe
steer: boat ship cart
park: car truck bicycle van
load: truck wagon ship cart
deliver: parcel letter newspaper pizza
order: pizza soup salad coffee
reserve: table room seat
criticize: plan painting film speech
praise: pupil cook drawing speech
forgive: friend brother thief
punish: thief liar
interview: singer mayor author
applaud: singer dancer clown
encourage: pupil player runner
"""
_OWN_DEEDS = """
brush: hair +tooth
wash: +hand face +foot
comb: hair
tie: +shoelace
button: coat shirt jacket
zip: jacket coat bag
pack: lunch
do: homework
finish: homework supper lunch
make: bed
warm: +hand +foot
lose: +glove scarf wallet hat
wear: hat coat scarf +boot uniform
visit: grandmother aunt uncle cousin grandfather
call: mother father sister brother friend
feed: cat dog rabbit parrot
walk: dog
ride: bicycle horse
drive: car truck
clean: room +shoe glasses desk
practice: song speech handwriting
check: watch +pocket bag list
keep: promise secret
"""


def _rows(table: str) -> list[tuple[Verb, list[str]]]:
    return [(verb(row.split(":")[0]), row.split(":")[1].split()) for row in table.split("\n")[1:-1]]


def _belonging(entry: str) -> Word:
    return noun(entry[1:]).many if entry[0] == "+" else noun(entry).one


_HAPPENINGS = """see hear notice find lose break drop spill forget remember recognize receive win catch
    ignore finish"""  # not done on purpose, or over at once: never "was noticing", never "planned to lose"
DEEDS = zipf((Deed(word, tuple(map(noun, lemmas))) for word, lemmas in _rows(_DEEDS)), 25)
ACTIVITIES = tuple(deed for deed in DEEDS if deed.verb.lemma not in _HAPPENINGS.split())
GESTURES = tuple(
    (verb(word), noun(lemma).one if lemma in ("head", "mouth", "hand") else noun(lemma).many)
    for word, lemma in (
        ("shake", "head"), ("raise", "hand"), ("close", "eye"), ("open", "eye"), ("open", "mouth"), ("fold", "arm"),
        ("nod", "head"), ("scratch", "head"), ("rub", "eye"), ("shrug", "shoulder"),
    )
)  # fmt: skip
OWN_DEEDS = zipf((OwnDeed(word, tuple(map(_belonging, entries))) for word, entries in _rows(_OWN_DEEDS)), 20)
ONE_AT_A_TIME = frozenset(verb(lemma) for lemma in words("wear drive fly ride sail start hug"))


class Doing(NamedTuple):
    """An intransitive verb with manners and, for some, a preposition with nouns."""

    verb: Verb
    manners: tuple[Word, ...]
    preposition: Word | None
    nouns: tuple[Noun, ...]


_DOINGS = """
sleep: soundly deeply peacefully quietly
rest: quietly calmly | UNDER tree
work: hard quietly slowly carefully | IN garden office kitchen
play: happily quietly noisily | IN garden park yard
laugh: loudly happily | AT joke trick clown
sing: loudly softly beautifully | IN choir
dance: gracefully happily wildly | AROUND fire table
swim: slowly quickly | ACROSS lake river pool
run: quickly fast | ACROSS field yard bridge
walk: slowly quickly quietly | ALONG river path beach road
wait: patiently quietly nervously | FOR bus train doctor taxi letter
sit: quietly calmly silently | ON bench chair grass sofa wall
stand: silently proudly nervously | NEAR window door gate
listen: carefully quietly closely | TO radio music teacher story
talk: quietly loudly politely | ABOUT weather game trip film
whisper: softly secretly quietly
shout: loudly angrily
wait: calmly politely | AT station corner door
look: carefully closely curiously | AT picture map clock moon
point: politely proudly | AT map bird castle
hurry: nervously quickly | TO station school market
kneel: slowly carefully | ON floor
travel: slowly happily | TO city island village
cough: loudly badly
sneeze: loudly suddenly
yawn: loudly sleepily
stumble: clumsily suddenly
jog: slowly regularly | AROUND lake park
fish: patiently quietly | AT lake river
camp: happily quietly | NEAR lake river forest
skate: gracefully slowly | ON pond rink
hike: slowly happily | ACROSS valley hill
wander: slowly aimlessly | ALONG beach street shore
think: hard carefully | ABOUT problem plan answer question
dream: happily secretly | ABOUT castle ocean adventure journey
chat: cheerfully happily | WITH neighbor friend cousin
argue: loudly angrily | WITH neighbor brother sister
kneel: quietly | NEAR fire
wave: cheerfully wildly | TO neighbor driver crowd
smile: kindly warmly shyly | AT baby stranger teacher
nod: politely slowly
paint: beautifully carefully
study: hard carefully | FOR test exam
shop: quickly carefully | AT market bakery
stay: quietly happily | AT inn hotel
"""
_PREPOSITIONS = {"ABOUT": ABOUT, "ACROSS": ACROSS, "ALONG": ALONG, "AROUND": AROUND, "AT": AT, "FOR": FOR,
                 "IN": IN, "NEAR": NEAR, "ON": ON, "TO": TO, "UNDER": UNDER, "WITH": WITH}  # fmt: skip


def _doing(row: str) -> Doing:
    word, rest = row.split(":")
    manners, _, where = rest.partition("|")
    preposition, *lemmas = where.split() or [""]
    return Doing(
        verb(word), adverbs(manners), _PREPOSITIONS.get(preposition), tuple(noun(lemma) for lemma in lemmas)
    )


DOINGS = zipf(map(_doing, _DOINGS.split("\n")[1:-1]), 20)
CALM_MANNERS = zipf(
    (
        adjective(lemma).adverb
        for lemma in words("""quick slow careful quiet happy calm patient eager proud gentle polite secret nervous
        sad angry clumsy skillful cheerful silent neat brave quick gradual""")
    ),
    6,
)
