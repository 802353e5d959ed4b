"""Clauses: a subject and a verb (or a predicate) in any tense, polarity, voice and mood."""

from typing import Final, NamedTuple

from mini_bert.data.world.closed import (
    AND,
    CLOSE,
    COMMA,
    NOT,
    NOT_IN_CANNOT,
    NT,
    OPEN,
    PERIOD,
    REL_THAT,
    REL_WHO,
    SO,
    THAT,
    THERE,
    TO_INF,
)
from mini_bert.data.world.lexicon import BASE, GERUND, PARTICIPLE, PAST_FORM, Verb
from mini_bert.data.world.tree import AM, ARE, IS, Dep, Deps, Part, Phrase, Word, after, before

(
    PRES,
    PAST,
    FUTURE,
    PERFECT,
    PLUPERFECT,
    PROGRESSIVE,
    PAST_PROGRESSIVE,
    CAN,
    COULD,
    MUST,
    SHOULD,
    MAY,
    MIGHT,
    WOULD,
) = range(14)
PLAIN, FULL_NOT, SHORT_NOT = 0, 1, 2  # polarity: "is", "is not", "isn't"
PRESENT_FORM: Final = -1  # the present tense, which agrees with the subject

FEATS = {IS: "Number=Sing|Person=3", ARE: "Number=Plur|Person=3", AM: "Number=Sing|Person=1"}


def _aux(form: str, lemma: str, feats: str) -> Word:
    return Word(form, "AUX", lemma, feats)


def _agreeing(third: str, plural: str, first: str, lemma: str, tense: str) -> tuple[Word, Word, Word]:
    """The three finite forms of an auxiliary, at the places IS, ARE and AM."""
    forms = zip((third, plural, first), (IS, ARE, AM), strict=True)
    one, two, three = (
        _aux(form, lemma, f"Mood=Ind|{FEATS[agr]}|Tense={tense}|VerbForm=Fin") for form, agr in forms
    )
    return one, two, three


def _same(form: str, lemma: str, feats: str = "VerbForm=Fin") -> tuple[Word, Word, Word]:
    word = _aux(form, lemma, feats)
    return word, word, word


BE_PRES = _agreeing("is", "are", "am", "be", "Pres")
BE_PAST = _agreeing("was", "were", "was", "be", "Past")
HAVE_PRES = _agreeing("has", "have", "have", "have", "Pres")
HAVE_PAST = _same("had", "have", "Mood=Ind|Tense=Past|VerbForm=Fin")
DO_PRES = _agreeing("does", "do", "do", "do", "Pres")
DO_PAST = _same("did", "do", "Mood=Ind|Tense=Past|VerbForm=Fin")
MODALS = {
    tense: _same(form, form)
    for tense, form in {
        FUTURE: "will",
        CAN: "can",
        COULD: "could",
        MUST: "must",
        SHOULD: "should",
        MAY: "may",
        MIGHT: "might",
        WOULD: "would",
    }.items()
}
STEM_BEFORE_NT = {"can": _aux("ca", "can", "VerbForm=Fin"), "will": _aux("wo", "will", "VerbForm=Fin")}
BE, BEEN, BEING = (
    _aux("be", "be", "VerbForm=Inf"),
    _aux("been", "be", "Tense=Past|VerbForm=Part"),
    _aux("being", "be", "Tense=Pres|VerbForm=Part"),
)


class Group(NamedTuple):
    """What stands around the main verb: the first auxiliary (if any), "not", the rest, and the form."""

    first: Deps
    negation: Deps
    rest: Deps
    form: int


def _negation(first: Word, polarity: int) -> tuple[Word, Deps]:
    if polarity == PLAIN:
        return first, ()
    if polarity == FULL_NOT or first.form in ("am", "may", "might"):
        return first, (("advmod", NOT_IN_CANNOT if first.form == "can" else NOT),)
    return STEM_BEFORE_NT.get(first.form, first), (("advmod", NT),)


