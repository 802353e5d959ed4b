"""Sentences of Tatoeba: a line for each, with a number, a language and the sentence, a tab between.

    1276	eng	Let's try something.

Those are the exports `eng_sentences.tsv.bz2` (one language) and `sentences.csv` (all of them); the detailed ones have
further columns, which do not matter here.
"""

from collections.abc import Iterator
from pathlib import Path

from mini_bert.data.building.documents import Document, straight_quotes
from mini_bert.data.building.opening import Meter, lines_of

LANGUAGE = "eng"


def read_sentences(path: Path, meter: Meter) -> Iterator[Document]:
    """Each English sentence by itself."""
    for number, line in enumerate(lines_of(path, meter), 1):
        fields = line.rstrip("\n").split("\t")
        if len(fields) < 3:
            raise ValueError(
                f"{path}:{number}: not a sentence of Tatoeba (number, language, sentence, with tabs between); "
                "fetch the export of sentences, and no other list"
            )
        if fields[1] == LANGUAGE and (sentence := straight_quotes(fields[2])):
            yield (sentence,)
