"""Single sentences about people, animals and things at hand: agreement, quantity, comparison."""

from mini_bert.data.world import closed as c
from mini_bert.data.world.cast import Being
from mini_bert.data.world.clauses import (
    FULL_NOT,
    PRES,
    SHORT_NOT,
    be,
    clause,
    ing,
    relative,
    there,
    which,
    who,
)
from mini_bert.data.world.deeds import SMALL_NUMBERS, plain_deed
from mini_bert.data.world.gold import POSITIVE
from mini_bert.data.world.lexicon import (
    Noun,
    nouns,
    verb,
    verbs,
)
from mini_bert.data.world.phrases import (
    a,
    bare,
    both,
    count,
    degree,
    det,
    headed,
    nmod,
    obl,
    pp,
    the,
)
from mini_bert.data.world.teller import Teller
from mini_bert.data.world.tree import ARE, IS, Deps, Part, Phrase, Word, after, words
from mini_bert.data.world.words.activities import DOINGS
from mini_bert.data.world.words.animals import FARM_ANIMALS, WILD_ANIMALS
from mini_bert.data.world.words.people import CROWD, LOOKS, PASSERSBY, POSITIVE_TRAITS, ROLES
from mini_bert.data.world.words.places import ANYWHERE, ROOMS, TOWNS
from mini_bert.data.world.words.things import (
    INDOOR_SPOTS,
    NOT_GRADABLE,
    OUTDOOR_SPOTS,
    PEOPLE_SPOTS,
    SUITING,
    THINGS,
)

THING_KINDS = (
    "household",
    "furniture",
    "toy",
    "clothing",
    "reading",
    "container",
    "tool",
    "vehicle",
    "plant",
    "art",
    "device",
    "school",
)
LYING_KINDS = tuple(kind for kind in THING_KINDS if kind != "furniture")
LIE, STAND = verb("lie"), verb("stand")
STANDING = ("plant", "vehicle")
OUTDOORS = ("animal", "plant", "vehicle")


STAYING = tuple(doing for doing in DOINGS if doing.verb.lemma in
                words("sleep laugh sing talk whisper shout listen yawn cough sneeze wait smile nod think"))  # fmt: skip


def kind_of(t: Teller) -> str:
    chance = t.random()
    if chance < 0.35:
        return "person"
    return "animal" if chance < 0.5 else t.pick(THING_KINDS)


def member(t: Teller, kind: str) -> Noun:
    if kind == "person":
        return t.pick(PASSERSBY)
    if kind == "animal":
        return t.pick(FARM_ANIMALS if t.random() < 0.5 else WILD_ANIMALS).noun
    return t.pick(THINGS[kind])


def number(t: Teller, noun_: Noun) -> Word:
    """One or several, with equal chance: the verb must agree."""
    return noun_.one if t.random() < 0.5 else noun_.many


def spots(kind: str) -> tuple[tuple[Word, Noun], ...]:
    if kind == "person":
        return PEOPLE_SPOTS
    return OUTDOOR_SPOTS if kind in OUTDOORS else INDOOR_SPOTS


def maybe_look(t: Teller, kind: str) -> tuple[Word, ...]:
    return (t.pick(SUITING[kind]),) if t.random() < 0.4 else ()


def place_of(t: Teller, kind: str) -> Phrase:
    """A prepositional phrase that tells which one is meant; it often ends in a noun of another number."""
    if kind == "person" and t.random() < 0.3:
        hat = t.pick(THINGS["clothing"])
        return pp(c.WITH, the(number(t, hat), t.pick(SUITING["clothing"])))
    if kind == "person" and t.random() < 0.15:
        return pp(c.FROM, t.pick(TOWNS))
    preposition, where = t.pick(spots(kind))
    if preposition in (c.NEAR, c.BESIDE) and t.random() < 0.4:
        _, second = t.pick(spots(kind))
        return pp(c.BETWEEN, both(the(where.one), the(second.one, *((c.OTHER,) if second is where else ()))))
    head = where.one if where.mass or t.random() < 0.5 else where.many
    return pp(preposition, the(head))


def quality(t: Teller, kind: str) -> Part:
    """One quality, a strong one, or two."""
    word = t.pick(SUITING[kind])
    chance = t.random()
    if chance < 0.35:
        second = t.pick(SUITING[kind])
        return word if second is word else both(word, second)
    if chance < 0.8 or word in NOT_GRADABLE:
        return word
    return degree(t.pick((c.VERY, c.QUITE, c.RATHER)), word)


