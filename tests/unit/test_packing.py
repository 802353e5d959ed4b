"""Rows: every token once in an epoch, a pure function of the row number; packed, or a document each."""

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mini_bert.data.document_rows import DocumentRows
from mini_bert.data.order import InOrder, Order, Shuffled
from mini_bert.data.packing import AlignedRows, PackedRows, passed
from mini_bert.data.rows import Layout
from mini_bert.data.split import split
from mini_bert.tokenizers.frame import NO_FRAME, ROBERTA, XLNET
from mini_bert.tokenizers.special import CLS_ID, PAD_ID, SEP_ID, Roles
from mini_bert.training.masking import Masking, WholeWords

BERT = Layout((CLS_ID,), (SEP_ID,), (SEP_ID,), PAD_ID)
T = 16


@pytest.fixture(scope="module")
def everything(cache):
    return np.arange(len(cache))


def stream_of(cache, documents, layout):
    """The documents, one after the other, the plain way."""
    parts = [list(cache.document(documents[0]))]
    for document in documents[1:]:
        parts += [list(layout.between), list(cache.document(document))]
    return [index for part in parts for index in part]


@pytest.mark.parametrize("layout", [BERT, Layout((), (7,), ()), Layout((1,), (8, 9), (2, 3)), Layout()])
def test_rows_are_the_stream_cut_and_framed(cache, everything, layout):
    rows = PackedRows(cache, everything, T, layout, seed=None)
    room = T - len(layout.before) - len(layout.after)
    stream = stream_of(cache, everything, layout)
    assert rows.rows_per_epoch == len(stream) // room
    expected = [
        [*layout.before, *stream[i * room : (i + 1) * room], *layout.after]
        for i in range(rows.rows_per_epoch)
    ]
    found = rows[: rows.rows_per_epoch]
    assert found.dtype == np.int64
    assert found.tolist() == expected


def test_the_last_row_may_end_with_the_text(cache):
    one = np.array([3])
    length = int(cache.lengths[3])
    rows = PackedRows(cache, one, length + 2, BERT, seed=None)
    assert rows.rows_per_epoch == 1
    assert rows[0:1].tolist() == [[CLS_ID, *cache.document(3), SEP_ID]]


@pytest.mark.parametrize("epoch", [0, 1, 5])
def test_an_epoch_packs_all_documents_in_another_order(cache, everything, epoch):
    rows = PackedRows(cache, everything, T, BERT, seed=4)
    arranged = rows.arranged(epoch)
    assert sorted(arranged.documents) == everything.tolist()
    stream = stream_of(cache, arranged.documents, BERT)
    n = rows.rows_per_epoch
    unshuffled = np.empty((n, T), np.int64)
    unshuffled[arranged.rows] = rows.take(epoch * n, n)
    assert unshuffled[:, 1:-1].ravel().tolist() == stream[: n * (T - 2)]
    assert rows.epoch_of(epoch * n) == rows.epoch_of((epoch + 1) * n - 1) == epoch
    assert (np.diff(arranged.rows) == 1).mean() < 0.05  # neighbours in a batch are not neighbours in the text


def test_epochs_and_seeds_differ_and_no_seed_repeats(cache, everything):
    rows = PackedRows(cache, everything, T, BERT, seed=4)
    n = rows.rows_per_epoch
    assert (rows[0:n] != rows[n : 2 * n]).any()
    assert (rows[0:n] != PackedRows(cache, everything, T, BERT, seed=5)[0:n]).any()
    fixed = PackedRows(cache, everything, T, BERT, seed=None)
    assert (fixed[0:n] == fixed[n : 2 * n]).all()


@given(
    st.integers(0, 2000),
    st.lists(st.integers(0, 40), max_size=6),
    st.sampled_from([PackedRows, DocumentRows]),
)
def test_rows_do_not_depend_on_how_they_are_read(cache, everything, first, sizes, kind):
    whole = kind(cache, everything, T, BERT, seed=1).take(first, sum(sizes))
    rows = kind(cache, everything, T, BERT, seed=1)
    for size in sizes:
        assert (rows.take(first, size) == whole[:size]).all()
        first, whole = first + size, whole[size:]


