"""Named entities in columns: a word and its IOB2 tag on each line, a blank line after each sentence.

IOB2: an entity of type PER begins with B-PER and goes on with I-PER; all else is O.
"""

from collections.abc import Mapping

from mini_bert.data.tasks.conllu import written_text
from mini_bert.data.tasks.examples import TaggedSentence
from mini_bert.data.tasks.lines import Line, Source, blocks
from mini_bert.errors import counted

DOCUMENT_START = "-DOCSTART-"


def read_ner(
    source: Source,
    *,
    word: int | None = None,
    tag: int | None = None,
    rename: Mapping[str, str] | None = None,
    types: frozenset[str] | None = None,
    comments: bool | None = None,
) -> list[TaggedSentence]:
    """Tagged sentences, from columns that are numbered from 0; -1 is the last.

    What is not given is seen from the file. If the first column of every line is a number, the file is like Universal
    NER's, `word=1, tag=2`, and lines that begin with # are comments; else it is like CoNLL-2003's,
    `word=0, tag=-1`, and has none: there, # is a word.

    `rename={"OTH": "O"}` makes those entities plain text. With `types`, any other type is an error.
    """
    found = []
    sentences = list(blocks(source))
    numbered = _are_numbered(sentences)
    word = int(numbered) if word is None else word
    tag = (2 if numbered else -1) if tag is None else tag
    comments = numbered if comments is None else comments
    for block in sentences:
        rows = [line for line in block if not (comments and line.text.startswith("#"))]
        words = tuple(_column(line, word) for line in rows)
        if words and words != (DOCUMENT_START,):
            tags = _tags(rows, [_column(line, tag) for line in rows], rename or {}, types)
            text = written_text(block) if comments else None
            found.append(TaggedSentence(words, tags, text or " ".join(words)))
    return found


def _are_numbered(sentences: list[list[Line]]) -> bool:
    """Whether every line that is no comment begins with a number."""
    rows = (line for block in sentences for line in block if not line.text.startswith("#"))
    return all(line.columns()[0].isdecimal() for line in rows)


def _column(line: Line, number: int) -> str:
    columns = line.columns()
    if len(columns) < 2 or not -len(columns) <= number < len(columns):
        missing = f", none numbered {number}" if number >= len(columns) else ""
        raise line.error(f"{counted(len(columns), 'column')}{missing}", "give `word` and `tag` for this file")
    if not columns[number]:
        raise line.error(f"column {number} is empty", "give each word a form and a tag")
    return columns[number]


def _tags(
    rows: list[Line], tags: list[str], rename: Mapping[str, str], types: frozenset[str] | None
) -> tuple[str, ...]:
    """The tags, checked to be IOB2 as written and then renamed."""
    before = "O"
    found = []
    for line, tag in zip(rows, tags, strict=True):
        position, _, kind = tag.partition("-")
        if tag != "O" and (position not in ("B", "I") or not kind):
            comment = "; is it a comment? then pass comments=True" if line.text.startswith("#") else ""
            raise line.error(f"tag {tag!r} is not IOB2", f"write O, B-TYPE or I-TYPE{comment}")
        if position == "I" and before[2:] != kind:
            raise line.error(f"{tag} after {before} continues nothing", f"begin the entity with B-{kind}")
        kind = rename.get(kind, kind)
        plain = kind in ("", "O")  # Universal NER writes B-O for a few words that are no entity
        if not plain and types is not None and kind not in types:
            raise line.error(f"type {kind!r} is outside the set", f"choose from {', '.join(sorted(types))}")
        found.append("O" if plain else f"{position}-{kind}")
        before = tag
    return tuple(found)
