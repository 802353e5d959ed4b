"""Facts as questions: their statements with words hidden, affirmed or denied.

>>> from mini_bert.data.world.facts import FACTS
>>> hidden(FACTS[0].statements[0], FACTS[0]), hidden(denied(FACTS[0].statements[0]), FACTS[0])
('A dog can [MASK].', 'A dog cannot [MASK].')
>>> hidden(FACTS[0].statements[0], FACTS[0], also_subject=True)
'A [MASK] can [MASK].'
"""

from mini_bert.data.world.clauses import DO_PRES
from mini_bert.data.world.closed import NOT, NOT_IN_CANNOT, PERIOD
from mini_bert.data.world.facts.fact import MASK, Fact
from mini_bert.data.world.leaves import leaves
from mini_bert.data.world.lexicon import BASE, verb
from mini_bert.data.world.tree import Phrase, Word, after, finished

AUXILIARIES = ("aux", "cop", "aux:pass")


def hidden(statement: Phrase, fact: Fact, also_subject: bool = False) -> str:
    """The statement as a sentence, the answer hidden, and if so told every word of the subject too."""
    return finished(
        "".join(mask.text if mask else word.text for word, mask in masked(statement, fact, also_subject))
    )


def place_of_answer(statement: Phrase, fact: Fact) -> int:
    """How many words are hidden before the answer, if the subject is hidden too."""
    masks = [word for word, mask in masked(statement, fact, True) if mask]
    return masks.index(fact.answer)


def masked(statement: Phrase, fact: Fact, also_subject: bool) -> list[tuple[Word, Word | None]]:
    """Each word, and the mask that hides it."""
    subject = frozenset(fact.subject.split()) if also_subject else frozenset()
    words = [leaf.word for leaf in leaves(after(statement, ("punct", PERIOD)))]
    answer = next(word for word in words if word is fact.answer)
    return [
        (word, Word(MASK, word.upos) if word is answer or word.lemma in subject else None) for word in words
    ]


def denied(statement: Phrase) -> Phrase:
    """The statement with "not" behind its first auxiliary, or with "do not" if it has none."""
    relations = [relation for relation, _ in statement.left]
    first = next((i for i, relation in enumerate(relations) if relation in AUXILIARIES), None)
    if first is not None:
        negation = NOT_IN_CANNOT if statement.left[first][1].word.form == "can" else NOT
        left = (*statement.left[: first + 1], ("advmod", negation), *statement.left[first + 1 :])
        return Phrase(statement.word, left, statement.right, statement.coref)
    subject = relations.index("nsubj")
    agr = statement.left[subject][1].agr
    left = (
        *statement.left[: subject + 1],
        ("aux", DO_PRES[agr]),
        ("advmod", NOT),
        *statement.left[subject + 1 :],
    )
    return Phrase(verb(statement.word.lemma).forms[BASE], left, statement.right, statement.coref)
