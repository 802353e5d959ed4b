"""A task to fine-tune on: labelled examples to learn from, to choose by, and to be judged on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from mini_bert.core.chance import permutation
from mini_bert.data.tasks import Labelled, TaggedSentence
from mini_bert.errors import counted

Example = Labelled | TaggedSentence
Answer = str | tuple[str, ...]
"""A class of a text, or a tag of each word."""
Metric = Literal["accuracy", "matthews", "f1"]
UNITS: dict[Metric, str] = {
    "accuracy": "accuracy",
    "matthews": "Matthews correlation",
    "f1": "F1 of entities",
}


@dataclass(frozen=True)
class Task:
    """`names` are the labels that train knows. Without a test, dev is what is judged on. `notes` tell what seemed
    strange when it was read."""

    name: str
    names: tuple[str, ...]
    train: Sequence[Example]
    dev: Sequence[Example]
    test: Sequence[Example] = ()
    metric: Metric = "accuracy"
    origin: str = ""
    notes: tuple[str, ...] = ()

    @property
    def head(self) -> Literal["classes", "tags"]:
        return "tags" if isinstance(self.train[0], TaggedSentence) else "classes"

    @property
    def has_pairs(self) -> bool:
        """Whether each example has a second text."""
        return isinstance(self.train[0], Labelled) and self.train[0].pair is not None

    @property
    def judged_on(self) -> Literal["test", "dev"]:
        return "test" if self.test else "dev"

    @property
    def judged(self) -> Sequence[Example]:
        return self.test or self.dev

    def limited(self, most: int | None) -> Task:
        """The same task with at most so many examples to learn from, drawn by lot; always the same ones."""
        if most is None or most >= len(self.train):
            return self
        if most < 1:
            raise ValueError(f"max_samples={most}: nothing to learn from; choose 1 or more")
        chosen = permutation("finetuning samples", len(self.train), 0)[:most]
        kept = [self.train[i] for i in sorted(chosen.tolist())]
        if len(labels_of(kept)) < 2:
            raise ValueError(
                f"max_samples={most}: all of them have the label {answers_of(kept)[0]!r}; choose more samples"
            )
        return replace(self, train=kept)


def labelled_task(
    name: str,
    train: Sequence[Example],
    dev: Sequence[Example],
    test: Sequence[Example] = (),
    *,
    metric: Metric = "accuracy",
    origin: str = "",
) -> Task:
    """A task of these examples, checked: every part has some, train has several labels, and the others no new ones."""
    for part, examples in (("train", train), ("dev", dev)):
        if not examples:
            raise ValueError(f"{name}: {part} is empty; give labelled examples for it")
    names = tuple(sorted(labels_of(train)))
    if len(names) < 2:
        raise ValueError(
            f"{name}: all of train has the label {names[0]!r}, so that there is nothing to tell apart; "
            "give examples of at least two classes"
        )
    for part, examples in (("dev", dev), ("test", test)):
        refuse_unknown(name, part, examples, names)
    return Task(name, names, train, dev, test, metric, origin)


def refuse_unknown(name: str, part: str, examples: Sequence[Example], names: Sequence[str]) -> None:
    for number, example in enumerate(examples, 1):
        if strange := labels_of([example]) - set(names):
            known = ", ".join(names[:12]) + (f" and {len(names) - 12} more" if len(names) > 12 else "")
            raise ValueError(
                f"{name}: {part} example {number} has the label {min(strange)!r}, which train has not; "
                f"its labels are {known}"
            )


def labels_of(examples: Iterable[Example]) -> set[str]:
    """All labels that occur."""
    found: set[str] = set()
    for answer in answers_of(examples):
        found |= {answer} if isinstance(answer, str) else set(answer)
    return found


def answers_of(examples: Iterable[Example]) -> list[Answer]:
    """What is right of each example."""
    return [example.tags if isinstance(example, TaggedSentence) else example.label for example in examples]


def counts_told(task: Task) -> str:
    """How many examples there are of each part."""
    parts = {"train": task.train, "dev": task.dev, "test": task.test}
    thing = "sentence" if task.head == "tags" else "example"
    told = [f"{len(examples):,} {part}" for part, examples in parts.items() if examples]
    return f"{', '.join(told)} {thing}s, {counted(len(task.names), 'label')}"
