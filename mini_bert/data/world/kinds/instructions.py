"""How to do things: recipes and other instructions, in the imperative, step by step."""

from typing import NamedTuple

from mini_bert.data.world import closed as c
from mini_bert.data.world.clauses import (
    CAN,
    FULL_NOT,
    MUST,
    PRES,
    SHORT_NOT,
    base,
    be,
    clause,
    command,
    fronted,
    ing,
    to,
    when,
)
from mini_bert.data.world.gold import POSITIVE
from mini_bert.data.world.lexicon import Noun, Verb, adjective, adverb, adverbs, noun, nouns, verb, zipf
from mini_bert.data.world.phrases import a, a_or_bare, both, count, listed, obl, the
from mini_bert.data.world.scenes.home import amount
from mini_bert.data.world.teller import Teller
from mini_bert.data.world.tree import Dep, Deps, Phrase, Word, words
from mini_bert.data.world.words.food import INGREDIENTS, VEGETABLES

DISHES = nouns("soup stew omelet curry pizza pie roast pasta")
FIRST = (("advmod", adverb("first")), ("punct", c.COMMA))
THEN = tuple((("advmod", adverb(word)), ("punct", c.COMMA)) for word in ("then", "next", "now", "later"))
LAST = (("advmod", adverb("finally")), ("punct", c.COMMA))
CAREFULLY = adverbs("carefully slowly gently quickly")
MINUTES, HOURS = noun("minute").many, noun("hour").many
PREPARING = tuple(map(verb, words("wash peel cut slice chop cook boil")))
ADDING = tuple(map(verb, words("add stir mix measure")))
YOU, NEED = c.YOU.nominative, verb("need")


def step(t: Teller) -> Deps:
    """The word that orders a step, if any."""
    return t.pick(THEN) if t.random() < 0.5 else ()


def some_time(t: Teller) -> Dep:
    if t.random() < 0.8:
        return obl(c.FOR, count(t.pick((*c.NUMBER_WORDS[5:21:5], *c.TENS[:4])), MINUTES))
    return obl(c.FOR, count(t.pick(c.NUMBER_WORDS[2:5]), HOURS))


def the_amount(ingredient: Noun) -> Phrase:
    return the(ingredient.one if ingredient.mass else ingredient.many)


def recipe(t: Teller) -> None:
    t.narrate(past=False)
    dish = t.pick(DISHES)
    vegetable, second = t.fresh(VEGETABLES), t.fresh(VEGETABLES)
    spices = [t.fresh(INGREDIENTS) for _ in range(2)]
    needs = listed(*(amount(t, ingredient, several=True) for ingredient in (vegetable, second, *spices)))
    goal = fronted(to(verb("make"), ("obj", a_or_bare(dish))))
    t.say(clause(YOU, NEED, PRES, ("obj", needs), front=goal), "recipe: needs")
    tool = obl(c.WITH, a(noun("knife").one, adjective(t.pick(("sharp", "small", "long"))).plain))
    first = command(
        t.pick(PREPARING), ("obj", the_amount(vegetable)), ("advmod", t.pick(CAREFULLY)), front=FIRST
    )
    t.say(first, "recipe: first")
    t.say(
        command(verb(t.pick(("cut", "slice", "chop"))), ("obj", the_amount(second)), tool, front=step(t)),
        "recipe: cut",
    )
    if t.random() < 0.7:
        pot = obl(
            c.INTO,
            a(noun(t.pick(("pot", "pan", "bowl"))).one, adjective(t.pick(("big", "hot", "clean"))).plain),
        )
        what = both(the_amount(vegetable), the_amount(second))
        t.say(command(verb("put"), ("obj", what), pot, front=step(t)), "recipe: put")
    t.say(command(t.pick(ADDING[:2]), ("obj", the_amount(spices[0])), front=step(t)), "recipe: add")
    if t.random() < 0.6:
        hot = fronted(
            when(c.WHEN, be(the(dish.one), adjective(t.pick(("hot", "ready", "soft"))).plain, PRES))
        )
        t.say(command(verb("add"), ("obj", the_amount(spices[1])), front=hot), "recipe: when hot")
    else:
        t.say(
            command(verb("forget"), ("obj", the_amount(spices[1])), polarity=t.pick((FULL_NOT, SHORT_NOT))),
            "recipe: do not forget",
        )
    t.say(command(verb("cook"), ("obj", c.EVERYTHING), some_time(t), front=step(t)), "recipe: cook")
    bread = obl(c.WITH, t.pick(SIDES).one)
    t.say(command(verb(t.pick(("serve", "eat"))), ("obj", the(dish.one)), bread, front=LAST), "recipe: serve")
    if t.random() < 0.4:
        best = adjective(t.pick(("delicious", "tasty", "perfect", "wonderful"))).plain
        t.say(
            be(the(dish.one), best, PRES, obl(c.ON, a(noun("day").one, adjective("cold").plain))),
            "recipe: delicious",
            POSITIVE,
        )


SIDES = nouns("bread rice cheese butter salad milk tea")


class Task(NamedTuple):
    """A goal, what it needs, and steps: (verb, object, preposition, second object)."""

    goal: tuple[Verb, Noun]
    tools: tuple[Noun, ...]
    steps: tuple[tuple[Verb, Noun, Word | None, Noun | None], ...]


