"""Agreement: a finite verb has the person and number of its subject, as Universal Dependencies writes them.

A word is shared by all sentences, so that "do" is the same in "they do", "you do" and "I do"; what it agrees with is
seen in the tree.
"""

import re
from collections.abc import Sequence

from mini_bert.data.world.leaves import Leaf

PERSON_AND_NUMBER = re.compile(r"Number=(Sing|Plur)\|Person=([123])")
THIRD_SINGULAR = ("Sing", "3")  # "goes" has a form of its own, which neither "I" nor "you" takes
HELPERS = ("aux", "aux:pass", "cop")


def agreeing(sentence: Sequence[Leaf]) -> dict[int, str]:
    """The features of the finite verbs whose subject is a first or second person, by the id of the leaf."""
    subjects = {id(leaf.governor): leaf for leaf in sentence if leaf.relation.startswith("nsubj")}
    joined: dict[int, list[Leaf]] = {}
    for leaf in sentence:
        if leaf.relation == "conj":
            joined.setdefault(id(leaf.governor), []).append(leaf)
    found = {}
    for leaf in sentence:
        form = PERSON_AND_NUMBER.search(leaf.word.feats)
        if form and "VerbForm=Fin" in leaf.word.feats and form.groups() != THIRD_SINGULAR:
            subject = subject_of(leaf, subjects)
            if subject and (agreement := agreement_of([subject, *joined.get(id(subject), [])])):
                found[id(leaf)] = PERSON_AND_NUMBER.sub(agreement, leaf.word.feats)
    return found


def subject_of(verb: Leaf, subjects: dict[int, Leaf]) -> Leaf | None:
    """The subject of a verb or of its auxiliary; a second verb, "and goes home", has that of the first."""
    clause: Leaf | None = verb.governor if verb.relation in HELPERS else verb
    while clause and id(clause) not in subjects and clause.relation == "conj":
        clause = clause.governor
    return subjects.get(id(clause))


def agreement_of(subject: Sequence[Leaf]) -> str:
    """Number and person of a subject, or of several that are joined, with "I" or "you" in it; else nothing."""
    marks = [match for leaf in subject if (match := PERSON_AND_NUMBER.search(leaf.word.feats))]
    person = min((mark[2] for mark in marks), default="3")
    if person == "3":
        return ""
    number = "Plur" if len(subject) > 1 else marks[0][1]
    return f"Number={number}|Person={person}"
