"""Tales, diaries and letters: people are introduced, things happen to them, time goes on."""

from collections.abc import Callable

from mini_bert.data.world import closed as c
from mini_bert.data.world.cast import Being
from mini_bert.data.world.clauses import PRES, ask_what, be, clause, command, marked
from mini_bert.data.world.gold import POSITIVE
from mini_bert.data.world.lexicon import PARTICIPLE, adjective, adjectives, noun, nouns, verb, zipf
from mini_bert.data.world.phrases import a, both, nmod, obl, owned, the
from mini_bert.data.world.scenes.comparisons import COMPARISONS
from mini_bert.data.world.scenes.derivations import DERIVATIONS
from mini_bert.data.world.scenes.events import EVENTS
from mini_bert.data.world.scenes.gifts import find, gift, loan, swap
from mini_bert.data.world.scenes.home import illness, making, meal, noise_at_night, too_heavy
from mini_bert.data.world.scenes.interactions import INTERACTIONS
from mini_bert.data.world.scenes.lore import aside, asked
from mini_bert.data.world.scenes.losses import breakage, false_belief, loss
from mini_bert.data.world.scenes.nature import garden, has_pet, rescue, runaway, weather
from mini_bert.data.world.scenes.nominals import NOMINALS
from mini_bert.data.world.scenes.outings import animals, race, shopping, trip
from mini_bert.data.world.scenes.quantities import QUANTITIES
from mini_bert.data.world.scenes.recall import RECALLS
from mini_bert.data.world.scenes.social import late, letter, newcomer, party, plan, quarrel, secret
from mini_bert.data.world.scenes.steps import label
from mini_bert.data.world.scenes.thoughts import THOUGHTS
from mini_bert.data.world.scenes.work import club, concert, job, organization, school_test
from mini_bert.data.world.teller import Teller
from mini_bert.data.world.tree import Deps, Phrase, about, after, words
from mini_bert.data.world.words.animals import PET_LOOKS, PETS
from mini_bert.data.world.words.feelings import EVENT_BAD, EVENT_GOOD
from mini_bert.data.world.words.people import BOY, GIRL, MAN, POSITIVE_TRAITS, WOMAN
from mini_bert.data.world.words.places import STREETS, TOWNS
from mini_bert.data.world.words.time import TODAY

Scene = Callable[[Teller, Being, Being], object]
Scenes = tuple[Scene, ...]
EPISODES: tuple[Scene, ...] = (
    gift, loan, swap, find, loss, false_belief, breakage, meal, illness, too_heavy, noise_at_night, making,
    trip, animals, shopping, race, job, school_test, concert, club, weather, garden, runaway, rescue, party,
    letter, newcomer, quarrel, secret, plan, late,
)  # fmt: skip
DEEDS: Scenes = EVENTS + INTERACTIONS
# Out of a hundred free sentences, so many are of a kind.
FREE_SHARES: tuple[tuple[int, Scenes], ...] = (
    (25, DEEDS),
    (11, NOMINALS),
    (5, QUANTITIES),
    (9, COMPARISONS),
    (4, DERIVATIONS),
    (12, THOUGHTS),
    (20, RECALLS),
    (14, (aside, aside, aside, aside, asked)),
)
FREE: tuple[Scenes, ...] = tuple(scenes for share, scenes in FREE_SHARES for _ in range(share))
LONGEST_EPISODE, LONGEST_TALE = 8, 13
LIVE = verb("live")


def cast_of_two(t: Teller) -> tuple[Being, Being]:
    one = t.person()
    return one, t.relative(one) if t.random() < 0.7 else t.person("he" if one.gender == "she" else "she")


def introduces(t: Teller, who: Being, other: Being) -> None:
    """A person, where they live, and with whom."""
    assert who.given is not None
    town = t.pick(TOWNS)
    roll = t.roll(6)
    t.town = None if roll in (2, 4) else town
    if roll == 0:
        kind = t.pick((GIRL, WOMAN) if who.gender == "she" else (BOY, MAN)).one
        named = Phrase(verb("name").forms[PARTICIPLE], (), (("xcomp", _full_name(who)),))
        person = about(after(a(kind, t.pick(POSITIVE_TRAITS).plain), ("acl", named)), who.id)
        t.mentioned.append(who)
        who.known = True
        t.say(clause(person, LIVE, t.now, obl(c.IN, town)), "intro: a girl named")
    elif roll == 1:
        t.say(
            clause(
                t.named_subj(who),
                LIVE,
                t.now,
                obl(c.IN, a(noun(t.pick(HOMES)).one, t.pick(HOME_LOOKS))),
                obl(c.IN, town),
            ),
            "intro: house",
        )
    elif roll == 2:
        name, kind = t.pick(STREETS)
        street = Phrase(kind, (("compound", name),))
        subject = t.named_subj(who)
        t.say(clause(subject, LIVE, t.now, obl(c.ON, street), obl(c.WITH, t.obj(other))), "intro: street")
    elif roll == 3:
        subject = t.named_subj(who)
        t.say(clause(subject, LIVE, t.now, obl(c.IN, town), obl(c.WITH, t.obj(other))), "intro: town")
    elif roll == 4:
        subject = t.named_subj(who)
        right: Deps = (obl(c.TO, organization(t, "school")),)
        if other.kin is None or other.kin[0].lemma in SCHOOLMATES:
            right = (*right, obl(c.WITH, t.obj(other)))
        t.say(clause(subject, verb("go"), t.now, *right), "intro: school")
    else:
        subject = t.named_subj(who)
        friends = both(subject, t.named(other))
        what = noun("neighbor" if other.kin is not None else t.pick(("neighbor", "friend", "classmate"))).many
        t.say(be(friends, after(what, nmod(c.FROM, town)), t.now), "intro: both")