def _verb_group(tense: int, polarity: int, agr: int, *, do: bool = False) -> Group:
    """The auxiliaries of an active verb; `do` asks for "do" where the affirmative has none."""
    if tense in (PRES, PAST) and polarity == PLAIN and not do:
        return Group((), (), (), PRESENT_FORM if tense == PRES else PAST_FORM)
    first, form = {
        PRES: (DO_PRES, BASE),
        PAST: (DO_PAST, BASE),
        PERFECT: (HAVE_PRES, PARTICIPLE),
        PLUPERFECT: (HAVE_PAST, PARTICIPLE),
        PROGRESSIVE: (BE_PRES, GERUND),
        PAST_PROGRESSIVE: (BE_PAST, GERUND),
    }.get(tense) or (MODALS[tense], BASE)
    word, negation = _negation(first[agr], polarity)
    return Group((("aux", word),), negation, (), form)


def _be_group(tense: int, polarity: int, agr: int, relation: str) -> Group:
    """The forms of "be" before a predicate (`relation` cop) or a participle (aux:pass)."""
    first, rest = {
        PRES: (BE_PRES, None),
        PAST: (BE_PAST, None),
        PERFECT: (HAVE_PRES, BEEN),
        PLUPERFECT: (HAVE_PAST, BEEN),
        PROGRESSIVE: (BE_PRES, BEING),
        PAST_PROGRESSIVE: (BE_PAST, BEING),
    }.get(tense) or (MODALS[tense], BE)
    word, negation = _negation(first[agr], polarity)
    if rest is None:
        return Group(((relation, word),), negation, (), PARTICIPLE)
    return Group((("aux", word),), negation, ((relation, rest),), PARTICIPLE)


TENSES, POLARITIES, AGREEMENTS = range(WOULD + 1), (PLAIN, FULL_NOT, SHORT_NOT), (IS, ARE, AM)
ACTIVE = [[[_verb_group(t, p, a) for a in AGREEMENTS] for p in POLARITIES] for t in TENSES]
INVERTED = [[[_verb_group(t, p, a, do=True) for a in AGREEMENTS] for p in POLARITIES] for t in TENSES]
COPULA = [[[_be_group(t, p, a, "cop") for a in AGREEMENTS] for p in POLARITIES] for t in TENSES]
PASSIVE = [[[_be_group(t, p, a, "aux:pass") for a in AGREEMENTS] for p in POLARITIES] for t in TENSES]


def _main(word: Verb, form: int, agr: int) -> Word:
    return word.present[agr] if form == PRESENT_FORM else word.forms[form]


def clause(
    subject: Part,
    word: Verb,
    tense: int,
    *right: Dep,
    polarity: int = PLAIN,
    adverb: Part | None = None,
    front: Deps = (),
) -> Phrase:
    """An active clause; `adverb` stands before the main verb, `front` before the subject."""
    agr = subject.agr
    first, negation, _, form = ACTIVE[tense][polarity][agr]
    left = (*front, ("nsubj", subject), *first, *negation)
    if adverb is not None:
        left = (*left, ("advmod", adverb))
    return Phrase(_main(word, form, agr), left, right)


def predicate(
    agr: int, word: Verb, tense: int, *right: Dep, polarity: int = PLAIN, adverb: Part | None = None
) -> Phrase:
    """A clause without its subject, to be joined to another that has it: "... and went home"."""
    first, negation, _, form = ACTIVE[tense][polarity][agr]
    left = (*first, *negation) if adverb is None else (*first, *negation, ("advmod", adverb))
    return Phrase(_main(word, form, agr), left, right)


def be(
    subject: Part,
    what: Part,
    tense: int,
    *right: Dep,
    polarity: int = PLAIN,
    adverb: Part | None = None,
    front: Deps = (),
) -> Phrase:
    """A copular clause: `what` (an adjective, a noun phrase, a place) is the root, as in UD."""
    first, negation, rest, _ = COPULA[tense][polarity][subject.agr]
    middle: Deps = () if adverb is None else (("advmod", adverb),)
    left = (*front, ("nsubj", subject), *first, *negation, *middle, *rest, *what.left)
    return Phrase(what.word, left, what.right + right, what.coref)


