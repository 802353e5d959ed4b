"""Two passages in a row: whole sentences, half of them in their order, and nothing but the text tells which."""

from time import perf_counter
from types import SimpleNamespace

import numpy as np
import pytest

from mini_bert.data.corpus import corpus
from mini_bert.data.pair_rows import DOES_NOT, FOLLOWS, PairRows, exchanged
from mini_bert.data.rows import Layout
from mini_bert.data.token_cache import tokenized
from mini_bert.tokenizers.special import CLS_ID, PAD_ID, SEP_ID

BERT = Layout((CLS_ID,), (SEP_ID,), (SEP_ID,), PAD_ID)
T, MANY = 48, 160


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


def made(rows, count):
    """Of so many rows, over epochs: documents, starts and ends of both passages, and labels."""
    parts = [rows.made(epoch, of_epoch) for epoch, of_epoch in rows.by_epoch(np.arange(count))]
    documents, starts, sizes = (
        np.concatenate(arrays) for arrays in zip(*(part.pairs for part in parts), strict=True)
    )
    return documents, starts, starts + sizes, np.concatenate([part.labels for part in parts])


def test_half_of_the_pairs_do_not_follow(rows, cache):
    documents, starts, ends, labels = made(rows, MANY)
    assert np.array_equal(labels, rows.classes_numbered(numbers()))
    assert 0.4 < labels.mean() < 0.6
    follows = labels == FOLLOWS
    assert (cache.starts[documents] <= starts).all()
    assert (ends <= cache.ends[documents].astype(int)).all()
    if rows.task == "next-sentence":
        assert np.array_equal(documents[:, 0] == documents[:, 1], follows)
        assert np.array_equal(ends[follows, 0], starts[follows, 1])
    else:
        assert np.array_equal(documents[:, 0], documents[:, 1])
        assert (ends[follows, 0] <= starts[follows, 1]).all()
        assert (ends[~follows, 1] <= starts[~follows, 0]).all()


def test_most_of_a_row_is_text(rows):
    assert rows.sizes(0, numbers()).sum(1).mean() > 0.75 * rows.text_room


def test_passages_are_whole_sentences_where_that_can_be(cache):
    rows = PairRows(cache, np.arange(len(cache)), T, BERT, seed=3)
    _, starts, ends, _ = made(rows, MANY)
    borders = np.append(cache.breaks.astype(int), 0)
    assert np.isin(ends[:, 0], borders).all()
    assert np.isin(starts[:, 1], borders).all()
    assert np.isin(ends[:, 1], borders).mean() > 0.8
    assert np.isin(starts[:, 0], borders).mean() > 0.9


@pytest.mark.parametrize("task", ["next-sentence", "sentence-order"])
@pytest.mark.parametrize("length", [48, 64, 128])
def test_lengths_and_cuts_do_not_give_the_answer_away(cache, task, length):
    rows = PairRows(cache, np.arange(len(cache)), length, BERT, seed=5, task=task)
    documents, starts, ends, labels = made(rows, 4000)
    borders = np.append(cache.breaks.astype(int), 0)
    cuts = np.isin(np.hstack([starts, ends]), borders)
    of_document = np.stack(
        [starts[:, 1] == cache.starts[documents[:, 1]], ends[:, 1] == cache.ends[documents[:, 1]]], 1
    )
    seen = [ends - starts, cuts] + ([of_document] if task == "next-sentence" else [])
    assert accuracy_of_a_table(ends - starts, labels) < 0.53
    assert accuracy_of_a_table(cuts, labels) < 0.53
    assert accuracy_of_a_table(np.hstack(seen), labels) < 0.53


def accuracy_of_a_table(seen, labels):
    """Of one who knows the answer that was more frequent with what is seen, in the first half; in the second half."""
    _, kinds = np.unique(seen.astype(int), axis=0, return_inverse=True)
    half = len(labels) // 2
    leaning = np.bincount(kinds[:half], 2 * labels[:half] - 1, kinds.max() + 1)
    return ((leaning[kinds] > 0) == labels)[half:].mean()


def test_a_table_would_notice_a_leak():
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 2, 6000)
    lengths = rng.integers(10, 30, (6000, 2)) + labels[:, None] * [0, 3]
    assert accuracy_of_a_table(lengths, labels) > 0.56


def test_one_row_answers_either_way_by_the_coin_alone(rows):
    """The same row with the other label: only B, or the order, is another."""
    of_row = rows.arranged(0)[numbers()]
    cuts, lots = np.full(MANY, 0.4), np.random.default_rng(0).random((MANY, 64))
    if rows.task == "next-sentence":
        true, strange = (rows.with_strangers(of_row, cuts, lots, np.full(MANY, label)) for label in (0, 1))
        assert np.array_equal(true.starts[:, 0], strange.starts[:, 0])
        assert (true.starts[:, 1] != strange.starts[:, 1]).all()
    else:
        true = rows.stretches.halved(of_row, cuts)
        strange = exchanged(true, np.full(MANY, DOES_NOT))
        assert np.array_equal(true.starts, strange.starts[:, ::-1])
    assert np.array_equal(true.sizes, strange.sizes)


def test_rows_of_huge_documents_are_found_at_once():
    """Two documents of four million sentences: a walk through all of them would take seconds for each row."""
    lengths = np.random.default_rng(0).integers(3, 9, 8_000_000)
    breaks = np.cumsum(lengths).astype("<u8")
    tokens = int(breaks[-1])
    huge = SimpleNamespace(
        ids=np.broadcast_to(np.uint16(7), (tokens,)),
        breaks=breaks,
        ends=breaks[[len(breaks) // 2 - 1, -1]],
        starts=np.array([0, int(breaks[len(breaks) // 2 - 1])]),
        contents=SimpleNamespace(tokens=tokens, source_name="huge"),
    )
    huge.lengths = huge.ends.astype(np.int64) - huge.starts
    for task in ("next-sentence", "sentence-order"):
        rows = PairRows(huge, np.arange(2), T, BERT, seed=None, task=task)
        seconds = []
        for first in (0, 1000, 2000, 3000):
            began = perf_counter()
            rows.take(first, 32)
            seconds.append(perf_counter() - began)
        assert min(seconds) < 0.1
        documents, _, _, labels = made(rows, 64)
        assert np.array_equal(
            documents[:, 0] != documents[:, 1], (labels == DOES_NOT) & (task == "next-sentence")
        )


def test_a_row_too_short_for_two_passages_is_refused(cache):
    with pytest.raises(ValueError, match="T=4: no room for two passages; choose T ≥ 5"):
        PairRows(cache, np.arange(len(cache)), 4, BERT)


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