def test_several_workers_share_the_rows(cache, everything):
    one = PackedRows(cache, everything, T, BERT)[0:320]
    workers = [PackedRows(cache, everything, T, BERT) for _ in range(4)]
    shares = [
        worker.take(step * 32 + rank * 8, 8) for step in range(10) for rank, worker in enumerate(workers)
    ]
    assert (np.concatenate(shares) == one).all()


def test_held_out_text_is_not_in_the_training_rows(cache):
    training, held_out = split(cache, 0.2)
    rows = PackedRows(cache, training, T, BERT)
    seen = set(rows.arranged(0).documents) | set(rows.arranged(1).documents)
    assert seen == set(training)
    assert not seen & set(held_out)


def test_a_row_for_each_document(cache, everything):
    rows = DocumentRows(cache, everything, 100, BERT, seed=None)
    assert rows.rows_per_epoch == len(cache)
    lengths = rows.lengths(0, len(cache))
    for document, (ids, length) in enumerate(zip(rows[0 : len(cache)], lengths, strict=True)):
        text = cache.document(document)[:98]
        assert ids[:length].tolist() == [CLS_ID, *text, SEP_ID]
        assert (ids[length:] == PAD_ID).all()
    assert lengths.min() < 100 == lengths.max()  # both happen: padded and cut
    shuffled = DocumentRows(cache, everything, 100, BERT, seed=2)
    n = len(cache)
    assert sorted(shuffled[n : 2 * n].tolist()) == sorted(rows[0:n].tolist())
    assert (shuffled.lengths(n, n) == (shuffled[n : 2 * n] != PAD_ID).sum(1)).all()


def test_padding_is_the_tokenizers_own_and_part_of_the_identity(cache, everything):
    other = DocumentRows(cache, everything, 100, replace(BERT, pad=7))
    assert other[0:1][0, -1] == 7 or other.lengths(0, 1)[0] == 100
    assert 7 in other[0:60][:, -1]
    assert other.identity() != DocumentRows(cache, everything, 100, BERT).identity()
    with pytest.raises(ValueError, match="no token to pad with"):
        DocumentRows(cache, everything, 100, replace(BERT, pad=None))


@given(
    st.lists(st.integers(1, 9), min_size=1, max_size=30),
    st.lists(st.integers(0, 99), max_size=5),
    st.integers(1, 20),
)
def test_starts_passed_are_those_that_a_search_finds(sizes, firsts, room):
    starts = np.cumsum(sizes) - sizes
    places = np.array(firsts, int)[:, None] + np.arange(room)
    expected = np.searchsorted(starts, places.ravel(), side="right").reshape(places.shape) - 1
    assert passed(starts, np.array(firsts, int), room).tolist() == expected.tolist()


@pytest.mark.parametrize("kind", [PackedRows, DocumentRows])
def test_places_lead_back_to_the_text(cache, everything, kind):
    rows = kind(cache, everything, 100, BERT, seed=3)
    first, count = rows.rows_per_epoch - 5, 11  # over the end of an epoch
    ids = rows.take(first, count)[:, 1:-1]
    documents, offsets = rows.places(first, count)
    assert documents.shape == offsets.shape == (count, 98)
    inside = offsets < cache.lengths[documents]
    assert 0.5 < inside.mean() < 1
    assert (ids[inside] == cache.ids[(cache.starts[documents] + offsets)[inside]]).all()
    assert np.isin(ids[~inside], [SEP_ID, PAD_ID]).all()
    assert rows.places(3, 0).documents.shape == (0, 98)


def test_an_order_is_a_part(cache, everything):
    @dataclass(frozen=True)
    class ShortFirst(Order):
        def documents(self, lengths, epoch):
            return np.argsort(lengths, kind="stable")

        def rows(self, count, epoch):
            return np.arange(count)

    by_length = PackedRows(cache, everything, T, BERT, order=ShortFirst())
    assert (np.diff(cache.lengths[by_length.arranged(2).documents]) >= 0).all()
    names = [
        PackedRows(cache, everything, T, BERT, **how).identity()["order"]
        for how in ({"seed": 5}, {"order": Shuffled(5)}, {"seed": None}, {"order": InOrder()})
    ]
    assert names == ["Shuffled(seed=5)", "Shuffled(seed=5)", "InOrder()", "InOrder()"]
    assert by_length.identity()["order"].endswith("ShortFirst()")