def passive(
    subject: Part,
    word: Verb,
    tense: int,
    *right: Dep,
    polarity: int = PLAIN,
    adverb: Part | None = None,
    front: Deps = (),
) -> Phrase:
    first, negation, rest, form = PASSIVE[tense][polarity][subject.agr]
    middle: Deps = () if adverb is None else (("advmod", adverb),)
    left = (*front, ("nsubj:pass", subject), *first, *negation, *middle, *rest)
    return Phrase(word.forms[form], left, right)


def there(what: Part, tense: int, *right: Dep, polarity: int = PLAIN, front: Deps = ()) -> Phrase:
    """ "There were two cups on the table": here "be" is the root."""
    first, negation, rest, _ = COPULA[tense][polarity][what.agr]
    *auxiliaries, (_, main) = (*first, *rest)
    if auxiliaries:
        left: Deps = (*front, ("expl", THERE), *auxiliaries, *negation)
        return Phrase(AS_VERB[main.word], left, (("nsubj", what), *right))
    return Phrase(AS_VERB[main.word], (*front, ("expl", THERE)), (*negation, ("nsubj", what), *right))


AS_VERB = {w: Word(w.form, "VERB", "be", w.feats) for w in (*BE_PRES, *BE_PAST, BE, BEEN)}


def ask(
    subject: Part,
    word: Verb,
    tense: int,
    *right: Dep,
    wh: Deps = (),
    polarity: int = PLAIN,
    adverb: Part | None = None,
) -> Phrase:
    """A question about a verb: "(Where) did Anna find the ball"."""
    agr = subject.agr
    first, negation, _, form = INVERTED[tense][polarity][agr]
    short = negation if polarity == SHORT_NOT else ()
    full = negation if polarity == FULL_NOT else ()
    middle: Deps = () if adverb is None else (("advmod", adverb),)
    return Phrase(_main(word, form, agr), (*wh, *first, *short, ("nsubj", subject), *full, *middle), right)


def ask_be(subject: Part, what: Part, tense: int, *right: Dep, wh: Deps = ()) -> Phrase:
    """ "Is Anna happy?", "Why was the dog afraid?"."""
    first, _, rest, _ = COPULA[tense][PLAIN][subject.agr]
    left = (*wh, *first, ("nsubj", subject), *rest, *what.left)
    return Phrase(what.word, left, what.right + right, what.coref)


def ask_what(wh: Part, subject: Part, tense: int, *right: Dep) -> Phrase:
    """ "Where is Anna?", "What is the capital of Velmora?": the question word is the root."""
    first, _, _, _ = COPULA[tense][PLAIN][subject.agr]
    return Phrase(wh.word, wh.left, (*wh.right, *first, ("nsubj", subject), *right))


DO_IMPERATIVE = _aux("do", "do", "Mood=Imp|VerbForm=Fin")


def command(
    word: Verb, *right: Dep, polarity: int = PLAIN, adverb: Part | None = None, front: Deps = ()
) -> Phrase:
    """ "Open the door", "Do not open the door", "Don't ever open the door"."""
    middle: Deps = () if adverb is None else (("advmod", adverb),)
    if polarity == PLAIN:
        return Phrase(word.imperative, (*front, *middle), right)
    negation = NOT if polarity == FULL_NOT else NT
    return Phrase(word.forms[BASE], (*front, ("aux", DO_IMPERATIVE), ("advmod", negation), *middle), right)


def to(word: Verb, *right: Dep, negated: bool = False) -> Phrase:
    """ "to find the ball", "not to cry"."""
    negation: Deps = (("advmod", NOT),) if negated else ()
    return Phrase(word.forms[BASE], (*negation, ("mark", TO_INF)), right)


def to_be(what: Part, *right: Dep) -> Phrase:
    return Phrase(what.word, (("mark", TO_INF), ("cop", BE), *what.left), what.right + right)


def ing(word: Verb, *right: Dep, mark: Word | None = None) -> Phrase:
    """ "reading a book", "without reading a book"."""
    left: Deps = () if mark is None else (("mark", mark),)
    return Phrase(word.forms[GERUND], left, right)


