"""One vector for each word, whatever the length of its sentence, and none computed twice."""

from weakref import ref

import numpy as np
import pytest

from mini_bert import MiniBERT, ModelConfig
from mini_bert.data.tasks import align
from mini_bert.evaluation import word_states as module
from mini_bert.evaluation.subject import Subject
from mini_bert.evaluation.word_states import word_states
from mini_bert.reports import silent

SENTENCES = [
    ("The", "dog", "sleeps", "in", "the", "house", "."),
    ("Snow", "falls", "."),
    ("a",) * 75,
    ("Unforgettably", "x" * 90, "good"),
]


@pytest.fixture
def subject(tokenizer):
    model = MiniBERT(ModelConfig.preset("debug", vocab_size=tokenizer.vocab_size))
    model.tokenizer = tokenizer
    with Subject(model) as subject:
        yield subject


def test_a_word_is_the_mean_of_its_pieces(subject, tokenizer):
    found = word_states(subject, SENTENCES)
    words = align(SENTENCES[0], tokenizer)
    seen = subject.model.trace(words.ids[None], watch=["embeddings.out", "encoder.layers.0.out", "hidden"])
    for layer, name in enumerate(["embeddings.out", "encoder.layers.0.out", "hidden"]):
        expected = words.spans.mean(seen[name][0])
        np.testing.assert_allclose(found.layers[layer][found.sentence(0)], expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("pooling", ["first", "last"])
def test_or_one_of_them(subject, tokenizer, pooling):
    found = word_states(subject, SENTENCES[:1], pooling).layers[-1]
    words = align(SENTENCES[0], tokenizer)
    states = subject.model.trace(words.ids[None])["hidden"][0]
    np.testing.assert_allclose(found, states[getattr(words.spans, pooling)], rtol=1e-4, atol=1e-5)


def test_long_sentences_are_read_in_parts_and_every_word_has_a_vector(subject):
    found = word_states(subject, SENTENCES)
    assert found.layers.shape == (3, 7 + 3 + 75 + 3, 32)
    assert np.isfinite(found.layers).all()
    room = subject.model.config.max_seq_length - 2
    alone = word_states(subject, [SENTENCES[2][room : 2 * room]]).layers
    second_part = found.layers[:, found.starts[2] + room : found.starts[2] + 2 * room]
    np.testing.assert_allclose(alone, second_part, rtol=1e-4, atol=1e-5)


def test_what_was_read_is_not_read_again(subject, monkeypatch):
    whole = word_states(subject, SENTENCES)
    monkeypatch.setattr(module, "layer_states", None)
    again = word_states(subject, [SENTENCES[1], SENTENCES[0]], layers=[2])
    expected = np.concatenate([whole.layers[2][whole.sentence(1)], whole.layers[2][whole.sentence(0)]])
    np.testing.assert_array_equal(again.layers[0], expected)
    for unread in ({"pooling": "first"}, {"sentences": [("never", "seen")]}):
        with pytest.raises(TypeError):
            word_states(subject, **{"sentences": SENTENCES, **unread})


def test_a_sentence_that_was_read_twice_does_not_shift_the_others(subject):
    a, b = SENTENCES[:2]
    twice = word_states(subject, [a, a, b])
    np.testing.assert_array_equal(word_states(subject, [a, b]).layers, twice.layers[:, len(a) :])


def test_a_twin_is_the_same_network_with_weights_of_its_own_and_remembers(subject, monkeypatch):
    with subject.random_twin() as twin:
        assert twin.model.config == subject.model.config
        assert not np.array_equal(twin.model.arena.flat, subject.model.arena.flat)
        read = word_states(twin, SENTENCES)
    assert not np.allclose(read.layers, word_states(subject, SENTENCES).layers)
    monkeypatch.setattr(module, "layer_states", None)
    with subject.random_twin() as twin:
        np.testing.assert_array_equal(word_states(twin, SENTENCES).layers, read.layers)
    with subject.random_twin(1) as other, pytest.raises(TypeError):
        word_states(other, SENTENCES)


def test_the_oldest_is_forgotten_where_there_is_no_room_for_all(subject, monkeypatch):
    size = word_states(subject, SENTENCES).layers.nbytes
    monkeypatch.setattr("mini_bert.evaluation.subject.MOST_REMEMBERED", 2 * size)
    for seed in (0, 1):
        with subject.random_twin(seed) as twin:
            word_states(twin, SENTENCES)
    assert list(subject.memory.read) == [0, 1]
    word_states(subject, SENTENCES)
    assert list(subject.memory.read) == [1, None]


def test_layers_in_turn_let_go_of_the_last_ones(subject, monkeypatch):
    whole = word_states(subject, SENTENCES).layers
    subject.memory.read.clear()
    monkeypatch.setattr(module, "MOST_AT_ONCE", 1)
    monkeypatch.setattr("mini_bert.evaluation.subject.MOST_REMEMBERED", 1)
    last = None
    for states, _ in module.layers_in_turn(subject, SENTENCES, "mean", range(3), silent):
        assert last is None or last() is None, "the vectors of the layer before are still held"
        ((layer, vectors),) = states.items()
        np.testing.assert_allclose(vectors, whole[layer], rtol=1e-4, atol=1e-5)
        last = ref(vectors)
        del vectors