_TASKS = """
plant:tree | shovel bucket water | dig:hole put:tree>into:hole cover:root>with:soil water:tree pull:weed
wash:dog | soap towel bucket | fill:bucket>with:water wash:ear brush:fur>with:brush dry:dog>with:towel
wrap:present | paper ribbon scissors | measure:box cut:paper>with:scissors fold:paper tie:ribbon>around:box
paint:wall | brush bucket ladder | clean:wall open:window mix:paint>with:stick paint:corner dry:brush>with:cloth
pack:suitcase | shirt towel map | fold:shirt put:shoe>into:bag roll:sock close:suitcase lock:suitcase
build:snowman | snow carrot hat | roll:ball put:head>on:body use:carrot>for:nose find:stone>for:eye put:hat>on:head
clean:room | broom bucket cloth | open:window fold:blanket sweep:floor>with:broom wipe:table>with:cloth empty:basket
repair:bicycle | wrench oil pump | turn:bicycle remove:wheel clean:chain>with:cloth oil:chain check:brake pump:tire
send:letter | envelope stamp pen | write:letter>with:pen fold:paper put:letter>into:envelope buy:stamp
make:kite | paper stick string | cut:paper>with:knife tie:stick>with:string glue:paper>to:stick paint:tail hold:string
grow:tomato | seed pot soil | fill:pot>with:soil plant:seed water:soil turn:pot>to:sun pick:tomato
feed:horse | hay bucket apple | open:stable fill:bucket>with:water carry:hay>to:stable offer:apple>to:horse close:gate
light:fire | wood match paper | gather:wood break:stick fold:paper build:tower>with:wood strike:match watch:flame
bake:bread | flour water oven | mix:flour>with:water knead:dough shape:loaf heat:oven cover:dough>with:cloth
catch:fish | rod worm boat | row:boat>to:lake tie:hook>to:line throw:line>into:water hold:rod pull:line
"""
_PREPOSITIONS = {"into": c.INTO, "with": c.WITH, "on": c.ON, "to": c.TO, "around": c.AROUND, "for": c.FOR}


def _step(entry: str) -> tuple[Verb, Noun, Word | None, Noun | None]:
    main, _, rest = entry.partition(">")
    word, what = main.split(":")
    if not rest:
        return verb(word), noun(what), None, None
    preposition, target = rest.split(":")
    return verb(word), noun(what), _PREPOSITIONS[preposition], noun(target)


def _task(row: str) -> Task:
    goal, tools, steps = row.split(" | ")
    word, what = goal.split(":")
    return Task((verb(word), noun(what)), nouns(tools), tuple(map(_step, steps.split())))


TASKS = tuple(map(_task, _TASKS.split("\n")[1:-1]))


def a_step(t: Teller, step_: tuple[Verb, Noun, Word | None, Noun | None], front: Deps) -> Phrase:
    word, what, preposition, target = step_
    right: Deps = (("obj", the(what.many if what.pair else what.one)),)
    if preposition is not None and target is not None:
        right = (*right, obl(preposition, the(target.many if target.pair else target.one)))
    if t.random() < 0.45:
        right = (*right, ("advmod", t.pick(CAREFULLY)))
    elif t.random() < 0.2:
        right = (*right, some_time(t))
    return command(word, *right, front=front)


def manual(t: Teller) -> None:
    """Steps towards a goal, with a warning and a reason."""
    t.narrate(past=False)
    task = t.pick(TASKS)
    word, goal = task.goal
    needs = listed(*(a_or_bare(tool) for tool in task.tools))
    t.say(
        clause(YOU, NEED, PRES, ("obj", needs), front=fronted(to(word, ("obj", a_or_bare(goal))))),
        "manual: needs",
    )
    steps = [one for one in task.steps if t.random() < 0.85]
    for number, one in enumerate(steps):
        front = FIRST if number == 0 else LAST if number == len(steps) - 1 else step(t)
        t.say(a_step(t, one, front), "manual: step")
        if t.random() < 0.35:
            warning(t, t.pick(task.steps))
    if t.random() < 0.5:
        helper = t.pick(HELPERS).one
        t.say(
            clause(
                a(helper),
                verb("help"),
                CAN,
                ("obj", c.YOU.objective),
                ("xcomp", base(word, ("obj", a_or_bare(goal)))),
            ),
            "manual: helper",
        )
    while len(t.sentences) < 6:
        warning(t, t.pick(task.steps))


HELPERS = zipf(nouns("friend neighbor parent teacher brother sister"))
CARELESS = tuple(adjective(w).plain for w in words("careful patient gentle quick quiet"))


def warning(t: Teller, one: tuple[Verb, Noun, Word | None, Noun | None]) -> None:
    """What to mind while doing it."""
    word, what, preposition, target = one
    right: Deps = (("obj", the(what.many if what.pair else what.one)),)
    if preposition is not None and target is not None:
        right = (*right, obl(preposition, the(target.many if target.pair else target.one)))
    roll = t.roll(3)
    if roll == 0:
        when_doing = fronted(when(c.WHEN, clause(YOU, word, PRES, *right)))
        t.say(be(YOU, t.pick(CARELESS), MUST, front=when_doing), "manual: be careful")
    elif roll == 1:
        t.say(
            command(verb("forget"), ("xcomp", to(word, *right)), polarity=t.pick((FULL_NOT, SHORT_NOT))),
            "manual: do not forget",
        )
    else:
        before = ing(word, *right, mark=c.BEFORE)
        t.say(command(verb("wait"), some_time(t), ("advcl", before)), "manual: wait before")
