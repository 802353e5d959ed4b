"""Single sentences that compare and judge: degrees, superlatives, ages, ease, traits."""

from mini_bert.data.world import closed as c
from mini_bert.data.world.cast import Being
from mini_bert.data.world.clauses import (
    FULL_NOT,
    PLAIN,
    be,
    clause,
    extraposed,
    that,
    to,
)
from mini_bert.data.world.deeds import plain_deed
from mini_bert.data.world.lexicon import (
    MORE,
    Adjective,
    Noun,
    adjective,
    adjectives,
    noun,
    nouns,
    verb,
    verbs,
)
from mini_bert.data.world.phrases import (
    a,
    as_as,
    count,
    degree,
    genitive,
    nmod,
    obl,
    owned,
    than,
    the,
)
from mini_bert.data.world.scenes.nominals import describe, kind_of, member, number
from mini_bert.data.world.scenes.steps import label
from mini_bert.data.world.teller import Teller
from mini_bert.data.world.tree import Dep, Phrase, Word, after, words
from mini_bert.data.world.words.activities import DOINGS
from mini_bert.data.world.words.people import NEGATIVE_TRAITS, POSITIVE_TRAITS, ROLES

SCALES = {
    "person": adjectives("tall old young strong kind clever rich quiet busy friendly polite brave short"),
    "animal": adjectives("big fast small old hungry noisy quick wild fat"),
    "thing": adjectives("big heavy expensive old new small cheap beautiful long useful large strong"),
}


def _scaled(t: Teller) -> tuple[str, Noun, Adjective]:
    kind = kind_of(t)
    scale = SCALES.get(kind) or SCALES["thing"]
    return kind, member(t, kind), t.pick(scale)


def comparison(t: Teller, who: Being, other: Being) -> None:
    """Two people, or two things of a kind, compared."""
    if t.random() < 0.5:
        how = t.pick(SCALES["person"])
        one, two = t.named_subj(who), t.named(other)
    else:
        kind, head, how = _scaled(t)
        rival = member(t, kind)
        one = the(number(t, head))
        two = the(rival.many, c.OTHER) if rival is head else the(number(t, rival))
    roll = t.roll(4)
    if roll <= 1:
        tree = be(one, than(how, two), t.now)
    elif roll == 2:
        tree = be(one, as_as(how, two), t.now, polarity=t.pick((PLAIN, FULL_NOT)))
    else:
        tree = be(one, Phrase(how.plain, (("advmod", LESS),), (obl(c.THAN_P, two),)), t.now)
    t.say(tree, "comparison")


def does_better(t: Teller, who: Being, other: Being) -> None:
    """ "Anna works more carefully than Tom." """
    doing = t.pick(COMPARABLE)
    how = Phrase(t.pick(doing.manners), (("advmod", MORE),))
    subject = t.named_subj(who)
    better = after(how, obl(c.THAN_P, t.named(other)))
    t.say(clause(subject, doing.verb, t.now, ("advmod", better)), "comparison: adverb")


COMPARABLE = tuple(
    doing._replace(manners=tuple(how for how in doing.manners if how.form.endswith("ly")))
    for doing in dict.fromkeys(DOINGS)
    if doing.verb.lemma in words("sleep work laugh sing dance swim walk wait listen talk study sit")
)


def mine_and_yours(t: Teller, who: Being, other: Being) -> None:
    """ "Anna's garden was smaller than his." """
    things, scale = t.pick(OWNED)
    head = t.pick(things).one
    if t.random() < 0.6:
        subject = owned(t.poss(who), head)
        t.say(be(subject, than(t.pick(scale), t.mine(other)), t.now), "comparison: mine")
        return
    pair = t.pair(who, other)
    say = t.subj(pair)
    neighbors = genitive(the(noun(t.pick(("neighbor", "teacher", "farmer", "cousin"))).many))
    bigger = be(owned(neighbors, head), than(t.pick(scale), t.mine(pair)), t.now)
    t.say(clause(say, t.pick(verbs("say think believe")), t.now, that(bigger)), "comparison: theirs")


OWNED = (
    (
        nouns("house garden room kitchen farm boat car"),
        adjectives("big small old new quiet clean large beautiful"),
    ),
    (nouns("dog cat horse rabbit goat"), adjectives("big old fast friendly young clever noisy quiet")),
    (nouns("bag coat hat story idea plan cake soup"), adjectives("good new heavy long strange simple cheap")),
)
LESS = Word("less", "ADV", "less", "Degree=Cmp")
CIRCLES = tuple(the(noun(w).one) for w in words("village world town family street school country"))


