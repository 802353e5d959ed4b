"""A text read in pieces, each token once, gives what it gives at once."""

import numpy as np
import pytest

from mini_bert.core.past import Past
from mini_bert.core.trace import Trace
from mini_bert.generation.decoder import CachedDecoder, RecurrentDecoder, decoder_of
from mini_bert.models.reader import Reader
from tests.unit.causal_models import TEXT, T, every_variant, lively


def logits_at_once(model, ids, is_real=None):
    """Of every position, without a cache; padding stands before the text."""
    is_real = np.ones(ids.shape, bool) if is_real is None else is_real
    inputs = {"attention_mask": is_real, "position_ids": np.maximum(is_real.cumsum(1) - 1, 0)}
    return model.network.forward(ids, Trace(model.arena, inputs=inputs))


@every_variant
@pytest.mark.parametrize("cuts", [range(1, 17), [5], [1, 9, 10]], ids=["one by one", "two pieces", "pieces"])
def test_a_text_read_in_pieces_is_the_text_read_at_once(settings, cuts):
    model = lively(**settings)
    expected = logits_at_once(model, TEXT)
    past = Past()
    for start, end in zip([0, *cuts], [*cuts, TEXT.shape[1]], strict=True):
        t = Trace(model.arena, keeps=False, past=past, offset=past.length)
        found = model.network.forward(TEXT[:, start:end], t)
        np.testing.assert_allclose(found, expected[:, start:end], rtol=0, atol=1e-12)


@every_variant
@pytest.mark.parametrize("first", [1, 8, 17])
def test_a_decoder_tells_the_last_logits_behind_padding_too(settings, first):
    model = lively(**settings)
    is_real = np.arange(17) >= np.array([0, 4, 0])[:, None]
    text = np.where(is_real, TEXT, 1)
    expected = logits_at_once(model, text, is_real)
    decoder = CachedDecoder(model)
    for start, end in [(0, first), *((i, i + 1) for i in range(first, 17))]:
        found = decoder.feed(text[:, start:end], is_real[:, start:end])
        seen = is_real[:, end - 1]
        np.testing.assert_allclose(found[seen], expected[seen, end - 1], rtol=0, atol=1e-12)
    assert decoder.room == T - 17


def test_buffers_grow_and_keep_what_they_had():
    past, rng = Past(), np.random.default_rng(0)
    pieces = [rng.standard_normal((2, 3, n, 4)) for n in (1, 60, 5, 1, 200)]
    for i, piece in enumerate(pieces):
        found = past.extended("k", piece)
        np.testing.assert_array_equal(found, np.concatenate(pieces[: i + 1], axis=2))
    assert past.length == 267
    past.keep_rows(np.array([1]))
    np.testing.assert_array_equal(past.extended("k", pieces[0][1:])[:, :, :1], pieces[0][1:])


def test_nothing_is_copied_while_there_is_room():
    past = Past()
    first = past.extended("k", np.ones((1, 1, 3, 2)))
    assert np.shares_memory(first, past.extended("k", np.ones((1, 1, 1, 2))))


def test_a_pass_that_goes_on_has_no_backward_pass():
    with pytest.raises(AssertionError, match="no backward pass"):
        Trace({}, past=Past())


def test_a_model_with_a_memory_reads_on_as_its_reader_does():
    model = lively(positions="transformer-xl", memory=5)
    decoder, reader = decoder_of(model), Reader(model)
    assert isinstance(decoder, RecurrentDecoder)
    long = np.concatenate([TEXT, TEXT], axis=1)  # more than the model reads at once
    for start, end in [(0, 30), (30, 31), (31, 32), (32, 34)]:
        found = decoder.feed(long[:, start:end], np.ones((3, end - start), bool))
        np.testing.assert_allclose(found, reader.read(long[:, start:end])[:, -1], rtol=0, atol=1e-12)


def test_a_memory_does_not_see_padding():
    model = lively(positions="transformer-xl", memory=5)
    padded, alone = decoder_of(model), decoder_of(model)
    is_real = np.arange(17) >= np.array([0, 14, 3])[:, None]
    for start, end, cut in [(0, 15, slice(14, 15)), (15, 16, slice(15, 16)), (16, 17, slice(16, 17))]:
        found = padded.feed(TEXT[:, start:end], is_real[:, start:end])[1]
        expected = alone.feed(TEXT[1:2, cut], np.ones((1, 1), bool))[0]
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)
