"""The fine-tuning itself: some passes over the examples, the same for every model and task."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass
from math import ceil, inf, isfinite
from time import perf_counter
from typing import NamedTuple

from mini_bert.core.functions.dropout import Noise
from mini_bert.finetuning.config import FinetuningConfig
from mini_bert.finetuning.encoded import EncodedTask, answers, encoded_task, training_batches
from mini_bert.finetuning.heads import untrained, with_head
from mini_bert.finetuning.scores import point_score
from mini_bert.finetuning.tasks import Answer, Task, answers_of
from mini_bert.finetuning.word_dropout import WordDropout
from mini_bert.inference.forward import Predictor
from mini_bert.inference.reading import tokenizer_of
from mini_bert.models.mini import MiniBERT
from mini_bert.reports import Report, silent
from mini_bert.training.averaging import EMA
from mini_bert.training.clipping import clipping_scale
from mini_bert.training.layer_rates import compute_layer_wise_learning_rates
from mini_bert.training.objectives import MaskedBatch
from mini_bert.training.optimizers import AdamW
from mini_bert.training.parallel import Team, available_cores
from mini_bert.training.schedules import Schedule
from mini_bert.training.step import TrainingStep
from mini_bert.training.workers import WORTH_SHARING

SLOW = 0.05
"""The loss that is told forgets its past at this rate."""


class Diverged(ValueError):
    """The learning rate was so high that the weights are no longer numbers."""


class Epoch(NamedTuple):
    """What was known after a pass over the examples."""

    loss: float
    dev: float


@dataclass(frozen=True)
class Finetuned:
    """A model with its new head, how each epoch went, and what the model says of the examples it is judged on."""

    model: MiniBERT
    epochs: tuple[Epoch, ...]
    chosen: int
    answers: list[Answer]
    seed: int
    seconds: float


def finetune(
    model: MiniBERT,
    task: Task | EncodedTask,
    config: FinetuningConfig | None = None,
    *,
    seed: int = 0,
    pretrained: bool = True,
    workers: int | None = None,
    report: Report = silent,
) -> Finetuned:
    """Fine-tune a copy of the model on a task; the seed draws the head, the batches and dropout.

    Where the task has a test, the epoch that does best on dev is kept. Where it has none, dev is the judge: then the
    last epoch is kept, for a score that was chosen because it is high says too much. With `pretrained=False` the
    encoder is drawn as well: the same network, without what it had learned. Another number of `workers` (None: as many
    as the batches are worth) gives the same up to rounding.
    """
    config = config or FinetuningConfig()
    material = task if isinstance(task, EncodedTask) else encoded_task(task, model, config.max_length)
    task = material.task
    new = with_head(model, task.head, task.names, seed, **config.of_model(model.config, task.head))
    if not pretrained:
        new = untrained(new, seed)
    return Lesson(new, material, config, seed, report, workers).given()


class Lesson:
    """One model learns one task."""

    def __init__(
        self,
        model: MiniBERT,
        material: EncodedTask,
        config: FinetuningConfig,
        seed: int,
        report: Report,
        workers: int | None = None,
    ) -> None:
        self.model, self.material, self.config = model, material, config
        self.seed, self.report, self.workers = seed, report, workers
        self.steps = config.epochs * ceil(len(material.train.encodings) / config.batch)
        self.schedule = Schedule(config.schedule, config.warmup)
        self.word_dropout = WordDropout.of(tokenizer_of(model), config.word_dropout)
        self.average = None if config.averaging is None else EMA(model.arena, config.averaging)
        rates = compute_layer_wise_learning_rates(model, decay=config.layer_decay)
        self.rate = config.rate_for(model.config)
        self.optimizer = AdamW(
            model.arena, learning_rate=self.rate, weight_decay=config.weight_decay, rates=rates
        )
        self.done = 0

    def given(self) -> Finetuned:
        start = perf_counter()
        best = self.model.arena.flat.copy()
        epochs: list[Epoch] = []
        chosen, kept = 0, -inf
        chooses = self.material.test is not None
        with Team(self.workers or workers_for(self.material, self.model, self.config.batch)) as team:
            step = TrainingStep(self.model.network, self.model.arena, team)
            with Predictor(self.model, self.workers) as predictor:
                for number in range(self.config.epochs):
                    told = f", dev {epochs[-1].dev:.3f}" if epochs else ""
                    loss = self.epoch(number, step, told)
                    with self.average.swapped() if self.average else nullcontext():
                        dev = self.score(predictor)
                        epochs.append(Epoch(loss, dev))
                        if not chooses or dev > kept:
                            chosen, kept = number, dev
                            best[:] = self.model.arena.flat
                self.model.arena.flat[:] = best
                found = answers(predictor, self.material.judged, self.material)
        return Finetuned(self.model, tuple(epochs), chosen, found, self.seed, perf_counter() - start)

    def score(self, predictor: Predictor) -> float:
        """On dev."""
        task = self.material.task
        return point_score(
            task.metric, answers_of(task.dev), answers(predictor, self.material.dev, self.material)
        )

    def epoch(self, number: int, step: TrainingStep, told: str) -> float:
        """One pass over the examples; the mean loss."""
        total, seen, recent = 0.0, 0, 0.0
        for batch in training_batches(
            self.material, self.model, self.config.batch, self.seed, number, self.word_dropout
        ):
            loss = self.learn(step, batch)
            total, seen = total + loss * len(batch.ids), seen + len(batch.ids)
            recent = recent + SLOW * (loss - recent) if self.done > 1 else loss
            self.report(
                self.done / self.steps,
                f"epoch {number + 1} of {self.config.epochs}, loss {recent:.3f}{told}",
            )
        return total / seen

    def learn(self, step: TrainingStep, batch: MaskedBatch) -> float:
        noise = Noise(self.seed, self.done) if drops(self.model) else None
        gradients = step.gradients(batch, len(batch.ids), noise)
        if not isfinite(step.norm):
            raise Diverged(
                f"step {self.done + 1} of {self.steps}: the gradients are no longer numbers; choose a lower "
                f"learning rate than {self.rate:g}"
            )
        self.optimizer.learning_rate = self.rate * self.schedule((self.done + 0.5) / self.steps)
        scale = clipping_scale(step.norm, self.config.clipping)
        self.optimizer.begin()
        step.team.each(lambda worker: self.optimizer.update(gradients.grads, worker, step.team.size, scale))
        if self.average:
            self.average.update()
        self.done += 1
        return gradients.loss


def drops(model: MiniBERT) -> bool:
    return model.config.dropout > 0 or model.config.attention_dropout > 0


def workers_for(material: EncodedTask, model: MiniBERT, batch: int) -> int:
    """One for each core if a batch has enough work for them, else a single one."""
    workers = min(len(available_cores()), batch)
    layers = sum(weight.size for name, weight in model.arena.items() if name.startswith("encoder."))
    layers *= model.config.num_layers // (model.config.layer_groups or model.config.num_layers)
    tokens = material.train.tokens / len(material.train.encodings) * batch / workers
    return workers if 6 * layers * tokens >= WORTH_SHARING else 1
