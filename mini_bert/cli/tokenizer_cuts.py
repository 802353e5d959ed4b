"""`mini-bert tokenizer explain --kind unigram`: the best ways to cut a word, their probabilities, and draws of them."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from rich.markup import escape

from mini_bert.cli.screen import console, print_json, table
from mini_bert.tokenizers.unigram import UnigramTokenizer

CUTS, WORDS, SEED = 5, 4, 0


def explain_cuts(
    texts: Iterable[str], words: Sequence[str], vocab_size: int, draws: int, as_json: bool
) -> None:
    """Learn from the texts, then cut the words, or the most frequent ones of the texts if none is named."""
    counts: Counter[str] = Counter()
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "the text has pieces for only")
        tokenizer = UnigramTokenizer.train(noting_words(texts, counts), vocab_size)
    rng = np.random.default_rng(SEED)
    cuts = {word: cuts_of(tokenizer, word, draws, rng) for word in words or examples(counts)}
    if as_json:
        print_json({"vocab_size": tokenizer.vocab_size, "draws": draws, "words": cuts})
    else:
        show(tokenizer, cuts, draws)


def noting_words(texts: Iterable[str], counts: Counter[str]) -> Iterator[str]:
    """The texts, which may be read only once, and on the way how often each of their words occurs."""
    for text in texts:
        counts.update(word.lower() for word in text.split() if word.isalpha())
        yield text


def examples(counts: Counter[str]) -> list[str]:
    """Of the frequent words the longest, which can be cut in more ways."""
    often = [word for word, _ in counts.most_common(10 * WORDS)]
    return sorted(often, key=len, reverse=True)[:WORDS]


def cuts_of(
    tokenizer: UnigramTokenizer, word: str, draws: int, rng: np.random.Generator
) -> list[dict[str, Any]]:
    drawn = Counter(tuple(tokenizer.sampled_ids(word, rng)) for _ in range(draws))
    found: list[dict[str, Any]] = []
    for pieces, log_probability in tokenizer.best_cuts(word, CUTS):
        times = drawn[tuple(tokenizer.ids_of_cut(pieces))]
        found.append({"pieces": pieces, "log_probability": log_probability, "drawn": times})
    return found


def show(tokenizer: UnigramTokenizer, cuts: dict[str, list[dict[str, Any]]], draws: int) -> None:
    columns = ["word", "cut", "log p", *(["drawn"] if draws else [])]
    title = f"Best cuts by {tokenizer.vocab_size:,} pieces: log p = Σ log p(piece)"
    made = table(title, *columns, shortened=["cut"])
    for word, ways in cuts.items():
        for rank, way in enumerate(ways):
            cut = escape(" ".join(way["pieces"]))
            share = [f"{way['drawn'] / draws:.1%}"] if draws else []
            made.add_row(
                "" if rank else f"[bold]{escape(word)}[/]",
                cut if rank else f"[bold]{cut}[/]",
                f"{way['log_probability']:.2f}",
                *share,
            )
    screen = console()
    screen.print(made)
    screen.print("The first cut of a word is the one that is taken; ▁ marks a space before the word.")
