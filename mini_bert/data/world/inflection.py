"""English inflection: rules, and the words that do not follow them."""

import re

from mini_bert.data.world.tree import words

IRREGULAR_PLURALS = dict(
    pair.split(":")
    for pair in words("""
    child:children foot:feet tooth:teeth mouse:mice goose:geese man:men woman:women person:people
    ox:oxen sheep:sheep deer:deer fish:fish leaf:leaves knife:knives wife:wives wolf:wolves calf:calves
    shelf:shelves loaf:loaves half:halves thief:thieves scarf:scarves elf:elves hoof:hooves life:lives
    potato:potatoes tomato:tomatoes hero:heroes echo:echoes mango:mangoes volcano:volcanoes
    fisherman:fishermen policeman:policemen snowman:snowmen gentleman:gentlemen grandchild:grandchildren
    salmon:salmon squid:squid trout:trout larva:larvae cactus:cacti aircraft:aircraft
    bookshelf:bookshelves midwife:midwives stepchild:stepchildren tornado:tornadoes
    """)
)

IRREGULAR_VERBS = {
    base: (past, participle)
    for base, past, participle in (
        entry.split(":")
        for entry in words("""
    be:was:been have:had:had do:did:done go:went:gone say:said:said see:saw:seen get:got:gotten
    give:gave:given take:took:taken make:made:made come:came:come know:knew:known think:thought:thought
    find:found:found tell:told:told become:became:become leave:left:left feel:felt:felt put:put:put
    bring:brought:brought begin:began:begun keep:kept:kept hold:held:held write:wrote:written
    stand:stood:stood hear:heard:heard let:let:let mean:meant:meant set:set:set meet:met:met
    run:ran:run pay:paid:paid sit:sat:sat speak:spoke:spoken lie:lay:lain lead:led:led read:read:read
    grow:grew:grown lose:lost:lost fall:fell:fallen send:sent:sent build:built:built
    understand:understood:understood draw:drew:drawn break:broke:broken spend:spent:spent cut:cut:cut
    rise:rose:risen drive:drove:driven buy:bought:bought wear:wore:worn choose:chose:chosen eat:ate:eaten
    drink:drank:drunk sing:sang:sung swim:swam:swum sleep:slept:slept ride:rode:ridden fly:flew:flown
    throw:threw:thrown catch:caught:caught teach:taught:taught sell:sold:sold hide:hid:hidden
    forget:forgot:forgotten fight:fought:fought win:won:won wake:woke:woken shine:shone:shone
    blow:blew:blown bite:bit:bitten dig:dug:dug feed:fed:fed freeze:froze:frozen hang:hung:hung
    hit:hit:hit hurt:hurt:hurt lend:lent:lent ring:rang:rung shake:shook:shaken shoot:shot:shot
    shut:shut:shut sink:sank:sunk spin:spun:spun steal:stole:stolen stick:stuck:stuck sting:stung:stung
    sweep:swept:swept swing:swung:swung tear:tore:torn weave:wove:woven wind:wound:wound
    forgive:forgave:forgiven rebuild:rebuilt:rebuilt rewrite:rewrote:rewritten reread:reread:reread
    retell:retold:retold redo:redid:redone undo:undid:undone repay:repaid:repaid bend:bent:bent
    creep:crept:crept light:lit:lit show:showed:shown sew:sewed:sewn shrink:shrank:shrunk
    spread:spread:spread spring:sprang:sprung swear:swore:sworn weep:wept:wept oversleep:overslept:overslept
    bleed:bled:bled burst:burst:burst cost:cost:cost deal:dealt:dealt slide:slid:slid split:split:split
    misunderstand:misunderstood:misunderstood mow:mowed:mown
    """)
    )
}

IRREGULAR_COMPARISON = {
    "good": ("better", "best"),
    "bad": ("worse", "worst"),
    "far": ("farther", "farthest"),
    "well": ("better", "best"),
    "shy": ("shyer", "shyest"),
}

