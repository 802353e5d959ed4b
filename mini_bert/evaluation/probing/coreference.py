"""Whom does a pronoun mean? Probes of pairs of words in stories of the embedded world, whose referents are known.

A probe, linear or MLP, reads [v_i; v_j; v_i ∘ v_j] of a pronoun i and an earlier name or noun j and says whether both
speak of the same; among all candidates the one that it finds likeliest is its answer. It is judged by pronouns whose
candidates are all words that it was not trained on (see coreference_cases), and beside by such as are all known to it.

The control task of Hewitt & Liang (2019) for pairs: each word type of a candidate is right or wrong by lot, whatever
the pronoun, as often as candidates are right in train; each seed draws anew.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import accumulate
from typing import NamedTuple

import numpy as np
from pydantic import Field

from mini_bert.checked import Checked
from mini_bert.core.array import Array
from mini_bert.data.world.parts import WORLD_SEEDS
from mini_bert.evaluation.exam import DoesNotApply, Pace
from mini_bert.evaluation.probing.classifier import Kind, fit
from mini_bert.evaluation.probing.control import chance_of
from mini_bert.evaluation.probing.coreference_cases import (
    Cases,
    Choice,
    if_all,
    known_candidates,
    world_windows,
)
from mini_bert.evaluation.probing.coreference_findings import Findings, MostFrequent, Run, Runs
from mini_bert.evaluation.probing.coreference_section import section
from mini_bert.evaluation.probing.description_length import online_code
from mini_bert.evaluation.probing.side_by_side import side_by_side
from mini_bert.evaluation.section import Section
from mini_bert.evaluation.subject import Subject
from mini_bert.evaluation.task_folder import TaskFolder
from mini_bert.evaluation.word_states import Pooling, layers_in_turn, readings
from mini_bert.reports import Report, part

KINDS: tuple[Kind, ...] = ("linear", "mlp")
SHARES = {"train": 1.0, "dev": 0.4, "test": 1.2}
"""Of the stories to learn from, so many are in each part; passages that nothing is asked about are not read."""


class Settings(Checked):
    """`stories` to learn from; SHARES says how many there are to choose by and to be judged by."""

    seeds: int = Field(3, ge=1)
    mdl: bool = True
    stories: int = Field(1000, ge=10)
    width: int = Field(64, ge=1)
    pooling: Pooling = "mean"
    seed: int = Field(0, ge=0)


def examine(subject: Subject, tasks: TaskFolder | None, settings: Settings, report: Report) -> list[Section]:
    """Always on the embedded world: `tasks` holds no referents."""
    exam = Exam.of(subject, settings)
    seeds = range(settings.seeds)
    ends = [0.0, *accumulate([0.5, *[0.5 / settings.seeds] * settings.seeds])]
    layers = exam.of_subject(subject, seeds, part(report, 0, ends[1]))
    twins: list[list[Runs]] = []
    for seed in seeds:
        with subject.random_twin(settings.seed + seed) as twin:
            twins.append(exam.of_subject(twin, [seed], part(report, ends[1 + seed], ends[2 + seed])))
    random_layers = [[run for runs in of_layer for run in runs] for of_layer in zip(*twins, strict=True)]
    findings = Findings(exam.cases["new"], exam.cases["known"], layers, random_layers, exam.most_frequent)
    return [section(findings, len(exam.cases["train"]), settings.seeds)]


class Pairs(NamedTuple):
    """Vectors (N, 3H) of pairs, what they are, and what the control task says of them."""

    vectors: Array
    labels: Array
    control: Array


@dataclass(frozen=True)
class Exam:
    """Passages, and the cases in them.

    Probes are trained on `train` and kept when they are best on `dev`, both with known candidates; `dev_new`, with new
    ones, chooses the layer; `new` and `known` judge. `control[seed][name]` are labels of pairs that mean nothing.
    """

    passages: list[tuple[str, ...]]
    cases: Mapping[str, Cases]
    control: Sequence[Mapping[str, Array]]
    settings: Settings

    @classmethod
    def of(cls, subject: Subject, settings: Settings) -> Exam:
        T, seed = subject.model.config.max_seq_length, settings.seed
        new, known = (partial(if_all, known=side, seed=seed) for side in (False, True))
        choices: dict[str, dict[str, Choice]] = {
            "train": {"train": partial(known_candidates, seed=seed)},
            "dev": {"dev": partial(known_candidates, seed=seed), "dev_new": new},
            "test": {"new": new, "known": known},
        }
        passages: list[tuple[str, ...]] = []
        cases: dict[str, Cases] = {}
        for part_name, chosen in choices.items():
            count = max(1, round(SHARES[part_name] * settings.stories))
            windows = [
                window
                for window in world_windows(WORLD_SEEDS[part_name], count, subject.tokenizer, T)
                if any(choose(case) for choose in chosen.values() for case in window.cases)
            ]
            first_word = sum(map(len, passages))
            cases |= {name: Cases.of(windows, first_word, choose) for name, choose in chosen.items()}
            passages += [window.words for window in windows]
        for name, found in cases.items():
            if not len(found):
                raise DoesNotApply(
                    f"no pronoun of the {name} cases has both right and wrong candidates within {T} tokens, the most "
                    "this model reads at once; take more stories, or a model with a larger max_seq_length"
                )
        control = [control_labels(cases, seed + i) for i in range(settings.seeds)]
        return cls(passages, cases, control, settings)

    @property
    def most_frequent(self) -> MostFrequent:
        """What the most frequent label of train reaches on pairs of known words, and so for the control tasks."""
        true = {name: cases.labels for name, cases in self.cases.items()}
        return MostFrequent(
            most_frequent_share(true), float(np.mean([most_frequent_share(one) for one in self.control]))
        )

    def of_subject(self, subject: Subject, seeds: Sequence[int], report: Report) -> list[Runs]:
        """The runs of each layer."""
        found: list[Runs] = []
        layers = range(subject.model.config.num_layers + 1)
        for states, rest in layers_in_turn(subject, self.passages, self.settings.pooling, layers, report):
            runs = side_by_side(
                subject.predictor.team,
                [
                    partial(self.run, vectors, seed, seed == seeds[0])
                    for vectors in states.values()
                    for seed in seeds
                ],
                rest,
                "probes of coreference",
            )
            found += [runs[i : i + len(seeds)] for i in range(0, len(runs), len(seeds))]
        return found

    def run(self, vectors: Array, seed: int, is_first: bool) -> Run:
        """Probes of one layer, trained with one seed."""
        pairs = {name: self.pairs(vectors, name, seed) for name in self.cases}
        train, dev, known = pairs["train"], pairs["dev"], pairs["known"]
        learn = partial(
            fit, train.vectors, classes=2, seed=self.settings.seed + seed, width=self.settings.width
        )
        hits: dict[Kind, dict[str, Array]] = {}
        judged = np.empty(0)
        for kind in KINDS:
            probe = learn(labels=train.labels, kind=kind, dev=(dev.vectors, dev.labels))
            said = {name: probe.log_probs(pairs[name].vectors) for name in ("dev_new", "new", "known")}
            hits[kind] = {name: self.cases[name].hits(log_p[:, 1]) for name, log_p in said.items()}
            if kind == "linear":
                judged = said["known"].argmax(1) == known.labels
        control = learn(labels=train.control, kind="linear", dev=(dev.vectors, dev.control))
        codes = [
            online_code(
                train.vectors, np.arange(len(labels))[:, None], labels, 2, "linear", self.settings.seed
            )
            for labels in (train.labels, train.control)
            if self.settings.mdl and is_first
        ]
        return Run(hits, judged, control.log_probs(known.vectors).argmax(1) == known.control, codes)

    def pairs(self, vectors: Array, name: str, seed: int) -> Pairs:
        cases = self.cases[name]
        i, j = vectors[cases.pairs[:, 0]], vectors[cases.pairs[:, 1]]
        return Pairs(np.concatenate([i, j, i * j], axis=1), cases.labels, self.control[seed][name])


def most_frequent_share(labels: Mapping[str, Array]) -> float:
    usual = labels["train"].mean() > 0.5
    return float((labels["known"] == usual).mean())


def control_labels(cases: Mapping[str, Cases], seed: int) -> dict[str, Array]:
    """1 where the lot of the candidate's word type, from 0 to 1, is low enough, 0 elsewhere (N,), for each part.

    Low enough are as many as make up the share that right candidates have in train, as nearly as can be: word types
    are few, and some are frequent.
    """
    lots = {name: lots_of(found, seed) for name, found in cases.items()}
    drawn, counts = np.unique(lots["train"], return_counts=True)
    shares = np.cumsum([0, *counts]) / counts.sum()
    taken = int(abs(shares - cases["train"].labels.mean()).argmin())
    highest = drawn[taken - 1] if taken else -1.0
    return {name: (lot <= highest).astype(np.int64) for name, lot in lots.items()}


def lots_of(cases: Cases, seed: int) -> Array:
    """Of the candidate's word type in each pair (N,)."""
    texts = [candidate.text for case in cases.cases for candidate in case.candidates]
    types = sorted(set(texts))
    lot = dict(zip(types, chance_of(types, seed).tolist(), strict=True))
    return np.array([lot[text] for text in texts])


WORDS_PER_STORY, PAIRS_PER_STORY, SECONDS_PER_WORD_READ, TOKENS_PER_WORD = 30, 4, 4e-5, 1.2
PASSES_OF_A_FIT, PASSES_OF_A_CODE = 75, 330
"""How often a probe reads its pairs, forward and backward, until it is trained; and until a code is told."""


def seconds(subject: Subject, tasks: TaskFolder | None, settings: Settings, pace: Pace) -> float:
    """About how long `examine` takes."""
    H, layers = subject.model.config.hidden_size, subject.model.config.num_layers + 1
    words = WORDS_PER_STORY * settings.stories * sum(SHARES.values())
    reading = words * (SECONDS_PER_WORD_READ + TOKENS_PER_WORD / pace.forward_tokens)
    reading *= readings(subject, int(words), layers)
    a_pass = 3 * PAIRS_PER_STORY * settings.stories * 3 * H / pace.multiplications
    of_a_run = PASSES_OF_A_FIT * a_pass * (2 * 2 + settings.width)
    codes = 2 * PASSES_OF_A_CODE * a_pass * 2 if settings.mdl else 0.0
    return (1 + settings.seeds) * reading + 2 * layers * (settings.seeds * of_a_run + codes)
