"""Pairs about determiners, pronouns, polarity items and the forms of verbs and adjectives."""

from mini_bert.data.world import closed as c
from mini_bert.data.world.clauses import (
    CAN,
    DO_PRES,
    FULL_NOT,
    PAST,
    PERFECT,
    PLUPERFECT,
    PRES,
    PROGRESSIVE,
    ask,
    be,
    clause,
    ing,
    passive,
    relative,
    who,
)
from mini_bert.data.world.closed import QUESTION
from mini_bert.data.world.deeds import plain_deed, some
from mini_bert.data.world.lexicon import (
    BASE,
    GERUND,
    PARTICIPLE,
    PAST_FORM,
    THIRD,
    adjectives,
    noun,
    verb,
    verbs,
)
from mini_bert.data.world.pairs.frame import Contrast, countable, ended, one_or_many
from mini_bert.data.world.phrases import a, as_as, det, obl, owned, the
from mini_bert.data.world.scenes.comparisons import SCALES
from mini_bert.data.world.scenes.nominals import kind_of
from mini_bert.data.world.teller import Teller
from mini_bert.data.world.times import ENDS_PAST
from mini_bert.data.world.tree import ARE, IS, Dep, Phrase, Word, after, before
from mini_bert.data.world.words.activities import ACTIVITIES, DOINGS, Deed
from mini_bert.data.world.words.people import CROWD
from mini_bert.data.world.words.things import SUITING


def determiner_noun(t: Teller) -> Contrast:
    kind = kind_of(t)
    head = one_or_many(t, countable(t, kind))
    near = t.random() < 0.5
    one, many = (c.THIS, c.THESE) if near else (c.THAT_DET, c.THOSE)
    right, wrong = (many, one) if head.agr == ARE else (one, many)
    tree = clause(t.subj(t.person()), t.pick(verbs("see like know")), PAST, ("obj", det(right, head)))
    return ended(tree), right, wrong


def article(t: Teller) -> Contrast:
    """ "a" or "an", by the sound that follows; both sounds equally often."""
    vowel = t.random() < 0.5
    while True:
        kind = kind_of(t)
        head = countable(t, kind)
        modifiers = (t.pick(SUITING[kind]),) if t.random() < 0.5 else ()
        phrase = a(head.one, *modifiers)
        right = phrase.left[0][1].word
        if (right is c.AN) == vowel:
            break
    tree = clause(t.subj(t.person()), t.pick(verbs("see draw notice")), PAST, ("obj", phrase))
    return ended(tree), right, c.A if vowel else c.AN


REFLEXIVE = verbs("hurt see wash hide dry warm help blame trust enjoy")


def reflexive_gender(t: Teller) -> Contrast:
    being = t.person()
    subject = t.subj(being)
    right, wrong = being.pronoun.reflexive, (c.HE if being.gender == "she" else c.SHE).reflexive
    return ended(clause(subject, t.pick(REFLEXIVE), PAST, ("obj", right), t.pick(ENDS_PAST))), right, wrong


def reflexive_number(t: Teller) -> Contrast:
    plural = t.random() < 0.5
    woman = t.random() < 0.5
    kind = noun(t.pick(("girl", "woman", "lady") if woman else ("boy", "man", "gentleman")))
    single = (c.SHE if woman else c.HE).reflexive
    right, wrong = (c.THEY.reflexive, single) if plural else (single, c.THEY.reflexive)
    return (
        ended(
            clause(
                the(kind.many if plural else kind.one),
                t.pick(REFLEXIVE),
                PAST,
                ("obj", right),
                t.pick(ENDS_PAST),
            )
        ),
        right,
        wrong,
    )


def npi_ever(t: Teller) -> Contrast:
    crowd = det(c.NO, t.pick(CROWD).many)
    word, right = plain_deed(t)
    return ended(clause(crowd, word, t.pick((PERFECT, PLUPERFECT)), *right, adverb=c.EVER)), c.NO, c.THE


def npi_any(t: Teller) -> Contrast:
    right, wrong = t.pick(((c.NOBODY, c.SOMEBODY), (c.NOBODY, c.EVERYBODY), (c.NOTHING, c.SOMETHING)))
    act = t.pick(ACTIVITIES)
    thing = t.pick([one for one in act.objects if not one.pair] or [noun("book")])
    any_thing = ("obj", det(c.ANY, thing.one if thing.mass else thing.many))
    if right is c.NOTHING:
        return (
            ended(clause(right, verb("frighten"), PAST, ("obj", det(c.ANY, t.pick(CROWD).many)))),
            right,
            wrong,
        )
    return ended(clause(right, act.verb, PAST, any_thing)), right, wrong


