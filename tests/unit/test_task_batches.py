"""Labelled tasks: batches of similar lengths, and which pieces belong to which word."""

import doctest
from functools import partial

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from mini_bert.data.tasks import labels
from mini_bert.data.tasks.alignment import FRAME, IGNORED, WordSpans, align, pieces_of_words, token_labels
from mini_bert.data.tasks.batches import grouped, task_batches
from mini_bert.data.tasks.labels import label_numbers
from mini_bert.data.world import stories, texts
from mini_bert.tokenizers import WordPieceTokenizer
from mini_bert.tokenizers.bpe import ByteLevelBPETokenizer
from mini_bert.tokenizers.encoding import Piece
from mini_bert.tokenizers.frame import NO_FRAME, XLNET
from mini_bert.tokenizers.special import CLS_ID, PAD_ID, SEP_ID, UNK_ID, Roles
from mini_bert.tokenizers.unigram import UnigramTokenizer


@pytest.fixture(scope="module")
def tokenizer():
    return WordPieceTokenizer.train(list(texts(200)), 1000)


@pytest.fixture(scope="module")
def encodings(tokenizer):
    return [tokenizer.encoding(sentence) for text in texts(40) for sentence in text.split(". ")]


def epoch_of(encodings, epoch=0, seed=0, batch_size=16):
    labels = np.arange(len(encodings)) * 10
    return list(task_batches(encodings, labels, batch_size, seed, epoch, pad_id=PAD_ID))


def test_every_example_comes_once_as_it_is(encodings):
    batches = epoch_of(encodings)
    assert sorted(np.concatenate([batch.indices for batch in batches])) == list(range(len(encodings)))
    for batch in batches:
        assert (batch.labels == batch.indices * 10).all()
        for i, index in enumerate(batch.indices):
            length = len(encodings[index])
            assert batch.ids[i, :length].tolist() == encodings[index].ids
            assert (batch.ids[i, length:] == PAD_ID).all()
            assert batch.attention_mask[i].sum() == length
            assert batch.attention_mask[i, :length].all()


def test_there_is_little_padding(encodings):
    batches = epoch_of(encodings)
    tokens = sum(len(encoding) for encoding in encodings)
    assert sum(batch.ids.size for batch in batches) < 1.35 * tokens
    assert all(batch.ids.shape[1] % 8 == 0 for batch in batches)
    assert all(batch.ids.shape[1] - batch.attention_mask.sum(1).max() < 8 for batch in batches)
    tight = list(task_batches(encodings, None, 16, pad_id=PAD_ID, multiple=1))
    assert all(batch.attention_mask[:, -1].any() for batch in tight)
    assert tight[0].labels is tight[0].weights is None


def test_epochs_differ_in_order_and_company_and_repeat_exactly(encodings):
    first, again, second = epoch_of(encodings), epoch_of(encodings), epoch_of(encodings, epoch=1)
    assert all((a.ids == b.ids).all() for a, b in zip(first, again, strict=True))
    company = [{frozenset(batch.indices.tolist()) for batch in epoch} for epoch in (first, second)]
    assert len(company[0] & company[1]) < len(first) / 2
    lengths = [batch.ids.shape[1] for batch in first]
    assert lengths != sorted(lengths)
    by_length = [batch.ids.shape[1] for batch in epoch_of(encodings, seed=None)]
    assert by_length == sorted(by_length)


@given(st.lists(st.integers(1, 70), max_size=60), st.integers(1, 9), st.integers(0, 5))
def test_groups_part_the_examples(lengths, batch_size, epoch):
    groups = list(grouped(np.array(lengths, int), batch_size, 0, epoch, 8))
    assert sorted(i for group in groups for i in group) == list(range(len(lengths)))
    assert sum(len(group) < batch_size for group in groups) <= 1


def test_pairs_keep_their_segments(tokenizer):
    pairs = [tokenizer.encoding("the dog barks", "a cat" + " sleeps" * n) for n in range(5)]
    (batch,) = task_batches(pairs, [0, 1, 0, 1, 1], 8, seed=None, pad_id=PAD_ID)
    assert [row[: len(pair)].tolist() for row, pair in zip(batch.type_ids, pairs, strict=True)] == [
        pair.type_ids for pair in pairs
    ]
    assert (batch.weights == 1).all()


@pytest.mark.parametrize(
    ("labels", "size", "message"), [([1, 2], 4, "2 labels for 3 examples"), ([1, 2, 3], 0, "batch_size=0")]
)
def test_batches_that_cannot_be(tokenizer, labels, size, message):
    with pytest.raises(ValueError, match=message):
        next(task_batches(tokenizer.encodings(["a", "b", "c"]), labels, size, pad_id=PAD_ID))


