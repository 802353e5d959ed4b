"""Facts to ask for, with what each relation may answer: of the embedded world, or of ParaRel's folder."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from random import Random
from typing import NamedTuple

from mini_bert.data.tasks.examples import Fact
from mini_bert.data.tasks.pararel import read_pararel_folder
from mini_bert.data.world import FACTS
from mini_bert.data.world.facts.clozes import hidden, place_of_answer
from mini_bert.evaluation.exam import DoesNotApply
from mini_bert.evaluation.linguistic.cloze_answers import Cloze, single_ids
from mini_bert.evaluation.task_folder import TaskFolder
from mini_bert.tokenizers.special import MASK
from mini_bert.tokenizers.tokenizer import Tokenizer


class Item(NamedTuple):
    """A fact in several wordings. In those that are `blind` the subject is hidden too."""

    answer: str
    clozes: tuple[Cloze, ...]
    blind: tuple[Cloze, ...]


class Relation(NamedTuple):
    """The facts that are asked, of `known` ones; `candidates` are the answers in one piece, with their ids."""

    name: str
    items: Sequence[Item]
    known: int
    candidates: dict[str, int]

    @property
    def majority(self) -> float:
        """How often the most frequent answer is right; it is counted in the answers themselves."""
        [(_, count)] = Counter(item.answer for item in self.items).most_common(1)
        return count / len(self.items)


def relations(
    tasks: TaskFolder | None, tokenizer: Tokenizer, most_facts: int, most_patterns: int, seed: int
) -> list[Relation]:
    """Each relation with facts whose answer is one piece of the vocabulary, and at least two answers to choose from."""
    found = []
    for name, items in (world_items() if tasks is None else pararel_items(tasks, tokenizer)).items():
        candidates = single_ids(sorted({item.answer for item in items}), tokenizer)
        fitting = [item for item in items if item.answer in candidates]
        if len(set(candidates.values())) < 2:
            continue
        if len(fitting) > most_facts:
            chosen = Random(f"{seed}/{name}").sample(range(len(fitting)), most_facts)
            fitting = [fitting[i] for i in sorted(chosen)]
        short = [Item(one.answer, one.clozes[:most_patterns], one.blind[:most_patterns]) for one in fitting]
        found.append(Relation(name, short, len(items), candidates))
    if not found:
        raise DoesNotApply(
            "no relation has two answers in one piece of this vocabulary; examine a model with a larger one"
        )
    return found


def world_items() -> dict[str, list[Item]]:
    found: dict[str, list[Item]] = {}
    for fact in FACTS:
        blind = tuple(
            Cloze(hidden(statement, fact, also_subject=True), place_of_answer(statement, fact))
            for statement in fact.statements
        )
        clozes = tuple(map(Cloze, fact.clozes))
        found.setdefault(fact.relation, []).append(Item(fact.object, clozes, blind))
    return found


def pararel_items(tasks: TaskFolder, tokenizer: Tokenizer) -> dict[str, list[Item]]:
    folder = tasks.folder("pararel")
    if folder is None:
        raise DoesNotApply(f"{tasks.path}: no folder pararel with facts to ask for; add it")
    return {
        name: [
            Item(fact.object, tuple(map(Cloze, fact.clozes(MASK))), tuple(blinded(fact, tokenizer)))
            for fact in facts
        ]
        for name, facts in read_pararel_folder(folder).items()
    }


def blinded(fact: Fact, tokenizer: Tokenizer) -> Iterable[Cloze]:
    """The patterns with as many masks for the subject as it has pieces."""
    size = max(1, len(tokenizer.piece_ids(fact.subject)))
    for pattern in fact.patterns:
        is_first = pattern.index("[X]") < pattern.index("[Y]")
        text = pattern.replace("[Y]", MASK).replace("[X]", " ".join([MASK] * size))
        yield Cloze(text, size if is_first else 0)
