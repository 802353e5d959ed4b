"""The exam's tables: the model's rows, and under each the same of random weights."""

from __future__ import annotations

from collections.abc import Sequence

from mini_bert.evaluation.representations.collapse import LEAST_DIMENSIONS, LEAST_DIVERSITY
from mini_bert.evaluation.representations.findings import Findings, mean_over_texts
from mini_bert.evaluation.section import Cell, Column, Row, Table

RANDOM = "random weights"


def tables(found: Findings, random: Findings) -> tuple[Table, ...]:
    return (
        geometry_table(
            "Directions and lengths",
            found,
            random,
            {
                "token_diversity": Column("token diversity", decimals=3),
                "anisotropy": Column("anisotropy", decimals=3),
                "mean_norm": Column("length", decimals=2),
                "norm_deviation": Column("its deviation", decimals=2),
            },
            "Token diversity: 1 − the mean cosine of two tokens of a text. Anisotropy: the mean cosine of any two "
            "tokens; near 1, all states point the same way.",
        ),
        geometry_table(
            "Dimensions",
            found,
            random,
            {
                "effective_dimensionality": Column("effective dimensionality"),
                "effective_rank": Column("effective rank"),
                "intrinsic_dimension": Column("intrinsic (TwoNN)"),
                "top_share": Column("first direction", decimals=3),
            },
            "How many of the directions are used: by variance (participation ratio), by singular values, and by "
            "distances to nearest neighbours; and the share of variance that lies in the first direction.",
        ),
        similarity_table(found, random),
        entropy_table(found, random),
        stability_table(found, random),
        collapse_table(found, random),
    )


def geometry_table(
    title: str, found: Findings, random: Findings, columns: dict[str, Column], note: str
) -> Table:
    rows: list[Row] = []
    for layer, (own, twin) in enumerate(zip(found.geometry, random.geometry, strict=True)):
        rows += both(f"layer {layer}", [own[name] for name in columns], [twin[name] for name in columns])
    return Table(title, (Column("layer"), *columns.values()), tuple(rows), note)


def both(name: str, own: Sequence[Cell], twin: Sequence[Cell]) -> list[Row]:
    return [Row((name, *own)), Row((f"  {RANDOM}", *twin), "baseline")]


def similarity_table(found: Findings, random: Findings) -> Table:
    rows: list[Row] = []
    for layer in range(1, len(found.geometry)):
        own, twin = (
            [one.to_layer_before[layer - 1], one.to_embeddings[layer - 1]] for one in (found, random)
        )
        rows += both(f"layer {layer}", own, twin)
    columns = (Column("layer"), Column("to the layer before", decimals=3), Column("to layer 0", decimals=3))
    return Table(
        "Layer similarity (linear CKA)",
        columns,
        tuple(rows),
        "1: the same states, but for turning and scaling. A layer that changes little is close to the one before.",
    )


def entropy_table(found: Findings, random: Findings) -> Table:
    rows: list[Row] = []
    for layer in range(found.relative.shape[1]):
        rows += both(f"layer {layer + 1}", entropy_cells(found, layer), entropy_cells(random, layer))
    columns = (
        Column("layer"),
        Column("mean of heads (nats)", decimals=2),
        Column("mean, relative", decimals=3),
        Column("narrowest head", decimals=3),
        Column("widest head", decimals=3),
    )
    return Table(
        "Attention entropy",
        columns,
        tuple(rows),
        "Relative: 0 looks at a single token, 1 at all alike; heads are relative too.",
    )


def entropy_cells(found: Findings, layer: int) -> list[Cell]:
    heads = [mean_over_texts(found.relative[:, layer, head]) for head in range(found.relative.shape[2])]
    return [
        mean_over_texts(found.nats[:, layer].mean(1)),
        mean_over_texts(found.relative[:, layer].mean(1)),
        min(heads, key=lambda one: one.value),
        max(heads, key=lambda one: one.value),
    ]


def stability_table(found: Findings, random: Findings) -> Table:
    columns = (
        Column("change"),
        Column("layer 0", decimals=3),
        Column("last layer", decimals=3),
        Column("of the way", decimals=2),
        Column(RANDOM, decimals=3),
        Column("of the way", decimals=2),
    )
    own, twin = found.stability, random.stability
    rows = [
        Row(
            (
                name,
                each[0],
                each[-1],
                float(own.way_to_unrelated(name)[-1]),
                twin.changes[name][-1],
                float(twin.way_to_unrelated(name)[-1]),
            )
        )
        for name, each in own.changes.items()
    ]
    rows.append(
        Row(
            ("unrelated texts", own.unrelated[0], own.unrelated[-1], 1.0, twin.unrelated[-1], 1.0), "baseline"
        )
    )
    return Table(
        "Stability: cosine before and after a small change",
        columns,
        tuple(rows),
        "The vector of a text is the mean of its tokens. Of the way: how far the change has moved it towards an "
        "unrelated text, at the last layer. Random weights: their last layer.",
    )


def collapse_table(found: Findings, random: Findings) -> Table:
    rows = []
    for name, one in (("this model", found), (RANDOM, random)):
        told = one.collapse
        cells: tuple[Cell, ...] = (
            name,
            "collapsed" if told.collapsed else "sound",
            one.geometry[-1]["token_diversity"],
            one.geometry[-1]["effective_dimensionality"],
            told.loudest,
        )
        rows.append(Row(cells, "model" if one is found else "baseline"))
    reasons = "; ".join(found.collapse.reasons)
    return Table(
        "Mode collapse",
        (
            Column("states of the last layer"),
            Column("verdict"),
            Column("token diversity", decimals=3),
            Column("effective dimensionality"),
            Column("loudest number", decimals=3),
        ),
        tuple(rows),
        f"Collapsed if diversity is below {LEAST_DIVERSITY:g}, dimensionality below {LEAST_DIMENSIONS:g}, or either "
        "below a tenth of the most in any layer. Loudest: the share of variance that one number of a state has alone."
        + (f" This model: {reasons}." if reasons else ""),
    )