def do_support(t: Teller) -> Contrast:
    word, right = plain_deed(t)
    tree = clause(t.subj(t.person()), word, t.pick((PRES, PAST)), *right, polarity=FULL_NOT)
    wrong = word.forms[THIRD] if tree.left[1][1].word is DO_PRES[IS] else word.forms[PAST_FORM]
    if wrong.form == word.forms[BASE].form:
        wrong = word.forms[THIRD]
    return ended(tree), word.forms[BASE], wrong


def modal_base(t: Teller) -> Contrast:
    word, right = plain_deed(t)
    return ended(clause(t.subj(t.person()), word, CAN, *right)), word.forms[BASE], word.forms[THIRD]


def _irregular(t: Teller) -> Deed:
    """A deed whose past and participle differ."""
    return t.pick(IRREGULAR)


IRREGULAR = tuple(
    deed for deed in ACTIVITIES if deed.verb.forms[PAST_FORM].form != deed.verb.forms[PARTICIPLE].form
)


def _with_object(t: Teller, act: Deed, tense: int, *right: Dep) -> Phrase:
    return clause(t.subj(t.person()), act.verb, tense, ("obj", some(t, t.pick(act.objects))), *right)


def irregular_past(t: Teller) -> Contrast:
    act = _irregular(t)
    tree = _with_object(t, act, PAST, t.pick(ENDS_PAST))
    return ended(tree), act.verb.forms[PAST_FORM], act.verb.forms[PARTICIPLE]


def perfect_participle(t: Teller) -> Contrast:
    act = _irregular(t)
    return (
        ended(_with_object(t, act, t.pick((PERFECT, PLUPERFECT)))),
        act.verb.forms[PARTICIPLE],
        act.verb.forms[PAST_FORM],
    )


def passive_participle(t: Teller) -> Contrast:
    act = _irregular(t)
    agent: Dep = ("obl:agent", before(t.named(t.person()), ("case", c.BY)))
    tree = passive(some(t, t.pick(act.objects)), act.verb, t.pick((PRES, PAST)), agent)
    return ended(tree), act.verb.forms[PARTICIPLE], act.verb.forms[PAST_FORM]


def progressive(t: Teller) -> Contrast:
    word, right = plain_deed(t)
    return (
        ended(clause(t.subj(t.person()), word, PROGRESSIVE, *right)),
        word.forms[GERUND],
        word.forms[THIRD],
    )


def pronoun_case(t: Teller) -> Contrast:
    """ "she" before the verb, "her" after it."""
    pronoun = t.pick((c.HE, c.SHE, c.THEY, c.WE, c.I))
    if t.random() < 0.5:
        word, right = plain_deed(t)
        return ended(clause(pronoun.nominative, word, PAST, *right)), pronoun.nominative, pronoun.objective
    tree = clause(
        t.subj(t.person()), t.pick(verbs("see help thank follow meet")), PAST, ("obj", pronoun.objective)
    )
    return ended(tree), pronoun.objective, pronoun.nominative


def possessive(t: Teller) -> Contrast:
    pronoun = t.pick((c.SHE, c.THEY, c.WE, c.YOU, c.I))
    kind = kind_of(t)
    tree = be(owned(pronoun.my, one_or_many(t, countable(t, kind))), t.pick(SUITING[kind]), PAST)
    return ended(tree), pronoun.my, pronoun.mine


COMPARED = {kind: [a_ for a_ in scale if isinstance(a_.more, Word)] for kind, scale in SCALES.items()}


def comparative(t: Teller) -> Contrast:
    how = t.pick(COMPARED["person"])
    assert isinstance(how.more, Word)
    subject, other = t.named(t.person()), t.named(t.person())
    tree = be(subject, after(how.more, obl(c.THAN_P, other)), t.pick((PRES, PAST)))
    return ended(tree), how.more, how.plain


def equative(t: Teller) -> Contrast:
    how = t.pick(COMPARED["person"])
    assert isinstance(how.more, Word)
    tree = be(t.named(t.person()), as_as(how, t.named(t.person())), t.pick((PRES, PAST)))
    return ended(tree), how.plain, how.more


