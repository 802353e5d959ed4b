"""When things happen: adverbials of time, made once, by the place in a story where they fit."""

from collections.abc import Sequence

from mini_bert.data.world.closed import (
    AFTER_P,
    AGAIN,
    AGO,
    ALL,
    ALWAYS,
    ANY,
    AT,
    BECAUSE_OF,
    BEFORE_P,
    COMMA,
    DURING,
    EVERY,
    FEW,
    FINALLY,
    FIRST,
    FOR,
    IN,
    LAST,
    LATER,
    NEVER,
    NEXT,
    NUMBER_WORDS,
    OF,
    OFTEN,
    ON,
    ONCE,
    RARELY,
    SOMETIMES,
    SOON,
    SUDDENLY,
    THAT_DET,
    THAT_ONE,
    THEN,
    THIS,
    THIS_ONE,
    TWICE,
    USUALLY,
    WITH,
    WITHOUT,
    A,
)
from mini_bert.data.world.gold import NEGATIVE, POSITIVE
from mini_bert.data.world.lexicon import adjectives, adverb, nouns
from mini_bert.data.world.phrases import a, det, pp, the
from mini_bert.data.world.tree import Dep, Deps, Part, Phrase, Word, words
from mini_bert.data.world.words.time import (
    DAY,
    DAYS,
    HOUR,
    MINUTE,
    MONTH,
    MONTHS,
    PARTS_OF_DAY,
    SEASONS,
    TODAY,
    WEEK,
    WEEKEND,
    YEAR,
    YESTERDAY,
)

MORNING, AFTERNOON, EVENING, NIGHT = (part.one for part in PARTS_OF_DAY)
ONE = NUMBER_WORDS[1]


def _fronted(deps: Sequence[Dep]) -> tuple[Deps, ...]:
    return tuple((dep, ("punct", COMMA)) for dep in deps)


def _unmarked(*phrases: Part) -> list[Dep]:
    return [("obl:unmarked", phrase) for phrase in phrases]


def _marked(preposition: Part, *phrases: Part) -> list[Dep]:
    return [("obl", pp(preposition, phrase)) for phrase in phrases]


def _one(head: Word, *modifiers: Part) -> Phrase:
    return Phrase(head, (("nummod", ONE), *(("amod", modifier) for modifier in modifiers)))


def _counted_later(number: Part, head: Word, anchor: Word) -> Dep:
    """ "two days later", "three years ago"."""
    return ("advmod", Phrase(anchor, (("obl:unmarked", Phrase(head, (("nummod", number),))),)))


_KINDS_OF_DAY = [
    a.plain for a in adjectives("cold warm sunny rainy windy gray bright hot quiet foggy fine snowy")
]
_DAY_PARTS = (MORNING, AFTERNOON, EVENING)
_OPENINGS_PAST = [
    *_unmarked(_one(DAY.one), _one(MORNING), _one(EVENING), _one(AFTERNOON)),
    *_unmarked(*(_one(part, kind) for part in (MORNING, DAY.one, AFTERNOON) for kind in _KINDS_OF_DAY)),
    *_marked(ON, *DAYS, *DAYS),
    *_marked(ON, *(Phrase(part, (("compound", day),)) for day in DAYS for part in _DAY_PARTS)),
    *_unmarked(
        *(Phrase(head, (("amod", LAST),)) for head in (WEEK.one, MONTH.one, *DAYS, *(s.one for s in SEASONS)))
    ),
    *_unmarked(YESTERDAY, YESTERDAY),
    *_marked(IN, *MONTHS),
    *(_counted_later(number, head.many, AGO) for number in NUMBER_WORDS[2:7] for head in (DAY, WEEK)),
]
_OPENINGS_PRESENT = [
    *_unmarked(TODAY, TODAY, TODAY, *(det(THIS, part) for part in _DAY_PARTS)),
    *_unmarked(det(THIS, MORNING), det(THIS, WEEK.one)),
    *_marked(ON, *(det(THIS, part, kind) for part in _DAY_PARTS for kind in _KINDS_OF_DAY)),
]
_AFTER_WHILE = ("obl", pp(AFTER_P, a(nouns("while")[0].one)))
_AFTER_MEAL = _marked(AFTER_P, *(meal.one for meal in nouns("breakfast lunch dinner school work")))
_LATER: list[Dep] = [
    ("advmod", THEN),
    ("advmod", LATER),
    ("advmod", SOON),
    ("obl", pp(AFTER_P, THAT_ONE)),
    _AFTER_WHILE,
    *_marked(IN, *(the(part) for part in _DAY_PARTS[1:])),
    *_AFTER_MEAL,
    ("obl", pp(AT, nouns("noon")[0].one)),
    *(_counted_later(number, MINUTE.many, LATER) for number in NUMBER_WORDS[5:21:5]),
    *(_counted_later(number, HOUR.many, LATER) for number in NUMBER_WORDS[2:5]),
    ("advmod", Phrase(LATER, (("obl:unmarked", Phrase(MINUTE.many, (("det", A), ("amod", FEW)))),))),
]
_LATER_PAST: list[Dep] = [
    *_LATER,
    *_unmarked(*(det(THAT_DET, part) for part in (*_DAY_PARTS, NIGHT))),
    *_unmarked(*(the(head, NEXT) for head in (DAY.one, MORNING, WEEK.one))),
    *(_counted_later(number, DAY.many, LATER) for number in NUMBER_WORDS[2:5]),
]
OPENINGS = {True: _fronted(_OPENINGS_PAST), False: _fronted(_OPENINGS_PRESENT)}
LATER_FRONTS = {True: _fronted(_LATER_PAST), False: _fronted(_LATER)}
SOMEDAY = {
    True: _fronted(
        [*_marked(ON, *DAYS), *_unmarked(the(DAY.one, NEXT), the(WEEK.one, NEXT)), *_marked(IN, *MONTHS)]
    ),
    False: _fronted([*_unmarked(TODAY, det(THIS, WEEK.one), det(THIS, MONTH.one)), *_marked(ON, *DAYS)]),
}
SUDDEN = _fronted([("advmod", SUDDENLY)])[0]
AT_LAST = _fronted([("advmod", FINALLY), ("obl", pp(AT, LAST))])

