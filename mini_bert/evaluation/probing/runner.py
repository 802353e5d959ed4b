"""Layers × probes × seeds, for several tasks on the same sentences at once.

The model reads every sentence once, and its random twins after it. Probes are trained side by side, one to a core.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from mini_bert.core.array import Array
from mini_bert.evaluation.probing.bank import Bank
from mini_bert.evaluation.probing.classifier import Gathered, Kind, fit
from mini_bert.evaluation.probing.control import controlled
from mini_bert.evaluation.probing.description_length import CodeLength, online_code
from mini_bert.evaluation.probing.findings import Answers, ByLayer, Findings, best_layer, score
from mini_bert.evaluation.probing.settings import Settings
from mini_bert.evaluation.probing.side_by_side import side_by_side
from mini_bert.evaluation.probing.task import Task
from mini_bert.evaluation.subject import Subject
from mini_bert.reports import Report, part
from mini_bert.training.parallel import Team


class Job(NamedTuple):
    """Work for one core, and who gets its result."""

    work: Callable[[], Any]
    give: Callable[[Any], None]


def probe(subject: Subject, tasks: Sequence[Task], settings: Settings, report: Report) -> list[Findings]:
    """What the model's layers, and those of its random twins, know of each task."""
    found = [
        Findings(task, [controlled(task, settings.seed + seed) for seed in range(settings.seeds)])
        for task in tasks
    ]
    layers = layers_of(subject, settings)
    of_model = 1 / 2
    probe_model(subject, found, layers, settings, part(report, 0, of_model))
    for seed in range(settings.seeds):
        with subject.random_twin(settings.seed + seed) as twin:
            done = of_model + (1 - of_model) * seed / settings.seeds
            share = part(report, done, done + (1 - of_model) / settings.seeds)
            probe_twin(twin, found, layers, settings, seed, share)
    return found


def layers_of(subject: Subject, settings: Settings) -> list[int]:
    L = subject.model.config.num_layers
    if settings.layer is None:
        return list(range(L + 1))
    if settings.layer > L:
        raise ValueError(
            f"layer {settings.layer}: this model has {L}; choose from 0, the embeddings, to {L}, the last"
        )
    return [settings.layer]


def probe_model(
    subject: Subject, found: Sequence[Findings], layers: Sequence[int], settings: Settings, report: Report
) -> None:
    lab, team = Lab(subject, [one.task for one in found], settings), subject.predictor.team
    share = 0.8 if settings.mdl or not settings.everywhere else 1.0
    for vectors, rest in lab.bank.groups(layers, part(report, 0, share)):
        run(team, lab.of_layers(found, vectors), rest, "probes of the model")
    if settings.mdl or not settings.everywhere:
        chosen = sorted({one.layer for one in found})
        for vectors, rest in lab.bank.groups(chosen, part(report, share, 1)):
            run(team, lab.of_chosen(found, vectors), rest, "probes of the chosen layers")


def probe_twin(
    twin: Subject,
    found: Sequence[Findings],
    layers: Sequence[int],
    settings: Settings,
    seed: int,
    report: Report,
) -> None:
    lab, team = Lab(twin, [one.task for one in found], settings), twin.predictor.team
    own: list[ByLayer] = [{} for _ in found]
    share = 0.8 if settings.mdl else 1.0
    for vectors, rest in lab.bank.groups(layers, part(report, 0, share)):
        pairs = zip(found, own, strict=True)
        jobs = [job for one, answers in pairs for job in lab.speaking(one, vectors, answers, [seed])]
        run(team, jobs, rest, "probes of random weights")
        del jobs
    for one, answers in zip(found, own, strict=True):
        for layer, new in answers.items():
            one.random.setdefault(layer, []).extend(new)
    if settings.mdl:
        best = [best_layer(answers) for answers in own]
        for vectors, rest in lab.bank.groups(sorted(set(best)), part(report, share, 1)):
            jobs = [
                Job(lab.code(one.task, vectors[layer], one.kind, seed), one.random_codes.append)
                for one, layer in zip(found, best, strict=True)
                if layer in vectors
            ]
            run(team, jobs, rest, "code lengths of random weights")
            del jobs