def base(word: Verb, *right: Dep) -> Phrase:
    return Phrase(word.forms[BASE], (), right)


def marked(mark: Part, inner: Phrase) -> Phrase:
    """ "because she was tired", "that the dog is old"."""
    return before(inner, ("mark", mark))


def when(adverb: Word, inner: Phrase) -> Phrase:
    """ "when it rained", "where the ball was"."""
    return before(inner, ("advmod", adverb))


def that(inner: Phrase) -> Dep:
    return ("ccomp", marked(THAT, inner))


def fronted(adverbial: Phrase, relation: str = "advcl") -> Deps:
    """A clause or phrase before the subject, with its comma."""
    return ((relation, adverbial), ("punct", COMMA))


def joined(one: Phrase, other: Phrase, conjunction: Word = AND, *, comma: bool = True) -> Phrase:
    """Two clauses: "Anna sang, and Tom danced"; without comma two predicates of one subject."""
    link: Deps = (("punct", COMMA), ("cc", conjunction)) if comma else (("cc", conjunction),)
    return after(one, ("conj", before(other, *link)))


def and_also(
    one: Phrase, word: Verb, tense: int, *right: Dep, conjunction: Word = AND, adverb: Part | None = None
) -> Phrase:
    """A second verb for the subject of a clause: "Anna opened the door and went out"."""
    agr = next(part.agr for relation, part in one.left if relation.startswith("nsubj"))
    return joined(one, predicate(agr, word, tense, *right, adverb=adverb), conjunction, comma=False)


def so(cause: Phrase, effect: Phrase) -> Phrase:
    """ "It was raining, so Anna stayed home"."""
    return after(cause, ("parataxis", before(effect, ("punct", COMMA), ("advmod", SO))))


def relative(noun_phrase: Part, inner: Phrase) -> Phrase:
    return after(noun_phrase, ("acl:relcl", inner))


def _relativizer(pronoun: Word) -> tuple[Phrase, Phrase, Phrase]:
    is_, are, am = (Phrase(pronoun, agr=agr) for agr in (IS, ARE, AM))
    return is_, are, am


WHO_AGREEING, THAT_AGREEING = map(_relativizer, (REL_WHO, REL_THAT))


def who(agr: int) -> Phrase:
    """ "who" as the subject of a relative clause about a person that agrees as `agr`."""
    return WHO_AGREEING[agr]


def which(agr: int) -> Phrase:
    """ "that" as the subject of a relative clause about a thing or an animal."""
    return THAT_AGREEING[agr]


def extraposed(inner: Phrase) -> Phrase:
    """A clause whose "it" only holds the place of what follows: "it took a day to ...", "it was Anna who ..."."""
    left = tuple(("expl" if relation == "nsubj" else relation, part) for relation, part in inner.left)
    return Phrase(inner.word, left, inner.right, inner.coref)


def quoted(inner: Phrase, end: Word = PERIOD) -> Phrase:
    """The words of a speaker in quotation marks, with the mark that ends them."""
    return Phrase(
        inner.word,
        (("punct", OPEN), *inner.left),
        (*inner.right, ("punct", end), ("punct", CLOSE)),
        inner.coref,
    )


def says(subject: Part, word: Verb, tense: int, inner: Phrase, end: Word = PERIOD, *right: Dep) -> Phrase:
    """Anna said (to Tom), "I am happy." """
    return clause(subject, word, tense, *right, ("punct", COMMA), ("ccomp", quoted(inner, end)))


def said(subject: Part, word: Verb, tense: int, inner: Phrase, end: Word = COMMA, *right: Dep) -> Phrase:
    """ "I am happy," said Anna. A pronoun comes before the verb: "I am happy," she said."""
    speech: Dep = ("ccomp", quoted(inner, end))
    main = word.present[subject.agr] if tense == PRES else word.forms[PAST_FORM]
    if subject.word.upos == "PRON":
        return Phrase(main, (speech, ("nsubj", subject)), right)
    return Phrase(main, (speech,), (("nsubj", subject), *right))