SCHOOLMATES = words("friend brother sister cousin")
HOMES = words("house cottage cabin apartment hut castle")
HOME_LOOKS = tuple(
    adjective(w).plain for w in words("small old big white quiet little wooden red blue yellow")
)


def _full_name(who: Being) -> Phrase:
    assert who.given is not None
    return Phrase(who.given, (), () if who.family is None else (("flat", who.family.after_given),))


def free(t: Teller, one: Being, other: Being) -> None:
    """One sentence of any construction, a look back, or a fact."""
    if t.random() < 0.25:
        one, other = other, one
    scenes = t.pick(FREE)
    if scenes is not RECALLS:
        t.pick(scenes)(t, one, other)
    elif not any(t.pick(RECALLS)(t, one, other) for _ in range(4)):
        t.pick(DEEDS)(t, one, other)


def goes_on(t: Teller, one: Being, other: Being, length: int) -> None:
    """Episodes and single sentences until the text is long enough, and never too long."""
    while len(t.sentences) < length:
        if len(t.sentences) <= 13 - LONGEST_EPISODE and t.random() < 0.6:
            t.joining, t.open = True, None
            t.fresh(EPISODES)(t, one, other)
            t.joining = False
        else:
            free(t, one, other)
    del t.sentences[LONGEST_TALE:]


def tale(t: Teller) -> None:
    one, other = cast_of_two(t)
    introduces(t, one, other)
    if t.random() < 0.25:
        pet = t.pet(t.pick(PETS), one, t.pick(PET_LOOKS).plain)
        has_pet(t, one, pet)
    goes_on(t, one, other, 6 + t.roll(8))


def diary(t: Teller) -> None:
    """The first person tells."""
    t.narrate(past=True)
    one, other = cast_of_two(t)
    t.speaker = one
    one.known = True
    good = t.random() < 0.6
    what = a(noun("day").one, t.pick(EVENT_GOOD if good else EVENT_BAD).plain)
    dear = Phrase(noun("diary").one, (("amod", c.DEAR),))
    start = (("vocative", dear), ("punct", c.COMMA))
    if t.random() < 0.4:
        why = marked(c.BECAUSE, be(the(noun(t.pick(REASONS)).one), t.pick(FINE if good else POOR), t.now))
        today = be(TODAY, what, t.now, ("advcl", why), front=start)
    else:
        today = clause(
            t.subj(one),
            verb("have"),
            t.now,
            ("obj", what),
            obl(c.AT, the(t.pick(DIARY_PLACES).one)),
            front=start,
        )
    t.say(today, "diary: dear", label(good))
    goes_on(t, one, other, 6 + t.roll(7))


REASONS = words("weather game lesson concert food film party work")
FINE = tuple(a.plain for a in adjectives("good wonderful perfect excellent lovely"))
POOR = tuple(a.plain for a in adjectives("bad terrible awful horrible dreadful"))
DIARY_PLACES = zipf(nouns("school lake market office zoo farm beach park library museum"))


def letter_text(t: Teller) -> None:
    """A letter: I write to you about others."""
    t.narrate(past=True)
    writer, reader = t.person(), t.person()
    other = t.person("he" if writer.gender == "she" else "she")
    assert reader.given is not None
    assert writer.given is not None
    dear = Phrase(reader.given, (("amod", c.DEAR),), (), reader.id)
    start = (("vocative", dear), ("punct", c.COMMA))
    t.speaker, t.hearer = writer, reader
    writer.known = reader.known = True
    if t.random() < 0.4:
        where = Phrase(c.HOW, start)
        t.say(
            ask_what(where, t.subj(reader), PRES, obl(c.IN, t.pick(TOWNS))),
            "letter: how are you",
            end=c.QUESTION,
        )
    else:
        about_what = after(kind_letter(t, reader), nmod(c.ABOUT, owned(t.poss(reader), t.pick(NEWS).one)))
        thanks = command(verb("thank"), ("obj", t.obj(reader)), obl(c.FOR, about_what), front=start)
        t.say(thanks, "letter: thanks", POSITIVE)
    goes_on(t, writer, other, 5 + t.roll(6))
    love = noun("love").one
    signed = Phrase(love, (), (("punct", c.COMMA), ("parataxis", about(_full_name(writer), writer.id))))
    t.say(signed, "letter: closing", POSITIVE, None)


def kind_letter(t: Teller, reader: Being) -> Phrase:
    """ "your kind letter"."""
    return Phrase(noun("letter").one, (("nmod:poss", t.poss(reader)), ("amod", t.pick(KIND_WORDS))))


KIND_WORDS = tuple(adjective(w).plain for w in words("kind long lovely interesting funny"))
NEWS = zipf(nouns("garden trip dog family job school house holiday horse birthday boat cat"))
