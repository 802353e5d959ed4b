"""The findings of probes of coreference as tables, a picture and figures."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from mini_bert.errors import counted
from mini_bert.evaluation.probing.coreference_cases import Cases
from mini_bert.evaluation.probing.coreference_findings import (
    Findings,
    Runs,
    chance,
    first,
    groups_of,
    nearest,
    nearest_of_gender,
    pair_shares,
    share,
)
from mini_bert.evaluation.probing.description_length import CodeLength
from mini_bert.evaluation.section import Cell, Column, Kind, Picture, Row, Section, Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ANSWERS = ("linear", "MLP", "linear, known words", "MLP, known words")
PAIRS = ("pairs, known words", "control task", "selectivity")
CODES = (Column("compression", decimals=2), Column("compression of control", decimals=2))
NOTE = (
    "Share of pronouns for which the candidate that the probe finds likeliest is right; the first two columns are of "
    "pronouns whose candidates are all new to the probe. The rule is told the genders of all names, which nearly "
    "always settles the case: no baseline, but about the best one can do. Intervals are for other stories and seeds, "
    "by bootstrap."
)
PAIR_NOTE = (
    "Share of (pronoun, candidate) pairs that the linear probe judges right. Control: each word type is a right "
    "candidate or a wrong one by lot, as often as there are right ones; each seed draws anew. Selectivity: the "
    "difference."
)
CODE_NOTE = " Compression: uniform code over online code (MDL), first seed."
RULE = "gold gender, nearest (rule)"


def section(found: Findings, learned: int, seeds: int) -> Section:
    return Section(
        name="coreference",
        title="Whom a pronoun means",
        told=(
            "Which of the names and nouns before it, in the same pass through the model, does a pronoun (he, she, it, "
            f"they and their forms) refer to? A probe of pairs of word vectors learned from {learned:,} pronouns of "
            "the embedded world's stories with one half of the names and nouns; it is asked about "
            f"{len(found.new):,} pronouns of other stories with the other half; {counted(seeds, 'seed')}. There is no "
            "real set with labels for this at hand, so the world is asked whatever the data."
        ),
        tables=(answers(found), pairs(found), by_distance(found)),
        figures=figures(found, learned, seeds),
        pictures=(
            Picture(
                "Pronouns understood, by layer",
                partial(draw, found),
                "Linear probes, words that are new to them; bands: 95 % intervals over stories and seeds.",
            ),
        ),
    )


def all_runs(found: Findings) -> list[tuple[str, Runs, Kind]]:
    """The layers of the model, and the best one of random weights."""
    rows: list[tuple[str, Runs, Kind]] = [
        (f"layer {number}{mark(number, found.layer)}", runs, "model")
        for number, runs in enumerate(found.layers)
    ]
    random = found.random_layers[found.random_layer]
    return [*rows, (f"random weights, layer {found.random_layer}", random, "control")]


def mark(number: int, chosen: int) -> str:
    told = [*(["embeddings"] if number == 0 else []), *(["chosen on dev"] if number == chosen else [])]
    return f" ({', '.join(told)})" if told else ""


def answers(found: Findings) -> Table:
    rows = [
        Row(
            (
                name,
                *(
                    found.accuracy(runs, kind, known=known)
                    for known in (False, True)
                    for kind in ("linear", "mlp")
                ),
            ),
            row_kind,
        )
        for name, runs, row_kind in all_runs(found)
    ]
    for name, rule in (
        ("nearest name or noun", nearest),
        ("first name or noun", first),
        (RULE, nearest_of_gender),
    ):
        new, known = (share(cases, rule(cases.cases)) for cases in (found.new, found.known))
        kind: Kind = "reference" if name == RULE else "baseline"
        rows.append(Row((name, new, None, known, None), kind))
    lots: tuple[Cell, ...] = ("by lot", chance(found.new.cases), None, chance(found.known.cases), None)
    rows.append(Row(lots, "baseline"))
    columns = (Column("answers"), *(Column(name, is_share=True) for name in ANSWERS))
    return Table("Antecedents of pronouns", columns, tuple(rows), NOTE)


def pairs(found: Findings) -> Table:
    has_codes = bool(found.layers[0][0].codes)
    rows = [
        Row(
            (
                name,
                *pair_shares(found.known, runs),
                *(code.compression for code in runs[0].codes),
            ),
            kind,
        )
        for name, runs, kind in all_runs(found)
    ]
    no_codes = (None, None) if has_codes else ()
    rows.append(Row(("most frequent answer", *found.most_frequent, None, *no_codes), "baseline"))
    columns = (
        Column("probe"),
        *(Column(name, is_share=True) for name in PAIRS),
        *(CODES if has_codes else ()),
    )
    return Table("Pairs, and a control task", columns, tuple(rows), PAIR_NOTE + CODE_NOTE * has_codes)


def by_distance(found: Findings) -> Table:
    """Where the nearest right candidate is."""
    chosen, random = found.layers[found.layer], found.random_layers[found.random_layer]
    cases = found.new
    rows = [
        Row(
            (
                name,
                int(group.sum()),
                found.accuracy(chosen, chosen=group),
                found.accuracy(random, chosen=group),
                *(share(cases, rule(cases.cases), group) for rule in (nearest, first)),
            )
        )
        for name, group in groups_of(cases.cases).items()
        if group.any()
    ]
    shares = (f"layer {found.layer}", "random weights", "nearest", "first")
    columns = (Column("antecedent"), Column("pronouns"), *(Column(name, is_share=True) for name in shares))
    return Table("By distance of the antecedent", columns, tuple(rows), "Linear probes, new words.")


def figures(found: Findings, learned: int, seeds: int) -> dict[str, Any]:
    chosen, random = found.layers[found.layer], found.random_layers[found.random_layer]
    return {
        **told(found, chosen),
        "layer": found.layer,
        "pair_most_frequent": found.most_frequent.pairs,
        "control_most_frequent": found.most_frequent.control,
        **rules(found.new),
        "known_words": rules(found.known),
        "random_model": found.accuracy(random).value,
        "random_model_mlp": found.accuracy(random, "mlp").value,
        "random_model_layer": found.random_layer,
        "random_model_layers": [told(found, runs) for runs in found.random_layers],
        "layers": [told(found, runs) for runs in found.layers],
        "by_distance": {
            name: {
                "pronouns": int(group.sum()),
                "accuracy": found.accuracy(chosen, chosen=group).value,
                "random_model": found.accuracy(random, chosen=group).value,
                "nearest": share(found.new, nearest(found.new.cases), group).value,
            }
            for name, group in groups_of(found.new.cases).items()
            if group.any()
        },
        "pronouns": {"train": learned, "new_words": len(found.new), "known_words": len(found.known)},
        "seeds": seeds,
    }


def rules(cases: Cases) -> dict[str, float]:
    """What needs no model."""
    return {
        "nearest": share(cases, nearest(cases.cases)).value,
        "first": share(cases, first(cases.cases)).value,
        "chance": chance(cases.cases),
        "gold_gender_rule": share(cases, nearest_of_gender(cases.cases)).value,
    }


def told(found: Findings, runs: Runs) -> dict[str, Any]:
    accuracy = found.accuracy(runs)
    pairs, control, selectivity = pair_shares(found.known, runs)
    figures = {
        "accuracy": accuracy.value,
        "accuracy_interval": [accuracy.low, accuracy.high],
        "mlp": found.accuracy(runs, "mlp").value,
        "accuracy_known_words": found.accuracy(runs, known=True).value,
        "mlp_known_words": found.accuracy(runs, "mlp", known=True).value,
        "accuracy_on_dev": mean([run.hits["linear"]["dev_new"].mean() for run in runs]),
        "pair_accuracy": pairs.value,
        "control": control.value,
        "selectivity": selectivity.value,
    }
    codes = zip(("mdl", "control_mdl"), runs[0].codes, strict=False)
    return figures | {name: kilobits(code) for name, code in codes}


def mean(values: Sequence[float]) -> float:
    return float(np.mean(values))


def kilobits(code: CodeLength) -> dict[str, float]:
    return {"kilobits": code.bits / 1000, "compression": code.compression}


def draw(found: Findings) -> Figure:
    from mini_bert.plots.over_layers import LayerCurve, over_layers

    def curve(name: str, layers: Sequence[Runs]) -> LayerCurve:
        estimates = [found.accuracy(runs) for runs in layers]
        low = [e.value if e.low is None else e.low for e in estimates]
        high = [e.value if e.high is None else e.high for e in estimates]
        return LayerCurve(
            name, *(100 * np.array(values) for values in ([e.value for e in estimates], low, high))
        )

    without_model = rules(found.new)
    levels = {name: 100 * without_model[key] for name, key in (("nearest", "nearest"), ("first", "first"))}
    return over_layers(
        [curve("the model", found.layers), curve("random weights", found.random_layers)],
        "right antecedents (%)",
        levels | {"gold gender (rule)": 100 * without_model["gold_gender_rule"]},
    )
