"""Does a model prefer the grammatical one of two sentences that differ in one thing? (BLiMP: Warstadt et al. 2020)

accuracy = share of pairs with PLL(good) > PLL(bad),  a tie counts half;   overall: the mean over paradigms
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pydantic import Field

from mini_bert.checked import Checked
from mini_bert.data.corpus import Corpus
from mini_bert.errors import counted
from mini_bert.evaluation.exam import DoesNotApply, Pace
from mini_bert.evaluation.intrinsic.exam_text import COUNTED_STORIES
from mini_bert.evaluation.linguistic.contrasts import INTERVALS_OVER
from mini_bert.evaluation.linguistic.likelihood import check_scores
from mini_bert.evaluation.linguistic.pair_judges import BIGRAMS, MODEL, TWIN, Judged, judged, scored_by
from mini_bert.evaluation.linguistic.pair_sets import SOURCES, PairSet, pair_sets, some_of, world_pairs
from mini_bert.evaluation.linguistic.verdicts import Verdict, mean_accuracy
from mini_bert.evaluation.linguistic.word_counts import WordCounts, text_to_count
from mini_bert.evaluation.section import Column, Picture, Row, Section, Table
from mini_bert.evaluation.subject import Subject
from mini_bert.evaluation.task_folder import TaskFolder
from mini_bert.reports import Report, part, silent

if TYPE_CHECKING:
    from matplotlib.figure import Figure

WORDS_IN_A_SENTENCE = 12
CHANCE = 0.5


class Settings(Checked):
    max_pairs: int | None = Field(1000, ge=1, description="of each paradigm of a published set; None: all")
    world_pairs: int = Field(200, ge=1, description="of each phenomenon of the embedded world")
    twin_pairs: int = Field(100, ge=0, description="of each paradigm, for the model with random weights")
    counted_stories: int = Field(COUNTED_STORIES, ge=1, description="of the world, to count words in")
    within_word: bool = Field(True, description="hide the later pieces of a word with each")
    seed: int = 103


def examine(
    subject: Subject, tasks: TaskFolder | None, settings: Settings, report: Report = silent
) -> list[Section]:
    """A section for each set of pairs in the folder, or for the pairs of the embedded world."""
    check_scores(subject)
    told, text = text_to_count(subject.model, tasks, settings.counted_stories)
    return sections(subject, sets_of(tasks, settings), told, text, settings, report)


def sets_of(tasks: TaskFolder | None, settings: Settings) -> list[PairSet]:
    check_has_pairs(tasks)
    return pair_sets(tasks.path) if tasks else [world_pairs(settings.world_pairs, settings.seed)]


def check_has_pairs(tasks: TaskFolder | None) -> None:
    if tasks and not any((tasks.path / source.folder).is_dir() for source in SOURCES):
        raise DoesNotApply(f"{tasks.path}: no minimal pairs; add a folder blimp, zorro or marvin_linzen")


def sections(
    subject: Subject,
    sets: Sequence[PairSet],
    told: str,
    text: Corpus,
    settings: Settings,
    report: Report = silent,
) -> list[Section]:
    """The exam for these sets; words are counted in a text, and `told` names it."""
    check_scores(subject)
    counts = WordCounts.of(text, subject.tokenizer)
    most = settings.max_pairs
    some = list(sets) if most is None else [some_of(one, most, settings.seed) for one in sets]
    sizes = [one.size for one in some]
    found = []
    for number, (pairs, there) in enumerate(zip(some, sets, strict=True)):
        start, end = (sum(sizes[:n]) / sum(sizes) for n in (number, number + 1))
        verdicts = judged(
            subject, pairs, counts, settings.twin_pairs, settings.within_word, part(report, start, end)
        )
        how = scored_by(subject, settings.within_word)
        limited = settings if pairs.size < there.size else settings.model_copy(update={"max_pairs": None})
        found.append(section(pairs, verdicts, told, how, limited))
    return found


def section(pairs: PairSet, result: Judged, text: str, how: str, settings: Settings) -> Section:
    """`max_pairs` of the settings is told, so that it should be None where it left nothing out."""
    return Section(
        name="minimal-pairs",
        title=f"Minimal pairs: {pairs.name}",
        told=f"Of two sentences that differ in one thing, which does the model find more likely, by {how}? "
        f"{pairs.size:,} pairs of {counted(len(pairs.paradigms), 'paradigm')}; a tie counts half.",
        tables=(overall_table(result, text), phenomenon_table(pairs, result), paradigm_table(pairs, result)),
        figures={
            "scored_by": how,
            "pairs_for_random_weights": settings.twin_pairs,
            "most_pairs": settings.max_pairs,
            "intervals_over": INTERVALS_OVER,
            **figures(pairs, result),
        },
        pictures=(Picture("Accuracy by phenomenon", lambda: drawn(pairs, result)),),
    )


def overall_table(result: Judged, text: str) -> Table:
    rows = [
        Row(
            (judge, mean_accuracy(list(verdicts.values())), sum(v.pairs for v in verdicts.values())),
            "model" if judge == MODEL else "control" if judge == TWIN else "baseline",
        )
        for judge, verdicts in result.by_judge.items()
    ]
    notes = [
        f"The mean over paradigms; intervals are over {INTERVALS_OVER}, for pairs that differ in the same ones are not "
        "independent. In a single paradigm even random weights may be far from 50 %, for its pairs often differ in the "
        "same two words.",
        f"Words and word pairs were counted in {text}.",
    ]
    if result.alike:
        notes.append(
            f"{counted(result.alike, 'pair')} read alike, for words are unknown or were cut off: ties."
        )
    if result.cut:
        notes.append(f"{counted(result.cut, 'sentence')} were longer than the model reads, and were cut.")
    return Table(
        "Which sentence is preferred",
        (Column("by"), Column("right", is_share=True), Column("pairs")),
        (*rows, Row(("chance", CHANCE, None), "baseline")),
        " ".join(notes),
    )


def grouped(pairs: PairSet, verdicts: Mapping[str, Verdict]) -> dict[str, list[Verdict]]:
    """The verdicts of the paradigms of each phenomenon."""
    groups: dict[str, list[Verdict]] = {}
    for paradigm, verdict in verdicts.items():
        groups.setdefault(pairs.phenomenon(paradigm), []).append(verdict)
    return groups


def phenomenon_table(pairs: PairSet, result: Judged) -> Table:
    columns = [judge for judge in (MODEL, BIGRAMS, TWIN) if judge in result.by_judge]
    groups = {judge: grouped(pairs, result.by_judge[judge]) for judge in columns}
    return Table(
        "By phenomenon (chance: 50 %)",
        (Column("phenomenon"), Column("paradigms"), *(Column(judge, is_share=True) for judge in columns)),
        tuple(
            Row((name, len(members), *(mean_accuracy(groups[judge][name]) for judge in columns)))
            for name, members in groups[MODEL].items()
        ),
    )


def paradigm_table(pairs: PairSet, result: Judged) -> Table:
    model, bigrams = result.by_judge[MODEL], result.by_judge[BIGRAMS]
    return Table(
        "By paradigm (chance: 50 %)",
        (
            Column("paradigm"),
            Column("pairs"),
            Column("contrasts"),
            Column("ties"),
            Column(MODEL, is_share=True),
            Column(BIGRAMS, is_share=True),
        ),
        tuple(
            Row(
                (
                    name,
                    verdict.pairs,
                    verdict.contrasts,
                    verdict.ties,
                    verdict.accuracy,
                    bigrams[name].accuracy.value,
                )
            )
            for name, verdict in model.items()
        ),
        "Contrasts: the words in which pairs differ, each counted once. The fewer they are, the wider the interval; of "
        "a single one, however many its pairs, it is that of one answer.",
    )


def figures(pairs: PairSet, result: Judged) -> dict[str, Any]:
    model = result.by_judge[MODEL]
    accuracy = mean_accuracy(list(model.values()))
    return {
        "set": pairs.name,
        "accuracy": accuracy.value,
        "low": accuracy.low,
        "high": accuracy.high,
        "chance": CHANCE,
        "baselines": {
            judge: mean_accuracy(list(verdicts.values())).value
            for judge, verdicts in result.by_judge.items()
            if judge != MODEL
        },
        "phenomena": {name: mean_accuracy(members).value for name, members in grouped(pairs, model).items()},
        "paradigms": {
            name: {
                **verdict.as_dict(),
                "baselines": {
                    judge: verdicts[name].accuracy.value
                    for judge, verdicts in result.by_judge.items()
                    if judge != MODEL
                },
            }
            for name, verdict in model.items()
        },
        "pairs_read_alike": result.alike,
        "sentences_cut": result.cut,
    }


def drawn(pairs: PairSet, result: Judged) -> Figure:
    from mini_bert.plots.bars import Bar, bars

    entries = []
    for name, members in grouped(pairs, result.by_judge[MODEL]).items():
        value, low, high = (100 * x for x in mean_accuracy(members) if x is not None)
        entries.append(Bar(name, value, low, high))
    value, low, high = (
        100 * x for x in mean_accuracy(list(result.by_judge[MODEL].values())) if x is not None
    )
    entries.append(Bar("all", value, low, high))
    for judge, verdicts in result.by_judge.items():
        if judge != MODEL:
            reached = 100 * mean_accuracy(list(verdicts.values())).value
            entries.append(Bar(f"all: {judge}", reached, kind="control" if judge == TWIN else "baseline"))
    return bars(entries, "pairs right (%)", chance=100 * CHANCE)


def joined_figures(found: Sequence[Section]) -> dict[str, Any]:
    """The figures of one set as they are; of several, all their paradigms together, and the figures of each."""
    if len(found) == 1:
        return dict(found[0].figures)
    each = {one.figures["set"]: one.figures for one in found}
    paradigms = {name: told for one in each.values() for name, told in one["paradigms"].items()}
    return {
        "accuracy": sum(told["accuracy"] for told in paradigms.values()) / len(paradigms),
        "scored_by": found[0].figures["scored_by"],
        "intervals_over": found[0].figures["intervals_over"],
        "chance": CHANCE,
        "paradigms": paradigms,
        "sets": each,
    }


def seconds(subject: Subject, tasks: TaskFolder | None, settings: Settings, pace: Pace) -> float:
    """Each word of each sentence is a pass over the sentence."""
    check_scores(subject)
    check_has_pairs(tasks)
    if tasks is None:
        paradigms, pairs = 32, settings.world_pairs
    else:
        folders = [tasks.path / source.folder for source in SOURCES]
        paradigms = sum(len(list(folder.iterdir())) for folder in folders if folder.is_dir())
        pairs = settings.max_pairs or 2000
    sentences = 2 * paradigms * (pairs + min(pairs, settings.twin_pairs))
    words = sentences if subject.model.config.causal else sentences * WORDS_IN_A_SENTENCE
    return words * (WORDS_IN_A_SENTENCE + 2) / pace.forward_tokens
