"""The folder that the documents' commands are run in: the files, runs and sets that their pages speak of."""

from __future__ import annotations

import bz2
import gzip
import json
import shutil
from itertools import islice
from pathlib import Path

from mini_bert import MiniBERT, WordPieceTokenizer
from mini_bert.cli import main
from mini_bert.data.world import stories, texts, to_conllu
from mini_bert.models.zoo import bert, gpt2

ROOT = Path(__file__).parents[2]
RAW = ROOT / "tests" / "fixtures" / "corpus_sources"
TRAINING = (
    "train --preset debug --corpus world:200 --batch 4 --steps 12 --save-every 4 "
    "--set saving.keep=9 --set logging.exam_rows=16"
)
RUNS = ["runs/2026-11-16-101500", "runs/NAME", "RUN"]
MOODS = "sentence\tlabel\n" + "".join(
    f"Day {i} was {word}.\t{label}\n" for i in range(8) for word, label in (("fine", 1), ("awful", 0))
)
ENTITIES = "Anna\tB-PER\nslept\tO\n.\tO\n\nParis\tB-LOC\nis\tO\nold\tO\n.\tO\n\n"
SUITE = """title: A few sentences
exams:
  - exam: minimal-pairs
    quick: &few {max_pairs: 4, world_pairs: 4, twin_pairs: 0}
    checkpoint: *few
"""
BOOK = """*** START OF THE PROJECT GUTENBERG EBOOK SOME TALES ***

{}

*** END OF THE PROJECT GUTENBERG EBOOK SOME TALES ***
"""
BASE = """preset: debug
corpus: [world:300]
model: {residual: pre-norm}
optimizer: {kind: adamw, learning_rate: 5e-3}
batch: {size: 4, micro: 4}
budget: {steps: 2}
logging: {exam_rows: 8}
"""


def fill(home: Path) -> None:
    """Called with `home` as the current folder."""
    _write(home / "my.txt", "\n\n".join(texts(30)))
    for folder in ("books", "letters"):
        for number, part in enumerate(("one", "two")):
            _write(
                home / folder / f"{part}.txt", "\n\n".join(islice(texts(60), 30 * number, 30 * number + 30))
            )
    _write(home / "sentences.txt", "The dog sleeps.\nA puppy naps.\nSnow is cold.\n")
    _write(home / "smoke.yaml", SUITE)
    _write(home / "smoke_base.yaml", BASE)
    _raw_sources(home)
    _tasks(home)
    assert main([*TRAINING.split(), "--out", "runs/stories", "--json"]) == 0
    for copy in RUNS:
        shutil.copytree(home / "runs" / "stories", home / copy)
    _published(home)
    assert main(["course", "init", "my-course"]) == 0
    assert main(["tokenizer", "train", "my.txt", "--out", "vocab", "--vocab-size", "400"]) == 0


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")


def _raw_sources(home: Path) -> None:
    """Public text as it is downloaded, a few lines of each."""
    (home / "eng_sentences.tsv.bz2").write_bytes(bz2.compress((RAW / "eng_sentences.tsv").read_bytes()))
    copies = {"gutenberg": "books", "FairytaleQAData": "tales", "extracted": "wikipedia"}
    copies |= {"pb-source": "stories", "asp-source": "stories"}
    for copy, name in copies.items():
        shutil.copytree(RAW / name, home / copy)
    for number in range(12):
        _write(home / "gutenberg" / f"{number}.txt", BOOK.format("\n\n".join(texts(10, seed=number))))
    for part in ("train", "held_out"):
        (home / "corpus" / part).mkdir(parents=True)
        with gzip.open(home / "corpus" / part / "books.txt.gz", "wt", encoding="utf-8") as file:
            file.write("\n\n".join(texts(200)))


def _tasks(home: Path) -> None:
    """Labelled sets, in the folders and formats in which they are published."""
    for part in ("train", "dev"):
        _write(home / "tasks" / "sst2" / f"{part}.tsv", MOODS)
    pair = {"sentence_good": "The dog sleeps.", "sentence_bad": "The dog sleep.", "UID": "agreement"}
    pair |= {"field": "morphology", "linguistics_term": "subject_verb_agreement"}
    for folder in ("blimp", "tasks/blimp"):
        _write(home / folder / "agreement.jsonl", json.dumps(pair) + "\n")
    for part, seed in (("train", 101), ("dev", 102), ("test", 103)):
        told = [sentence for story in islice(stories(seed), 4) for sentence in story.sentences]
        treebank = "".join(map(to_conllu, told))
        _write(home / "tasks" / "ud_ewt" / f"{part}.conllu", treebank)
    _own_files(home)


def _own_files(home: Path) -> None:
    """What a user may have labelled: words in columns, texts in tables."""
    for words, names, reviews, pairs, mine, seed in (
        ("a", "train", "reviews", "pairs", "mine", 101),
        ("b", "dev", "others", "more", "other", 102),
    ):
        told = [sentence for story in islice(stories(seed), 8) for sentence in story.sentences]
        columns = "\n".join("".join(f"{t.text}\t{t.upos}\t{t.upos}\n" for t in s.tokens) for s in told)
        for file in (f"{words}.tsv", f"{words}.txt", f"{mine}.tsv"):
            _write(home / file, columns)
        _write(home / f"{names}.iob2", ENTITIES * 4)
        _write(home / f"{reviews}.tsv", MOODS.replace("sentence\tlabel", "review\tstars"))
        _write(home / f"{pairs}.tsv", "She sang.\tShe sang.\tyes\nHe ate.\tIt rained.\tno\n" * 6)


def _published(home: Path) -> None:
    """Folders as transformers writes them, with small models in them."""
    tokenizer = WordPieceTokenizer.train(list(texts(40)), 300)
    sizes = {"hidden_size": 32, "num_layers": 1, "num_heads": 2, "intermediate_size": 64}
    for name, member in {"gpt2": gpt2, "bert-base-uncased": bert}.items():
        model = MiniBERT(member(vocab_size=tokenizer.vocab_size, **sizes))
        model.save_pretrained(home / "models" / name)
        tokenizer.save(home / "models" / name)
    shutil.copytree(home / "models" / "gpt2", home / "WRITER")
    shutil.copytree(home / "models" / "bert-base-uncased", home / "path" / "to" / "bert-base-uncased")
