"""Findings as tables, a picture and figures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from mini_bert.core.array import Array
from mini_bert.errors import counted
from mini_bert.evaluation.estimate import Estimate, over_seeds
from mini_bert.evaluation.probing.classifier import Kind as Probes
from mini_bert.evaluation.probing.description_length import CodeLength
from mini_bert.evaluation.probing.figures import figures_of
from mini_bert.evaluation.probing.findings import Findings
from mini_bert.evaluation.probing.settings import Settings
from mini_bert.evaluation.section import Cell, Column, Kind, Picture, Row, Section, Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TITLES = {
    "pos": "Parts of speech",
    "relations": "Dependency relations",
    "edges": "Dependency edges",
    "entities": "Named entities",
    "custom": "Labels of one's own",
}
QUESTIONS = {
    "pos": "Which part of speech is a word, told from its vector alone?",
    "relations": "How does a word depend on its head, told from the two words' vectors? Subtypes are cut off.",
    "edges": "Is the second of two words the head of the first? One pair for each word that has a head: with it, or "
    "with another word of the sentence, each half of the time.",
    "entities": "Does a word begin or continue a name, and of what kind? F1 counts whole names.",
    "custom": "Which label has a word, told from its vector alone?",
}
MAJORITIES = {
    "relations": "majority of word, head",
    "edges": "majority of words, distance",
}
KINDS: dict[Probes, str] = {"linear": "linear", "mlp": "MLP"}
WHY_MLP = (
    " The MLP chooses it: whether two words go together is no sum of what each tells by itself, which is all that a "
    "linear probe can say."
)
POOLED = {"mean": "the mean of its pieces", "first": "its first piece", "last": "its last piece"}


def section_of(found: Findings, settings: Settings) -> Section:
    task = found.task
    parts = [(part, len(part.sentences)) for part in (task.train, task.dev, task.test)]
    sizes = ", ".join(
        f"{counted(len(part), 'example')} in {counted(sentences, 'sentence')} to {purpose}"
        for (part, sentences), purpose in zip(
            parts, ("learn from", "choose the layer by", "judge by"), strict=True
        )
    )
    split = " The second is split off the first, by lot." if task.dev_is_split else ""
    told = (
        f"{QUESTIONS[task.name]} {len(task.classes)} classes, from {task.source}: {sizes}.{split} "
        f"A word of several pieces is {POOLED[settings.pooling]}."
    )
    tables = [layers_table(found, settings), control_table(found), cases_table(found)]
    if found.codes:
        tables.append(codes_table(found))
    title = f"{TITLES[task.name]}, layer by layer"
    pictures = (Picture(title, lambda: picture(found)),) if len(found.speaking) > 1 else ()
    return Section(
        name=f"probe-{task.name}",
        title=f"Probe: {TITLES[task.name]}",
        told=told,
        tables=tuple(tables),
        figures=figures_of(found, settings),
        pictures=pictures,
    )


def layers_table(found: Findings, settings: Settings) -> Table:
    """What the layer is chosen by comes first."""
    by_f1 = found.task.name == "entities"

    def f1(told: Sequence[Array]) -> tuple[Cell, ...]:
        return (found.f1(told),) if by_f1 else ()

    rows, beside = [], found.probes[found.other]
    for layer, answers in found.speaking.items():
        other = found.accuracy(beside[layer]) if layer in beside else None
        told = [one.test for one in answers]
        rows.append(Row((named(found, layer), *f1(told), found.accuracy(answers), other)))
    for name, labels in told_baselines(found):
        rows.append(Row((name, *f1([labels]), found.told(labels), None), "baseline"))
    random = found.random[found.random_layer]
    name = f"random weights, layer {found.random_layer}"
    rows.append(Row((name, *f1([one.test for one in random]), found.accuracy(random), None), "control"))
    columns = (*(("F1 of linear",) if by_f1 else ()), KINDS[found.kind], KINDS[found.other])
    return Table(
        f"{'F1 and accuracy' if by_f1 else 'Accuracy'} on test, layer by layer",
        (Column("layer"), *(Column(name, is_share=True) for name in columns)),
        tuple(rows),
        interval_note(settings) + WHY_MLP * (found.kind == "mlp"),
    )


def control_table(found: Findings) -> Table:
    rows = tuple(
        Row(
            (
                named(found, layer),
                found.control_accuracy(layer, found.kind),
                found.selectivity(layer, found.kind),
                found.control_accuracy(layer, found.other),
                found.selectivity(layer, found.other),
            ),
            "control",
        )
        for layer in found.controls[found.kind]
    )
    rule = (
        "each type of word hangs on the first or the last word of its sentence"
        if found.task.name == "edges"
        else "each type of word has one label, drawn by lot"
    )
    kind, other = KINDS[found.kind], KINDS[found.other]
    columns = (f"{kind} on control", "selectivity", f"{other} on control", f"selectivity of {other}")
    return Table(
        "Control task: how well labels that mean nothing are learned",
        (Column("layer"), *(Column(name, is_share=True) for name in columns)),
        rows,
        f"Control (Hewitt & Liang 2019): {rule}. Selectivity is accuracy − accuracy on the control task: low, if the "
        "probe may have learned words by heart.",
    )


def cases_table(found: Findings) -> Table:
    """Where the words alone do not tell."""
    task = found.task
    what = "words" if task.is_tagging else "pairs"
    masks = {
        f"all {what}": np.ones(len(task.test), bool),
        f"ambiguous {what}": found.ambiguous,
        f"new {what}": found.unseen,
    }
    masks = {name: mask for name, mask in masks.items() if mask.any()}
    rows = [Row(("examples", *(int(mask.sum()) for mask in masks.values())), "control")]
    for kind in (found.kind, found.other):
        answers = found.probes[kind][found.layer]
        name = f"{KINDS[kind]}, layer {found.layer}"
        rows.append(Row((name, *(found.accuracy(answers, mask) for mask in masks.values()))))
    for name, told in told_baselines(found):
        rows.append(Row((name, *(found.told(told, mask) for mask in masks.values())), "baseline"))
    random = found.random[found.random_layer]
    name = f"random weights, layer {found.random_layer}"
    rows.append(Row((name, *(found.accuracy(random, mask) for mask in masks.values())), "baseline"))
    return Table(
        f"Where the {what} alone do not tell",
        (Column(""), *(Column(name, is_share=True) for name in masks)),
        tuple(rows),
        f"Ambiguous {what} have several labels in train, new ones do not occur there.",
    )


def codes_table(found: Findings) -> Table:
    uniform = found.codes[found.layer][0].uniform

    def row(name: str, codes: Sequence[CodeLength], kind: Kind = "model") -> Row:
        is_as_much = codes[0].uniform == uniform
        lengths = over_seeds([code.bits / 1000 for code in codes]) if is_as_much else None
        return Row((name, lengths, over_seeds([code.compression for code in codes])), kind)

    rows = [row(named(found, layer), codes) for layer, codes in found.codes.items()]
    rows.append(row(f"control task, layer {found.layer}", found.control_codes, "control"))
    rows.append(row("random weights, best layer", found.random_codes, "baseline"))
    rows.append(Row(("uniform code", uniform / 1000, 1.0), "baseline"))
    return Table(
        f"Description length of the labels of train, told online to a probe ({KINDS[found.kind]})",
        (Column("layer"), Column("kbit"), Column("compression", decimals=2)),
        tuple(rows),
        "Online code (Voita & Titov 2020): the shorter, the easier the labels are to find. Compression is the length "
        "of the uniform code over this; no length is told of a control task that has more labels, or less.",
    )


def told_baselines(found: Findings) -> list[tuple[str, Array]]:
    name = MAJORITIES.get(found.task.name, "per-word majority")
    return [
        (name, found.majority),
        ("most frequent label", found.most_frequent),
    ]


def named(found: Findings, layer: int) -> str:
    chosen = " ← chosen" if layer == found.layer and len(found.speaking) > 1 else ""
    return f"{'0, embeddings' if layer == 0 else layer}{chosen}"


def interval_note(settings: Settings) -> str:
    drawn = "sentences" if settings.seeds == 1 else "sentences and seeds"
    return f"{counted(settings.seeds, 'seed')}; intervals are of 95 %, over {drawn} drawn again. Dev chooses the layer."


def picture(found: Findings) -> Figure:
    from mini_bert.plots.over_layers import LayerCurve, over_layers

    def curve(name: str, estimates: Sequence[Estimate]) -> LayerCurve:
        values = np.array([[one.value, one.low, one.high] for one in estimates], float).T * 100
        return LayerCurve(name, *values)

    kind, other, beside = found.kind, KINDS[found.other], found.probes[found.other]
    layers = list(found.speaking)
    curves = [curve(KINDS[kind], [found.accuracy(found.speaking[layer]) for layer in layers])]
    is_everywhere = len(beside) == len(layers)
    if is_everywhere:
        curves.append(curve(other, [found.accuracy(beside[layer]) for layer in layers]))
        curves.append(curve("control task", [found.control_accuracy(layer, kind) for layer in layers]))
    curves.append(curve("random weights", [found.accuracy(found.random[layer]) for layer in layers]))
    levels = {name: 100 * found.told(told).value for name, told in told_baselines(found)}
    if not is_everywhere:
        levels[f"{other}, chosen layer"] = 100 * found.accuracy(beside[found.layer]).value
        levels["control task, chosen layer"] = 100 * found.control_accuracy(found.layer, kind).value
    return over_layers(curves, "accuracy (%)", levels)
