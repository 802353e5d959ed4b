"""Memory of the segments before: a text read in pieces is the text read at once."""

import numpy as np
import pytest

from mini_bert.models.config import ModelConfig
from mini_bert.models.mini import MiniBERT
from mini_bert.models.reader import Reader
from mini_bert.training.verification import lively_weights

SIZES = {
    "vocab_size": 20,
    "hidden_size": 8,
    "num_layers": 2,
    "num_heads": 2,
    "intermediate_size": 12,
    "max_seq_length": 12,
}
TEXT = np.random.default_rng(0).integers(0, 20, (3, 12))


def lively(preset="transformer-xl-mini", **settings):
    model = MiniBERT(ModelConfig.preset(preset, **SIZES | settings), dtype=np.float64)
    model.arena.flat[:] = lively_weights(model.network, 0).flat
    return model


@pytest.mark.parametrize("positions", ["transformer-xl", "rotary", "relative"])
@pytest.mark.parametrize("pieces", [(6, 6), (5, 1, 6), (1,) * 12])
def test_in_segments_as_at_once(positions, pieces):
    """When nobody looks ahead and the memory is long enough, where a text is cut makes no difference."""
    model = lively(positions=positions)
    reader = Reader(model, memory=12)
    found = [reader.read(piece) for piece in np.split(TEXT, np.cumsum(pieces)[:-1], axis=1)]
    np.testing.assert_allclose(np.concatenate(found, 1), model.trace(TEXT).logits, rtol=0, atol=1e-10)
    assert reader.read_so_far == 12


def test_states_of_the_second_segment():
    model = lively()
    first = model.trace(TEXT[:, :7], memory={})
    second = model.trace(TEXT[:, 7:], memory=first.remembered(7))
    whole = model.trace(TEXT)
    for name in ("layer_output_0", "layer_output_1", "hidden_states"):
        np.testing.assert_allclose(second[name], whole[name][:, 7:], rtol=0, atol=1e-10)


def test_more_than_a_model_reads_at_once_is_cut():
    model = lively(max_seq_length=5)
    at_once, in_pieces = (Reader(model, memory=4) for _ in range(2))
    pieces = [in_pieces.read(TEXT[:, start : start + 5]) for start in (0, 5, 10)]
    np.testing.assert_array_equal(at_once.read(TEXT), np.concatenate(pieces, 1))


def test_an_id_that_is_none_is_refused_at_its_place_and_nothing_is_read():
    model, wrong = lively(max_seq_length=5), TEXT.copy()
    wrong[1, 7] = 20
    reader = Reader(model, memory=4)
    with pytest.raises(ValueError, match=r"ids\[1, 7\]"):
        reader.read(wrong)
    assert reader.read_so_far == 0
    np.testing.assert_array_equal(reader.read(TEXT), Reader(model, memory=4).read(TEXT))


def test_a_short_memory_reaches_as_far_as_layers_are_deep():
    """Two layers that remember three tokens each see six back, and not the seventh."""
    model, other = lively(memory=3), TEXT.copy()
    other[:, 0] = (other[:, 0] + 1) % 20

    def read(text):
        reader = Reader(model)
        return np.concatenate([reader.read(text[:, i : i + 1]) for i in range(12)], 1)

    changed = (read(TEXT) != read(other)).any((0, 2))
    assert changed.tolist() == [True] * 7 + [False] * 5


def test_only_the_last_states_are_remembered():
    model = lively()
    first = model.trace(TEXT[:, :4], memory={})
    remembered = first.remembered(3)
    assert remembered.keys() == {"encoder.layers.0.attn.", "encoder.layers.1.attn."}
    np.testing.assert_array_equal(remembered["encoder.layers.0.attn."], first["embeddings"][:, 1:])
    np.testing.assert_array_equal(remembered["encoder.layers.1.attn."], first["layer_output_0"][:, 1:])
    later = model.trace(TEXT[:, 4:5], memory=remembered).remembered(3)
    np.testing.assert_array_equal(
        later["encoder.layers.0.attn."][:, :2], remembered["encoder.layers.0.attn."][:, 1:]
    )
    assert model.trace(TEXT[:, 4:5], memory=remembered).remembered(0)["encoder.layers.0.attn."].size == 0


def test_forgetting_begins_a_new_text():
    reader = Reader(lively())
    first = reader.read(TEXT)
    assert (reader.read(TEXT) != first).any()
    reader.forget()
    np.testing.assert_array_equal(reader.read(TEXT), first)


def test_an_xlnet_reads_on_too():
    model = lively("xlnet-mini", memory=0)
    first = Reader(model, memory=4)
    assert (first.read(TEXT[:, :6]) == model.trace(TEXT[:, :6]).logits).all()
    assert (first.read(TEXT[:, 6:]) != model.trace(TEXT[:, 6:]).logits).any()


@pytest.mark.parametrize(
    ("attempt", "complaint"),
    [
        (lambda: Reader(MiniBERT("debug")), "this model remembers nothing; build it with memory"),
        (
            lambda: Reader(lively(memory=0)),
            r"the model's own setting is memory=0.* Reader\(model, memory=128\)",
        ),
        (lambda: Reader(lively(), memory=0), r"^memory=0: remember at least one token"),
        (lambda: Reader(lively(head="classes")).read(TEXT), "one class for a whole text"),
        (lambda: lively().trace(TEXT).remembered(3), "give it a memory, {} for the first segment"),
        (lambda: MiniBERT("debug").trace([[1, 2]], memory={}), "this model remembers nothing"),
        (
            lambda: lively().trace(TEXT, memory=lively().trace(TEXT[:1], memory={}).remembered(3)),
            "remembers 1 texts, but ids are 3",
        ),
        (
            lambda: lively().trace(TEXT, memory=lively(num_layers=1).trace(TEXT, memory={}).remembered(3)),
            "encoder.layers.1.attn: the memory has nothing for it",
        ),
    ],
)
def test_what_cannot_be_remembered_is_refused(attempt, complaint):
    with pytest.raises(ValueError, match=complaint):
        attempt()
