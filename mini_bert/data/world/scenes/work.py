"""Work and school: a profession, a test, a concert, a club."""

from mini_bert.data.world import closed as c
from mini_bert.data.world.cast import Being
from mini_bert.data.world.clauses import (
    FULL_NOT,
    FUTURE,
    PLAIN,
    and_also,
    be,
    clause,
    fronted,
    ing,
    joined,
    there,
    to,
)
from mini_bert.data.world.gold import NEGATIVE, POSITIVE
from mini_bert.data.world.lexicon import adjective, adverb, adverbs, noun, nouns, verb, zipf
from mini_bert.data.world.phrases import a, a_or_bare, count, degree, det, nmod, obl, of, owned, pp, the
from mini_bert.data.world.scenes.outings import crowd
from mini_bert.data.world.scenes.steps import feels, label, tells
from mini_bert.data.world.teller import Teller
from mini_bert.data.world.tree import ARE, Dep, Deps, Part, Phrase, Word, after, words
from mini_bert.data.world.words.people import JOBS
from mini_bert.data.world.words.places import EMBLEMS, ORGANIZATIONS, PLACES, TOWNS
from mini_bert.data.world.words.things import THINGS
from mini_bert.data.world.words.time import DAYS

WORK, HELP, STUDY, PASS, FAIL, PLAY, PRACTICE, HAVE, GIVE, KNOW = map(
    verb, words("work help study pass fail play practice have give know")
)
GOOD_AT = tuple(adjective(w).plain for w in words("good famous clever skillful careful"))
HARD, ALL = Word("hard", "ADV"), Phrase(c.ALL, agr=ARE)
EVERY_DAY = det(c.EVERY, noun("day").one)
IN_THE_EVENING = fronted(pp(c.IN, the(noun("evening").one)), "obl")
INSTEAD = obl(c.INSTEAD_OF, noun("homework").one)
NEXT_TIME: Dep = ("obl:unmarked", Phrase(noun("time").one, (("amod", c.NEXT),)))
ORGANIZATION_NAMES = {
    kind: tuple(tuple(form.split("_")) for form in forms.split()) for kind, forms in ORGANIZATIONS.items()
}


def organization(t: Teller, kind: str) -> Phrase:
    """ "Tillmere School", "the Lion Chess Club": a named organization."""
    words = t.pick(ORGANIZATION_NAMES[kind])
    first = t.pick(TOWNS).form if t.random() < 0.6 else t.pick(EMBLEMS)
    named = [Word(first, "PROPN", feats="Number=Sing", entity="B-ORG")]
    named += [Word(form, "PROPN", feats="Number=Sing", entity="I-ORG") for form in words]
    left: Deps = tuple(("compound", word) for word in named[:-1])
    return Phrase(named[-1], left if kind == "school" else (("det", c.THE), *left))


def job(t: Teller, worker: Being, client: Being) -> None:
    """Somebody at work: what, where, with what."""
    work = t.fresh(JOBS)
    worker.job = work
    place, workplace = a(noun(work.workplace).one), the(noun(work.workplace).one)
    roll = t.roll(4)
    if roll == 0:
        t.say(be(t.subj(worker), a(work.noun.one), t.now), "job: is a")
    elif roll == 1:
        t.say(
            clause(t.subj(worker), WORK, t.now, obl(c.AS_P, a(work.noun.one)), obl(c.AT, place)),
            "job: works as",
        )
    elif roll == 2:
        is_a = be(t.subj(worker), a(work.noun.one), t.now)
        t.say(and_also(is_a, WORK, t.now, obl(c.AT, place)), "job: is and works")
    else:
        town = t.pick(TOWNS)
        good = after(a(work.noun.one, t.pick(GOOD_AT)), nmod(c.IN, town))
        t.say(be(t.subj(worker), good, t.now), "job: a good", POSITIVE)
    deed, what = work.deed.split(":")
    word, many = verb(deed), noun(what).many
    roll = t.roll(4)
    if roll == 0:
        tree = clause(t.subj(worker), word, t.now, ("obj", many), ("obl:unmarked", EVERY_DAY))
        t.say(tree, "job: every day")
    elif roll == 1:
        some = count(t.pick(c.NUMBER_WORDS[2:13]), many)
        t.say(clause(t.subj(worker), word, t.now, ("obj", some), front=t.later(0.8)), "job: today")
    elif roll == 2:
        use = ("obj", a_or_bare(noun(work.tool))), ("advcl", to(word, ("obj", many)))
        t.say(clause(t.subj(worker), verb("use"), t.now, *use), "job: tool")
    else:
        tree = clause(t.subj(worker), verb("enjoy"), t.now, ("xcomp", ing(word, ("obj", many))))
        t.say(tree, "job: enjoys", POSITIVE)
    worker.place = PLACES.get(work.workplace)
    if t.random() < 0.5:
        t.say(there(crowd(t), t.now, obl(c.AT, workplace), front=t.later(0.8)), "job: many people")
        tired = degree(c.VERY, adjective(t.pick(("tired", "busy"))).plain)
        t.say(be(t.subj(worker), tired, t.now, front=IN_THE_EVENING), "job: tired")
    elif t.random() < 0.5:
        visited = clause(t.subj(client), verb("visit"), t.now, ("obj", t.obj(worker)), obl(c.AT, workplace))
        t.say(visited, "job: visited")
    if t.random() < 0.6:
        hard = adjective(t.pick(("hard", "difficult", "stressful", "boring"))).plain
        work_is_hard = be(owned(t.poss(worker), noun("job").one), hard, t.now)
        happy = clause(t.subj(worker), verb("complain"), t.now, adverb=t.pick((c.NEVER, c.RARELY)))
        t.say(joined(work_is_hard, happy, c.BUT), "job: hard but", POSITIVE)


