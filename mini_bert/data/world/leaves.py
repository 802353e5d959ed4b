"""The words of a tree in the order of the sentence."""

from mini_bert.data.world.tree import Part


class Leaf:
    """A word at its place in a sentence, with the leaf that governs it."""

    __slots__ = ("coref", "governor", "relation", "word")

    def __init__(self, part: Part, relation: str, governor: "Leaf | None") -> None:
        self.word, self.coref, self.relation, self.governor = part.word, part.coref, relation, governor


def leaves(part: Part, relation: str = "root", governor: Leaf | None = None) -> list[Leaf]:
    """The words of a tree from left to right."""
    own = Leaf(part, relation, governor)
    found: list[Leaf] = []
    for deprel, dependent in part.left:
        found += leaves(dependent, deprel, own)
    found.append(own)
    for deprel, dependent in part.right:
        found += leaves(dependent, deprel, own)
    return found