def describe(t: Teller, kind: str, subject: Part, *, placed: bool = False) -> Phrase:
    """A predicate that suits the kind: a quality, or something that people do; not elsewhere if `placed`."""
    if kind == "person" and t.random() < 0.5:
        if placed:
            doing = t.pick(STAYING)
            return clause(
                subject, doing.verb, t.doing if t.random() < 0.6 else t.now, ("advmod", t.pick(doing.manners))
            )
        doing = t.pick(DOINGS)
        right: Deps = (("advmod", t.pick(doing.manners)),)
        if doing.preposition is not None:
            right = (obl(doing.preposition, the(t.pick(doing.nouns).one)),)
        return clause(subject, doing.verb, t.doing if t.random() < 0.5 else t.now, *right)
    return be(subject, quality(t, kind), t.now)


def beside(t: Teller, who: Being, other: Being) -> None:
    """Agreement across a prepositional phrase: "the keys on the table were old"."""
    kind = kind_of(t)
    subject = after(the(number(t, member(t, kind)), *maybe_look(t, kind)), ("nmod", place_of(t, kind)))
    t.say(describe(t, kind, subject, placed=True), "agreement: PP")


def that_did(t: Teller, who: Being, other: Being) -> None:
    """Agreement across a subject relative clause: "the dog that chased the cats was old"."""
    kind = "person" if t.random() < 0.6 else "animal"
    head = number(t, member(t, kind))
    if kind == "person":
        word, right = plain_deed(t)
        inner = clause(WHO_OF[head.agr], word, t.pick((t.now, t.doing, t.had)), *right)
    else:
        seen = number(t, t.pick(WILD_ANIMALS).noun)
        inner = clause(which(head.agr), t.pick(ANIMAL_DEEDS), t.now, ("obj", the(seen)))
    t.say(describe(t, kind, relative(the(head, *maybe_look(t, kind)), inner)), "agreement: subject relative")


WHO_OF = (who(IS), who(ARE))
WHICH_OF = (Phrase(c.REL_WHICH), Phrase(c.REL_WHICH, agr=ARE))
ANIMAL_DEEDS = verbs("chase watch follow frighten see hear")
TRANSFERS = verbs("buy find sell borrow carry clean see like want hide draw bring")


def that_was_done(t: Teller, who: Being, other: Being) -> None:
    """Agreement across an object relative clause: "the books that the girl bought were old"."""
    kind = t.pick(("household", "toy", "clothing", "reading", "container", "tool", "art"))
    head = number(t, member(t, kind))
    doer: Part = t.subj(who) if t.random() < 0.5 else the(number(t, t.pick(CROWD)))
    front: Deps = (("obj", c.REL_THAT),) if t.random() < 0.6 else ()
    inner = clause(doer, t.pick(TRANSFERS), t.now if t.random() < 0.5 else t.had, front=front)
    subject = relative(the(head, *maybe_look(t, kind)), inner)
    t.say(be(subject, quality(t, kind), t.now), "agreement: object relative")


def whom_saw(t: Teller, who: Being, other: Being) -> None:
    """ "The man whom Anna had met was kind." """
    head = number(t, t.pick(PASSERSBY))
    front: Deps = (("obj", t.pick((c.WHOM, c.REL_WHO))),)
    inner = clause(t.subj(who), t.pick(MEETINGS), t.now if t.random() < 0.5 else t.had, front=front)
    t.say(describe(t, "person", relative(the(head), inner)), "relative: whom")


MEETINGS = verbs("meet see help visit thank greet know invite follow")


def which_stood(t: Teller, who: Being, other: Being) -> None:
    """ "The box which stood near the door was empty." """
    kind = t.pick(("furniture", "container", "vehicle", "plant", "tool", "household"))
    head = number(t, member(t, kind))
    preposition, where = t.pick(spots(kind))
    inner = clause(
        WHICH_OF[head.agr],
        verb("hang") if preposition is c.ABOVE else STAND if kind in STANDING else LIE,
        t.now,
        obl(preposition, the(where.one)),
    )
    t.say(be(relative(the(head), inner), quality(t, kind), t.now), "relative: which")


def coordinated(t: Teller, who: Being, other: Being) -> None:
    kind = kind_of(t)
    first, second = number(t, member(t, kind)), number(t, member(t, kind))
    subject = both(the(first), the(second, *((c.OTHER,) if first is second else ())))
    t.say(describe(t, kind, subject), "agreement: coordination")