def relative_animacy(t: Teller) -> Contrast:
    """ "who" for people, "which" for things."""
    if t.random() < 0.5:
        doing = t.pick(DOINGS)
        inner = clause(who(IS), doing.verb, PAST, ("advmod", t.pick(doing.manners)))
        tree = be(relative(the(countable(t, "person").one), inner), t.pick(SUITING["person"]), PAST)
        return ended(tree), c.REL_WHO, c.REL_WHICH
    kind = t.pick(("furniture", "tool", "container"))
    inner = clause(
        c.REL_WHICH,
        t.pick(verbs("stand lie")),
        PAST,
        obl(c.NEAR, the(noun(t.pick(("door", "window", "gate", "wall"))).one)),
    )
    tree = be(relative(the(countable(t, kind).one), inner), t.pick(SUITING[kind]), PAST)
    return ended(tree), c.REL_WHICH, c.REL_WHO


NEEDING_AN_OBJECT = verbs(
    "carry fix repair bring wear chase fill lift describe rescue examine admire enjoy sharpen protect solve wrap"
)
GAPPED = tuple(deed for deed in ACTIVITIES if deed.verb in NEEDING_AN_OBJECT)


def wh_gap(t: Teller) -> Contrast:
    """A clause with a gap needs "what", not "that"; its verb cannot do without an object, as "taste" can."""
    act = t.pick(GAPPED)
    inner = clause(t.named(t.person()), act.verb, PAST, front=(("obj", c.WHAT),))
    return ended(clause(t.named(t.person()), verb("know"), PRES, ("ccomp", inner))), c.WHAT, c.THAT


def wh_question(t: Teller) -> Contrast:
    """After "did" the verb is bare, also behind a question word."""
    act: Deed = _irregular(t)
    subject = t.subj(t.person())
    wh: Dep = ("obj", c.WHAT) if t.random() < 0.5 else ("advmod", t.pick((c.WHERE, c.WHEN, c.WHY)))
    right = () if wh[0] == "obj" else (("obj", some(t, t.pick(act.objects))),)
    return (
        ended(ask(subject, act.verb, PAST, *right, wh=(wh,)), QUESTION),
        act.verb.forms[BASE],
        act.verb.forms[PAST_FORM],
    )


def tense_time(t: Teller) -> Contrast:
    """What happened two days ago is told in the past."""
    word, right = plain_deed(t)
    while word.forms[PAST_FORM].form == word.forms[BASE].form:
        word, right = plain_deed(t)
    ago = t.pick([end for end in ENDS_PAST if end[1].word is c.AGO])
    return (
        ended(clause(t.subj(t.person()), word, PAST, *right, ago)),
        word.forms[PAST_FORM],
        word.forms[THIRD],
    )


def gerund(t: Teller) -> Contrast:
    word, right = plain_deed(t)
    left = clause(t.subj(t.person()), verb("leave"), PAST, ("obj", the(noun("house").one)))
    return (
        ended(after(left, ("advcl", ing(word, *right, mark=c.WITHOUT_SC)))),
        word.forms[GERUND],
        word.forms[BASE],
    )


def quantity(t: Teller) -> Contrast:
    """ "many books", but "much water"."""
    mass = t.random() < 0.5
    head = t.pick(MASS_NOUNS).one if mass else countable(t, t.pick(("toy", "reading", "animal"))).many
    right, wrong = (c.MUCH, c.MANY) if mass else (c.MANY, c.MUCH)
    amount = Phrase(head, (("amod", right),))
    return (
        ended(clause(t.subj(t.person()), verb("see"), PAST, ("obj", amount), polarity=FULL_NOT)),
        right,
        wrong,
    )


MASS_NOUNS = tuple(
    noun(w) for w in ("water", "milk", "bread", "snow", "money", "sugar", "rice", "honey", "grass")
)


MANNERED = adjectives("quick slow careful quiet happy calm patient eager proud gentle polite secret nervous")


def manner(t: Teller) -> Contrast:
    """An adverb, not an adjective, says how something is done."""
    how = t.pick(MANNERED)
    word, right = plain_deed(t)
    tree = clause(t.subj(t.person()), word, PAST, *right, ("advmod", how.adverb))
    return ended(tree), how.adverb, how.plain
