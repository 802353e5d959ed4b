"""Do the vectors of words lie as the words do in their dependency tree? The structural probe, layer by layer.

sections = examine(subject, None, Settings(seeds=1, epochs=4), report)           # trees of the embedded world
sections = examine_files(subject, Files(train, test), Settings(), report)        # trees of one's own
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import accumulate

import numpy as np
from pydantic import Field

from mini_bert.checked import Checked
from mini_bert.core.array import Array
from mini_bert.evaluation.exam import Pace
from mini_bert.evaluation.probing.distance_probe import fit
from mini_bert.evaluation.probing.side_by_side import side_by_side
from mini_bert.evaluation.probing.sources import Files, files_in
from mini_bert.evaluation.probing.structural_section import section
from mini_bert.evaluation.probing.tree_batches import TreeBatch, tree_batches
from mini_bert.evaluation.probing.tree_findings import Findings, Runs
from mini_bert.evaluation.probing.tree_scores import linear_chain_scores, place_scores, random_tree_scores
from mini_bert.evaluation.probing.treebank import Treebank
from mini_bert.evaluation.section import Section
from mini_bert.evaluation.subject import Subject
from mini_bert.evaluation.task_folder import TaskFolder
from mini_bert.evaluation.word_states import Pooling, layers_in_turn, readings
from mini_bert.reports import Report, part

MOST_PLACES = 64
"""The positions that the baseline tells apart; words behind the last of them share it."""
LARGEST_RANK = 64


class Settings(Checked):
    """`seeds` probes and random twins; `rank` is 64, or the hidden size if that is less, unless it is given.

    `epochs` are raised where sentences are few, see `distance_probe.FEWEST_STEPS`.
    """

    seeds: int = Field(3, ge=1)
    epochs: int = Field(12, ge=1)
    rank: int | None = Field(None, ge=1)
    seed: int = Field(0, ge=0)
    pooling: Pooling = "mean"
    world_sentences: int = Field(4000, ge=20)
    max_sentences: int | None = Field(None, ge=2)


def examine(subject: Subject, tasks: TaskFolder | None, settings: Settings, report: Report) -> list[Section]:
    """On ud_ewt of the folder, or on the embedded world."""
    if tasks is None:
        return examine_treebank(subject, Treebank.of_world(settings.world_sentences), settings, report)
    return examine_files(subject, files_in(tasks, "edges"), settings, report)


def examine_files(subject: Subject, files: Files, settings: Settings, report: Report) -> list[Section]:
    return examine_treebank(subject, Treebank.read(files, settings.seed), settings, report)


def examine_treebank(
    subject: Subject, treebank: Treebank, settings: Settings, report: Report
) -> list[Section]:
    exam = Exam.of(treebank.limited(settings.max_sentences, settings.seed), settings)
    seeds, total = range(settings.seeds), 1 + 0.5 * (settings.seeds + 1)
    ends = [0.0, *accumulate([1 / total, *[0.5 / total] * settings.seeds])]
    layers = exam.of_subject(subject, seeds, part(report, 0, ends[1]))
    twins: list[list[Runs]] = []
    for seed in seeds:
        with subject.random_twin(settings.seed + seed) as twin:
            twins.append(exam.of_subject(twin, [seed], part(report, ends[1 + seed], ends[2 + seed])))
    findings = Findings(
        layers=layers,
        random_layers=[Runs.together(of_layer) for of_layer in zip(*twins, strict=True)],
        positions=exam.of_positions(subject, seeds, part(report, ends[-1], 1)),
        linear_chain=linear_chain_scores(exam.test),
        random_tree=random_tree_scores(exam.test, settings.seed),
    )
    return [section(findings, exam.treebank, exam.rank(subject.model.config.hidden_size), settings.seeds)]


@dataclass(frozen=True)
class Exam:
    """Trees in batches, and what a probe reaches on them."""

    treebank: Treebank
    settings: Settings
    train: list[TreeBatch]
    dev: list[TreeBatch]
    test: list[TreeBatch]

    @classmethod
    def of(cls, treebank: Treebank, settings: Settings) -> Exam:
        parts = (tree_batches(sentences) for sentences in (treebank.train, treebank.dev, treebank.test))
        return cls(treebank, settings, *parts)

    def rank(self, H: int) -> int:
        return min(LARGEST_RANK, H) if self.settings.rank is None else self.settings.rank

    def of_subject(self, subject: Subject, seeds: Sequence[int], report: Report) -> list[Runs]:
        """A probe for each layer and seed."""
        found: list[Runs] = []
        bank, layers = self.treebank, range(subject.model.config.num_layers + 1)
        sentences = [sentence.words for trees in (bank.train, bank.dev, bank.test) for sentence in trees]
        for states, rest in layers_in_turn(subject, sentences, self.settings.pooling, layers, report):
            runs = side_by_side(
                subject.predictor.team,
                [partial(self.run, of_layer, seed) for of_layer in states.values() for seed in seeds],
                rest,
                "structural probes",
            )
            found += [Runs.together(runs[i : i + len(seeds)]) for i in range(0, len(runs), len(seeds))]
        return found

    def of_positions(self, subject: Subject, seeds: Sequence[int], report: Report) -> Runs:
        """The same probe on vectors that tell the place of a word in its sentence, and nothing else."""
        bank = self.treebank
        lengths = [len(sentence.words) for trees in (bank.train, bank.dev, bank.test) for sentence in trees]
        places = np.concatenate([np.minimum(np.arange(length), MOST_PLACES - 1) for length in lengths])
        vectors = np.eye(min(MOST_PLACES, max(lengths)), dtype=np.float32)[places]
        jobs = [partial(self.run, vectors, seed) for seed in seeds]
        return Runs.together(side_by_side(subject.predictor.team, jobs, report, "probes of positions"))

    def run(self, vectors: Array, seed: int) -> Runs:
        """A probe trained on the first part of all words, judged by the other two."""
        train, dev, test = self.parts(vectors)
        settings = self.settings
        probe = fit(train, self.train, self.rank(vectors.shape[1]), settings.epochs, settings.seed + seed)
        return Runs(
            [place_scores(self.dev, probe.places(dev))], [place_scores(self.test, probe.places(test))]
        )

    def parts(self, vectors: Array) -> Sequence[Array]:
        bank = self.treebank
        sizes = [sum(len(sentence.words) for sentence in trees) for trees in (bank.train, bank.dev)]
        return np.split(vectors, np.cumsum(sizes))


SECONDS_PER_WORD_READ, SECONDS_PER_PAIR = 2e-5, 4e-8
"""Splitting into pieces; and what a pair of words costs in an epoch, beside the products of matrices."""
TOKENS_PER_WORD, PAIRS_PER_WORD, BYTES_PER_WORD = 1.7, 25, 12.8
"""Of English; bytes are those of a gzipped treebank."""


def seconds(subject: Subject, tasks: TaskFolder | None, settings: Settings, pace: Pace) -> float:
    """About how long `examine` takes."""
    words = expected_words(tasks, settings)
    H, layers = subject.model.config.hidden_size, subject.model.config.num_layers + 1
    rank = settings.rank or min(LARGEST_RANK, H)
    reading = words * (SECONDS_PER_WORD_READ + TOKENS_PER_WORD / pace.forward_tokens)
    reading *= readings(subject, int(words), layers)
    products = words * (
        2 * H * H + settings.epochs * 2 * H * rank + settings.epochs * 3 * rank * PAIRS_PER_WORD
    )
    fitting = products / pace.multiplications * subject.predictor.team.size
    fitting += words * PAIRS_PER_WORD * settings.epochs * SECONDS_PER_PAIR
    probes = settings.seeds * (2 * layers + 1)
    return (1 + settings.seeds) * reading + probes * fitting / subject.predictor.team.size


def expected_words(tasks: TaskFolder | None, settings: Settings) -> float:
    if tasks is None:
        return 18.0 * settings.world_sentences
    files = files_in(tasks, "edges")
    sizes = [path.stat().st_size * (1 if path.suffix == ".gz" else 0.2) for _, path in files.parts()]
    words = sum(sizes) / BYTES_PER_WORD
    return words if settings.max_sentences is None else min(words, 45.0 * settings.max_sentences)
