"""A fact of the world, and a relation: the ways to state it and to ask for it."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from mini_bert.data.world.clauses import PRES, passive
from mini_bert.data.world.closed import PERIOD
from mini_bert.data.world.lexicon import verb
from mini_bert.data.world.tree import Dep, Part, Phrase, Word, after, finished

MASK = "[MASK]"
CALL = verb("call")


@dataclass(frozen=True, eq=False, slots=True)
class Fact:
    """What is always true: `clozes` are sentences whose [MASK] is the single word `object`."""

    relation: str
    subject: str
    object: str
    clozes: tuple[str, ...]
    statements: tuple[Phrase, ...] = field(repr=False)
    question: Phrase = field(repr=False)
    answer: Word = field(repr=False)


Subject = TypeVar("Subject")


@dataclass(frozen=True)
class Relation(Generic[Subject]):
    """A relation. Statements take a subject and the answer's word, which may be a mask.

    A mask has the form "[MASK]" but the lemma of the true answer, so that articles stay as they are.
    """

    name: str
    question: Callable[[Subject], Phrase]
    statements: tuple[Callable[[Subject, Word], Phrase], ...]

    def fact(self, label: str, subject: Subject, answer: Word) -> Fact:
        mask = Word(MASK, answer.upos, answer.lemma, answer.feats, agr=answer.agr)
        mask.vowel = answer.vowel
        masked = [statement(subject, mask) for statement in self.statements]
        return Fact(
            self.name,
            label,
            answer.form,
            tuple(finished(after(tree, ("punct", PERIOD)).text) for tree in masked),
            tuple(statement(subject, answer) for statement in self.statements),
            self.question(subject),
            answer,
        )


def called(subject: Part, answer: Part) -> Phrase:
    """ "A young cow is called a calf"."""
    return passive(subject, CALL, PRES, ("xcomp", answer))


def xcomp(part: Part) -> Dep:
    return ("xcomp", part)
