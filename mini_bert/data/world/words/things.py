"""Things, by class, with the adjectives that suit each class, and of what they are made."""

from mini_bert.data.world.closed import ABOVE, AT, BEHIND, BESIDE, IN, INSIDE, NEAR, ON, OUTSIDE, UNDER
from mini_bert.data.world.lexicon import Noun, adjectives, noun, nouns, zipf
from mini_bert.data.world.tree import Word, words

_THINGS = {
    "toy": """ball doll kite puzzle robot balloon drum marble puppet sled scooter whistle skateboard top rattle
        slingshot windmill trampoline hoop""",
    "clothing": """hat coat scarf shirt dress jacket sweater cap skirt belt glove shoe boot sock mitten apron
        vest raincoat sandal slipper cape trousers pajamas shorts jeans uniform costume blouse bonnet robe suit
        tie overalls hood swimsuit""",
    "reading": """book letter map notebook magazine newspaper diary postcard comic dictionary atlas album leaflet
        calendar cookbook textbook scroll""",
    "instrument": "guitar piano violin flute trumpet harp cello banjo accordion clarinet trombone saxophone tuba",
    "jewel": "ring necklace watch bracelet medal brooch pearl crown locket diamond ruby earring",
    "container": """bag basket box bucket jar bottle suitcase backpack purse chest barrel sack crate wallet trunk
        envelope bathtub tray carton pouch flask""",
    "tool": """hammer saw shovel rake brush knife scissors needle axe rope ladder broom wrench drill spade net
        pliers screwdriver chisel sickle wheelbarrow mop anchor magnet""",
    "household": """lamp candle clock mirror pillow blanket towel comb umbrella key vase carpet curtain cup plate
        bowl spoon fork pan pot kettle mug bell lantern cushion teapot fan toaster napkin ladle sponge tablecloth
        mattress quilt saucer hanger doorbell""",
    "furniture": """table chair bed sofa desk shelf bench cupboard wardrobe stool cradle bookshelf armchair hammock
        dresser cabinet""",
    "vehicle": """car bus train bicycle boat truck plane ship tractor wagon cart taxi van canoe helicopter motorcycle
        ferry ambulance sailboat tram yacht submarine tricycle carriage""",
    "device": "camera radio telephone computer television telescope printer calculator flashlight microphone battery",
    "part": "door window roof wall floor gate fence chimney balcony staircase ceiling doorway",
    "nature": "tree flower rock bush stone branch leaf star cloud hill log stump puddle twig pebble feather shell",
    "plant": """rose tulip daisy oak pine fern lily sunflower willow ivy cactus daffodil violet orchid maple birch
        poppy hedge vine lavender""",
    "school": "pencil pen ruler eraser crayon blackboard schoolbag poster globe marker stapler paintbrush",
    "art": "painting statue photograph drawing picture portrait sculpture sketch mask mosaic",
}
THINGS = {kind: nouns(lemmas) for kind, lemmas in _THINGS.items()}
_OTHERS = {
    "food": """apple pear orange plum cherry peach strawberry grape lemon fig banana melon mango carrot potato
        tomato onion cucumber pumpkin radish turnip mushroom berry bean soup stew salad pie pizza sandwich
        omelet pancake curry pasta cake cookie muffin pudding bread cheese egg sausage meal""",
    "drink": "water milk tea coffee juice lemonade cocoa",
    "idea": """story poem song game joke secret question problem riddle trick plan trip party picnic concert
        film lesson report essay article message dream rule dance contest journey adventure surprise
        speech novel tune melody tale mystery interview""",
    "person": """neighbor friend guest visitor stranger tourist farmer teacher nurse driver waiter doctor child
        sailor thief baby cousin classmate man woman boy girl student pupil""",
    "animal": """dog cat horse goat hen duck rabbit bird fox deer mouse frog parrot kitten puppy pony donkey
        camel cow sheep butterfly""",
    "place": "house bridge castle tower farm village museum garden park school market cottage city",
}
CLASS_OF = {thing: kind for kind, lemmas in (_THINGS | _OTHERS).items() for thing in nouns(lemmas)}

