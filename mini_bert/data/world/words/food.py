"""Food and drink, with the colours of fruit and the tastes of dishes."""

from mini_bert.data.world.lexicon import adjectives, noun, nouns, verbs, zipf
from mini_bert.data.world.tree import words

# fruit or vegetable: colour, and on or in what it grows
PRODUCE = tuple(
    (noun(lemma), colour, plant)
    for lemma, colour, plant in (
        entry.split(":")
        for entry in words("""
        apple:red:tree banana:yellow:tree pear:green:tree plum:purple:tree lemon:yellow:tree
        orange:orange:tree lime:green:tree cherry:red:tree peach:pink:tree apricot:orange:tree
        coconut:brown:palm date:brown:palm grape:purple:vine tomato:red:vine strawberry:red:ground
        raspberry:red:bush blueberry:blue:bush blackberry:black:bush cucumber:green:vine
        pumpkin:orange:vine carrot:orange:ground potato:brown:ground radish:red:ground turnip:white:ground
        onion:white:ground eggplant:purple:bush pea:green:vine olive:green:tree chestnut:brown:tree
        cauliflower:white:ground fig:purple:tree
        """)
    )
)
FRUITS = zipf(
    nouns(
        """apple banana pear orange plum cherry peach strawberry grape lemon fig apricot blueberry raspberry
        coconut lime melon mango pineapple"""
    ),
    4,
)
VEGETABLES = zipf(
    nouns("carrot potato tomato onion pea bean cucumber pumpkin radish turnip mushroom beet pepper"), 4
)
DISHES = zipf(
    nouns("soup stew salad pie pizza sandwich omelet pancake curry pasta noodle dumpling burger roast"), 4
)
SWEETS = zipf(nouns("cake cookie pie candy muffin pudding waffle tart biscuit doughnut lollipop"), 4)
DRINKS = zipf(nouns("water milk tea coffee juice lemonade cocoa"), 3)
GOOD_TASTES = adjectives("delicious tasty sweet fresh wonderful perfect excellent")
BAD_TASTES = adjectives("salty bitter sour burnt terrible awful cold bland")
MEALS = nouns("breakfast lunch dinner supper")
KITCHEN_VERBS = verbs("cook prepare make serve")
INGREDIENTS = zipf(
    nouns("flour sugar salt butter milk egg oil cream garlic onion pepper lemon cheese rice"), 5
)
