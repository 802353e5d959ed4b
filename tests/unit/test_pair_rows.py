"""Two passages in a row: whole sentences, half of them in their order, and nothing but the text tells which."""

import numpy as np
import pytest

from mini_bert.data.corpus import corpus
from mini_bert.data.pair_rows import DOES_NOT, FOLLOWS, PairRows
from mini_bert.data.rows import Layout
from mini_bert.data.token_cache import tokenized
from mini_bert.data.world import texts
from mini_bert.tokenizers import WordPieceTokenizer
from mini_bert.tokenizers.special import CLS_ID, PAD_ID, SEP_ID

BERT = Layout((CLS_ID,), (SEP_ID,), (SEP_ID,), PAD_ID)
T, MANY = 48, 160


@pytest.fixture(scope="module")
def tokenizer():
    return WordPieceTokenizer.train(list(texts(200)), 1000)


@pytest.fixture(scope="module")
def cache(tokenizer, tmp_path_factory):
    return tokenized(corpus("world:60"), tokenizer, tmp_path_factory.mktemp("cache"))


@pytest.fixture(params=["next-sentence", "sentence-order"])
def rows(request, cache):
    return PairRows(cache, np.arange(len(cache)), T, BERT, seed=3, task=request.param)


def numbers():
    return np.arange(MANY)


def test_a_row_is_two_passages_between_special_tokens(rows):
    ids, lengths, segments = rows.take(0, MANY), rows.lengths(0, MANY), rows.segments_numbered(numbers())
    for row, length, segment in zip(ids, lengths, segments, strict=True):
        assert row[0] == CLS_ID
        assert row[length - 1] == SEP_ID
        assert (row[length:] == PAD_ID).all()
        assert (row[1:length] == SEP_ID).sum() == 2
        border = int(np.flatnonzero(row == SEP_ID)[0])
        assert segment[: border + 1].sum() == 0
        assert segment[border + 1 : length].all()
        assert segment[length:].sum() == 0
        assert 1 < border < length - 2


def test_the_text_is_where_places_say(rows, cache):
    ids = rows.take(0, 20)
    documents, offsets = rows.places(0, 20)
    for row, document, offset in zip(ids, documents, offsets, strict=True):
        is_text = offset < cache.lengths[document]
        expected = cache.ids[cache.starts[document[is_text]] + offset[is_text]]
        assert row[1:-1][is_text].tolist() == expected.tolist()
        assert (row[1:-1][~is_text] <= SEP_ID).all()


def test_passages_are_whole_sentences_unless_two_do_not_fit(rows, cache):
    for first, second, _ in rows.pairs(0, numbers()):
        if first.size + second.size < rows.text_room // 2:
            continue
        for passage in (first, second):
            borders = {0, *cache.sentences(passage.document).tolist()}
            assert (passage.start in borders and passage.end in borders) or (
                first.size + second.size == rows.text_room
            )


def test_half_of_the_pairs_do_not_follow(rows):
    labels = rows.classes_numbered(numbers())
    assert 0.4 < labels.mean() < 0.6
    for (first, second, label), told in zip(rows.pairs(0, numbers()), labels, strict=True):
        assert label == told
        if label == FOLLOWS:
            assert (first.document, first.end) == (second.document, second.start)
        elif rows.task == "sentence-order":
            assert (first.document, first.start) == (
                second.document,
                second.end,
            ) or second.start < first.start
        else:
            assert first.document != second.document


def test_the_length_does_not_give_the_answer_away(cache):
    rows = PairRows(cache, np.arange(len(cache)), T, BERT, seed=3)
    labels, lengths = rows.classes_numbered(np.arange(2000)), rows.lengths(0, 2000)
    gap = abs(lengths[labels == FOLLOWS].mean() - lengths[labels == DOES_NOT].mean())
    assert gap < 0.1 * lengths.std() + 1


def test_a_row_follows_from_its_number_alone(rows, cache):
    twin = PairRows(cache, np.arange(len(cache)), T, BERT, seed=3, task=rows.task)
    mixed = np.array([7, 2, rows.rows_per_epoch + 1, 5])
    assert np.array_equal(twin.numbered(mixed), np.concatenate([rows.take(int(n), 1) for n in mixed]))
    assert np.array_equal(
        twin.classes_numbered(mixed), [rows.classes_numbered(np.array([n]))[0] for n in mixed]
    )


def test_other_seeds_and_epochs_give_other_pairs(rows, cache):
    other = PairRows(cache, np.arange(len(cache)), T, BERT, seed=4, task=rows.task)
    assert not np.array_equal(other.take(0, 8), rows.take(0, 8))
    assert not np.array_equal(rows.take(rows.rows_per_epoch, 8), rows.take(0, 8))
    assert other.identity() != rows.identity()


def test_text_without_pairs_is_refused_with_the_remedy(tokenizer, tmp_path):
    path = tmp_path / "lines.txt"
    path.write_text("one sentence only.\n\nand another one\n\n" * 3)
    lines = tokenized(corpus(str(path)), tokenizer, tmp_path / "cache")
    with pytest.raises(ValueError, match=r"documents have two sentences or more.*leave the second task out"):
        PairRows(lines, np.arange(len(lines)), T, BERT)
    with pytest.raises(ValueError, match="tokens to separate and to pad with"):
        PairRows(lines, np.arange(len(lines)), T, Layout((CLS_ID,), (), (SEP_ID,), None))
