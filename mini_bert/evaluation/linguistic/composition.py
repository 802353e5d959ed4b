"""Does a model see more than which words are there?

Negation: "A dog can [MASK]." and "A dog cannot [MASK].": the answer to the first must be less likely in the second
(Ettinger 2020; Kassner & Schütze 2020). Roles: "The child read the letter." and "The letter read the child.": the same
words, but only one of them happens. Whoever sees a bag of words cannot tell them apart: 50 %.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

from pydantic import Field

from mini_bert.checked import Checked
from mini_bert.data.tasks.examples import MinimalPair
from mini_bert.data.world import FACTS
from mini_bert.data.world.facts.clozes import denied, hidden
from mini_bert.data.world.pairs.roles import VOICES, role_pairs
from mini_bert.evaluation.estimate import Estimate, share
from mini_bert.evaluation.exam import DoesNotApply, Pace
from mini_bert.evaluation.linguistic.cloze_answers import Cloze, check_answers, cloze_answers, single_ids
from mini_bert.evaluation.linguistic.contrasts import INTERVALS_OVER, contrasts
from mini_bert.evaluation.linguistic.pair_judges import of_totals, pair_scores
from mini_bert.evaluation.linguistic.pair_sets import PairSet
from mini_bert.evaluation.linguistic.verdicts import Verdict
from mini_bert.evaluation.section import Column, Picture, Row, Section, Table
from mini_bert.evaluation.subject import Subject
from mini_bert.evaluation.task_folder import TaskFolder
from mini_bert.models.mini import MiniBERT
from mini_bert.reports import Report, part, silent

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CHANCE = 0.5
PERSON_FIRST = {"active": 1.0, "passive": 0.0}


class Settings(Checked):
    max_cases: int = Field(500, ge=1, description="of negation, and of roles in each voice")
    seed: int = 103


class Denial(NamedTuple):
    """A cloze, the same denied, and the word that is right in the first."""

    affirmed: str
    negated: str
    answer: str


class Cases(NamedTuple):
    """What to ask: denials, and pairs of sentences that differ in who does what, by voice."""

    denials: Sequence[Denial]
    roles: dict[str, list[MinimalPair]]


def world_cases(count: int, seed: int) -> Cases:
    """From the facts of the embedded world, and from its grammar."""
    denials = [
        Denial(hidden(fact.statements[0], fact), hidden(denied(fact.statements[0]), fact), fact.object)
        for fact in FACTS
    ]
    roles = {
        voice: [MinimalPair(pair.good, pair.bad, voice) for pair in role_pairs(voice, count, seed)]
        for voice in VOICES
    }
    return Cases(Random(seed).sample(denials, min(count, len(denials))), roles)


class Denied(NamedTuple):
    """Of so many cases: the answer is less likely when denied; the best guess is another; it is still the answer.

    `affirmed` is how often the answer is the best guess when it is not denied.
    """

    cases: int
    falls: Estimate
    changes: Estimate
    affirmed: Estimate
    still: Estimate


def denial_results(subject: Subject, cases: Sequence[Denial], report: Report = silent) -> Denied:
    ids = single_ids(sorted({case.answer for case in cases}), subject.tokenizer)
    asked = [case for case in cases if case.answer in ids]
    if not asked:
        raise DoesNotApply("no answer is one piece of this vocabulary; examine a model with a larger one")
    clozes = [Cloze(text) for case in asked for text in (case.affirmed, case.negated)]
    answers = cloze_answers(
        subject, clozes, [[ids[case.answer]] for case in asked for _ in range(2)], 1, report
    )
    both = list(zip(answers[::2], answers[1::2], strict=True))
    n = len(both)
    true = [ids[case.answer] for case in asked]
    return Denied(
        n,
        Verdict.of([yes.log_p[0] for yes, _ in both], [no.log_p[0] for _, no in both]).accuracy,
        share(sum(bool(no.best[0] != yes.best[0]) for yes, no in both), n),
        share(sum(bool(yes.best[0] == word) for (yes, _), word in zip(both, true, strict=True)), n),
        share(sum(bool(no.best[0] == word) for (_, no), word in zip(both, true, strict=True)), n),
    )


def examine(
    subject: Subject, tasks: TaskFolder | None, settings: Settings, report: Report = silent
) -> list[Section]:
    """On sentences of the embedded world, whatever sets are at hand: none of those asks this."""
    return [section(subject, world_cases(settings.max_cases, settings.seed), report)]


class Result(NamedTuple):
    """What one model does; None where nothing was asked."""

    denial: Denied | None
    roles: dict[str, Verdict]


def result(subject: Subject, cases: Cases, report: Report = silent) -> Result:
    denial = denial_results(subject, cases.denials, part(report, 0.0, 0.3)) if cases.denials else None
    pairs = PairSet("roles", cases.roles, str)
    scores = pair_scores(subject, pairs, report=part(report, 0.3, 1.0)) if cases.roles else {}
    return Result(
        denial, {voice: of_totals(two, contrasts(cases.roles[voice])) for voice, two in scores.items()}
    )


def section(subject: Subject, cases: Cases, report: Report = silent) -> Section:
    check_answers(subject)
    model = result(subject, cases, part(report, 0.0, 0.5))
    with subject.random_twin() as random:
        twin = result(random, cases, part(report, 0.5, 1.0))
    tables = []
    if model.denial and twin.denial:
        tables.append(denial_table(model.denial, twin.denial))
    if model.roles:
        tables.append(role_table(model.roles, twin.roles))
    return Section(
        name="composition",
        title="Negation and roles",
        told="Does the model notice a “not”, and who does what to whom? The sentences of a pair have the same words, "
        "but for the “not”: a bag of words cannot tell which is which.",
        tables=tuple(tables),
        figures={**figures(model), "chance": CHANCE, "random_model": figures(twin)},
        pictures=(Picture("Negation and roles", lambda: drawn(model, twin)),),
    )


def denial_table(model: Denied, twin: Denied) -> Table:
    return Table(
        f"Negation: {model.cases:,} facts, as they are and denied",
        (
            Column("by"),
            Column("answer less likely", is_share=True),
            Column("other best guess", is_share=True),
            Column("best guess right", is_share=True),
            Column("the same, denied", is_share=True),
        ),
        (
            Row(("model", model.falls, model.changes, model.affirmed, model.still)),
            Row(("random weights", twin.falls, twin.changes, twin.affirmed, twin.still), "control"),
            Row(("blind to “not”", CHANCE, 0.0, model.affirmed.value, model.affirmed.value), "baseline"),
        ),
        "Answer less likely: where it is denied than where it is not. The last column is how often the best guess is "
        "the answer that “not” has just ruled out: the fewer the better.",
    )


def role_table(model: dict[str, Verdict], twin: dict[str, Verdict]) -> Table:
    return Table(
        "Roles: a person acts upon a thing, or the thing upon the person (chance: 50 %)",
        (
            Column("voice"),
            Column("pairs"),
            Column("model", is_share=True),
            Column("person first", is_share=True),
            Column("random weights", is_share=True),
        ),
        tuple(
            Row((voice, verdict.pairs, verdict.accuracy, PERSON_FIRST.get(voice), twin[voice].accuracy))
            for voice, verdict in model.items()
        ),
        "Person first: prefers the sentence that begins with the person, whatever the verb says. Intervals are over "
        f"{INTERVALS_OVER}, or change their place.",
    )


def figures(found: Result) -> dict[str, Any]:
    told: dict[str, Any] = {"roles": {voice: verdict.as_dict() for voice, verdict in found.roles.items()}}
    if found.denial:
        told["negation"] = {
            "cases": found.denial.cases,
            "answer_less_likely": found.denial.falls._asdict(),
            "best_guess_changes": found.denial.changes._asdict(),
            "best_guess_right": found.denial.affirmed._asdict(),
            "best_guess_right_though_denied": found.denial.still._asdict(),
        }
    return told


def drawn(model: Result, twin: Result) -> Figure:
    from mini_bert.plots.bars import Bar, bars

    entries = []
    for name, found, kind in (("model", model, "model"), ("random weights", twin, "control")):
        shares = {f"{voice} roles": verdict.accuracy for voice, verdict in found.roles.items()}
        if found.denial:
            shares = {"negation noticed": found.denial.falls, **shares}
        for what, estimate in shares.items():
            value, low, high = (100 * x for x in estimate if x is not None)
            entries.append(
                Bar(f"{what}: {name}", value, low, high, "model" if kind == "model" else "control")
            )
    return bars(sorted(entries, key=lambda bar: bar.name), "cases right (%)", chance=100 * CHANCE)


def measure_compositional_understanding(
    model: MiniBERT, test_cases: Sequence[Denial | MinimalPair] | None = None
) -> dict[str, Any]:
    """How well a model notices negation and roles; the cases are the embedded world's, or your own.

    `Denial("A dog can [MASK].", "A dog cannot [MASK].", "bark")` asks for a negation, `MinimalPair(good, bad, name)`
    for a preference; pairs are told by their name.
    """
    cases = world_cases(100, Settings().seed) if test_cases is None else given_cases(test_cases)
    with Subject(model) as subject:
        return dict(section(subject, cases).figures)


def given_cases(test_cases: Sequence[Denial | MinimalPair]) -> Cases:
    if not test_cases:
        raise ValueError(
            "test_cases is empty; give Denial and MinimalPair values, or None for the world's own"
        )
    roles: dict[str, list[MinimalPair]] = {}
    for case in test_cases:
        if isinstance(case, MinimalPair):
            roles.setdefault(case.paradigm, []).append(case)
        elif not isinstance(case, Denial):
            raise ValueError(f"test case {case!r}: give a Denial or a MinimalPair")
    return Cases([case for case in test_cases if isinstance(case, Denial)], roles)


def seconds(subject: Subject, tasks: TaskFolder | None, settings: Settings, pace: Pace) -> float:
    """Two models; a sentence of roles has about 8 tokens, and each is hidden."""
    check_answers(subject)
    count = settings.max_cases
    return 2 * (2 * min(count, len(FACTS)) * 10 + 2 * 2 * count * 7 * 9) / pace.forward_tokens