def superlative(t: Teller, who: Being, other: Being) -> None:
    where = nmod(c.IN, t.pick(CIRCLES))
    if t.random() < 0.4:
        title = after(the(t.pick(ROLES).one, t.pick(SCALES["person"]).most), where)
        t.say(be(t.subj(who), title, t.now), "superlative: person")
        return
    kind, head, how = _scaled(t)
    subject = after(the(head.many if head.pair else head.one, how.most), where)
    if kind in ("person", "animal"):
        t.say(describe(t, kind, subject), "superlative: living")
    else:
        t.say(clause(subject, verb("belong"), t.now, obl(c.TO, t.obj(who))), "superlative: belongs")


def age(t: Teller, who: Being, other: Being) -> None:
    years = noun("year").many
    subject = t.subj(who)
    if t.random() < 0.4:
        old: Dep = ("obl:unmarked", count(c.NUMBER_WORDS[5 + t.roll(14)], years))
        tree = be(subject, Phrase(adjective("old").plain, (old,)), t.now)
    else:
        compared = than(adjective(t.pick(("old", "young"))), t.obj(other))
        gap: Dep = ("obl:unmarked", count(c.NUMBER_WORDS[2 + t.roll(7)], years))
        tree = be(subject, Phrase(compared.word, (gap, *compared.left), compared.right), t.now)
    t.say(tree, "age")


EASE = {
    True: adjectives("easy fun good nice wonderful"),
    False: adjectives("difficult hard dangerous boring impossible"),
}


def extraposition(t: Teller, who: Being, other: Being) -> None:
    """ "It was difficult for Anna to climb the tree." """
    good = t.random() < 0.5
    whom = t.obj(who)
    word, right = plain_deed(t)
    infinitive = to(word, *right)
    infinitive = Phrase(
        infinitive.word, (("mark", c.FOR_SC), ("nsubj", whom), *infinitive.left), infinitive.right
    )
    how = be(c.EXPLETIVE_IT, t.pick(EASE[good]).plain, t.now, ("csubj", infinitive))
    t.say(extraposed(how), "extraposition", label(good))


SPOKEN = frozenset(
    adjectives("kind polite patient honest gentle cheerful rude impatient unkind thoughtful wise")
)


SOCIAL = adjectives(
    "kind friendly honest polite patient helpful fair gentle rude mean unkind unfriendly impolite unfair"
)


def trait(t: Teller, who: Being, other: Being) -> None:
    """A trait as an adjective, as a noun in "-ness", or as an adverb in "-ly"."""
    good = t.random() < 0.6
    nature = t.pick(POSITIVE_TRAITS if good else NEGATIVE_TRAITS)
    roll = t.roll(4)
    if roll == 0:
        tree = be(t.subj(who), a(t.pick(ROLES).one, degree(c.VERY, nature.plain)), t.now)
    elif roll == 1:
        word = verb("like" if good else "avoid")
        liked = clause(c.EVERYBODY, word, t.now, ("obj", t.obj(who)))
        tree = after(liked, obl(c.BECAUSE_OF, owned(t.poss(who), nature.quality)))
    elif roll == 2 and nature in SPOKEN:
        subject = t.subj(who)
        tree = clause(
            subject,
            verb("speak"),
            t.now,
            obl(c.WITH, t.obj(other)),
            ("advmod", nature.adverb),
            adverb=c.ALWAYS,
        )
    elif nature in SOCIAL:
        tree = be(t.subj(who), nature.plain, t.now, obl(c.TO, c.EVERYONE), adverb=c.ALWAYS)
    else:
        tree = be(t.subj(who), nature.plain, t.now, adverb=t.pick((c.ALWAYS, c.OFTEN, c.USUALLY)))
    t.say(tree, "trait", label(good))


def opinion_of(t: Teller, who: Being, other: Being) -> None:
    """ "Tom was kinder than anyone else": negation and comparison turn the sentiment."""
    good = t.random() < 0.5
    nature = t.pick(SOCIAL)
    natured_well = nature in POSITIVE_TRAITS
    subject = t.subj(who)
    polarity = PLAIN if natured_well == good else FULL_NOT
    often = (c.EVER,) if polarity else (c.ALWAYS,)
    adverb = often[0] if t.random() < 0.4 else None
    t.say(
        be(subject, nature.plain, t.now, obl(c.TO, t.obj(other)), polarity=polarity, adverb=adverb),
        "trait: negated",
        label(good),
    )


COMPARISONS = (
    comparison,
    comparison,
    mine_and_yours,
    does_better,
    superlative,
    age,
    extraposition,
    trait,
    opinion_of,
)
