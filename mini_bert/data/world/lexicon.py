"""Lexemes: a noun, verb or adjective with all its forms, made once and shared by every sentence."""

from collections.abc import Iterable, Sequence
from functools import cache
from typing import TypeVar

from mini_bert.data.world import inflection
from mini_bert.data.world.tree import ARE, IS, Part, Phrase, Word, words

Item = TypeVar("Item")

BASE, THIRD, PAST_FORM, PARTICIPLE, GERUND = range(5)  # the forms of a verb

# Nouns that are never plural, and nouns that are never anything else.
MASS = frozenset(
    words("""
    water milk tea coffee juice soup bread butter cheese honey sugar salt rice flour meat ham bacon jam
    grass hay corn wheat grain clover lettuce spinach garlic celery cabbage wood metal paper wool
    leather gold silver iron cotton silk plastic clay brass rubber straw rain snow wind fog ice mud
    sand dust smoke air sunshine thunder lightning hail frost weather music homework work money luck
    news help advice furniture luggage traffic noise time food fruit medicine soap paint ink glue chalk
    fur hair skin fun love hope fear anger joy pride courage peace patience trust shame guilt grief
    nectar plankton lemonade cocoa chocolate cake_mix pasta porridge cream yogurt popcorn oil
    vinegar toast salad_dressing seaweed moss algae lava steam electricity gasoline wax chess tennis
    football basketball soccer hockey history science math geography art biology grammar spelling
    information knowledge equipment jewelry clothing laundry trash garbage mail evidence progress
    bamboo linen velvet steel copper tin concrete ivory lace cardboard dough batter jelly soil
    """)
)
PLURAL_ONLY = frozenset(
    words("""scissors glasses goggles trousers pants jeans shorts pajamas binoculars pliers clothes stairs
    groceries tongs tweezers overalls leggings thanks woods""")
)


class Noun:
    """A noun: `one` and `many` are its two numbers; a mass noun has only `one`, "scissors" only `many`."""

    __slots__ = ("lemma", "many", "mass", "one", "pair")

    def __init__(self, lemma: str) -> None:
        self.lemma = lemma
        self.mass = lemma in MASS
        self.pair = lemma in PLURAL_ONLY
        many = lemma if self.pair or self.mass else inflection.plural(lemma)
        singular = lemma.removesuffix("s") if self.pair else lemma
        self.one = Word(lemma, "NOUN", lemma, "Number=Sing")
        self.many = self.one if self.mass else Word(many, "NOUN", singular, "Number=Plur", agr=ARE)
        if self.pair:
            self.one = self.many

    def __repr__(self) -> str:
        return f"Noun({self.lemma})"


class Verb:
    """A verb: `forms` holds base, third person, past, participle and gerund; `present[agr]` and `past[agr]` are finite.

    Number and person of a finite form that others share are those of "they"; `gold.py` makes them the subject's.
    """

    __slots__ = ("forms", "imperative", "lemma", "past", "present")

    def __init__(self, lemma: str) -> None:
        self.lemma = lemma
        base = Word(lemma, "VERB", lemma, "VerbForm=Inf")
        plain = Word(lemma, "VERB", lemma, "Mood=Ind|Number=Plur|Person=3|Tense=Pres|VerbForm=Fin")
        third = Word(
            inflection.third_person(lemma),
            "VERB",
            lemma,
            "Mood=Ind|Number=Sing|Person=3|Tense=Pres|VerbForm=Fin",
        )
        past = Word(inflection.past(lemma), "VERB", lemma, "Mood=Ind|Tense=Past|VerbForm=Fin")
        participle = Word(inflection.participle(lemma), "VERB", lemma, "Tense=Past|VerbForm=Part")
        gerund = Word(inflection.gerund(lemma), "VERB", lemma, "Tense=Pres|VerbForm=Part")
        self.forms = (base, third, past, participle, gerund)
        self.present = (third, plain, plain)
        self.past = (past, past, past)
        self.imperative = Word(lemma, "VERB", lemma, "Mood=Imp|VerbForm=Fin")

    def __repr__(self) -> str:
        return f"Verb({self.lemma})"


class Adjective:
    """An adjective with its degrees. `more` and `most` are words ("taller") or phrases ("more careful")."""

    __slots__ = ("adverb", "lemma", "more", "most", "plain", "quality")

    def __init__(self, lemma: str) -> None:
        self.lemma = lemma
        self.plain = Word(lemma, "ADJ", lemma, "Degree=Pos")
        self.more: Part = _degree(self.plain, "er", MORE, "Degree=Cmp")
        self.most: Part = _degree(self.plain, "est", MOST, "Degree=Sup")
        self.adverb: Word = Word(inflection.adverb(lemma), "ADV")
        self.quality: Word = Word(inflection.quality(lemma), "NOUN", feats="Number=Sing")

    def __repr__(self) -> str:
        return f"Adjective({self.lemma})"


MORE = Word("more", "ADV", "more", "Degree=Cmp")
MOST = Word("most", "ADV", "most", "Degree=Sup")


def _degree(plain: Word, ending: str, periphrastic: Word, feats: str) -> Part:
    form = inflection.compared(plain.form, ending)
    if form is None:
        return Phrase(plain, (("advmod", periphrastic),))
    return Word(form, "ADJ", plain.form, feats)


@cache
def noun(lemma: str) -> Noun:
    return Noun(lemma)


@cache
def verb(lemma: str) -> Verb:
    return Verb(lemma)


@cache
def adjective(lemma: str) -> Adjective:
    return Adjective(lemma)


@cache
def adverb(form: str) -> Word:
    return Word(form, "ADV")


_PLURAL_FORMS = """bone scrap leaf weed seed thistle chicken carrot nut banana thorn mouse snake reed crumb worm
    fly egg insect shell feather scale spine olive date candle hole letter wall nail cake star picture hand roof
    line direction room floor shirt"""


@cache
def noun_form(form: str) -> Word:
    """The noun with this form, singular or plural."""
    many = {plural.many.form: plural.many for plural in nouns(_PLURAL_FORMS)}.get(form)
    return many or (noun(form).many if noun(form).pair else noun(form).one)


def nouns(lemmas: str) -> tuple[Noun, ...]:
    return tuple(noun(lemma) for lemma in lemmas.split())


def verbs(lemmas: str) -> tuple[Verb, ...]:
    return tuple(verb(lemma) for lemma in lemmas.split())


def adjectives(lemmas: str) -> tuple[Adjective, ...]:
    return tuple(adjective(lemma) for lemma in lemmas.split())


def adverbs(forms: str) -> tuple[Word, ...]:
    return tuple(adverb(form) for form in forms.split())


def zipf(items: Iterable[Item], flatness: int = 3) -> tuple[Item, ...]:
    """The items, each repeated in proportion to 1 / (rank + flatness): a uniform pick follows Zipf's law."""
    ranked: Sequence[Item] = tuple(items)
    last = len(ranked) - 1 + flatness
    return tuple(item for rank, item in enumerate(ranked) for _ in range(round(last / (rank + flatness))))


def name(form: str, entity: str) -> Word:
    return Word(form, "PROPN", feats="Number=Sing", agr=IS, entity=entity)
