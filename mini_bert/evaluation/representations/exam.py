"""The exam of representations: what every layer's states are like, beside those of random weights."""

from __future__ import annotations

from pydantic import Field

from mini_bert.checked import Checked
from mini_bert.evaluation.exam import DoesNotApply, Pace
from mini_bert.evaluation.representations.findings import Findings, as_dict, findings
from mini_bert.evaluation.representations.perturbations import perturbed
from mini_bert.evaluation.representations.pictures import pictures
from mini_bert.evaluation.representations.tables import tables
from mini_bert.evaluation.representations.texts import texts_of
from mini_bert.evaluation.section import Section
from mini_bert.evaluation.subject import Subject
from mini_bert.evaluation.task_folder import TaskFolder
from mini_bert.reports import Report, part

FEWEST_TEXTS = 2
PASSES = 3
"""Over as many tokens as there are texts and sentences: states, attention, and sentences before and after changes."""
PRODUCTS, OVERHEAD = 12, 0.02
"""The geometry of a layer: products of its states with themselves, about, and seconds whatever their size."""


class Settings(Checked):
    """`groups` of texts are left out in turn for the intervals; 0 gives none. `seed` chooses texts and changes."""

    texts: int = Field(200, ge=FEWEST_TEXTS)
    sentences: int = Field(400, ge=FEWEST_TEXTS)
    tokens: int = Field(6000, ge=10)
    groups: int = Field(10, ge=0)
    seed: int = Field(103, ge=0)


def examine(subject: Subject, tasks: TaskFolder | None, settings: Settings, report: Report) -> list[Section]:
    texts = texts_of(tasks, settings.texts, settings.sentences, settings.seed)
    pairs = perturbed(texts.sentences, settings.seed)
    if len(texts.whole) < FEWEST_TEXTS or not pairs:
        raise DoesNotApply(f"{texts.source}: too few sentences of four words or more; two are needed")

    def look(one: Subject, told: Report) -> Findings:
        return findings(one, texts.whole, pairs, settings.tokens, settings.groups, settings.seed, told)

    found = look(subject, part(report, 0.0, 0.5))
    with subject.random_twin() as twin:
        random = look(twin, part(report, 0.5, 1.0))
    return [
        Section(
            name="representations",
            title="Representations",
            told=f"What states and attention are like at every layer, over {texts.source}: layer 0 is what the first "
            "layer reads, the last is what the head reads. Special tokens are left out. Beside it the same network "
            "with random weights; no figure is good or bad by itself.",
            tables=tables(found, random),
            figures={
                "text": texts.source,
                "seed": settings.seed,
                "model": as_dict(found),
                "random_model": as_dict(random),
            },
            pictures=pictures(found, random),
        )
    ]


def seconds(subject: Subject, tasks: TaskFolder | None, settings: Settings, pace: Pace) -> float:
    config = subject.model.config
    tokens = settings.texts * min(config.max_seq_length, 80) + 5 * settings.sentences * 12
    times = 2 * (config.num_layers + 1) * (settings.groups + 1)
    products = PRODUCTS * settings.tokens * config.hidden_size**2
    return 2 * PASSES * tokens / pace.forward_tokens + times * (OVERHEAD + products / pace.multiplications)
