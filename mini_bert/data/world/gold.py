"""What a learner reads off a sentence: tokens with part of speech, head, relation, entity and referent."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from mini_bert.data.world.agreement import agreeing
from mini_bert.data.world.leaves import leaves
from mini_bert.data.world.tree import (
    QUOTE_REST,
    QUOTE_SENTENCE,
    Part,
    Phrase,
    Word,
    finished,
)

if TYPE_CHECKING:
    from mini_bert.data.world.facts.fact import Fact

POSITIVE, NEGATIVE, NEUTRAL = "positive", "negative", "neutral"


class Token(NamedTuple):
    """One token. `head` is 1-based, 0 for the root; `entity` is an IOB2 tag; `coref` a referent's id."""

    text: str
    upos: str
    head: int
    deprel: str
    entity: str
    coref: int | None
    space_after: bool
    lemma: str
    feats: str


class Referent(NamedTuple):
    """Whom or what the tokens with the same `coref` speak of. `gender` is he, she, it or they."""

    id: int
    kind: str
    gender: str
    name: str


def tokens(root: Part) -> tuple[Token, ...]:
    in_order = leaves(root)
    features = agreeing(in_order)
    place = {id(leaf): number for number, leaf in enumerate(in_order, 1)}
    found = []
    capital = True
    for number, leaf in enumerate(in_order, 1):
        word: Word = leaf.word
        opening = word.text[-1] in (QUOTE_SENTENCE, QUOTE_REST)
        follower = in_order[number].word if number < len(in_order) else None
        found.append(
            Token(
                text=word.form[0].upper() + word.form[1:] if capital else word.form,
                upos=word.upos,
                head=0 if leaf.governor is None else place[id(leaf.governor)],
                deprel=leaf.relation,
                entity=word.entity,
                coref=leaf.coref,
                space_after=not opening and (follower is None or not follower.glued),
                lemma=word.lemma,
                feats=features.get(id(leaf), word.feats),
            )
        )
        capital = word.text[-1] == QUOTE_SENTENCE
    return tuple(found)


@dataclass(slots=True, eq=False)
class Sentence:
    """A sentence with its gold labels; tokens are read off the tree when they are asked for."""

    tree: Phrase
    construction: str
    sentiment: str = NEUTRAL
    facts: tuple["Fact", ...] = ()

    @property
    def text(self) -> str:
        return finished(self.tree.text)

    @property
    def tokens(self) -> tuple[Token, ...]:
        return tokens(self.tree)


@dataclass(slots=True, eq=False)
class Story:
    """Sentences that belong together, and the referents that their tokens' `coref` points to."""

    kind: str
    sentences: tuple[Sentence, ...]
    referents: tuple[Referent, ...]

    @property
    def text(self) -> str:
        return " ".join([finished(sentence.tree.text) for sentence in self.sentences])


def to_conllu(sentence: Sentence) -> str:
    """The sentence as a CoNLL-U block, entities and referents in the last column."""
    lines = [f"# text = {sentence.text}", f"# sentiment = {sentence.sentiment}"]
    for number, token in enumerate(sentence.tokens, 1):
        extra = [] if token.entity == "O" else [f"Entity={token.entity}"]
        extra += [] if token.coref is None else [f"Coref={token.coref}"]
        extra += [] if token.space_after else ["SpaceAfter=No"]
        columns = (
            number,
            token.text,
            token.lemma,
            token.upos,
            "_",
            token.feats,
            token.head,
            token.deprel,
            "_",
            "|".join(sorted(extra)) or "_",
        )
        lines.append("\t".join(map(str, columns)))
    return "\n".join(lines) + "\n\n"