SUBJECTS = nouns("history science math geography art biology grammar spelling music chemistry")


def school_test(t: Teller, pupil: Being, friend: Being) -> None:
    """Who studies passes; who does not fails."""
    test = after(a(noun("test").one), nmod(c.IN, t.pick(SUBJECTS).one))
    where: Deps = (obl(c.AT, organization(t, "school")),) if t.random() < 0.4 else ()
    t.say(clause(t.subj(pupil), HAVE, t.now, ("obj", test), *where, front=t.someday()), "test: has")
    passed = t.random() < 0.5
    if passed:
        hours = obl(c.FOR, count(t.pick(c.NUMBER_WORDS[2:8]), noun("hour").many))
        t.say(clause(t.subj(pupil), STUDY, t.had, ("advmod", HARD), hours), "test: had studied")
    elif t.random() < 0.5:
        t.say(
            clause(t.subj(pupil), STUDY, t.had, obl(c.AT, c.ALL), polarity=FULL_NOT), "test: had not studied"
        )
    else:
        t.say(clause(t.subj(pupil), PLAY, t.had, ("obj", noun("game").many), INSTEAD), "test: had played")
    roll = t.roll(4)
    if roll == 0:
        right = number_of(t, 12, 20) if passed else number_of(t, 1, 5)
        tree = clause(t.subj(pupil), verb("answer"), t.now, ("obj", count(right, noun("question").many)))
        t.say(after(tree, ("advmod", adverb("correctly"))), "test: answers", label(passed))
    elif roll == 1:
        every = (
            det(c.EVERY, noun("answer").one) if passed else Phrase(noun("answer").many, (("amod", c.MANY),))
        )
        tree = clause(t.subj(pupil), KNOW, t.now, ("obj", every), polarity=PLAIN if passed else FULL_NOT)
        t.say(tree, "test: knows", label(passed))
    else:
        the_test = ("obj", the(noun("test").one))
        t.say(clause(t.subj(pupil), PASS if passed else FAIL, t.now, the_test), "test: result", label(passed))
    feels(t, pupil, "success" if passed else "failure")
    if not passed and t.random() < 0.6:
        with t.speaking(friend, pupil):
            inner = clause(t.subj(friend), HELP, FUTURE, ("obj", t.obj(pupil)), NEXT_TIME)
        tells(t, friend, pupil, inner, POSITIVE)
    elif passed and t.random() < 0.6:
        proud = Phrase(adjective("proud").plain, (), (obl(c.OF, t.obj(pupil)),))
        t.say(be(t.subj(friend), proud, t.now), "test: proud of", POSITIVE)


def number_of(t: Teller, low: int, high: int) -> Word:
    return c.NUMBER_WORDS[low + t.roll(high - low + 1)]


INSTRUMENTS = zipf(THINGS["instrument"])


