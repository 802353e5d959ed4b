"""Which share of the hidden words of each kind is found, by the model and by what it must beat."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from mini_bert.core.array import Array
from mini_bert.evaluation.estimate import Estimate
from mini_bert.evaluation.intrinsic.answers import Answers
from mini_bert.evaluation.intrinsic.clustered import clustered_share
from mini_bert.evaluation.section import Column, Picture, Row, Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Group = tuple[int, dict[str, Estimate]]
"""How many words, and which share of them each contender finds."""


def by_group(group: Array, row: Array, answers: Mapping[str, Answers]) -> dict[Any, Group]:
    found: dict[Any, Group] = {}
    for name in np.unique(group).tolist():
        here = group == name
        shares = {who: clustered_share(one.right[here], row[here]) for who, one in answers.items()}
        found[name] = int(here.sum()), shares
    return found


def group_table(title: str, header: str, groups: Mapping[str, Group], near: str) -> Table:
    return Table(
        title,
        (
            Column(header),
            Column("words"),
            Column("model right", is_share=True),
            Column("neighbours", is_share=True),
            Column("frequencies", is_share=True),
            Column("random weights", is_share=True),
        ),
        tuple(
            Row(
                (
                    name,
                    words,
                    shares["model"],
                    shares["neighbours"].value,
                    shares["unigram"].value,
                    shares["random_weights"].value,
                )
            )
            for name, (words, shares) in groups.items()
        ),
        f"neighbours: {near}.",
    )


def group_figures(group: Group) -> dict[str, Any]:
    words, shares = group
    return {
        "words": words,
        "masked_accuracy": shares["model"].value,
        "interval": [shares["model"].low, shares["model"].high],
        **{who: one.value for who, one in shares.items() if who != "model"},
    }


def group_picture(title: str, groups: Mapping[str, Group]) -> Picture:
    def draw() -> Figure:
        from mini_bert.plots.bars import Bar, bars

        entries = []
        for name, (_, shares) in groups.items():
            entries.append(Bar(name, *hundredfold(shares["model"])))
            entries.append(Bar("its neighbours", *hundredfold(shares["neighbours"]), "baseline"))
        return bars(entries, "words found (%)")

    return Picture(
        f"Words found, {title[0].lower()}{title[1:]}", draw, "Each over what its neighbours alone tell."
    )


def hundredfold(share: Estimate) -> tuple[float, float | None, float | None]:
    return 100 * share.value, share.low and 100 * share.low, share.high and 100 * share.high
