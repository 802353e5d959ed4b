from typing import Any

import numpy as np

from mini_bert.core.array import Array
from mini_bert.course import judging as judge
from mini_bert.course.learner import Learner

WORDS = ["The", "cat", "saw", "the", "dog", "and", "THE", "dog", "saw", "a", "cat"]
LABELS = np.array([0, 1, 2, 0, 1, 3, 0, 1, 2, 0, 1])
MANY = 4000


def check(learner: Learner) -> None:
    learner.begin("control_labels: a label for each word")
    got = learner.control_labels(WORDS, LABELS)
    judge.shape(
        got, (11,), mistakes={"there is one label for each type; give every word that of its type": (6,)}
    )
    judge.holds(
        judge.array(got).dtype.kind in "iu", f"the labels are {got.dtype}, expected whole numbers.", got
    )
    judge.holds(
        np.isin(got, LABELS).all(), "there are labels that none of the words has.", got, {"labels": LABELS}
    )

    learner.begin("control_labels: the same word has the same label everywhere")
    words = WORDS * 20
    got = learner.control_labels(words, np.tile(LABELS, 20))
    given = {"words": WORDS}
    judge.holds(
        one_each(words, got),
        "the same word has different labels at different places.",
        got[:11],
        given,
        mistake="a label is drawn for every place; draw one for every type",
    )
    for seed in range(5):
        got = learner.control_labels(words, np.tile(LABELS, 20), seed)
        judge.holds(
            one_each([word.lower() for word in words], got),
            "“The” and “the” have different labels.",
            got[:11],
            given,
            mistake="types are told apart by case: word.lower() first",
        )

    learner.begin("control_labels: the label says nothing about the real one")
    words = [f"word{i}" for i in range(MANY)]
    labels = np.arange(MANY) % 2
    got = learner.control_labels(words, labels)
    agreeing = float((got == labels).mean())
    judge.holds(
        0.4 < agreeing < 0.6,
        f"of 4000 words with two equally frequent labels {agreeing:.0%} have their real one, expected about 50 %.",
        mistake="these are the words' real labels; draw at random"
        if agreeing > 0.99
        else "the labels are not drawn at random",
    )
    learner.begin("control_labels: as frequent as the real labels")
    labels = (np.arange(MANY) % 10 == 0).astype(int)
    share = float((learner.control_labels(words, labels) == 1).mean())
    judge.holds(
        0.07 < share < 0.13,
        f"label 1 has a share of 10 % among the real labels, and {share:.0%} among the drawn ones.",
        mistake="all labels are equally likely; draw them as often as they are seen" if share > 0.4 else None,
    )
    labels = np.array([0] * 3 + [2])
    got = learner.control_labels(words[:4] * 50, np.tile(labels, 50))
    judge.holds(not np.isin(1, got), "label 1 was drawn, which no word has.", got[:4], {"labels": labels})

    learner.begin("control_labels: the seed decides")
    labels = np.arange(MANY) % 2
    first, again, other = (learner.control_labels(words, labels, seed) for seed in (5, 5, 6))
    judge.holds(
        np.array_equal(first, again),
        "the same seed gives different labels in two calls.",
        mistake="the generator has no seed: np.random.default_rng(seed)",
    )
    judge.holds(
        not np.array_equal(first, other),
        "seeds 5 and 6 give the same labels.",
        mistake="`seed` is not used",
    )

    learner.begin("selectivity: two probes, on the same states")
    words, labels = WORDS, LABELS
    X, is_train = judge.example(11, 2, seed=1), np.arange(11) < 7
    control = learner.control_labels(words, labels, 3)
    probe = Probe(labels)
    found = learner.selectivity(probe, X, words, labels, is_train, 3)
    judge.holds(
        len(probe.calls) == 2, f"{len(probe.calls)} probes were trained, expected 2: real and control."
    )
    real, other = sorted(probe.calls, key=lambda call: not np.array_equal(call[1], labels[is_train]))
    for name, call, asked in (("real", real, labels), ("control", other, control)):
        judged_fairly(name, call, X, labels, asked, is_train)
    learner.begin("selectivity: the difference")
    judge.close(
        found,
        0.9 - 0.6,
        input={"accuracy": 0.9, "accuracy on the control task": 0.6},
        mistakes={
            "the other way round: the real accuracy comes first": 0.6 - 0.9,
            "it is a difference, not a ratio": 0.9 / 0.6,
            "this is the real accuracy alone": 0.9,
            "this is the accuracy on the control task alone": 0.6,
        },
    )
    learner.begin("selectivity: a real probe")
    rng = np.random.default_rng(0)
    table = rng.normal(size=(40, 8))
    ids = rng.integers(0, 40, 600)
    X, labels = table[ids], (table[ids, 0] > 0).astype(int)
    words, is_train = [f"w{i}" for i in ids], np.arange(600) < 400
    value = float(learner.selectivity(learner.accuracy_of, X, words, labels, is_train))
    judge.holds(
        0.05 < value < 0.6,
        f"where labels follow the states, the selectivity is {value:.2f}, expected more than 0.",
    )


class Probe:
    """Says that it was right in 90 % of the real task and in 60 % of any other, and remembers what it was given."""

    def __init__(self, labels: Array) -> None:
        self.labels = labels
        self.calls: list[tuple[Any, Any, Any, Any]] = []

    def __call__(self, X_train: Any, labels_train: Any, X_test: Any, labels_test: Any) -> float:
        self.calls.append((X_train, labels_train, X_test, labels_test))
        return 0.9 if np.array_equal(labels_train, self.labels[: len(labels_train)]) else 0.6

    def __repr__(self) -> str:
        return "accuracy_of"


def one_each(words: list[str], labels: Array) -> bool:
    return len(set(zip(words, labels.tolist(), strict=True))) == len(set(words))


def judged_fairly(name: str, call: Any, X: Array, labels: Array, asked: Array, is_train: Array) -> None:
    """Trained on train, judged on the rest, by one and the same labels."""
    of = f"the {name} probe:"
    X_train, labels_train, X_test, labels_test = call
    judge.close(X_train, X[is_train], f"{of} its states to learn from", {"is_train": is_train})
    judge.close(
        labels_train,
        asked[is_train],
        f"{of} its labels to learn from",
        {"is_train": is_train},
        {"both probes have learned the real labels": labels[is_train]} if name == "control" else {},
    )
    judge.close(
        X_test,
        X[~is_train],
        f"{of} the states it is asked about",
        {"is_train": is_train},
        {
            "it is asked about train, which it knows by heart; take the rest": X[is_train],
            "it is asked about all": X,
        },
    )
    judge.close(
        labels_test,
        asked[~is_train],
        f"{of} the labels it is judged by",
        {"is_train": is_train},
        {"it has learned the control labels, but is judged by the real ones": labels[~is_train]}
        if name == "control"
        else {},
    )
