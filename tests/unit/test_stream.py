"""The stream of exercises: a batch follows from its row numbers, and a state from a JSON file goes on exactly."""

import json

import numpy as np
import pytest

from mini_bert.data.corpus import corpus
from mini_bert.data.document_rows import DocumentRows
from mini_bert.data.packing import PackedRows
from mini_bert.data.rows import Layout
from mini_bert.data.split import split
from mini_bert.data.token_cache import tokenized
from mini_bert.tokenizers.special import PAD_ID
from mini_bert.training.draws import RowDraws
from mini_bert.training.masking import AnyTokens, Masking, Spans, WholeWords
from mini_bert.training.stream import MaskedStream

T, K = 16, 3


@pytest.fixture
def stream(cache, tokenizer):
    """A new stream over the training documents."""

    def make(
        seed=0,
        chooser=None,
        rows=PackedRows,
        length=T,
        order_seed=0,
        share=0.1,
        size=8,
        k=K,
        by_words=True,
        static=False,
    ):
        documents = split(cache, share).training
        made = rows(cache, documents, length, Layout.of(tokenizer), seed=order_seed)
        starts_word = np.array(tokenizer.starts_word()) if by_words else None
        return MaskedStream(
            made, Masking.of(tokenizer, chooser or AnyTokens()), k, size, seed, starts_word, static=static
        )

    return make


def arrays(batch):
    return batch.ids, batch.positions, batch.labels


@pytest.mark.parametrize("chooser", [AnyTokens(), WholeWords(), Spans()], ids=repr)
def test_a_batch_does_not_depend_on_how_rows_are_grouped(stream, chooser):
    whole = stream(chooser=chooser).batch(0, 64)
    parts = [stream(chooser=chooser).batch(first, count) for first, count in ((0, 5), (5, 40), (45, 19))]
    for one, several in zip(arrays(whole), zip(*map(arrays, parts), strict=True), strict=True):
        assert (one == np.concatenate(several)).all()


def test_masks_differ_between_epochs_and_seeds(stream):
    fixed = stream(order_seed=None)
    n = fixed.rows.rows_per_epoch
    first, second = fixed.batch(0, n), fixed.batch(n, n)
    assert (fixed.rows[0:n] == fixed.rows[n : 2 * n]).all()
    assert (first.positions != second.positions).any()
    assert (stream(order_seed=None, seed=1).batch(0, n).positions != first.positions).any()


@pytest.mark.parametrize("rows", [PackedRows, DocumentRows])
def test_static_masks_are_the_same_in_every_epoch(stream, rows):
    """Documents come in another order in each epoch, packed rows here in the same one."""
    fixed = stream(static=True, rows=rows, length=120, order_seed=None if rows is PackedRows else 0)
    n = fixed.rows.rows_per_epoch
    first, second = fixed.batch(0, n), fixed.batch(n, n)
    text = [tuple(row) for row in fixed.rows[0:n]]
    again = [text.index(tuple(row)) for row in fixed.rows[n : 2 * n]]
    if rows is DocumentRows:
        assert again != sorted(again)
    assert (first.positions[again] == second.positions).all()
    assert (first.ids[again] == second.ids).all()


@pytest.mark.parametrize("stop", [0, 1, 7, 40])
def test_resumes_exactly_through_json(stream, stop):
    whole = stream()
    expected = [next(whole) for _ in range(150)]  # several epochs
    assert whole.epoch > 1
    before = stream()
    for _ in range(stop):
        next(before)
    after = stream()
    after.resume(json.loads(json.dumps(before.state())))
    for batch in expected[stop:]:
        for one, other in zip(arrays(batch), arrays(next(after)), strict=True):
            assert (one == other).all()


def test_a_growing_batch_size_sees_the_same_rows(stream):
    grown, plain = stream(), stream().batch(0, 8 + 16 + 40)
    ids = [grown.take(8).ids, grown.take(16).ids, grown.take(40).ids]
    assert (np.concatenate(ids) == plain.ids).all()
    assert grown.state()["next_row"] == 64


@pytest.mark.parametrize(
    ("other", "name"),
    [
        ({"seed": 1}, "masking_seed"),
        ({"chooser": Spans()}, "masking"),
        ({"k": 4}, "k"),
        ({"static": True}, "static"),
        ({"by_words": False}, "by_words"),
        ({"order_seed": 1}, "order"),
        ({"length": 17}, "T"),
        ({"share": 0.2}, "documents"),
        ({"rows": DocumentRows}, "rows"),
    ],
)
def test_the_state_of_another_stream_is_refused(stream, other, name):
    with pytest.raises(ValueError, match=f"cannot resume: {name} is .* or begin anew"):
        stream().resume(stream(**other).state())


def test_the_state_of_another_text_is_refused(stream, tokenizer, tmp_path):
    other = tokenized(corpus("world:61"), tokenizer, tmp_path)
    rows = PackedRows(other, np.arange(len(other)), T, Layout.of(tokenizer))
    state = MaskedStream(rows, Masking(1000), K, 8).state()
    with pytest.raises(ValueError, match="cannot resume: text is"):
        stream().resume(state)


@pytest.mark.parametrize("row", [None, -1, "7"])
def test_a_state_without_a_row_is_refused(stream, row):
    with pytest.raises(ValueError, match="not the number of a row"):
        stream().resume({**stream().state(), "next_row": row})


def test_padding_is_masked_from_attention_and_never_asked_for(stream):
    batch = stream(rows=DocumentRows, length=120).batch(0, 50)
    mask = batch.inputs["attention_mask"]
    original = batch.ids.copy()
    np.put_along_axis(original, batch.positions, batch.labels, 1)
    assert (mask == (original != PAD_ID)).all()
    assert not mask.all()
    assert np.take_along_axis(mask, batch.positions, 1).all()
    assert stream().batch(0, 8).inputs is None


def test_short_documents_are_masked_as_densely_as_full_rows(stream):
    made = stream(rows=DocumentRows, length=200, k=30)
    batch, lengths = made.batch(0, 50), made.rows.lengths(0, 50)
    assert lengths.min() < 100
    asked = (batch.weights > 0).sum(1)
    assert asked == pytest.approx(0.15 * lengths, abs=1)


def test_a_count_of_numpy_does_not_spoil_the_state(stream):
    made = stream()
    made.take(np.int64(4))
    assert json.loads(json.dumps(made.state()))["next_row"] == 4
    with pytest.raises(ValueError, match="a batch of 0 rows"):
        made.take(0)


def test_row_draws_belong_to_rows_and_go_on():
    draws, some = RowDraws(3, range(10)), RowDraws(3, np.array([7, 2]))
    for _ in range(2):
        assert (some.random((2, 6)) == draws.random((10, 6))[[7, 2]]).all()
    assert (draws.random((10, 6)) != draws.random((10, 6))).all()
    numbers = RowDraws(3, range(500)).integers(5, 9, (500, 20))
    assert (np.bincount(numbers.ravel(), minlength=9)[5:] > 2300).all()
    assert (numbers.min(), numbers.max()) == (5, 8)
    with pytest.raises(ValueError, match="2 row numbers for 3 sequences"):
        some.random((3, 6))
