"""Single sentences about how many and how much, which one of several, and the other one."""

from mini_bert.data.world import closed as c
from mini_bert.data.world.cast import Being
from mini_bert.data.world.clauses import (
    FULL_NOT,
    SHORT_NOT,
    be,
    clause,
    joined,
    there,
)
from mini_bert.data.world.lexicon import (
    noun,
    nouns,
    verb,
    verbs,
)
from mini_bert.data.world.phrases import (
    count,
    det,
    headed,
    nmod,
    obl,
    of,
    the,
)
from mini_bert.data.world.scenes.nominals import describe, kind_of, member, number, place_of
from mini_bert.data.world.teller import Teller
from mini_bert.data.world.tree import ARE, Part, Phrase, Word, after, before, words
from mini_bert.data.world.words.things import (
    COLOUR_WORDS,
)


def not_much(t: Teller, who: Being, other: Being) -> None:
    """ "There was not much milk in the bottle": how much is not how many."""
    what, where = t.pick(CONTENTS)
    mass = what.mass
    amount = Phrase(what.one if mass else what.many, (("amod", c.MUCH if mass else c.MANY),))
    polarity = t.pick((FULL_NOT, SHORT_NOT))
    if t.random() < 0.5:
        tree = there(amount, t.now, obl(c.IN, the(where.one)), polarity=polarity)
    else:
        tree = clause(
            t.subj(who), verb("have"), t.now, ("obj", amount), obl(c.IN, the(where.one)), polarity=polarity
        )
    t.say(tree, "much or many")


CONTENTS = tuple(
    (noun(what), noun(where))
    for what, where in (
        pair.split(":")
        for pair in words("""milk:bottle water:bucket bread:basket sugar:jar honey:jar rice:bag money:purse coin:box
        apple:basket snow:garden grass:field book:bag egg:bowl tea:cup soup:pot button:drawer stamp:album flour:sack
        juice:glass candle:drawer letter:box flower:vase paper:drawer cookie:jar""")
    )
)


MOST = Word("most", "ADJ", "most", "Degree=Sup")
NONE, HALF = Word("none", "PRON", agr=ARE), Word("half", "NOUN", agr=ARE)
SINGULAR = (c.EVERY, c.EACH, c.NO, c.ANOTHER)
PLURAL = (c.ALL, c.SOME, c.BOTH)
AMOUNTS = (c.MANY, c.FEW, c.SEVERAL, MOST)
PARTS: tuple[Part, ...] = (NONE, HALF, c.EITHER, c.NEITHER, *c.NUMBER_WORDS[1:5])


def quantified(t: Teller, who: Being, other: Being) -> None:
    """Every, each, all, most, few, no, one of, half of: which are singular and which plural."""
    kind = kind_of(t)
    head = member(t, kind)
    where = ("nmod", place_of(t, kind))
    subject: Part
    roll = t.roll(4)
    if head.pair:
        subject = the(head.many)
    elif roll == 0:
        subject = det(t.pick(SINGULAR), head.one)
    elif roll == 1:
        subject = det(t.pick(PLURAL), head.many)
    elif roll == 2:
        subject = headed(("amod", t.pick(AMOUNTS)), head.many)
    else:
        subject = of(t.pick(PARTS), the(head.many))
    t.say(describe(t, kind, after(subject, where), placed=True), "quantifier")


def hundreds(t: Teller, who: Being, other: Being) -> None:
    """ "There were two hundred books in the library." """
    thing, place = t.pick(MULTITUDES)
    scale = Phrase(
        c.HUNDRED if t.random() < 0.6 else c.THOUSAND, (("compound", t.pick(c.NUMBER_WORDS[2:10])),)
    )
    how_many: Part = t.pick(c.TENS) if t.random() < 0.3 else scale
    if t.random() < 0.3:
        how_many = before(how_many, ("advmod", c.ALMOST))
    t.say(
        there(count(how_many, thing.many), t.now, obl(c.IN, the(place.one)), front=t.later(0.3)), "hundreds"
    )


MULTITUDES = tuple(
    (noun(what), noun(where))
    for what, where in (
        pair.split(":")
        for pair in words("""book:library tree:forest child:school fish:lake star:sky house:village person:street
        flower:garden sheep:valley boat:harbor painting:museum animal:zoo ant:anthill bee:hive seat:theater bed:hospital
        coin:bank""")
    )
)


def ranking(t: Teller, who: Being, other: Being) -> None:
    """ "Anna was the third child in the family." """
    member_, group = t.pick(RANKS)
    title = after(the(member_.one, t.pick(c.ORDINALS)), nmod(c.IN, the(group.one)))
    t.say(be(t.subj(who), title, t.now), "ranking")


RANKS = tuple(
    (noun(one), noun(group))
    for one, group in (
        pair.split(":")
        for pair in words(
            "child:family runner:race student:class singer:choir player:team guest:line pupil:school"
        )
    )
)


def other_one(t: Teller, who: Being, other: Being) -> None:
    """ "Anna bought the red hat, but Tom bought the blue one." """
    kind = t.pick(("clothing", "toy", "container", "household"))
    head = number(t, member(t, kind))
    first, second = t.fresh(COLOUR_WORDS), t.fresh(COLOUR_WORDS)
    word = t.pick(
        verbs("buy want like choose take prefer wear" if kind == "clothing" else "buy want like choose take")
    )
    one = clause(t.named_subj(who), word, t.now, ("obj", the(head, first)))
    pronoun = c.ONES_NOUN if head.agr == ARE else c.ONE_NOUN
    two = clause(t.named_subj(other), word, t.now, ("obj", the(pronoun, second)))
    t.say(joined(one, two, t.pick((c.BUT, c.AND))), "the other one")


def same_thing(t: Teller, who: Being, other: Being) -> None:
    """ "Anna and Tom had the same hat." """
    word, what = t.pick(SHARED)
    t.say(clause(t.subj(t.pair(who, other)), word, t.now, ("obj", the(t.pick(what).one, c.SAME))), "the same")


SHARED = (
    (verb("have"), nouns("teacher hat birthday name idea dream uncle doctor")),
    (verb("like"), nouns("book song game color story film dance cake")),
    (verb("visit"), nouns("school museum library doctor farm island")),
    (verb("tell"), nouns("story joke secret lie tale")),
    (verb("buy"), nouns("book hat lamp map coat toy melon")),
)
QUANTITIES = (quantified, quantified, not_much, hundreds, ranking, other_one, same_thing)