def concert(t: Teller, player: Being, listener: Being) -> None:
    """Practice, a concert, and applause or a mistake."""
    instrument = t.fresh(INSTRUMENTS).one
    years = count(t.pick(c.NUMBER_WORDS[2:8]), noun("year").many)
    roll = t.roll(3)
    if roll == 0:
        tree = clause(
            t.subj(player), PLAY, t.now, ("obj", the(instrument)), obl(c.IN, organization(t, "group"))
        )
    elif roll == 1:
        tree = clause(t.subj(player), PLAY, t.had, ("obj", the(instrument)), obl(c.FOR, years))
    else:
        tree = clause(t.subj(player), PRACTICE, t.now, ("obj", the(instrument)), ("obl:unmarked", EVERY_DAY))
    t.say(tree, "concert: plays")
    venue = organization(t, "venue")
    gave = clause(
        t.subj(player), GIVE, t.now, ("obj", a(noun("concert").one)), obl(c.AT, venue), front=t.someday()
    )
    t.say(gave, "concert: gives")
    good = t.random() < 0.6
    if good:
        t.say(clause(t.subj(player), PLAY, t.now, ("advmod", t.pick(WELL))), "concert: well", POSITIVE)
        t.say(
            clause(t.pick(AUDIENCE), verb("clap"), t.now, ("advmod", adverb("loudly"))),
            "concert: clapped",
            POSITIVE,
        )
    else:
        mistakes = count(t.pick(c.NUMBER_WORDS[2:6]), noun("mistake").many)
        t.say(clause(t.subj(player), verb("make"), t.now, ("obj", mistakes)), "concert: mistakes", NEGATIVE)
        t.say(clause(c.NOBODY, verb("clap"), t.now, ("obl", AT_THE_END)), "concert: nobody", NEGATIVE)
    if t.random() < 0.5:
        feels(t, player, "success" if good else "failure")
    else:
        heard = clause(t.subj(listener), verb("hear"), t.had, ("obj", _music(good)), adverb=c.NEVER)
        t.say(heard, "concert: never heard", label(good))


def _music(good: bool) -> Phrase:
    """ "such beautiful music"."""
    kind = adjective("beautiful" if good else "terrible").plain
    return Phrase(noun("music").one, (("det", c.SUCH), ("amod", kind)))


AUDIENCE: tuple[Part, ...] = (c.EVERYBODY, the(noun("audience").one), the(noun("guest").many), c.EVERYONE)
WELL = adverbs("beautifully perfectly wonderfully skillfully well")
AT_THE_END = pp(c.AT, the(noun("end").one))


def club(t: Teller, member: Being, friend: Being) -> None:
    """A club with a name, its days, and its members."""
    group = organization(t, "club")
    t.say(clause(t.subj(member), verb("join"), t.now, ("obj", group), front=t.someday()), "club: joins")
    day = t.pick(DAYS)
    meets = clause(the(noun("club").one), verb("meet"), t.now, ("obl:unmarked", det(c.EVERY, day)))
    t.say(
        after(meets, obl(c.AT, the(noun(t.pick(("library", "school", "park", "museum"))).one))), "club: meets"
    )
    number = t.pick(c.NUMBER_WORDS[5:20])
    if t.random() < 0.5:
        t.say(
            there(count(number, noun("member").many), t.now, obl(c.IN, the(noun("club").one))),
            "club: members",
        )
    else:
        friendly = adjective(t.pick(("friendly", "kind", "polite", "helpful"))).plain
        t.say(be(of(ALL, the(noun("member").many)), friendly, t.now), "club: all of", POSITIVE)
    good = t.random() < 0.6
    if good:
        made = clause(
            t.subj(member), verb("make"), t.now, ("obj", Phrase(noun("friend").many, (("amod", c.MANY),)))
        )
        t.say(made, "club: friends", POSITIVE)
        feels(t, member, "fun")
    else:
        knew = clause(t.subj(member), KNOW, t.now, ("obj", c.ANYONE), polarity=FULL_NOT)
        t.say(knew, "club: knows nobody", NEGATIVE)
        feels(t, member, "alone")
        came = clause(
            t.named_subj(friend),
            verb("join"),
            t.now,
            ("obj", the(noun("club").one)),
            ("advmod", c.TOO_ALSO),
            front=t.later(),
        )
        t.say(came, "club: friend joins", POSITIVE)
