"""Layers × probes × seeds, for several tasks on the same sentences at once.

The model reads every sentence once, and its random twins after it. Probes are trained side by side, one to a core.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from threading import Lock
from typing import Any, NamedTuple

from mini_bert.core.array import Array
from mini_bert.evaluation.probing.bank import Bank
from mini_bert.evaluation.probing.classifier import Gathered, Kind, fit
from mini_bert.evaluation.probing.control import controlled
from mini_bert.evaluation.probing.description_length import CodeLength, online_code
from mini_bert.evaluation.probing.findings import Answers, Findings, best_layer, score
from mini_bert.evaluation.probing.settings import Settings
from mini_bert.evaluation.probing.task import Task
from mini_bert.evaluation.subject import Subject
from mini_bert.reports import Report, part
from mini_bert.training.parallel import Team

READING = 0.3
"""The share of the time that the model takes to read, about; the probes take the rest."""
JOBS_AT_ONCE = 4
"""For each worker; Ctrl-C waits for so many."""


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
    lab = Lab(subject, [one.task for one in found], settings)
    for vectors in lab.bank.groups(layers, part(report, 0, READING)):
        jobs = [job for one in found for job in lab.linear(one, vectors, one.linear)]
        if settings.everywhere:
            jobs += [job for one in found for job in lab.beside(one, vectors)]
        run(subject.predictor.team, jobs, part(report, READING, 0.8), "probes of the model")
    if not settings.everywhere:
        for vectors in lab.bank.groups(sorted({one.layer for one in found})):
            chosen = [(one, {one.layer: vectors[one.layer]}) for one in found if one.layer in vectors]
            jobs = [job for one, layer in chosen for job in lab.beside(one, layer)]
            run(subject.predictor.team, jobs, part(report, 0.8, 1), "probes of the chosen layers")
    if settings.mdl:
        for vectors in lab.bank.groups(sorted({one.layer for one in found})):
            jobs = [job for one in found if one.layer in vectors for job in lab.control_codes(one, vectors)]
            run(subject.predictor.team, jobs, part(report, 0.8, 1), "code lengths")


def probe_twin(
    twin: Subject,
    found: Sequence[Findings],
    layers: Sequence[int],
    settings: Settings,
    seed: int,
    report: Report,
) -> None:
    lab = Lab(twin, [one.task for one in found], settings)
    own: list[dict[int, list[Answers]]] = [{} for _ in found]
    for vectors in lab.bank.groups(layers, part(report, 0, READING)):
        jobs = [
            job
            for one, answers in zip(found, own, strict=True)
            for job in lab.linear(one, vectors, answers, [seed])
        ]
        run(twin.predictor.team, jobs, part(report, READING, 1), "probes of random weights")
    for one, answers in zip(found, own, strict=True):
        for layer, new in answers.items():
            one.random.setdefault(layer, []).extend(new)
    if settings.mdl:
        best = [best_layer(answers) for answers in own]
        for vectors in lab.bank.groups(sorted(set(best))):
            jobs = [
                Job(lab.code(one.task, vectors[layer], seed), one.random_codes.append)
                for one, layer in zip(found, best, strict=True)
                if layer in vectors
            ]
            run(twin.predictor.team, jobs, part(report, 0.8, 1), "code lengths of random weights")


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

    def linear(
        self,
        one: Findings,
        vectors: Mapping[int, Array],
        answers: dict[int, list[Answers]],
        seeds: Sequence[int] | None = None,
    ) -> list[Job]:
        """A linear probe for each layer and seed."""
        return [
            Job(self.answer(one.task, vectors[layer], "linear", seed), answers.setdefault(layer, []).append)
            for layer in vectors
            for seed in (range(self.settings.seeds) if seeds is None else seeds)
        ]

    def beside(self, one: Findings, vectors: Mapping[int, Array]) -> list[Job]:
        """What stands beside the linear probe of a layer: the MLP, the control task, the code length."""
        jobs = []
        for layer, x in vectors.items():
            for seed, control in enumerate(one.control_tasks):
                asked: tuple[tuple[Task, Kind, dict[int, list[Answers]]], ...] = (
                    (one.task, "mlp", one.mlp),
                    (control, "linear", one.control),
                    (control, "mlp", one.mlp_control),
                )
                for task, kind, answers in asked:
                    jobs.append(Job(self.answer(task, x, kind, seed), answers.setdefault(layer, []).append))
                if self.settings.mdl:
                    jobs.append(Job(self.code(one.task, x, seed), one.codes.setdefault(layer, []).append))
        return jobs

    def control_codes(self, one: Findings, vectors: Mapping[int, Array]) -> list[Job]:
        return [
            Job(self.code(control, vectors[one.layer], seed), one.control_codes.append)
            for seed, control in enumerate(one.control_tasks)
        ]

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

    def code(self, task: Task, vectors: Array, seed: int) -> Callable[[], CodeLength]:
        def work() -> CodeLength:
            places = self.rows[task.name]["train"][task.train.places]
            return online_code(
                vectors,
                places,
                task.train.labels,
                len(task.classes),
                "linear",
                self.settings.seed + seed,
                epochs=self.settings.epochs,
            )

        return work


def run(team: Team, jobs: Sequence[Job], report: Report, note: str) -> None:
    """Do all jobs, one to a core at a time; results are given out in the order of the jobs."""
    lock, done = Lock(), 0
    size = JOBS_AT_ONCE * team.size

    for start in range(0, len(jobs), size):
        waiting = deque(range(start, min(start + size, len(jobs))))
        results: dict[int, Any] = {}

        def work(worker: int, waiting: deque[int] = waiting, results: dict[int, Any] = results) -> None:
            nonlocal done
            while True:
                with lock:
                    if not waiting:
                        return
                    number = waiting.popleft()
                found = jobs[number].work()
                with lock:
                    results[number] = found
                    done += 1
                    report(done / len(jobs), f"{note}: {done} of {len(jobs)}")

        team.each(work)
        for number in sorted(results):
            jobs[number].give(results[number])
