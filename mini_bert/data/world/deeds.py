"""What somebody does: a verb with its object and adjuncts, ready for any clause."""

from mini_bert.data.world.cast import Being
from mini_bert.data.world.closed import ABOUT, ANY, FROM, MANY, NUMBER_WORDS, SEVERAL, SOME
from mini_bert.data.world.lexicon import Noun, Verb, nouns, zipf
from mini_bert.data.world.phrases import a, bare, count, det, headed, obl, owned, pp, the
from mini_bert.data.world.teller import Teller
from mini_bert.data.world.times import EXTRAS
from mini_bert.data.world.tree import Deps, Part, Word, after
from mini_bert.data.world.words.activities import (
    ACTIVITIES,
    CALM_MANNERS,
    DEEDS,
    DOINGS,
    ONE_AT_A_TIME,
    OWN_DEEDS,
)
from mini_bert.data.world.words.places import TOWNS
from mini_bert.data.world.words.things import CLASS_OF, suiting

VerbPhrase = tuple[Verb, Deps]
SMALL_NUMBERS = (*NUMBER_WORDS[2:5], *NUMBER_WORDS[2:4], *NUMBER_WORDS[2:8], *NUMBER_WORDS[2:13])


def some(
    t: Teller, noun: Noun, *, single: bool = False, habitual: bool = False, negative: bool = False
) -> Part:
    """A noun phrase that speaks of such a thing for the first and last time.

    Habits are about kinds ("reads books"); under a negation "some" is "any".
    """
    pool = suiting(noun)
    modifiers: tuple[Part, ...] = (t.pick(pool),) if pool and t.random() < 0.4 else ()
    phrase = _determined(t, noun, modifiers, ANY if negative else SOME, single=single, habitual=habitual)
    if habitual or t.random() > 0.3:
        return phrase
    detail = _detail(t, noun)
    return phrase if detail is None else after(phrase, ("nmod", detail))


def _determined(
    t: Teller, noun: Noun, modifiers: tuple[Part, ...], partitive: Word, *, single: bool, habitual: bool
) -> Part:
    chance = t.random()
    if noun.mass:
        if habitual:
            return bare(noun.one, *modifiers)
        return det(partitive, noun.one, *modifiers) if chance < 0.5 else the(noun.one, *modifiers)
    if noun.pair or (chance < 0.35 and not modifiers and not habitual):
        return the(noun.many if noun.pair else noun.one, *modifiers)
    if habitual and chance < 0.8:
        return bare(noun.many, *modifiers)
    if chance < 0.75 or single or habitual:
        return a(noun.one, *modifiers)
    if chance < 0.86:
        return count(t.pick(SMALL_NUMBERS), noun.many, *modifiers)
    if chance < 0.92:
        return det(partitive, noun.many, *modifiers)
    if chance < 0.96:
        return headed(("amod", t.pick((MANY, SEVERAL))), noun.many, *modifiers)
    return bare(noun.many, *modifiers)


TOPICAL = frozenset(
    nouns(
        """book magazine letter comic postcard story poem song joke film report essay article novel tale speech dream
        lesson question riddle"""
    )
)
TOPICS = zipf(nouns("animal bird horse king ship star flower mountain friend city dog war summer ocean game"))


def _detail(t: Teller, noun: Noun) -> Part | None:
    """Where a thing is from or what it is about."""
    kind = CLASS_OF.get(noun)
    if noun in TOPICAL:
        topic = t.pick(TOPICS)
        return pp(ABOUT, topic.many if topic.lemma not in ("summer", "war") else topic.one)
    if kind in ("person", "animal"):
        return pp(FROM, t.pick(TOWNS))
    if kind in ("food", "drink", "plant"):
        return pp(FROM, the(t.pick(SOURCES).one))
    if kind in ("toy", "clothing", "household", "tool", "container", "jewel", "instrument"):
        return pp(FROM, the(t.pick(STORES).one))
    return None


SOURCES = nouns("market garden farm kitchen supermarket village")
STORES = nouns("shop attic market cellar cupboard garage")


def deed(
    t: Teller,
    who: Being,
    *,
    manner: float = 0.12,
    meant: bool = True,
    habitual: bool = False,
    negative: bool = False,
    extra: float = 0.55,
) -> VerbPhrase:
    """Something that `who` does; call it after the subject was referred to.

    `meant` leaves out what only happens to people, such as losing a key.
    """
    chance = t.random()
    if chance < 0.62:
        verb, right = plain_deed(t, meant=meant, habitual=habitual, negative=negative)
        if t.random() < manner:
            right = (*right, ("advmod", t.pick(CALM_MANNERS)))
        elif not habitual and t.random() < extra:
            right = (*right, t.pick(EXTRAS))
        return verb, right
    if chance < 0.78:
        own = t.pick(OWN_DEEDS)
        return own.verb, (("obj", owned(t.poss(who), t.pick(own.objects))),)
    doing = t.pick(DOINGS)
    right = () if doing.preposition is None else (obl(doing.preposition, the(t.pick(doing.nouns).one)),)
    if not right or t.random() < 0.4:
        right = (("advmod", t.pick(doing.manners)), *right)
    return doing.verb, right


def plain_deed(
    t: Teller, *, meant: bool = True, habitual: bool = False, negative: bool = False
) -> VerbPhrase:
    """A deed that does not depend on who does it."""
    act = t.pick(ACTIVITIES if meant else DEEDS)
    single = act.verb in ONE_AT_A_TIME
    what = some(t, t.pick(act.objects), single=single, habitual=habitual, negative=negative)
    return act.verb, (("obj", what),)