COLOURS = zipf(adjectives("red blue green yellow white black brown orange purple pink gray golden silver"), 5)

_SUITING = {
    "toy": "new old red blue small wooden big bright funny green yellow shiny simple colorful cheap expensive",
    "clothing": """new old warm red blue clean dirty black white green torn pretty gray soft striped elegant thick
        comfortable loose tight fancy fashionable woolen""",
    "reading": """old thick thin new interesting boring long short heavy dusty famous useful popular rare funny
        ancient valuable""",
    "instrument": "old new expensive wooden shiny beautiful loud rare heavy famous",
    "jewel": "golden silver small expensive beautiful old shiny precious tiny lovely rare bright valuable",
    "container": "big small heavy empty full old strong round square large light deep sturdy dusty dented",
    "tool": "sharp heavy old new long rusty strong useful small blunt handy sturdy light",
    "household": """old new clean small big blue white round pretty cheap dusty soft large modern plain spotless
        delicate antique""",
    "furniture": "old wooden big small round comfortable heavy long new low large narrow strong sturdy antique creaky",
    "vehicle": "old new fast slow red big yellow noisy small white crowded empty modern rusty comfortable powerful",
    "device": "new old expensive useful modern small heavy cheap handy noisy powerful",
    "part": "old wooden high low red white open broken wide narrow large heavy thick dirty",
    "nature": "big small old white huge round gray bright beautiful strange enormous",
    "plant": "tall small red white beautiful old yellow fresh wild pink lovely dry healthy delicate fragrant",
    "school": "new short long sharp red colorful blue small cheap useful",
    "art": "famous old beautiful strange large colorful ugly valuable modern small mysterious priceless",
    "food": "fresh ripe sweet big small delicious warm tasty cold soft large juicy crisp healthy",
    "drink": "cold hot fresh warm sweet",
    "person": """tall old young kind friendly quiet busy strange polite tired happy clever rich poor shy cheerful
        nervous talkative elegant lonely famous curious serious""",
    "animal": "small big old young black white brown hungry fat quick gray noisy friendly wild gentle clever sleepy",
    "idea": "good new strange clever simple funny great silly wonderful difficult easy important long short",
    "place": "old big small quiet new large crowded famous empty beautiful clean narrow wide",
}
SUITING = {kind: zipf((a.plain for a in adjectives(words)), 5) for kind, words in _SUITING.items()}

NOT_GRADABLE = frozenset(
    word.plain
    for word in adjectives(
        """red blue green yellow white black brown orange purple pink gray golden silver wooden empty full open
        broken striped modern wonderful delicious huge torn tiny precious square"""
    )
)
PEOPLE_SPOTS = tuple(
    (preposition, noun(lemma))
    for preposition, lemmas in (
        (NEAR, "window door gate fountain stove bus tree bridge"),
        (ON, "bench chair sofa bridge stool balcony stage"),
        (AT, "table window door counter desk gate"),
        (BEHIND, "counter desk fence tree car"),
        (BESIDE, "river piano fountain lamp road"),
        (IN, "room car boat bus tent garden"),
        (OUTSIDE, "shop school station house bakery tent"),
        (INSIDE, "tent bus shop castle boat"),
    )
    for lemma in lemmas.split()
)

# What a child may own, lose, find and give away: it can be held in the hands.
PORTABLE = zipf(
    nouns(
        """
        ball book hat kite doll bag coat watch map key drum scarf ring basket cup umbrella lamp box puzzle
        letter bell camera blanket robot necklace knife guitar notebook sweater mirror pencil balloon shoe
        whistle bracelet bottle hammer comb jacket vase medal mug puppet pillow lantern violin flute brush
        candle backpack glove purse radio clock marble cap shovel diary sled pen flashlight locket album
        scissors teapot rope boot jar bucket telescope brooch trumpet sandal ruler crayon scooter compass
        wallet cushion plate bowl fan atlas photograph painting postcard net dress belt
        """
    ),
    10,
)
_COLOURLESS = frozenset(
    words("letter map diary photograph painting postcard mirror scissors compass album atlas")
)
MATERIALS = {
    "knife": "steel", "ring": "gold", "mirror": "glass", "candle": "wax", "sweater": "wool", "pot": "clay",
    "window": "glass", "bottle": "glass", "table": "wood", "book": "paper", "shoe": "leather", "tire": "rubber",
    "shirt": "cotton", "bridge": "stone", "coin": "silver", "kite": "paper", "nail": "iron", "trumpet": "brass",
    "scarf": "silk", "box": "cardboard", "statue": "marble", "bucket": "plastic", "wire": "copper",
    "violin": "wood", "brick": "clay", "raft": "bamboo", "saddle": "leather", "lens": "glass",
}  # fmt: skip