def test_documents_and_rows_are_shuffled_independently():
    order = Shuffled(3)
    assert (order.documents(np.ones(50), 0) != order.rows(50, 0)).any()


def test_packed_rows_have_no_padding(cache, everything):
    rows = PackedRows(cache, everything, T, BERT)
    assert (rows.lengths(5, 7) == T).all()
    assert (rows[0:200] != PAD_ID).all()


def test_the_layout_is_the_frame_of_the_tokenizer(tokenizer):
    assert Layout.of(tokenizer) == BERT


class FrameOnly:
    """As much of a tokenizer as a layout looks at."""

    token_to_id: ClassVar = {"<s>": 0, "<pad>": 1, "</s>": 2, "<sep>": 4, "<cls>": 3, "<|endoftext|>": 9}

    def __init__(self, frame, **roles):
        self.frame, self.roles = frame, Roles(**roles)
        self.pad_id = self.token_to_id.get(self.roles.pad)


@pytest.mark.parametrize(
    ("tokenizer", "expected"),
    [
        (FrameOnly(ROBERTA, sep="</s>", end="</s>", pad="<pad>"), Layout((0,), (2,), (2,), 1)),
        (FrameOnly(XLNET, sep="<sep>"), Layout((), (4,), (4, 3))),
        (FrameOnly(NO_FRAME, end="<|endoftext|>"), Layout((), (9,), ())),
        (FrameOnly(NO_FRAME), Layout()),
    ],
)
def test_layouts_of_other_families(tokenizer, expected):
    assert Layout.of(tokenizer) == expected


def test_word_ids_let_whole_words_be_masked(cache, everything, tokenizer):
    rows = PackedRows(cache, everything, 32, BERT)
    starts_word = np.array(tokenizer.starts_word())
    ids = rows[0:200]
    words = rows.word_ids(ids, starts_word)
    batch = Masking(1000, WholeWords())(ids, 5, np.random.default_rng(0), words)
    asked = np.zeros(ids.shape, bool)
    np.put_along_axis(asked, batch.positions, batch.weights > 0, 1)
    continues = ~starts_word[ids[:, 1:]]
    continues[:, 0] = False  # a row may begin inside a word
    assert continues.any()
    assert (asked[:, 1:] == asked[:, :-1])[continues].all()


@pytest.mark.parametrize(
    ("documents", "length", "message"),
    [([], T, "no documents"), ([0], 10_000, "less than one row"), ([0], 2, "choose T ≥ 3")],
)
def test_rows_that_cannot_be(cache, documents, length, message):
    with pytest.raises(ValueError, match=message):
        PackedRows(cache, np.array(documents, int), length, BERT)


def test_rows_have_no_end_and_no_number_below_0(cache, everything):
    rows = PackedRows(cache, everything, T, BERT)
    assert rows[5:5].shape == (0, T)
    with pytest.raises(ValueError, match="no end"):
        rows[3:]
    with pytest.raises(ValueError, match="counted from 0"):
        rows.take(-1, 4)


@pytest.mark.parametrize("layout", [BERT, Layout((1,), (8, 9), (2, 3)), Layout()])
@pytest.mark.parametrize("width", [T, 8])
def test_aligned_rows_begin_with_the_document_that_was_cut(cache, everything, layout, width):
    rows = AlignedRows(cache, everything, width, layout, seed=None)
    room = width - len(layout.before) - len(layout.after)
    stream = stream_of(cache, everything, layout)
    sizes = [len(cache.document(document)) + len(layout.between) for document in everything]
    begins = [sum(sizes[:number]) for number in range(len(sizes))]
    assert rows.rows_per_epoch == len(stream) // room
    moved = 0
    for number, row in enumerate(rows[: rows.rows_per_epoch].tolist()):
        cut = number * room
        begin = max(place for place in begins if place <= cut)
        first = begin if cut - begin < room else cut
        moved += first < cut
        assert row == [*layout.before, *stream[first : first + room], *layout.after]
    assert 0 < moved < rows.rows_per_epoch


def test_aligned_rows_are_other_rows_to_a_run_that_goes_on(cache, everything):
    packed, aligned = (kind(cache, everything, T, BERT, seed=0) for kind in (PackedRows, AlignedRows))
    assert packed.identity() != aligned.identity()
