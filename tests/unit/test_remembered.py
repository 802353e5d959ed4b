"""What tokenizers remember: bounded in number and length, so that text without spaces does not fill the memory."""

import gc
import random
import tracemalloc

import pytest

from mini_bert.data.world import texts
from mini_bert.tokenizers import ByteLevelBPETokenizer, Tokenizer, UnigramTokenizer, WordPieceTokenizer
from mini_bert.tokenizers.remembered import Remembered

TOKENIZERS = [
    kind.train(list(texts(30)), 320, **settings)
    for kind, settings in (
        (WordPieceTokenizer, {}),
        (ByteLevelBPETokenizer, {}),
        (UnigramTokenizer, {}),
        (UnigramTokenizer, {"style": "deberta-v2"}),
    )
]


def test_nothing_long_is_kept_and_the_number_is_limited() -> None:
    worked: list[str] = []

    def work(text: str) -> list[int]:
        worked.append(text)
        return [len(text)]

    kept = Remembered(work, size=2, longest=3)
    assert [kept[text] for text in ("abc", "abc", "abcd", "abcd", "a")] == [[3], [3], [4], [4], [1]]
    assert worked == ["abc", "abcd", "abcd", "a"]
    assert set(kept) == {"abc", "a"}
    assert kept["b"] == [1]
    assert set(kept) == {"b"}


@pytest.mark.parametrize("tokenizer", TOKENIZERS, ids=lambda tokenizer: type(tokenizer).__name__)
def test_paragraphs_without_spaces_do_not_fill_the_memory(tokenizer: Tokenizer) -> None:
    rng = random.Random(0)
    alphabet = "".join(map(chr, range(0x4E00, 0x4F00)))

    def paragraph() -> str:
        return "".join(rng.choices(alphabet, k=1000))

    tokenizer.encode(alphabet * 2)
    gc.collect()
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        for _ in range(5):
            tokenizer.encode(paragraph())
        gc.collect()
        grown = tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()
    assert grown < 5_000  # the paragraphs alone have 10,000 bytes
