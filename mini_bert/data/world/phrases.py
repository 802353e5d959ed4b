"""Noun phrases, prepositional phrases, coordination, comparison."""

from functools import cache

from mini_bert.data.world.closed import (
    AN,
    AND,
    AS_ADV,
    AS_P,
    COMMA,
    OF,
    POSSESSIVE,
    POSSESSIVE_PLURAL,
    THAN_P,
    THE,
    A,
)
from mini_bert.data.world.lexicon import Adjective, Noun
from mini_bert.data.world.tree import ARE, Dep, Part, Phrase, Word, after, before, first_word


def headed(first: Dep, head: Part, *modifiers: Part) -> Phrase:
    """A noun with what comes first (an article, an owner, a number), then adjectives."""
    left = (first, *[("amod", modifier) for modifier in modifiers], *head.left)
    return Phrase(head.word, left, head.right, head.coref, head.agr)


def bare(head: Part, *modifiers: Part) -> Part:
    if not modifiers:
        return head
    left = (*[("amod", modifier) for modifier in modifiers], *head.left)
    return Phrase(head.word, left, head.right, head.coref, head.agr)


@cache
def _the_bare(head: Word) -> Phrase:
    return Phrase(head, (("det", THE),))


@cache
def _a_bare(head: Word) -> Phrase:
    return Phrase(head, (("det", AN if head.vowel else A),))


def the(head: Part, *modifiers: Part) -> Phrase:
    if not modifiers and isinstance(head, Word):
        return _the_bare(head)
    return headed(("det", THE), head, *modifiers)


def a(head: Part, *modifiers: Part) -> Phrase:
    """ "a" or "an", as the next word demands."""
    if not modifiers and isinstance(head, Word):
        return _a_bare(head)
    following = first_word(modifiers[0] if modifiers else head)
    return headed(("det", AN if following.vowel else A), head, *modifiers)


def a_or_bare(noun: Noun, *modifiers: Part) -> Part:
    """ "a cup", "milk", "scissors": the indefinite of any noun."""
    return bare(noun.many, *modifiers) if noun.mass or noun.pair else a(noun.one, *modifiers)


def det(determiner: Part, head: Part, *modifiers: Part) -> Phrase:
    return headed(("det", determiner), head, *modifiers)


def count(number: Part, head: Part, *modifiers: Part) -> Phrase:
    return headed(("nummod", number), head, *modifiers)


def owned(owner: Part, head: Part, *modifiers: Part) -> Phrase:
    """ "her ball", "Anna's red ball": `owner` is a possessive pronoun or a phrase in "'s"."""
    return headed(("nmod:poss", owner), head, *modifiers)


def genitive(owner: Part) -> Phrase:
    """ "Anna" → "Anna's", "the boys" → "the boys'"."""
    plural_in_s = owner.agr == ARE and owner.word.form.endswith("s") and owner.word.upos == "NOUN"
    return after(owner, ("case", POSSESSIVE_PLURAL if plural_in_s else POSSESSIVE))


def pp(preposition: Part, noun_phrase: Part) -> Phrase:
    return Phrase(
        noun_phrase.word,
        (("case", preposition), *noun_phrase.left),
        noun_phrase.right,
        noun_phrase.coref,
        noun_phrase.agr,
    )


def obl(preposition: Part, noun_phrase: Part) -> Dep:
    """A prepositional phrase as the adjunct of a verb or adjective."""
    return ("obl", pp(preposition, noun_phrase))


def nmod(preposition: Part, noun_phrase: Part) -> Dep:
    """A prepositional phrase as the modifier of a noun."""
    return ("nmod", pp(preposition, noun_phrase))


def of(head: Part, whole: Part) -> Phrase:
    """ "the wheel of a bicycle", "all of the apples"."""
    return after(head, ("nmod", pp(OF, whole)))


def both(one: Part, other: Part, conjunction: Word = AND, agr: int = ARE) -> Phrase:
    """Two phrases joined; as a subject they are plural unless `agr` says otherwise."""
    joined = before(other, ("cc", conjunction))
    return Phrase(one.word, one.left, (*one.right, ("conj", joined)), one.coref, agr)


def listed(*parts: Part, conjunction: Word = AND) -> Part:
    """ "a cup, a plate, and a spoon"."""
    if len(parts) < 3:
        return both(*parts, conjunction) if len(parts) == 2 else parts[0]
    first, *middle, last = parts
    joined: list[Dep] = [("conj", before(part, ("punct", COMMA))) for part in middle]
    joined.append(("conj", before(last, ("punct", COMMA), ("cc", conjunction))))
    return Phrase(first.word, first.left, (*first.right, *joined), first.coref, ARE)


def than(adjective: Adjective, standard: Part) -> Phrase:
    """ "taller than Anna"."""
    return after(adjective.more, obl(THAN_P, standard))


def as_as(adjective: Adjective, standard: Part) -> Phrase:
    """ "as tall as Anna"."""
    return Phrase(adjective.plain, (("advmod", AS_ADV),), (obl(AS_P, standard),))


def degree(modifier: Part, adjective: Part) -> Phrase:
    """ "very cold", "too heavy"."""
    return before(adjective, ("advmod", modifier))
