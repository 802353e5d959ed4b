"""Catastrophic forgetting: what a model could do before it was fine-tuned, and can no longer (McCloskey & Cohen 1989).

    old = {"masked-word loss": HiddenWords(world_text()).loss, "parts of speech": PartsOfSpeech().accuracy}
    found = measure_catastrophic_forgetting(model, old, {"mood": examples})
    found["mood"]["masked-word loss"].before, .after

The encoder of the fine-tuned model is put back under the old head, so that the old questions can be asked again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from mini_bert.evaluation.estimate import Estimate
from mini_bert.evaluation.intrinsic.answers import Answers
from mini_bert.evaluation.intrinsic.clustered import clustered_mean, clustered_share
from mini_bert.evaluation.intrinsic.exam_text import ExamText, treebank_text, world_text
from mini_bert.evaluation.intrinsic.questions import Questions, answers_of, questions_for
from mini_bert.evaluation.probing.exam import chosen_tasks
from mini_bert.evaluation.probing.findings import Findings
from mini_bert.evaluation.probing.runner import probe_twin
from mini_bert.evaluation.probing.settings import Settings
from mini_bert.evaluation.section import Column, Row, Section, Table
from mini_bert.evaluation.subject import Subject
from mini_bert.evaluation.task_folder import TaskFolder
from mini_bert.finetuning.config import FinetuningConfig
from mini_bert.finetuning.heads import OF_HEADS, head_config
from mini_bert.finetuning.learning import finetune
from mini_bert.finetuning.tasks import Example, Task, labelled_task
from mini_bert.models.mini import MiniBERT
from mini_bert.reports import Report, part, silent

Measure = Callable[[MiniBERT], float]
"""What is measured of a model: the loss of masked words, the accuracy of a probe."""
NewTask = Task | Sequence[Example] | MiniBERT
"""A task or labelled examples to fine-tune on, or a model that was fine-tuned already."""
EXAM_ROWS, EXAM_STORIES, PROBED_SENTENCES = 256, 400, 500


class Forgetting(NamedTuple):
    """A figure before and after fine-tuning."""

    before: float
    after: float

    @property
    def change(self) -> float:
        return self.after - self.before


class Measured(NamedTuple):
    """What an encoder can do, with intervals."""

    masked_word_loss: Estimate
    masked_accuracy: Estimate
    pos_accuracy: Estimate


def measure_catastrophic_forgetting(
    model: MiniBERT,
    old_tasks: Mapping[str, Measure],
    new_tasks: Mapping[str, NewTask],
    config: FinetuningConfig | None = None,
    *,
    seed: int = 0,
    report: Report = silent,
) -> dict[str, dict[str, Forgetting]]:
    """new task → old task → what it was before fine-tuning and is after"""
    if not old_tasks or not new_tasks:
        missing = "old_tasks" if not old_tasks else "new_tasks"
        raise ValueError(f"{missing}: there is none; give at least one by name")
    before = {name: measure(model) for name, measure in old_tasks.items()}
    found = {}
    for number, (name, new) in enumerate(new_tasks.items()):
        own = part(report, number / len(new_tasks), (number + 1) / len(new_tasks))
        tuned = new if isinstance(new, MiniBERT) else tuned_on(model, name, new, config, seed, own)
        again = with_encoder_of(model, tuned)
        found[name] = {old: Forgetting(before[old], measure(again)) for old, measure in old_tasks.items()}
    return found


def tuned_on(
    model: MiniBERT,
    name: str,
    new: Task | Sequence[Example],
    config: FinetuningConfig | None,
    seed: int,
    report: Report,
) -> MiniBERT:
    task = new if isinstance(new, Task) else labelled_task(name, new, new[:1])
    return finetune(model, task, config, seed=seed, report=report).model


def with_encoder_of(model: MiniBERT, tuned: MiniBERT) -> MiniBERT:
    """The old head on the encoder of a fine-tuned model; a model of its own."""
    check_same_encoder(model, tuned)
    again = MiniBERT(model.config, dtype=model.dtype, seed=None)
    for name, weight in again.arena.items():
        new = None if name.startswith(OF_HEADS) else tuned.arena.get(name)
        if new is not None and new.shape != weight.shape:
            raise ValueError(
                f"{name} has shape {weight.shape} before and {new.shape} after fine-tuning; are these the same model?"
            )
        weight[...] = model.arena[name] if new is None else new
    again.tokenizer = model.tokenizer
    return again


def check_same_encoder(model: MiniBERT, tuned: MiniBERT) -> None:
    """Fine-tuning may leave out what only pretraining needs; else both have the same weights beside their heads."""
    before, after = model.config.num_layers, tuned.config.num_layers
    if before != after:
        raise ValueError(f"{before} layers before and {after} after fine-tuning; are these the same model?")
    needed = MiniBERT(head_config(model.config, "classes", 2), dtype=model.dtype, seed=None)
    ours, fewest, theirs = (
        {name for name in one.arena if not name.startswith(OF_HEADS)} for one in (model, needed, tuned)
    )
    if odd := sorted((fewest - theirs) | (theirs - ours)):
        raise ValueError(f"{odd[0]} is in one of the two models only; are these the same model?")


class HiddenWords:
    """Questions for hidden words of one text, the same for every model of a tokenizer: the first model draws them."""

    def __init__(self, text: ExamText, rows: int = EXAM_ROWS, seed: int = 0) -> None:
        self.text, self.rows, self.seed = text, rows, seed
        self.questions: Questions | None = None

    def answers(self, model: MiniBERT) -> tuple[Answers, Questions]:
        with Subject(model) as subject:
            if self.questions is None:
                self.questions = questions_for(subject, self.text, self.rows, self.seed)
            return answers_of(subject, self.questions), self.questions

    def loss_and_found(self, model: MiniBERT) -> tuple[Estimate, Estimate]:
        """The loss in nats and the share of words that are found, with intervals over the rows."""
        answers, questions = self.answers(model)
        loss = clustered_mean(-answers.log_prob, questions.row)
        return loss, clustered_share(answers.right, questions.row)

    def loss(self, model: MiniBERT) -> float:
        """For `old_tasks`."""
        return self.loss_and_found(model)[0].value


class PartsOfSpeech:
    """A probe of parts of speech, learned anew from the states of each model on the same sentences (see probing)."""

    def __init__(
        self, tasks: TaskFolder | None = None, sentences: int = PROBED_SENTENCES, seed: int = 0
    ) -> None:
        self.settings = Settings(
            tasks=["pos"], seeds=1, everywhere=False, mdl=False, max_sentences=sentences, seed=seed
        )
        has_labels = tasks is not None and tasks.split("ud_ewt", "train") is not None
        [self.task] = chosen_tasks(tasks if has_labels else None, self.settings)

    def told(self, model: MiniBERT) -> Estimate:
        """The share of words whose part of speech a linear probe tells from the last layer, which heads read."""
        found = Findings(self.task, control_tasks=[])
        with Subject(model) as subject:
            probe_twin(subject, [found], [model.config.num_layers], self.settings, 0, silent)
        return found.accuracy(found.random[model.config.num_layers])

    def accuracy(self, model: MiniBERT) -> float:
        """For `old_tasks`."""
        return self.told(model).value


def exam_text(tasks: TaskFolder | None) -> ExamText:
    text = treebank_text(tasks) if tasks is not None else None
    return text or world_text(EXAM_STORIES)


def forgetting_section(
    subject: Subject, tasks: TaskFolder | None, tuned: Mapping[str, MiniBERT], seed: int = 0
) -> Section:
    """What fine-tuning on each task has cost, in masked words and for a probe; beside it a network that knows none."""
    exam, probe = HiddenWords(exam_text(tasks), seed=seed), PartsOfSpeech(tasks, PROBED_SENTENCES, seed)

    def asked(model: MiniBERT) -> Measured:
        return Measured(*exam.loss_and_found(model), probe.told(model))

    before = asked(subject.model)
    after = {name: asked(with_encoder_of(subject.model, one)) for name, one in tuned.items()}
    with subject.random_twin() as twin:
        nothing = asked(twin.model)
    rows = [
        Row(("before fine-tuning", *before)),
        *(Row((f"after {name}", *found)) for name, found in after.items()),
        Row(("random weights", *nothing), "control"),
    ]
    columns = (
        Column("encoder"),
        Column("masked-word loss (nats)", decimals=3),
        Column("found", is_share=True),
        Column("parts of speech", is_share=True),
    )
    return Section(
        "forgetting",
        "What fine-tuning cost",
        f"15 % of the words of {exam.text.told} are hidden. The encoder of each fine-tuned model is put back under the "
        "head that was pretrained: what was forgotten shows as a higher loss. Parts of speech are told by a linear "
        f"probe that learns from the last layer's states of {len(probe.task.train.sentences):,} sentences.",
        (
            Table(
                "Masked words and parts of speech, before and after",
                columns,
                tuple(rows),
                "In brackets, 95 % intervals over rows and sentences.",
            ),
        ),
        {
            "before": figures(before),
            "after": {name: figures(found) for name, found in after.items()},
            "random_model": figures(nothing),
        },
        headline=None,
    )


def figures(found: Measured) -> dict[str, float]:
    return {name: estimate.value for name, estimate in found._asdict().items()}