class Lab:
    """A model's vectors, and what is to be learned from them."""

    def __init__(self, subject: Subject, tasks: Iterable[Task], settings: Settings) -> None:
        self.settings = settings
        tasks = list(tasks)
        self.bank = Bank(subject, tasks, settings.pooling)
        self.rows = {
            task.name: {
                "train": self.bank.numbers(task.train),
                "dev": self.bank.numbers(task.dev),
                "test": self.bank.numbers(task.test),
            }
            for task in tasks
        }

    def of_layers(self, found: Sequence[Findings], vectors: Mapping[int, Array]) -> list[Job]:
        """What is asked of each layer."""
        seeds = range(self.settings.seeds)
        jobs = [job for one in found for job in self.speaking(one, vectors, one.speaking, seeds)]
        if self.settings.everywhere:
            jobs += [job for one in found for layer in vectors for job in self.beside(one, layer, vectors)]
        return jobs

    def of_chosen(self, found: Sequence[Findings], vectors: Mapping[int, Array]) -> list[Job]:
        """What is asked of the chosen layer alone."""
        jobs = []
        for one in found:
            if one.layer in vectors:
                if not self.settings.everywhere:
                    jobs += self.beside(one, one.layer, vectors)
                if self.settings.mdl:
                    jobs += [
                        Job(self.code(control, vectors[one.layer], one.kind, seed), one.control_codes.append)
                        for seed, control in enumerate(one.control_tasks)
                    ]
        return jobs

    def speaking(
        self, one: Findings, vectors: Mapping[int, Array], answers: ByLayer, seeds: Sequence[int]
    ) -> list[Job]:
        """A probe of the kind that speaks for the task, for each layer and seed."""
        return [
            Job(self.answer(one.task, vectors[layer], one.kind, seed), answers.setdefault(layer, []).append)
            for layer in vectors
            for seed in seeds
        ]

    def beside(self, one: Findings, layer: int, vectors: Mapping[int, Array]) -> list[Job]:
        """What stands beside that: the other kind, the control task, the code length."""
        jobs, x = [], vectors[layer]
        for seed, control in enumerate(one.control_tasks):
            asked = (
                (one.task, one.other, one.probes[one.other]),
                (control, one.kind, one.controls[one.kind]),
                (control, one.other, one.controls[one.other]),
            )
            for task, kind, answers in asked:
                jobs.append(Job(self.answer(task, x, kind, seed), answers.setdefault(layer, []).append))
            if self.settings.mdl:
                code = self.code(one.task, x, one.kind, seed)
                jobs.append(Job(code, one.codes.setdefault(layer, []).append))
        return jobs

    def answer(self, task: Task, vectors: Array, kind: Kind, seed: int) -> Callable[[], Answers]:
        def work() -> Answers:
            rows = self.rows[task.name]
            train, dev, test = (
                Gathered(vectors, rows[name][places])
                for name, places in (
                    ("train", task.train.places),
                    ("dev", task.dev.places),
                    ("test", task.test.places),
                )
            )
            learned = fit(
                train,
                task.train.labels,
                len(task.classes),
                kind,
                self.settings.seed + seed,
                (dev, task.dev.labels),
                self.settings.width,
                self.settings.epochs,
            )
            return Answers(
                score(task, task.dev, learned.log_probs(dev).argmax(1)), learned.log_probs(test).argmax(1)
            )

        return work

    def code(self, task: Task, vectors: Array, kind: Kind, seed: int) -> Callable[[], CodeLength]:
        def work() -> CodeLength:
            places = self.rows[task.name]["train"][task.train.places]
            return online_code(
                vectors,
                places,
                task.train.labels,
                len(task.classes),
                kind,
                self.settings.seed + seed,
                self.settings.width,
                self.settings.epochs,
            )

        return work


def run(team: Team, jobs: Sequence[Job], report: Report, note: str) -> None:
    found = side_by_side(team, [job.work for job in jobs], report, note)
    for job, result in zip(jobs, found, strict=True):
        job.give(result)