def test_each_word_knows_its_pieces(tokenizer):
    words = ["I", "don't", "see", "Zanzibar", "東京", "(", "..."]
    aligned = align(words, tokenizer)
    assert (aligned.ids[0], aligned.ids[-1]) == (CLS_ID, SEP_ID)
    assert (aligned.word_of_piece[[0, -1]] == FRAME).all()
    assert aligned.words_cut == 0
    for number, word in enumerate(words):
        first, last = aligned.spans.first[number], aligned.spans.last[number]
        assert aligned.ids[first : last + 1].tolist() == tokenizer.encode(word, add_special_tokens=False)
        assert np.flatnonzero(aligned.word_of_piece == number).tolist() == list(range(first, last + 1))
    assert aligned.spans.sizes[[1, 4, 6]].tolist() == [3, 2, 3]  # several words of the tokenizer


def test_pieces_are_those_of_the_text_for_all_sentences_of_the_world(tokenizer):
    for story, _ in zip(stories(seed=5), range(20), strict=False):
        for sentence in story.sentences:
            words = [token.text for token in sentence.tokens]
            aligned = align(words, tokenizer)
            assert aligned.ids.tolist() == tokenizer.encode(" ".join(words))
            assert len(aligned.spans.first) == len(words)


BPE = ByteLevelBPETokenizer
KINDS = {
    "WordPiece": partial(WordPieceTokenizer.train, vocab_size=600),
    "RoBERTa": partial(BPE.train, vocab_size=400),
    "RoBERTa with a prefix": partial(BPE.train, vocab_size=400, add_prefix_space=True),
    "GPT-2": partial(BPE.train, vocab_size=400, style="gpt2"),
    "GPT-2 with a prefix": partial(BPE.train, vocab_size=400, style="gpt2", add_prefix_space=True),
    "ALBERT": partial(UnigramTokenizer.train, vocab_size=300),
    "DeBERTa": partial(UnigramTokenizer.train, vocab_size=300, style="deberta-v2"),
}


@pytest.fixture(scope="module", params=list(KINDS))
def any_tokenizer(request):
    return KINDS[request.param](list(texts(60)))


blank_words = st.text(" \u3000\n\u200b\ud83d`a", max_size=3)


@given(st.lists(st.text(min_size=0, max_size=6) | blank_words, max_size=8))
@example(["``", "\ud83d", " "])
@example(["\u3000", " "])
@example(["", "a", ""])
@settings(max_examples=60, deadline=None)
def test_every_word_has_a_piece_whatever_it_is(any_tokenizer, words):
    aligned = align(words, any_tokenizer)
    spans = aligned.spans
    before, after = any_tokenizer.frame.around()
    assert (spans.sizes >= 1).all()
    assert spans.first.tolist() == [len(before), *(spans.last[:-1] + 1)][: len(words)]
    assert spans.sizes.sum() + len(before) + len(after) == len(aligned)
    assert [(aligned.word_of_piece == i).sum() for i in range(len(words))] == spans.sizes.tolist()


def test_a_word_without_pieces_is_an_end_of_text_where_nothing_is_unknown():
    gpt2 = KINDS["GPT-2"](list(texts(20)))
    assert gpt2.roles.unk is None
    end = gpt2.token_to_id["<|endoftext|>"]
    assert pieces_of_words(["a", ""], gpt2)[1] in ([end], gpt2.piece_ids(" "))
    assert pieces_of_words([""], gpt2) == [[end]]


def test_a_word_that_vanishes_becomes_unknown(tokenizer):
    aligned = align(["the", "\u200b", "dog", ""], tokenizer)
    the, dog = tokenizer.token_to_id["the"], tokenizer.token_to_id["dog"]
    assert aligned.ids.tolist() == [CLS_ID, the, UNK_ID, dog, UNK_ID, SEP_ID]
    assert align([], tokenizer).ids.tolist() == [CLS_ID, SEP_ID]


@pytest.mark.parametrize("room", range(8))
def test_words_are_there_whole_or_not_at_all(tokenizer, room):
    words = ["the", "don't", "dog", "barks"]
    sizes = [len(tokenizer.encode(word, add_special_tokens=False)) for word in words]
    aligned = align(words, tokenizer, max_length=room + 2)
    kept = sum(np.cumsum(sizes) <= room)
    assert (len(aligned.spans.first), aligned.words_cut) == (kept, 4 - kept)
    assert len(aligned) == 2 + sum(sizes[:kept]) <= room + 2
    assert aligned.ids[-1] == SEP_ID


def test_no_room_for_the_frame(tokenizer):
    with pytest.raises(ValueError, match="special tokens alone are 2"):
        align(["a"], tokenizer, max_length=1)


class SpaceMarking:
    """A tokenizer whose pieces take the space before them along, or are the space itself: "▁a", "b", "▁"."""

    frame, roles = XLNET, Roles()
    token_to_id = dict.fromkeys(("<sep>", "<cls>"), 0)

    def pieces(self, text):
        assert text == "x yy zz ww"
        cuts = ((0, 1), (1, 4), (4, 6), (6, 7), (7, 8), (8, 9), (9, 10))  # x, ▁yy, ▁z, z, ▁, w, w
        return [Piece(10 + i, start, end, 0) for i, (start, end) in enumerate(cuts)]


