"""Does the verb agree with its subject when other nouns stand between? (Linzen et al. 2016; Marvin & Linzen 2018)

Where those nouns have the other number, they attract: who lets the verb agree with the nearest noun is always wrong.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from pydantic import Field

from mini_bert.checked import Checked
from mini_bert.data.tasks.examples import MinimalPair
from mini_bert.data.tasks.marvin_linzen import read_marvin_linzen_folder
from mini_bert.data.world.pairs.attractors import STRUCTURES, attractor_pairs
from mini_bert.evaluation.exam import DoesNotApply, Pace
from mini_bert.evaluation.intrinsic.exam_text import COUNTED_STORIES
from mini_bert.evaluation.linguistic.contrasts import INTERVALS_OVER
from mini_bert.evaluation.linguistic.likelihood import check_scores
from mini_bert.evaluation.linguistic.minimal_pairs import CHANCE, WORDS_IN_A_SENTENCE
from mini_bert.evaluation.linguistic.pair_judges import BIGRAMS, MODEL, TWIN, Judged, judged, scored_by
from mini_bert.evaluation.linguistic.pair_sets import PairSet, sample
from mini_bert.evaluation.linguistic.verdicts import Verdict, mean_accuracy
from mini_bert.evaluation.linguistic.word_counts import WordCounts, text_to_count
from mini_bert.evaluation.section import Column, Picture, Row, Section, Table
from mini_bert.evaluation.subject import Subject
from mini_bert.evaluation.task_folder import TaskFolder
from mini_bert.reports import Report, silent

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Between = Literal["none", "same number", "other number"]
NEAREST = "nearest noun"
HARDEST_FIRST: tuple[Between, ...] = ("other number", "same number", "none")


class Settings(Checked):
    max_pairs: int = Field(500, ge=1, description="of each condition")
    twin_pairs: int = Field(100, ge=0, description="of each condition, for the model with random weights")
    counted_stories: int = Field(COUNTED_STORIES, ge=1, description="of the world, to count words in")
    seed: int = 103


class Condition(NamedTuple):
    """Pairs of one structure, with nouns of one kind between subject and verb.

    `nearest` is how many pairs are right if the verb agrees with the nearest noun before it; None if that is not told.
    """

    structure: str
    between: Between
    nearest: float | None
    pairs: list[MinimalPair]

    @property
    def name(self) -> str:
        return self.structure if self.between == "none" else f"{self.structure}, {self.between}"


def world_conditions(count: int, seed: int) -> list[Condition]:
    found = []
    for structure in STRUCTURES:
        for same in (True,) if structure == "no noun between" else (True, False):
            pairs = [
                MinimalPair(p.good, p.bad, structure) for p in attractor_pairs(structure, same, count, seed)
            ]
            between: Between = (
                "none" if structure == "no noun between" else "same number" if same else "other number"
            )
            found.append(Condition(structure, between, float(same), pairs))
    return found


ACROSS = ("prep_", "subj_rel", "obj_rel_across", "obj_rel_no_comp_across")
"""Marvin and Linzen's files in which the second noun of the case stands between subject and verb."""
NEAR = ("simple_agrmt", "sent_comp", "obj_rel_within", "obj_rel_no_comp_within")
"""Those in which the subject is the nearest noun; in the others of agreement, nouns of untold number may be nearer."""
COORDINATED = ("vp_coord", "long_vp_coord")


def marvin_linzen_conditions(tasks: TaskFolder, count: int, seed: int) -> list[Condition]:
    folder = tasks.folder("marvin_linzen")
    if folder is None:
        raise DoesNotApply(
            f"{tasks.path}: no folder marvin_linzen, whose cases tell the number of nouns; add it"
        )
    groups: dict[tuple[str, Between, float | None], list[MinimalPair]] = {}
    for paradigm, pairs in read_marvin_linzen_folder(folder).items():
        if not paradigm.startswith((*ACROSS, *NEAR, *COORDINATED)):
            continue
        for pair in pairs:
            groups.setdefault((paradigm, *condition_of(pair)), []).append(pair)
    if not groups:
        raise DoesNotApply(
            f"{folder}: no file about agreement, such as simple_agrmt.tsv or subj_rel.tsv; add one"
        )
    return [
        Condition(paradigm, between, nearest, sample(pairs, count, f"{seed}/{paradigm}/{between}"))
        for (paradigm, between, nearest), pairs in groups.items()
    ]


def condition_of(pair: MinimalPair) -> tuple[Between, float | None]:
    """What stands between, and whether the nearest noun agrees, by a case such as sing_MS_EV_MV_plur_ES."""
    numbers = [part for part in pair.case.split("_") if part in ("sing", "plur")]
    if pair.paradigm.startswith(ACROSS) and len(numbers) == 2:
        same = numbers[0] == numbers[1]
        return ("same number" if same else "other number"), float(same)
    return "none", 1.0 if pair.paradigm.startswith(NEAR) else None


