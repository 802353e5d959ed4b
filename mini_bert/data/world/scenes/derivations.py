"""Single sentences in which one word is made from another: -ness, -er, -ly, -able, -ful, -less, un-, re-."""

from mini_bert.data.world import closed as c
from mini_bert.data.world.cast import Being
from mini_bert.data.world.clauses import FULL_NOT, PLAIN, be, clause, joined, marked, passive, so
from mini_bert.data.world.gold import NEGATIVE, POSITIVE
from mini_bert.data.world.lexicon import (
    adjective,
    adjectives,
    adverb,
    noun,
    nouns,
    verb,
)
from mini_bert.data.world.phrases import a, obl, of, owned, the
from mini_bert.data.world.scenes.steps import label
from mini_bert.data.world.teller import Teller
from mini_bert.data.world.tree import Phrase, words
from mini_bert.data.world.words.people import AGENTS, NEGATIVE_TRAITS, POSITIVE_TRAITS

FRIGHTENING = tuple(
    (adjective(quality).quality, noun(place).one)
    for quality, place in (
        pair.split(":")
        for pair in words(
            "dark:cellar dark:forest cold:water deep:lake empty:house still:night loud:storm quiet:attic"
        )
    )
)


def known_for(t: Teller, who: Being, other: Being) -> None:
    """ "Everybody admired Anna for her kindness." """
    good = t.random() < 0.6
    nature = t.pick(POSITIVE_TRAITS if good else NEGATIVE_TRAITS)
    roll = t.roll(3)
    if roll == 0:
        subject = t.subj(who)
        tree = be(subject, adjective("famous").plain, t.now, obl(c.FOR, owned(t.poss(who), nature.quality)))
    elif roll == 1:
        word = verb(
            t.pick(("admire", "praise", "like")) if good else t.pick(("criticize", "blame", "dislike"))
        )
        whom = t.obj(who)
        tree = clause(c.EVERYBODY, word, t.now, ("obj", whom), obl(c.FOR, owned(t.poss(who), nature.quality)))
    else:
        subject = t.named_subj(other)
        tree = clause(subject, verb("notice"), t.now, ("obj", of(the(nature.quality), t.named(who))))
    t.say(tree, "derivation: -ness", label(good))


def frightens(t: Teller, who: Being, other: Being) -> None:
    """ "The darkness of the cellar frightened Tom." """
    what, where = t.pick(FRIGHTENING)
    polarity = FULL_NOT if t.random() < 0.3 else PLAIN
    tree = clause(of(the(what), the(where)), verb("frighten"), t.now, ("obj", t.obj(who)), polarity=polarity)
    t.say(tree, "derivation: frightens", POSITIVE if polarity else NEGATIVE)


SKILLS = tuple(pair for pair in AGENTS if pair[0] not in words("win lose lead dream work help"))


def agent(t: Teller, who: Being, other: Being) -> None:
    """ "Anna swims well because she is a good swimmer." """
    deed, doer = t.pick(SKILLS)
    good = t.random() < 0.6
    subject = t.subj(who)
    is_a = be(t.subj(who), a(noun(doer).one, adjective("good" if good else "bad").plain), t.now)
    manner = adverb("well" if good else "badly")
    t.say(
        clause(subject, verb(deed), t.now, ("advmod", manner), ("advcl", marked(c.BECAUSE, is_a))),
        "derivation: -er",
        label(good),
    )


ABLE = tuple(
    (noun(what), verb(deed), adjective(able))
    for what, deed, able in (
        triple.split(":")
        for triple in words("""cup:break:breakable shirt:wash:washable letter:read:readable road:use:usable
        bicycle:repair:repairable boat:move:movable chair:move:movable glass:break:breakable sign:read:readable
        song:sing:singable puzzle:solve:solvable""")
    )
)


def able(t: Teller, who: Being, other: Being) -> None:
    """ "The shirt was washable, so Anna washed it": what can be done, and is or is not done."""
    thing, deed, adjective_ = t.pick(ABLE)
    what = t.thing(None, (thing,))
    t.mentioned.append(what)
    what.known = True
    negated = t.random() < 0.4
    first = be(
        Phrase(thing.one, (("det", c.THE),), (), what.id),
        adjective_.plain,
        t.now,
        polarity=FULL_NOT if negated else PLAIN,
    )
    if t.random() < 0.5:
        can = clause(t.subj(who), deed, t.can, ("obj", t.obj(what)), polarity=FULL_NOT if negated else PLAIN)
    else:
        can = passive(t.subj(what), deed, t.can, polarity=FULL_NOT if negated else PLAIN)
    t.say(so(first, can), "derivation: -able")


USES = {
    True: adjectives("useful colorful peaceful powerful helpful"),
    False: adjectives("useless colorless worthless hopeless harmful painful"),
}
JUDGED = nouns("map plan idea letter book song answer speech picture lesson trip game")


def worth(t: Teller, who: Being, other: Being) -> None:
    """ "-ful" and "-less", and a negation that turns them round."""
    good, said_well = t.random() < 0.5, t.random() < 0.5
    head = t.pick(JUDGED).one
    opinion = t.pick(USES[said_well])
    polarity = PLAIN if good == said_well else FULL_NOT
    subject = t.subj(who)
    judged = marked(c.THAT, be(owned(t.poss(other), head), opinion.plain, t.now, polarity=polarity))
    t.say(
        clause(subject, verb(t.pick(("say", "think", "believe"))), t.now, ("ccomp", judged)),
        "derivation: -ful",
        label(good),
    )


UNDONE = tuple(
    (verb(un), verb(again), nouns(things))
    for un, again, things in (
        ("unlock", "lock", "door gate car suitcase drawer"),
        ("unpack", "pack", "bag suitcase basket trunk"),
        ("untie", "tie", "rope knot ribbon boat"),
        ("unwrap", "wrap", "present parcel sandwich"),
        ("unroll", "roll", "carpet map blanket"),
        ("unfold", "fold", "letter napkin map shirt"),
        ("unbutton", "button", "coat shirt jacket"),
    )
)
REDONE = tuple(
    (verb(word), verb(re), nouns(things))
    for word, re, things in (
        ("paint", "repaint", "wall fence door boat"),
        ("build", "rebuild", "bridge tower wall nest"),
        ("write", "rewrite", "letter essay poem song"),
        ("read", "reread", "book poem chapter letter"),
        ("heat", "reheat", "soup stew pizza tea"),
        ("open", "reopen", "shop box bakery"),
        ("tell", "retell", "story joke tale"),
        ("fill", "refill", "bottle glass bucket"),
    )
)


def undone(t: Teller, who: Being, other: Being) -> None:
    """ "Anna had locked the door, so Tom unlocked it"; "Anna wrote the letter and then rewrote it"."""
    reverse = t.random() < 0.5
    one, two, things = t.pick(UNDONE if reverse else REDONE)
    first, second = (two, one) if reverse else (one, two)
    what = t.thing(None, things)
    what.known = True
    t.mentioned.append(what)
    done = clause(t.named_subj(who), first, t.had, ("obj", Phrase(what.head, (("det", c.THE),), (), what.id)))
    again = clause(t.named_subj(other), second, t.now, ("obj", t.obj(what)))
    t.say(so(done, again) if reverse else joined(done, again, c.BUT), "derivation: un-, re-")


DERIVATIONS = (known_for, known_for, frightens, agent, able, worth, undone)
