"""Where sentences end in a text, and in its tokens whatever the tokenizer."""

import doctest
from functools import partial
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from mini_bert.data import sentences
from mini_bert.data.corpus import corpus
from mini_bert.data.sentence_tokens import SentenceCutter, by_places, parts_at_white_space
from mini_bert.data.sentences import sentence_ends
from mini_bert.data.token_cache import tokenized
from mini_bert.data.world import stories, texts
from mini_bert.tokenizers import WordPieceTokenizer
from mini_bert.tokenizers.bpe import ByteLevelBPETokenizer
from mini_bert.tokenizers.unigram import UnigramTokenizer

KINDS = {
    "WordPiece": partial(WordPieceTokenizer.train, vocab_size=600),
    "RoBERTa": partial(ByteLevelBPETokenizer.train, vocab_size=400),
    "RoBERTa with a prefix": partial(ByteLevelBPETokenizer.train, vocab_size=400, add_prefix_space=True),
    "ALBERT": partial(UnigramTokenizer.train, vocab_size=300),
    "XLNet": partial(UnigramTokenizer.train, vocab_size=300, style="xlnet"),
    "DeBERTa": partial(UnigramTokenizer.train, vocab_size=300, style="deberta-v2"),
}


@pytest.fixture(scope="module", params=list(KINDS))
def tokenizer(request):
    return KINDS[request.param](list(texts(60)))


@pytest.fixture(scope="module")
def cutter(tokenizer):
    return SentenceCutter(tokenizer)


def cut(text):
    return [text[start:end].strip() for start, end in pairwise([0, *sentence_ends(text)])]


def test_the_example():
    assert doctest.testmod(sentences).failed == 0


@pytest.mark.parametrize(
    "expected",
    [
        ["It rained.", "We left!", "Why?", "42 came…", "So."],
        ['"Stop."', '"Why?"', "(He ran.)", "‘Yes.’", "“No.”"],
        ["Mr. Fox met Dr. Owl, e.g. Wise.", "(Cf. Fig. 3.)", "J. R. Hen and I.", "Then St. Ives."],
        ["At 3.5 m. it was so, i.e. deep; etc. and so on."],
        ["Ça va?", "Été.", "Ω rises. ω does not."],
    ],
)
def test_sentences_end_as_the_rule_says(expected):
    assert cut(" ".join(expected)) == expected


def test_lines_end_sentences():
    assert cut("one \n\n  two.\t\n Three. Four") == ["one", "two.", "Three.", "Four"]
    assert sentence_ends("a \n\nb") == [1, 5]


def test_sentences_of_the_world_are_found():
    """All but those in which speech ends before a name or I."""
    pairs = [
        (cut(story.text), [one.text for one in story.sentences])
        for story, _ in zip(stories(), range(100), strict=False)
    ]
    assert np.mean([found == told for found, told in pairs]) > 0.9


signs = st.lists(
    st.sampled_from(
        [
            "Mr.",
            "a.",
            "B!",
            '"C?"',
            " ",
            "  ",
            "\n",
            "\n\n",
            "\t",
            "`` x''",
            "é\u0301",
            "\u3000",
            "\x1c",
            "[MASK]",
            "<mask>",
            "\u0301",
            "\r",
            "7",
        ]
    )
    | st.text(max_size=3),
    max_size=14,
)


@given(signs.map("".join))
@example("One.\nTwo. Three.\n\n  Four")
@example("One. [MASK] Two. <mask>")
@example("a \u3000\n\nB")
@settings(max_examples=80)
def test_ids_are_those_of_the_whole_text_and_ends_those_of_the_places(tokenizer, cutter, text):
    expected = tokenizer.encode(text, add_special_tokens=False)
    ids, ends = by_places(tokenizer, text)
    assert ids == expected
    assert cutter.cut(text) == (expected, ends)
    joined, lengths, breaks = cutter([text, "B. C", text])
    n, between = len(ids), int(lengths[1])
    assert joined[:n].tolist() == joined[n + between :].tolist() == expected
    there = {between + n + end for end in ends}
    assert set(breaks) == ({*ends, *breaks[(breaks > n) & (breaks < n + between)], n + between} | there) - {0}


def test_all_but_deberta_are_cut_sentence_by_sentence(tokenizer, request):
    name = request.node.callspec.params["tokenizer"]
    assert parts_at_white_space(tokenizer) == (name != "DeBERTa")


def test_the_cache_knows_the_sentences(tokenizer, tmp_path):
    path = tmp_path / "a.txt"
    documents = ["One dog. Two dogs!\nThree.", "\u200b", "No end", *texts(20)]
    path.write_text("\n\n".join(documents), encoding="utf-8")
    cache = tokenized(corpus(path), tokenizer, tmp_path)
    kept = [document for document in documents if tokenizer.encode(document, add_special_tokens=False)]
    assert len(cache) == len(kept)
    for index, document in enumerate(kept):
        ends = cache.sentences(index)
        parts = np.split(cache.document(index), ends[:-1])
        assert ends[-1] == cache.lengths[index]
        assert [tokenizer.decode(part).split() for part in parts] == [
            tokenizer.decode(tokenizer.encode(one, add_special_tokens=False)).split() for one in cut(document)
        ]
    assert cache.contents.sentences == len(cache.breaks) == sum(len(cut(document)) for document in kept)
    with pytest.raises(ValueError, match="counted from 0"):
        cache.sentences(len(cache))
