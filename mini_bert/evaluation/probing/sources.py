"""Where the sentences of a probe come from: the embedded world, a folder of labelled sets, or files of one's own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from os import PathLike
from pathlib import Path
from typing import NamedTuple

from mini_bert.data.tasks.conllu import read_conllu
from mini_bert.data.tasks.examples import DependencySentence, TaggedSentence
from mini_bert.data.tasks.lines import Line, blocks
from mini_bert.data.tasks.ner import DOCUMENT_START, read_ner
from mini_bert.data.world import Token, stories
from mini_bert.data.world.parts import WORLD_SEEDS
from mini_bert.evaluation.exam import DoesNotApply
from mini_bert.evaluation.probing.annotation import annotated, entity_tags
from mini_bert.evaluation.probing.task import Annotated, Given, Name
from mini_bert.evaluation.task_folder import TaskFolder

WORLD = "the embedded world"
WORLD_SHARES = {"train": 1.0, "dev": 0.2, "test": 0.4}
"""Of the sentences that train has, so many are in each part."""
FOLDERS: dict[Name, str] = {"pos": "ud_ewt", "relations": "ud_ewt", "edges": "ud_ewt", "entities": "uner_ewt"}
RENAMED = {"OTH": "O"}

WorldSentence = tuple[Token, ...]
ReadTrees = Callable[[Path], Sequence[DependencySentence]]
TellWorld = Callable[[int], Mapping[str, Sequence[WorldSentence]]]


class Files(NamedTuple):
    """A file for each part; without one for dev, that is split off train."""

    train: Path
    test: Path
    dev: Path | None = None

    @property
    def told(self) -> str:
        named = [self.train, *([self.dev] if self.dev else []), self.test]
        return ", ".join(map(str, named))

    def parts(self) -> Iterator[tuple[str, Path]]:
        yield "train", self.train
        if self.dev:
            yield "dev", self.dev
        yield "test", self.test


def files_in(tasks: TaskFolder, name: Name) -> Files:
    """Those of a task. Where a set has no test part, dev takes its place."""
    folder = FOLDERS[name]
    train, dev, test = (tasks.split(folder, part) for part in ("train", "dev", "test"))
    if train is None or (test is None and dev is None):
        raise DoesNotApply(
            f"{tasks.path}: {folder} has no train file, or neither dev nor test; a probe needs both"
        )
    if test is None:
        assert dev is not None
        return Files(train, dev)
    return Files(train, test, dev)


def from_files(name: Name, files: Files, seed: int, read_trees: ReadTrees = read_conllu) -> Given:
    if name == "entities":
        found = {
            part: [entity_tags(sentence) for sentence in read_ner(path, rename=RENAMED)]
            for part, path in files.parts()
        }
    else:
        found = {part: annotated(name, part, read_trees(path), seed) for part, path in files.parts()}
    return given(files, found)


def given(files: Files, found: dict[str, list[Annotated]]) -> Given:
    paths = dict(files.parts())

    def where(part: str, sentence: int, label: int) -> str:
        word = int(found[part][sentence].places[label, 0])
        return f"{paths[part]}:{line_of(paths[part], sentence, word)}"

    return Given(files.told, found["train"], found.get("dev", []), found["test"], where)


def line_of(path: str | PathLike[str], sentence: int, word: int) -> int:
    """The number of the line on which that word of a file in columns stands."""
    kept = (rows for block in blocks(path) if (rows := rows_of_words(block)))
    return next(islice(kept, sentence, None))[word].number


def rows_of_words(block: list[Line]) -> list[Line]:
    """Of a sentence in numbered lines those with a whole number; of others all but the start of a document."""
    numbered = [line for line in block if line.columns()[0].isdecimal()]
    return numbered or [line for line in block if line.columns()[0] != DOCUMENT_START]


def world_parts(sentences: int) -> dict[str, list[WorldSentence]]:
    """Train with so many sentences, dev and test, from stories of three seeds, none of which a model has learned from.

    A sentence that an earlier part has word for word is left out of a later one: plain sentences do come back.
    """
    found: dict[str, list[WorldSentence]] = {}
    seen: set[tuple[str, ...]] = set()
    for part, seed in WORLD_SEEDS.items():
        told = (sentence.tokens for story in stories(seed) for sentence in story.sentences)
        some = list(islice(told, max(2, round(WORLD_SHARES[part] * sentences))))
        found[part] = [tokens for tokens in some if words_of(tokens) not in seen]
        seen.update(map(words_of, some))
    return found


def words_of(tokens: WorldSentence) -> tuple[str, ...]:
    return tuple(token.text for token in tokens)


def from_world(name: Name, sentences: int, seed: int, tell: TellWorld = world_parts) -> Given:
    """Labels of the world. Sentences of dev and test with a label that train lacks are left out."""
    told = tell(sentences)
    if name == "entities":
        found = {part: [entity_tags(tagged(tokens)) for tokens in told[part]] for part in told}
    else:
        found = {part: annotated(name, part, [tree(tokens) for tokens in told[part]], seed) for part in told}
    labels = {label for sentence in found["train"] for label in sentence.labels}
    dev, test = ([one for one in found[part] if labels.issuperset(one.labels)] for part in ("dev", "test"))
    return Given(WORLD, found["train"], dev, test)


def tree(tokens: WorldSentence) -> DependencySentence:
    words, upos, heads, names, _, _, spaces, _, _ = zip(*tokens, strict=True)
    return DependencySentence(words, upos, heads, names, spaces, " ".join(words))


def tagged(tokens: WorldSentence) -> TaggedSentence:
    words, _, _, _, tags, *_ = zip(*tokens, strict=True)
    return TaggedSentence(words, tags, " ".join(words))
