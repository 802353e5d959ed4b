"""Which facts can be asked of a model as clozes? (LAMA: Petroni et al. 2019; ParaRel: Elazar et al. 2021)

A fact counts as many times as it has wordings. Only answers in one piece of the vocabulary can be asked for. A guess is
right among all words, or among the answers of its relation alone. Beside it stand the most frequent answer of the
relation, and what the model says when the subject is hidden: it then knows no more than what is usual.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from pydantic import Field

from mini_bert.checked import Checked
from mini_bert.evaluation.exam import Pace
from mini_bert.evaluation.linguistic.cloze_answers import check_answers
from mini_bert.evaluation.linguistic.fact_answers import Results, answered, consistency, overall
from mini_bert.evaluation.linguistic.fact_items import Relation, pararel_items, relations
from mini_bert.evaluation.section import Column, Picture, Row, Section, Table
from mini_bert.evaluation.subject import Subject
from mini_bert.evaluation.task_folder import TaskFolder
from mini_bert.reports import Report, part, silent

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Settings(Checked):
    max_facts: int = Field(200, ge=1, description="of each relation")
    max_patterns: int = Field(5, ge=1, description="wordings of each fact")
    twin_facts: int = Field(50, ge=1, description="of each relation, for the model with random weights")
    seed: int = 0


def examine(
    subject: Subject, tasks: TaskFolder | None, settings: Settings, report: Report = silent
) -> list[Section]:
    check_answers(subject)
    asked = relations(tasks, subject.tokenizer, settings.max_facts, settings.max_patterns, settings.seed)
    some = [one._replace(items=one.items[: settings.twin_facts]) for one in asked]
    by_model = answered(subject, asked, False, part(report, 0.0, 0.4))
    blind = answered(subject, asked, True, part(report, 0.4, 0.8))
    with subject.random_twin() as twin:
        by_twin = answered(twin, some, False, part(report, 0.8, 1.0))
    known, facts = sum(one.known for one in asked), sum(len(one.items) for one in asked)
    return [
        Section(
            name="facts",
            title="Cloze facts",
            told=f"{facts:,} of {known:,} facts of {len(asked)} relations of "
            f"{'ParaRel' if tasks else 'the embedded world'}, each in up to {settings.max_patterns} wordings; only "
            "answers in one piece of the vocabulary can be asked for.",
            tables=(
                overall_table(asked, by_model, blind, by_twin),
                relation_table(asked, by_model, blind, by_twin),
            ),
            figures=figures(asked, by_model, blind, by_twin),
            pictures=(Picture("Facts by relation", lambda: drawn(asked, by_model)),),
        )
    ]


def majority(asked: Sequence[Relation]) -> float:
    return sum(len(one.items) * one.majority for one in asked) / sum(len(one.items) for one in asked)


def chance(asked: Sequence[Relation]) -> float:
    facts = sum(len(one.items) for one in asked)
    return sum(len(one.items) / len(set(one.candidates.values())) for one in asked) / facts


def overall_table(asked: Sequence[Relation], model: Results, blind: Results, twin: Results) -> Table:
    def row(name: str, found: Results, kind: Any) -> Row:
        return Row(
            (name, *(overall(found, measure) for measure in ("among", "first", "five")), consistency(found)),
            kind,
        )

    return Table(
        "Facts that are right",
        (
            Column("by"),
            Column("of its answers", is_share=True),
            Column("of all words", is_share=True),
            Column("in best five", is_share=True),
            Column("consistent", is_share=True),
        ),
        (
            row("model", model, "model"),
            Row(("most frequent answer", majority(asked), majority(asked), None, 1.0), "baseline"),
            row("subject hidden", blind, "baseline"),
            row("random weights", twin, "control"),
            Row(("chance", chance(asked), None, None, None), "baseline"),
        ),
        "Of its answers: the likeliest of those that the relation has. Consistent: two wordings of a fact get the same "
        "answer, right or wrong. The most frequent answer of each relation is counted in the facts asked.",
    )


def relation_table(asked: Sequence[Relation], model: Results, blind: Results, twin: Results) -> Table:
    return Table(
        "By relation, of its answers",
        (
            Column("relation"),
            Column("facts"),
            Column("answers"),
            *(
                Column(name, is_share=True)
                for name in ("model", "most frequent", "subject hidden", "random weights")
            ),
        ),
        tuple(
            Row(
                (
                    one.name,
                    f"{len(one.items)} of {one.known}",
                    len(set(one.candidates.values())),
                    model[one.name].among,
                    one.majority,
                    blind[one.name].among.value,
                    twin[one.name].among.value,
                )
            )
            for one in asked
        ),
    )


def figures(asked: Sequence[Relation], model: Results, blind: Results, twin: Results) -> dict[str, Any]:
    def told(found: Results) -> dict[str, Any]:
        return {
            "among_answers": overall(found, "among").value,
            "accuracy_at_1": overall(found, "first").value,
            "accuracy_at_5": overall(found, "five").value,
            "consistency": consistency(found),
        }

    return {
        **told(model),
        "majority": majority(asked),
        "chance": chance(asked),
        "subject_hidden": told(blind),
        "random_model": told(twin),
        "relations": {
            one.name: {
                "facts": len(one.items),
                "known_facts": one.known,
                "answers": len(set(one.candidates.values())),
                "among_answers": model[one.name].among._asdict(),
                "accuracy_at_1": model[one.name].first.value,
                "accuracy_at_5": model[one.name].five.value,
                "consistency": model[one.name].consistent,
                "majority": one.majority,
                "subject_hidden": blind[one.name].among.value,
                "random_model": twin[one.name].among.value,
            }
            for one in asked
        },
    }


def drawn(asked: Sequence[Relation], model: Results) -> Figure:
    from mini_bert.plots.bars import Bar, bars

    entries = []
    for one in asked:
        value, low, high = (100 * x for x in model[one.name].among if x is not None)
        entries.append(Bar(one.name, value, low, high))
        entries.append(Bar("most frequent answer", 100 * one.majority, kind="baseline"))
    return bars(entries, "facts right, of the relation's answers (%)")


def seconds(subject: Subject, tasks: TaskFolder | None, settings: Settings, pace: Pace) -> float:
    check_answers(subject)
    if tasks is not None and tasks.folder("pararel") is None:
        pararel_items(tasks, subject.tokenizer)
    facts = 21 * min(settings.max_facts, 600) if tasks else 700
    few = (21 if tasks else 27) * settings.twin_facts
    return (2 * facts + min(few, facts)) * settings.max_patterns * 12 / pace.forward_tokens