def indefinite(t: Teller, kind: str, head: Noun) -> Part:
    """A new thing, or several, with a quality: "an old cup", "three green cups"."""
    modifiers = (t.pick(SUITING[kind]),) if t.random() < 0.6 else ()
    if head.pair:
        return bare(head.many, *modifiers)
    roll = t.roll(4)
    if roll <= 1:
        return a(head.one, *modifiers)
    if roll == 2:
        return count(t.pick(SMALL_NUMBERS), head.many, *modifiers)
    return headed(("amod", t.pick((c.MANY, c.SEVERAL))), head.many, *modifiers)


def there_is(t: Teller, who: Being, other: Being) -> None:
    kind = kind_of(t)
    what = indefinite(t, kind, member(t, kind))
    if what.agr == ARE and t.random() < 0.5:
        what = both(what, indefinite(t, kind, member(t, kind)))
    preposition, where = t.pick(spots(kind))
    t.say(there(what, t.now, obl(preposition, the(where.one)), front=t.later(0.3)), "there is")


def there_is_no(t: Teller, who: Being, other: Being) -> None:
    kind = t.pick(THING_KINDS)
    what = member(t, kind)
    place = ("obl", t.pick(ROOMS).at)
    if t.random() < 0.5:
        tree = there(det(c.NO, number(t, what)), t.now, place)
    else:
        tree = there(
            det(c.ANY, what.one if what.mass else what.many),
            t.now,
            place,
            polarity=t.pick((FULL_NOT, SHORT_NOT)),
        )
    t.say(tree, "there is no")


def inversion(t: Teller, who: Being, other: Being) -> None:
    """ "On the table lay two old books." """
    kind = t.pick(LYING_KINDS)
    preposition, where = t.pick(spots(kind))
    what = indefinite(t, kind, member(t, kind))
    word = verb("hang") if preposition is c.ABOVE else STAND if kind in STANDING else LIE
    main = word.present[what.agr] if t.now == PRES else word.past[what.agr]
    t.say(Phrase(main, (("obl", pp(preposition, the(where.one))),), (("nsubj", what),)), "inversion")


def doing_something(t: Teller, who: Being, other: Being) -> None:
    """A reduced relative clause: "the man sitting on the bench was old"."""
    head = number(t, t.pick(PASSERSBY))
    word, right = plain_deed(t)
    t.say(be(after(the(head), ("acl", ing(word, *right))), quality(t, "person"), t.now), "reduced relative")


def whose(t: Teller, who: Being, other: Being) -> None:
    """ "The girl whose brother lived in Tillmere was kind." """
    head = number(t, t.pick(PASSERSBY))
    kin = t.pick(KIN).one
    inner = clause(
        headed(("nmod:poss", c.WHOSE), kin),
        verb(t.pick(("live", "work", "stay"))),
        t.now,
        obl(c.IN, t.pick(TOWNS)),
    )
    t.say(describe(t, "person", relative(the(head), inner)), "relative: whose")


KIN = nouns("brother sister mother father uncle aunt son daughter")


def apposition(t: Teller, who: Being, other: Being) -> None:
    """ "Tom, a friendly boy from Tillmere, ..." """
    if t.speaker is who:
        who = other
    subject = t.named_subj(who)
    title = after(a(t.pick(ROLES).one, t.pick(POSITIVE_TRAITS).plain), nmod(c.FROM, t.pick(TOWNS)))
    subject = after(subject, ("punct", c.COMMA), ("appos", title), ("punct", c.COMMA))
    word, right = plain_deed(t)
    t.say(clause(subject, word, t.now, *right), "apposition", POSITIVE)


def demonstrative(t: Teller, who: Being, other: Being) -> None:
    """ "These shoes were older than those boots." """
    kind = t.pick(THING_KINDS)
    head = number(t, member(t, kind))
    plural = head.agr == ARE
    subject = det(t.pick((c.THESE, c.THOSE) if plural else (c.THIS, c.THAT_DET)), head)
    t.say(be(after(subject, ("nmod", place_of(t, kind))), quality(t, kind), t.now), "demonstrative")


def stranger(t: Teller, who: Being, other: Being) -> None:
    """ "A tall man with two heavy bags was waiting at the station." """
    look = t.pick(LOOKS).plain
    head = t.pick(PASSERSBY).one
    subject = after(
        a(head, look), ("nmod", pp(c.WITH, indefinite(t, "container", t.pick(THINGS["container"]))))
    )
    place = t.pick(ANYWHERE)
    word = t.pick(verbs("wait stand sit walk sing talk rest work"))
    t.say(clause(subject, word, t.doing, ("obl", place.at), front=t.later(0.4)), "stranger")


NOMINALS = (
    beside, beside, that_did, that_did, that_was_done, whom_saw, which_stood, coordinated, there_is, there_is_no,
    inversion, doing_something, whose, apposition, demonstrative, stranger,
)  # fmt: skip