def looks(thing: Noun) -> tuple[Word, ...]:
    """Adjectives that may tell one such thing from another."""
    if thing.lemma in _COLOURLESS:
        return SUITING[CLASS_OF.get(thing, "tool")]
    return COLOUR_WORDS


def suiting(thing: Noun) -> tuple[Word, ...]:
    """Adjectives that one may say of it, or none."""
    kind = CLASS_OF.get(thing)
    return () if kind is None else SUITING[kind]


COLOUR_WORDS = tuple(colour.plain for colour in COLOURS)

# Spots where a thing may lie or a small animal may sit: a preposition and a noun.
INDOOR_SPOTS = tuple(
    (preposition, noun(lemma))
    for preposition, lemmas in (
        (ON, "table chair bed shelf desk floor sofa windowsill bench carpet stool"),
        (UNDER, "table bed sofa chair blanket desk pillow carpet bench cupboard"),
        (BEHIND, "door curtain sofa cupboard clock mirror wardrobe"),
        (IN, "drawer cupboard box basket bag wardrobe chest bucket suitcase jar"),
        (BESIDE, "bed lamp window stove mirror door piano"),
        (NEAR, "window door fireplace stove piano staircase"),
        (ABOVE, "door fireplace stove bed piano desk"),
        (INSIDE, "cupboard trunk wardrobe basket chest"),
    )
    for lemma in lemmas.split()
)
OUTDOOR_SPOTS = tuple(
    (preposition, noun(lemma))
    for preposition, lemmas in (
        (UNDER, "tree bench bush bridge wagon log"),
        (BEHIND, "fence tree wall rock gate shed bush barn well"),
        (ON, "bench wall rock grass fence roof stump path"),
        (NEAR, "gate tree fountain fence well rock pond"),
        (BESIDE, "path river fountain road well puddle"),
        (IN, "grass mud bush puddle sand"),
    )
    for lemma in lemmas.split()
)

# part:whole
PARTS = tuple(
    pair.split(":")
    for pair in words("""
    wheel:bicycle page:book sail:boat petal:flower branch:tree sleeve:shirt strap:bag blade:knife wing:bird
    fin:fish hoof:horse trunk:elephant mane:lion beak:bird finger:hand toe:foot lens:camera engine:car
    chimney:house drawer:desk string:violin pedal:piano handle:cup lid:pot hand:clock rung:ladder
    roof:house hinge:door crust:pie peel:orange hump:camel stinger:bee antler:deer tusk:walrus pouch:kangaroo
    anchor:ship propeller:plane keyboard:computer collar:coat cork:bottle wick:candle
    """)
)

# tool:what people do with it
USES = tuple(
    triple.split(":")
    for triple in words("""
    knife:cut:bread broom:sweep:floor needle:sew:clothes key:open:door shovel:dig:holes pen:write:letters
    brush:paint:walls hammer:drive:nails scissors:cut:paper oven:bake:cakes kettle:boil:water spoon:eat:soup
    net:catch:fish saw:cut:wood telescope:watch:stars camera:take:pictures towel:dry:hands comb:tidy:hair
    ladder:reach:roofs soap:wash:hands rake:gather:leaves thermometer:measure:heat ruler:measure:lines
    compass:find:directions lamp:light:rooms mop:clean:floors iron:press:shirts axe:chop:wood cup:drink:tea
    """)
)