DOUBLES_LAST_CONSONANT = re.compile(r"(qu|[^aeiou])*[aeiou][^aeiouwxy]")
ALSO_DOUBLES = frozenset(words("begin forget admit prefer regret unwrap unzip unplug unpin rewrap"))
SIBILANT = ("s", "x", "z", "ch", "sh")


def _doubled(word: str) -> str:
    """The stem before "-ed", "-ing" or "-er": "stop" gives "stopp"."""
    if DOUBLES_LAST_CONSONANT.fullmatch(word) or word in ALSO_DOUBLES:
        return word + word[-1]
    return word


def _with_s(word: str) -> str:
    if word.endswith("y") and word[-2] not in "aeiou":
        return word[:-1] + "ies"
    return word + ("es" if word.endswith(SIBILANT) else "s")


def plural(noun: str) -> str:
    return IRREGULAR_PLURALS.get(noun) or _with_s(noun)


def third_person(verb: str) -> str:
    if verb in ("have", "be"):
        return {"have": "has", "be": "is"}[verb]
    return verb + "es" if verb.endswith("o") else _with_s(verb)


def past(verb: str) -> str:
    return IRREGULAR_VERBS[verb][0] if verb in IRREGULAR_VERBS else _with_ed(verb)


def participle(verb: str) -> str:
    return IRREGULAR_VERBS[verb][1] if verb in IRREGULAR_VERBS else _with_ed(verb)


def _with_ed(verb: str) -> str:
    if verb.endswith("e"):
        return verb + "d"
    if verb.endswith("y") and verb[-2] not in "aeiou":
        return verb[:-1] + "ied"
    return _doubled(verb) + "ed"


def gerund(verb: str) -> str:
    if verb.endswith("ie"):
        return verb[:-2] + "ying"
    if verb.endswith("e") and not verb.endswith(("ee", "oe", "ye")) and verb != "be":
        return verb[:-1] + "ing"
    return _doubled(verb) + "ing"


def compared(adjective: str, ending: str) -> str | None:
    """The form in "-er" or "-est", or None if the adjective takes "more" and "most"."""
    if adjective in IRREGULAR_COMPARISON:
        return IRREGULAR_COMPARISON[adjective][ending == "est"]
    syllables = len(re.findall(r"[aeiouy]+", adjective.removesuffix("e")))
    if adjective.endswith("y") and adjective[-2] not in "aeiou" and syllables <= 2:
        return adjective[:-1] + "i" + ending
    if syllables > 1 and not adjective.endswith(("le", "ow")):
        return None
    if adjective.endswith("e"):
        return adjective + ending[1:]
    return _doubled(adjective) + ending


def adverb(adjective: str) -> str:
    if adjective in ("fast", "hard", "early", "late"):
        return adjective
    if adjective == "good":
        return "well"
    if adjective.endswith("y") and adjective not in ("shy", "dry", "sly"):
        return adjective[:-1] + "ily"
    if adjective.endswith("le"):
        return adjective[:-1] + "y"
    if adjective.endswith("ic"):
        return adjective + "ally"
    return adjective + ("y" if adjective.endswith("ll") else "ly")


IRREGULAR_QUALITIES = dict(
    pair.split(":")
    for pair in words("""
    patient:patience impatient:impatience honest:honesty dishonest:dishonesty brave:bravery wise:wisdom
    generous:generosity strong:strength loyal:loyalty creative:creativity greedy:greed skillful:skill
    proud:pride angry:anger jealous:jealousy young:youth true:truth hot:heat long:length deep:depth
    """)
)


def quality(adjective: str) -> str:
    """The noun of a quality, most often in "-ness"."""
    if adjective in IRREGULAR_QUALITIES:
        return IRREGULAR_QUALITIES[adjective]
    if adjective.endswith("y") and adjective[-2] not in "aeiou" and adjective not in ("shy", "dry", "sly"):
        return adjective[:-1] + "iness"
    return adjective + "ness"