def examine(
    subject: Subject, tasks: TaskFolder | None, settings: Settings, report: Report = silent
) -> list[Section]:
    check_scores(subject)
    count, seed = settings.max_pairs, settings.seed
    conditions = marvin_linzen_conditions(tasks, count, seed) if tasks else world_conditions(count, seed)
    text, counted_in = text_to_count(subject.model, tasks, settings.counted_stories)
    pairs = PairSet("agreement", {one.name: one.pairs for one in conditions}, str)
    counts = WordCounts.of(counted_in, subject.tokenizer)
    result = judged(subject, pairs, counts, settings.twin_pairs, report=report)
    source, how = "Marvin & Linzen" if tasks else "the embedded world", scored_by(subject)
    return [
        Section(
            name="agreement",
            title="Subject-verb agreement across attractors",
            told="Is the verb in the number of its subject found more likely than in the other one, when nouns of the "
            f"same or of the other number stand between? Pairs of {source}, by {how}.",
            tables=(summary_table(conditions, result, text), condition_table(conditions, result)),
            figures={"scored_by": how, "intervals_over": INTERVALS_OVER, **figures(conditions, result)},
            pictures=(Picture("Agreement by what stands between", lambda: drawn(conditions, result)),),
        )
    ]


def kinds(conditions: Sequence[Condition]) -> dict[Between, list[Condition]]:
    found: dict[Between, list[Condition]] = {}
    for one in conditions:
        found.setdefault(one.between, []).append(one)
    return found


def of_all(members: Sequence[Condition], result: Judged, judge: str) -> list[Verdict]:
    return [result.by_judge[judge][one.name] for one in members]


def nearest_of(members: Sequence[Condition]) -> float | None:
    """The mean of those for which it is told."""
    told = [one.nearest for one in members if one.nearest is not None]
    return sum(told) / len(told) if told else None


def columns(result: Judged) -> list[str]:
    return [judge for judge in (MODEL, BIGRAMS, TWIN) if judge in result.by_judge]


def summary_table(conditions: Sequence[Condition], result: Judged, text: str) -> Table:
    groups = [
        members
        for _, members in sorted(kinds(conditions).items(), key=lambda one: HARDEST_FIRST.index(one[0]))
    ]
    rows = [
        Row(
            (judge, *(mean_accuracy(of_all(members, result, judge)) for members in groups)),
            "model" if judge == MODEL else "control" if judge == TWIN else "baseline",
        )
        for judge in columns(result)
    ]
    return Table(
        "Verbs that agree, by the nouns between subject and verb",
        (Column("by"), *(Column(f"{members[0].between}", is_share=True) for members in groups)),
        (
            *rows,
            Row((NEAREST, *map(nearest_of, groups)), "baseline"),
            Row(("chance", *(CHANCE for _ in groups)), "baseline"),
        ),
        "Nearest noun: the verb agrees with the noun before it, where its number is told. Intervals are over "
        f"{INTERVALS_OVER}, the verbs: pairs that differ in the same ones are not independent. Word pairs were "
        f"counted in {text}.",
    )


def condition_table(conditions: Sequence[Condition], result: Judged) -> Table:
    model, bigrams = result.by_judge[MODEL], result.by_judge[BIGRAMS]
    return Table(
        "By structure (chance: 50 %)",
        (
            Column("structure"),
            Column("nouns between"),
            Column("pairs"),
            Column("contrasts"),
            *(Column(judge, is_share=True) for judge in (MODEL, NEAREST, BIGRAMS)),
        ),
        tuple(
            Row(
                (
                    one.structure,
                    one.between,
                    len(one.pairs),
                    model[one.name].contrasts,
                    model[one.name].accuracy,
                    one.nearest,
                    bigrams[one.name].accuracy.value,
                )
            )
            for one in conditions
        ),
    )


def figures(conditions: Sequence[Condition], result: Judged) -> dict[str, Any]:
    return {
        "chance": CHANCE,
        "between": {
            between: {
                "accuracy": mean_accuracy(of_all(members, result, MODEL)).value,
                "nearest_noun": nearest_of(members),
                **{
                    judge: mean_accuracy(of_all(members, result, judge)).value
                    for judge in columns(result)[1:]
                },
            }
            for between, members in kinds(conditions).items()
        },
        "conditions": {
            one.name: {**result.by_judge[MODEL][one.name].as_dict(), "nearest_noun": one.nearest}
            for one in conditions
        },
    }


def drawn(conditions: Sequence[Condition], result: Judged) -> Figure:
    from mini_bert.plots.bars import Bar, bars

    entries = []
    for one in conditions:
        value, low, high = (100 * x for x in result.by_judge[MODEL][one.name].accuracy if x is not None)
        entries.append(Bar(one.name, value, low, high))
        if one.nearest is not None:
            entries.append(Bar(NEAREST, 100 * one.nearest, kind="baseline"))
    return bars(entries, "pairs right (%)", chance=100 * CHANCE)


def seconds(subject: Subject, tasks: TaskFolder | None, settings: Settings, pace: Pace) -> float:
    check_scores(subject)
    if tasks is not None and tasks.folder("marvin_linzen") is None:
        marvin_linzen_conditions(tasks, 1, 0)
    sentences = 2 * (10 if tasks else 9) * (settings.max_pairs + min(settings.max_pairs, settings.twin_pairs))
    words = sentences if subject.model.config.causal else sentences * (WORDS_IN_A_SENTENCE - 3)
    return words * WORDS_IN_A_SENTENCE / pace.forward_tokens
