"""The text in which words are hidden, the parts of speech of its words where they are known, and text to count in.

world_text()                      # stories of the embedded world that no model has learned from
treebank_text(tasks)              # Universal Dependencies: paragraphs of the dev part
file_text(Path("my.txt"))         # any text; parts of speech are not known
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from mini_bert.data import world
from mini_bert.data.corpus import Corpus, World, corpus
from mini_bert.data.fingerprints import hashed
from mini_bert.data.sources import documents
from mini_bert.data.tasks import read_conllu
from mini_bert.data.tasks.conllu import written_text
from mini_bert.data.tasks.examples import DependencySentence
from mini_bert.data.tasks.lines import blocks
from mini_bert.data.text_files import STDIN, identity, name
from mini_bert.data.text_files import found as files_named
from mini_bert.data.world.parts import WORLD_SEEDS
from mini_bert.evaluation.task_folder import TaskFolder
from mini_bert.models.mini import MiniBERT
from mini_bert.training.run_folder import run_of_checkpoint

TEST_SEED, TRAINING_SEED = WORLD_SEEDS["test"], WORLD_SEEDS["train"]
TEST_STORIES, COUNTED_STORIES = 2_000, 10_000
FARTHEST = 20
"""Letters between a word and the next: further on it is another word that is written alike."""
COUNTED_ITSELF = (
    "The baselines have counted this very text, with its hidden words: name other text to count in."
)
LEARNED_ITSELF = (
    "The model has learned from this very text, and the baselines have counted it, with its hidden words: ask about "
    "text that was held out."
)
OF_THE_WORLD = (
    "The baselines have counted words in other stories of the world; a model that learned from other text, as the "
    "shipped ones did, meets such stories for the first time, and may score below."
)
PARAGRAPH_MARKS = ("# newdoc", "# newpar")


class Tagged(NamedTuple):
    """A word at text[start:end] with its part of speech."""

    start: int
    end: int
    tag: str


@dataclass(frozen=True)
class ExamText:
    """`tags(number)` are the words of a document; `counted` is text of the same kind for baselines to count in.

    Without `counted`, they count in the text itself: in one half for the questions of the other. `note` is what a
    reader of the scores should know.
    """

    told: str
    corpus: Corpus
    counted: Corpus | None = None
    counted_told: str = "each half of this text for the questions of the other half"
    tags: Callable[[int], Sequence[Tagged]] | None = None
    note: str = ""


class Texts(Corpus):
    """Documents that are in memory already."""

    replaced = 0

    def __init__(self, name: str, texts: Sequence[str]) -> None:
        self.name, self.texts = name, list(texts)
        self._read = 0

    def __iter__(self) -> Iterator[str]:
        for number, text in enumerate(self.texts, 1):
            self._read = number
            yield text

    def fingerprint(self) -> str:
        return hashed(["texts", *self.texts])

    @property
    def progress(self) -> float:
        return self._read / max(len(self.texts), 1)


def world_text(stories: int = TEST_STORIES, counted_stories: int = COUNTED_STORIES) -> ExamText:
    def tags(number: int) -> list[Tagged]:
        found: list[Tagged] = []
        start = 0
        for sentence in world.story(number, TEST_SEED).sentences:
            for token in sentence.tokens:
                found.append(Tagged(start, start + len(token.text), token.upos))
                start += len(token.text) + token.space_after
        return found

    return ExamText(
        f"stories of the embedded world, told with seed {TEST_SEED}",
        World(stories, TEST_SEED),
        World(counted_stories, TRAINING_SEED),
        f"{counted_stories:,} other stories, told with seed {TRAINING_SEED}",
        tags,
        f"About one sentence in eight is, word for word, also in the {COUNTED_STORIES:,} stories of seed "
        f"{TRAINING_SEED}, from which a model of this world learns. {OF_THE_WORLD}",
    )


def treebank_text(tasks: TaskFolder) -> ExamText | None:
    """The dev part of ud_ewt, with its train part to count in; None if the folder has none."""
    dev, train = tasks.split("ud_ewt", "dev"), tasks.split("ud_ewt", "train")
    if dev is None:
        return None
    paragraphs = tagged_paragraphs(dev)
    counted = None if train is None else Texts(str(train), paragraph_texts(train))
    text = ExamText(
        f"{dev.parent.name}/{dev.name}",
        Texts(str(dev), [text for text, _ in paragraphs]),
        tags=lambda number: paragraphs[number][1],
    )
    if train is None:
        return text
    return ExamText(
        text.told, text.corpus, counted, f"{train.parent.name}/{train.name}, of the same kind", text.tags
    )


def file_text(path: Path, model: MiniBERT | None = None) -> ExamText:
    """Any text. Baselines count in what the model learned from, if that is known and still there."""
    text = Texts("standard input", list(documents(path))) if path == STDIN else corpus(path)
    made = ExamText(name(path), text)
    return made if model is None else counted_as_learned(made, model)


def file_texts(sources: Sequence[str], model: MiniBERT, counted: Sequence[str] = ()) -> list[ExamText]:
    """A text for each file that is named, or that a folder or a glob stands for; baselines count in `counted`.

    Of several files in the same folder, the folder is not told.
    """
    paths = list(dict.fromkeys(path for source in sources for path in files_named(source)))
    texts = [file_text(path, None if counted else model) for path in paths]
    if len(paths) > 1 and len({path.parent for path in paths}) == 1:
        texts = [replace(text, told=path.name) for text, path in zip(texts, paths, strict=True)]
    if not counted:
        return texts
    known = corpus(*counted)
    known.fingerprint()
    counted_files = set(map(identity, known.paths))
    return [
        replace(
            text,
            counted=known,
            counted_told=", ".join(counted),
            note=COUNTED_ITSELF if identity(path) in counted_files else text.note,
        )
        for text, path in zip(texts, paths, strict=True)
    ]


def counted_as_learned(text: ExamText, model: MiniBERT) -> ExamText:
    """Baselines count in what the model learned from, if that is known and still there: both have seen the same."""
    learned = text_behind(model)
    if learned is None:
        return text
    asked, known = (set(map(identity, one.paths)) for one in (text.corpus, learned))
    note = LEARNED_ITSELF if asked & known else text.note
    return replace(text, counted=learned, counted_told=behind_told(learned), note=note)


def behind_told(learned: Corpus) -> str:
    return f"the text that the model learned from ({learned.name})"


def text_behind(model: MiniBERT) -> Corpus | None:
    """The corpus of the run that made a model; None if there is no such run, or if its text is not there any more."""
    if model.folder is None:
        return None
    run = run_of_checkpoint(model.folder)
    if run is None:
        return None
    settings = run.settings()
    try:
        found = corpus(
            *settings["corpus"],
            unit=settings.get("unit", "paragraph"),
            text_field=settings.get("text_field", "text"),
        )
        is_there = all(path.is_file() for path in found.paths)
    except (KeyError, ValueError, OSError):
        return None
    return found if is_there else None


def tagged_paragraphs(path: Path) -> list[tuple[str, list[Tagged]]]:
    """The sentences of each paragraph, joined by spaces, with the parts of speech of their words."""
    found: list[tuple[str, list[Tagged]]] = []
    for begins, sentence in zip(paragraph_starts(path), read_conllu(path), strict=True):
        words = tagged_words(sentence)
        if begins or not found:
            found.append((sentence.text, words))
        else:
            text, before = found[-1]
            shift = len(text) + 1
            before += (Tagged(start + shift, end + shift, tag) for start, end, tag in words)
            found[-1] = f"{text} {sentence.text}", before
    return found


def tagged_words(sentence: DependencySentence) -> list[Tagged]:
    """Where the words stand in a sentence; one that is not written there as it is, is left out."""
    found, place = [], 0
    for word, tag in zip(sentence.words, sentence.upos, strict=True):
        start = sentence.text.find(word, place, place + len(word) + FARTHEST)
        if start >= 0:
            place = start + len(word)
            found.append(Tagged(start, place, tag))
    return found


def paragraph_texts(path: Path) -> list[str]:
    """The same text as `tagged_paragraphs`, without the labels: quicker."""
    written = [written_text(block) for block in blocks(path)]
    texts = [text for text in written if text]
    if len(texts) < len(written):
        texts = [sentence.text for sentence in read_conllu(path)]
    paragraphs: list[list[str]] = []
    for begins, text in zip(paragraph_starts(path), texts, strict=True):
        if begins or not paragraphs:
            paragraphs.append([])
        paragraphs[-1].append(text)
    return [" ".join(sentences) for sentences in paragraphs]


def paragraph_starts(path: Path) -> list[bool]:
    """Whether a paragraph begins with each sentence; in a file that marks none, each sentence is one."""
    starts = [any(line.text.startswith(PARAGRAPH_MARKS) for line in block) for block in blocks(path)]
    return starts if any(starts) else [True] * len(starts)