# Adjuncts at the end of a clause.
ENDS_PAST: tuple[Dep, ...] = (
    *_unmarked(
        YESTERDAY, *(Phrase(head, (("amod", LAST),)) for head in (WEEK.one, MONTH.one, NIGHT, YEAR.one))
    ),
    *_marked(ON, *DAYS),
    *_marked(IN, *(the(part) for part in _DAY_PARTS)),
    *_marked(AT, NIGHT),
    *(_counted_later(number, DAY.many, AGO) for number in NUMBER_WORDS[2:6]),
)
ENDS_EVERY: tuple[Dep, ...] = (
    *(
        ("advmod", Phrase(times, (), (("obl:unmarked", a(head)),)))
        for times in (ONCE, TWICE)
        for head in (DAY.one, WEEK.one, MONTH.one, YEAR.one)
    ),
    *_unmarked(
        *(det(EVERY, head) for head in (DAY.one, WEEK.one, MORNING, EVENING, YEAR.one, WEEKEND.one, *DAYS))
    ),
)
ENDS_HABIT: tuple[Dep, ...] = (
    *_marked(IN, *(the(part) for part in _DAY_PARTS)),
    *_marked(AT, NIGHT),
    *_marked(ON, *(Word(day.form + "s", "PROPN", day.form, "Number=Plur") for day in DAYS)),
    *_marked(BEFORE_P, *(meal.one for meal in nouns("breakfast lunch dinner school"))),
    *_marked(AFTER_P, *(meal.one for meal in nouns("breakfast lunch dinner school"))),
)
# What may stand before an event by its sentiment, and before a feeling.
LINKS = {
    POSITIVE: _fronted([("advmod", adverb(w)) for w in words("luckily fortunately happily finally")]),
    NEGATIVE: _fronted([("advmod", adverb(w)) for w in words("unfortunately sadly unluckily")]),
}
FEELING_LINKS = _fronted(
    [
        *_marked(IN, the(nouns("end")[0].one)),
        *_marked(OF, nouns("course")[0].one),
        *_marked(AFTER_P, THAT_ONE),
        *_marked(BECAUSE_OF, THIS_ONE),
    ]
)
# Adjuncts that go with any deed.
EXTRAS: tuple[Dep, ...] = (
    *_marked(AT, nouns("home")[0].one),
    *_marked(WITH, *(a(friend.one) for friend in nouns("friend neighbor cousin"))),
    *_marked(
        FOR,
        *(a(head.one) for head in (HOUR,)),
        *(Phrase(HOUR.many, (("nummod", n),)) for n in NUMBER_WORDS[2:5]),
    ),
    *_marked(WITH, Phrase(nouns("care")[0].one, (("amod", adjectives("great")[0].plain),))),
    *_unmarked(*(Phrase(head, (("det", ALL),)) for head in (MORNING, AFTERNOON, DAY.one))),
    *_marked(FOR, the(nouns("time")[0].one, FIRST)),
    *_marked(WITHOUT, Phrase(nouns("help")[0].one, (("det", ANY),))),
    *_marked(IN, a(nouns("hurry")[0].one)),
    ("advmod", AGAIN),
    *_marked(DURING, *(the(event.one) for event in nouns("lesson storm game concert party night trip"))),
)
FREQUENCIES = (ALWAYS, OFTEN, USUALLY, SOMETIMES, RARELY, NEVER, OFTEN, USUALLY, SOMETIMES)
