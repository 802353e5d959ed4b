"""A few lines of each format; malformed files are made of their shreds."""

from mini_bert.data.tasks import DependencySentence

TREE = "(3 (2 It) (4 (2 -LRB-) (3 (4 shines) (2 1\\/2))))\n"
ENTITIES = "# text = Ann Lee's Xbox.\n1\tAnn\tB-PER\t-\n2\tLee\tI-PER\n3\t's\tB-O\n4\tXbox\tB-OTH\n5\t.\tO\n"
BLIMP = '{"sentence_good": "He runs.", "sentence_bad": "He run.", "UID": "agreement", "pairID": "0"}\n'


def row(number: str, form: str, upos: str, head: str, relation: str, misc: str = "_") -> str:
    return "\t".join([number, form, "_", upos, "_", "_", head, relation, "_", misc]) + "\n"


SPAN = row("2-3", "didn't", "_", "_", "_")
WORDS = [
    row("1", "She", "PRON", "4", "nsubj"),
    row("2", "did", "AUX", "4", "aux"),
    row("3", "n't", "PART", "4", "advmod"),
    row("4", "sing", "VERB", "0", "root", "Gloss=x|SpaceAfter=No"),
    row("5", ".", "PUNCT", "4", "punct"),
]
EMPTY = row("4.1", "sing", "VERB", "_", "_")
SENTENCE = "".join([WORDS[0], SPAN, *WORDS[1:4], EMPTY, WORDS[4]])
TREE_OF_WORDS = DependencySentence(
    words=("She", "did", "n't", "sing", "."),
    upos=("PRON", "AUX", "PART", "VERB", "PUNCT"),
    heads=(4, 4, 4, 0, 4),
    relations=("nsubj", "aux", "advmod", "root", "punct"),
    space_after=(True, False, True, False, True),
    text="She didn't sing.",
)
