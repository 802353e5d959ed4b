"""The vocabulary that HuggingFace's WordPiece trainer learns from the same text.

Theirs breaks ties by the age of the pieces as ours does, but numbers the letters within words anew in every run.
"""

import os
from pathlib import Path

import pytest

from benchmarks.vocabularies import first_lines, huggingface, mini_bert
from mini_bert.data.world import texts
from mini_bert.tokenizers.normalize import Normalizer
from mini_bert.tokenizers.wordpiece import word_counts

SHARED = 0.99


def assert_shared(lines: list[str], vocab_size: int) -> None:
    theirs, ours = set(huggingface(lines, vocab_size)), mini_bert("frequency")(lines, vocab_size)
    assert len(theirs) == len(set(ours)) == len(ours) == vocab_size
    assert len(theirs.intersection(ours)) >= SHARED * vocab_size, sorted(theirs.symmetric_difference(ours))


@pytest.mark.parametrize("vocab_size", [300, 600, 1200])
def test_the_small_world(vocab_size):
    assert_shared(list(texts(300)), vocab_size)


def test_an_alphabet_beyond_the_limit():
    """A thousand characters are seen twice or more, another 500 once: those are cut."""
    told = list(texts(300))
    letters = set().union(*word_counts(told, Normalizer()))
    ideographs = [chr(0x4E00 + place) for place in range(1500 - len(letters))]
    twice = ideographs[:-500]
    with pytest.warns(UserWarning, match="limit_alphabet=1000 leaves out 500 characters"):
        assert_shared([*told, *ideographs, *twice], 1600)


@pytest.mark.skipif("MINI_BERT_DATA" not in os.environ, reason="MINI_BERT_DATA is not set: no real text here")
@pytest.mark.parametrize(
    "sources", [["wikipedia_paragraphs"], ["childrens_books", "fairytales", "tatoeba_en"]]
)
def test_real_text(sources):
    folder = Path(os.environ["MINI_BERT_DATA"]) / "text"
    lines: list[str] = []
    for source in sources:
        lines += first_lines(folder / f"{source}.txt.gz", [2 / len(sources)])[0]
    assert_shared(lines, 8192)