def test_spaces_belong_to_the_word_behind_them():
    marking = SpaceMarking()
    assert pieces_of_words(["x", "yy", "zz", "ww"], marking) == [[10], [11], [12, 13], [14, 15, 16]]
    aligned = align(["x", "yy", "zz", "ww"], marking)
    assert aligned.spans.first.tolist() == [0, 1, 2, 4]
    assert aligned.type_ids.tolist() == [0, 0, 0, 0, 0, 0, 0, 0, 2]


def test_a_vocabulary_without_unknown_refuses_a_word_without_pieces(tokenizer):
    class NoUnknown(SpaceMarking):
        frame = NO_FRAME

        def pieces(self, text):
            return []

    with pytest.raises(ValueError, match="no unknown or end-of-text token"):
        align(["\u200b"], NoUnknown())


def test_pooling_is_what_the_loop_says(tokenizer):
    rng = np.random.default_rng(0)
    sentences = [
        align(words, tokenizer) for words in (["I", "don't", "know"], [], ["Zanzibar"], ["a", "don't"])
    ]
    longest = max(map(len, sentences))
    states = rng.normal(size=(len(sentences), longest, 5)).astype(np.float32)
    spans = WordSpans.joined([sentence.spans for sentence in sentences], longest)
    pooled = spans.mean(states.reshape(-1, 5))
    expected = [
        states[i, sentence.word_of_piece.tolist().index(word) :][: sentence.spans.sizes[word]].mean(0)
        for i, sentence in enumerate(sentences)
        for word in range(len(sentence.spans.first))
    ]
    assert pooled.dtype == np.float32
    np.testing.assert_allclose(pooled, expected, rtol=1e-5)
    flat = states.reshape(-1, 5)
    assert (flat[spans.first][0] == states[0, 1]).all()
    assert (flat[spans.last][1] == states[0, 4]).all()
    np.testing.assert_allclose(sentences[0].spans.mean(states[0]), pooled[:3])
    assert sentences[1].spans.mean(states[1]).shape == (0, 5)
    assert WordSpans.joined([], 4).mean(flat).shape == (0, 5)


def test_labels_stand_on_first_pieces(tokenizer):
    sentences = [["I", "don't", "know"], ["the", "dog"]]
    aligned = [align(words, tokenizer, max_length=6) for words in sentences]
    assert [one.words_cut for one in aligned] == [1, 0]
    labels = [token_labels(aligned[0], [4, 5, 6]), token_labels(aligned[1], [0, 1])]
    assert labels[0].tolist() == [IGNORED, 4, 5, IGNORED, IGNORED, IGNORED]
    (batch,) = task_batches(aligned, labels, 2, seed=None, pad_id=77)
    assert batch.labels.shape == batch.ids.shape == (2, 8)
    assert (batch.ids[1, 4:] == 77).all()
    assert (batch.weights == (batch.labels >= 0)).all()
    assert batch.labels[1].tolist() == [IGNORED, 0, 1, *[IGNORED] * 5]
    with pytest.raises(ValueError, match="2 labels for 3 words"):
        token_labels(aligned[0], [1, 2])


class TestLabelNumbers:
    def test_are_places_among_the_sorted_names(self):
        numbers, names = label_numbers(["praise", "blame", "praise"])
        assert numbers.tolist() == [1, 0, 1]
        assert names == ("blame", "praise")

    def test_are_the_same_for_other_texts_with_the_names_given(self):
        _, names = label_numbers(["1", "0"])
        assert label_numbers(["1"], names)[0].tolist() == [1]
        assert label_numbers(["O", "B-PER"], ["O", "B-PER"])[0].tolist() == [0, 1]

    def test_can_be_batched(self, encodings):
        numbers, _ = label_numbers(["1", "0"] * (len(encodings) // 2) + ["0"] * (len(encodings) % 2))
        for batch in task_batches(encodings, numbers, 16, pad_id=PAD_ID):
            assert (batch.labels == numbers[batch.indices]).all()

    def test_name_a_label_that_is_outside_the_set(self):
        with pytest.raises(ValueError, match="label 1, '2', is outside the set; choose from 0, 1"):
            label_numbers(["0", "2"], ["0", "1"])
        with pytest.raises(ValueError, match="a name twice in 0, 1, 0"):
            label_numbers(["0"], ["0", "1", "0"])

    def test_example_in_the_docstring(self):
        result = doctest.testmod(labels)
        assert result.attempted
        assert not result.failed


def test_counts_have_their_number(encodings):
    with pytest.raises(ValueError, match="1 label for 2 examples"):
        next(task_batches(encodings[:2], [1], 16, pad_id=PAD_ID))
