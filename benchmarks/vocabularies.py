"""python -m benchmarks.vocabularies FILE: the same text learned here and by HuggingFace's trainer, on one core.

For each vocabulary: its size, what it shares with HuggingFace's, tokens per word and unknown words in text that
follows the one it was learned from, and the seconds it took, counting the words and merging. The contestants take
turns; seconds are medians of all rounds.
"""

import argparse
import gzip
import os
from collections.abc import Callable
from itertools import chain
from pathlib import Path
from statistics import median
from time import perf_counter

from mini_bert import WordPieceTokenizer
from mini_bert.tokenizers.normalize import Normalizer
from mini_bert.tokenizers.special import SPECIAL_TOKENS, UNK
from mini_bert.tokenizers.training import learn_wordpieces
from mini_bert.tokenizers.wordpiece import word_counts

HELD_OUT_MB = 5
Learner = Callable[[list[str], int], list[str]]


def huggingface(lines: list[str], vocab_size: int) -> list[str]:
    """With the alphabet's limit and the least frequency of their BertWordPieceTokenizer."""
    # Imported late, as the library reads the number of threads when it is loaded.
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, trainers

    tokenizer = Tokenizer(models.WordPiece(unk_token=UNK))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    trainer = trainers.WordPieceTrainer(
        vocab_size=vocab_size,
        min_frequency=2,
        limit_alphabet=1000,
        special_tokens=list(SPECIAL_TOKENS),
        show_progress=False,
    )
    tokenizer.train_from_iterator(lines, trainer)
    vocab = tokenizer.get_vocab()
    return sorted(vocab, key=vocab.__getitem__)


def mini_bert(criterion: str, min_frequency: int = 1) -> Learner:
    def learn(lines: list[str], vocab_size: int) -> list[str]:
        counts = word_counts(lines, Normalizer())
        return learn_wordpieces(counts, vocab_size, criterion, min_frequency=min_frequency)

    return learn


LEARNERS: dict[str, Learner] = {
    "HuggingFace": huggingface,
    "frequency": mini_bert("frequency"),
    "likelihood": mini_bert("likelihood"),
    "likelihood, pairs seen 100 times": mini_bert("likelihood", min_frequency=100),
}


def first_lines(path: Path, sizes: list[float]) -> list[list[str]]:
    """The beginning of a text file, plain or .gz: one list of lines after another, of so many MB each."""
    parts: list[list[str]] = [[] for _ in sizes]
    with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
        for part, size in zip(parts, sizes, strict=True):
            read = 0
            while read < size * 1e6 and (line := file.readline()):
                part.append(line.decode("utf-8"))
                read += len(line)
    return parts


def tokens_and_unknown_per_word(vocab: list[str], lines: list[str]) -> tuple[float, float]:
    tokenizer = WordPieceTokenizer(vocab)
    ids = list(chain.from_iterable(tokenizer.encode_batch(lines, add_special_tokens=False)))
    words = word_counts(lines, tokenizer.normalizer).total()
    return len(ids) / words, ids.count(tokenizer.token_to_id[UNK]) / words


def main() -> None:
    asked = argparse.ArgumentParser(prog="python -m benchmarks.vocabularies", description=__doc__)
    asked.add_argument("file", type=Path, help="a text file, plain or .gz")
    asked.add_argument("--mb", type=float, default=20, help="how much of it to learn from (20)")
    asked.add_argument("--vocab-size", type=int, default=8192)
    asked.add_argument("--rounds", type=int, default=3)
    options = asked.parse_args()
    os.environ.update(RAYON_NUM_THREADS="1", TOKENIZERS_PARALLELISM="false")
    lines, held_out = first_lines(options.file, [options.mb, HELD_OUT_MB])
    if not held_out:
        asked.error(f"{options.file}: nothing is left after {options.mb:g} MB; choose a smaller --mb")

    vocabs: dict[str, list[str]] = {}
    seconds: dict[str, list[float]] = {name: [] for name in LEARNERS}
    for _ in range(options.rounds):
        for name, learn in LEARNERS.items():
            start = perf_counter()
            vocabs[name] = learn(lines, options.vocab_size)
            seconds[name].append(perf_counter() - start)

    theirs, their_seconds = set(vocabs["HuggingFace"]), median(seconds["HuggingFace"])
    print(f"{'':<34}pieces   shared   tokens/word   [UNK]/word   seconds   ratio")
    for name, vocab in vocabs.items():
        tokens, unknown = tokens_and_unknown_per_word(vocab, held_out)
        spent = median(seconds[name])
        print(
            f"{name:<34}{len(vocab):6}{len(theirs & set(vocab)) / len(theirs):9.2%}{tokens:14.4f}"
            f"{unknown:13.3%}{spent:10.1f}{spent / their_seconds:8.2f}"
        )


if __name__ == "__main__":
    main()
