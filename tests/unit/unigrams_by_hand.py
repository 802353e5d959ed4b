"""Every way to cut a word, counted out, and vocabularies small enough for it."""

from functools import cache
from itertools import combinations, pairwise

from hypothesis import strategies as st

from mini_bert.data.world import texts as stories
from mini_bert.tokenizers.segmentation import Segmenter
from mini_bert.tokenizers.unigram import UnigramTokenizer

small_vocabularies = st.dictionaries(
    st.text("abc", min_size=1, max_size=4),
    st.integers(-40, -1).map(lambda score: score / 4),
    min_size=1,
    max_size=12,
)


@cache
def tokenizer_of(style: str) -> UnigramTokenizer:
    return UnigramTokenizer.train(list(stories(60)), 256, style=style)


def all_cuts(word: str) -> list[list[str]]:
    """Every way to cut a word, by brute force."""
    places = range(1, len(word))
    borders = [(0, *inner, len(word)) for size in range(len(word)) for inner in combinations(places, size)]
    return [[word[i:j] for i, j in pairwise(cut)] for cut in borders]


def scored_cuts(word: str, pieces: dict[str, float]) -> list[tuple[float, list[str]]]:
    """Every way that the pieces allow; letters that are no pieces are unknown."""
    unknown = {letter: min(0.0, *pieces.values()) - 10 for letter in word if letter not in pieces}
    known = {**unknown, **pieces}
    cuts = [cut for cut in all_cuts(word) if all(piece in known for piece in cut)]
    return [(sum(known[piece] for piece in cut), cut) for cut in cuts]


def segmenter(pieces: dict[str, float]) -> Segmenter:
    return Segmenter([("<unk>", 0.0), *pieces.items()], 0)
