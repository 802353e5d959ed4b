"""Words in the space of each layer: planes, neighbours, and how much a word stays itself."""

import numpy as np
import pytest

from mini_bert.analysis import nearest_words, read, representation_geometry, self_similarity
from mini_bert.analysis.geometry import aligned, geometry_of_layers, principal_plane
from mini_bert.analysis.words_read import words_in
from mini_bert.models.zoo import MEMBERS
from tests.tolerances import assert_close
from tests.unit.small_zoo import small_model

TEXTS = ["the dog saw the cat .", "snow is cold and white in the winter .", "a zzyzx cow saw the dog ."]


def rotation(rng, size):
    return np.linalg.qr(rng.normal(size=(size, size)))[0]


def test_a_word_is_the_mean_of_its_pieces_in_every_layer(tokenizer):
    model = small_model(tokenizer)
    found = words_in(model, TEXTS)
    reading = read(model, TEXTS[2])
    states = [reading.passed[name][0] for name in ("embeddings", "layer_output_0", "hidden_states")]
    number = found.find("zzyzx", text=2)
    word = found.words[number]
    assert word.last > word.first
    assert "".join(reading.pieces[word.first : word.last + 1]).replace("##", "") == "zzyzx"
    for layer, own in enumerate(states):
        assert_close(found.layers[layer, number], own[word.first : word.last + 1].mean(0))
    assert found.names[:6] == ("the", "dog", "saw", "the", "cat", ".")
    assert found.find(3) == 3


def test_the_plane_is_that_of_the_covariance():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(40, 6)) * [5, 3, 1, 1, 1, 1] @ rotation(rng, 6)
    points, shares = principal_plane(x)
    values, vectors = np.linalg.eigh(np.cov(x.T))
    assert_close(shares, values[::-1][:2] / values.sum())
    projected = (x - x.mean(0)) @ vectors[:, ::-1][:, :2]
    assert_close(np.abs(points), np.abs(projected))
    flat, share = principal_plane(np.outer(np.arange(5.0), np.ones(3)))
    assert_close(share, np.array([1.0, 0.0]))
    assert abs(flat[:, 1]).max() < 1e-14


def test_planes_are_turned_to_lie_as_the_one_before():
    rng = np.random.default_rng(1)
    x = rng.normal(size=(12, 2))
    turned = np.stack([x, x @ rotation(rng, 2), 3 * x @ (rotation(rng, 2) * [1, -1])])
    found = aligned(turned)
    assert_close(found[1], x)
    assert_close(found[2], 3 * x)
    noisy = np.stack([x, x + rng.normal(size=x.shape)])
    best = np.linalg.norm(aligned(noisy)[1] - x)
    for angle in np.linspace(0, 2 * np.pi, 200):
        turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        assert best <= np.linalg.norm(noisy[1] @ turn - x) + 1e-12


def test_states_turned_in_space_have_the_same_picture():
    rng = np.random.default_rng(2)
    x = rng.normal(size=(30, 8)) * np.arange(8, 0, -1)
    found = geometry_of_layers([x, 2 * x @ rotation(rng, 8) + 5])
    assert_close(found.scaled[1], found.scaled[0])
    assert_close(found.similarity, np.ones((2, 2)))
    assert_close(found.effective_dimension[1], found.effective_dimension[0])
    assert found.anisotropy[1] > found.anisotropy[0] + 0.1


@pytest.mark.parametrize("member", MEMBERS)
def test_words_of_every_member_are_placed_and_drawn(tokenizer, member):
    found = representation_geometry(small_model(tokenizer, member), TEXTS)
    assert found.points.shape == (3, len(found.names), 2)
    assert found.text == tuple(sorted(found.text))
    spread = (found.scaled**2).sum(-1).mean(-1)
    assert_close(spread, np.ones(3))
    assert (found.explained.sum(1) <= 1 + 1e-12).all()
    if member == "mini":
        assert "winter" in found._repr_svg_()


@pytest.mark.parametrize("centre", [True, False])
def test_the_nearest_words_are_those_with_the_largest_cosines(tokenizer, centre):
    model = small_model(tokenizer)
    found = nearest_words(model, TEXTS[0], "cat", TEXTS[1:], top=4, centre=centre)
    every = words_in(model, TEXTS)
    number = every.find("cat")
    for layer, neighbours in enumerate(found.layers):
        x = every.layers[layer] - (every.layers[layer].mean(0) if centre else 0)
        cosines = {
            other: x[other] @ x[number] / np.linalg.norm(x[other]) / np.linalg.norm(x[number])
            for other in range(len(x))
            if other != number
        }
        best = sorted(cosines, key=lambda other: -cosines[other])[:4]
        assert [one.word for one in neighbours] == [every.words[other] for other in best]
        assert_close(np.array([one.cosine for one in neighbours]), np.array([cosines[one] for one in best]))
    assert "embeddings" in found._repr_svg_()


def test_a_word_is_itself_where_nothing_tells_places_apart(tokenizer):
    found = self_similarity(small_model(tokenizer, positions="rotary"), "dog", TEXTS)
    assert_close(found.cosines[0], np.ones((2, 2)))
    assert found.mean[0] == pytest.approx(1)
    assert (found.mean[1:] < 1).all()
    assert len(found.places) == 2
    every = words_in(small_model(tokenizer, positions="rotary"), TEXTS)
    a, b = (every.layers[:, every.words.index(place)] for place in found.places)
    cosine = (a * b).sum(-1) / np.linalg.norm(a, axis=-1) / np.linalg.norm(b, axis=-1)
    assert_close(found.mean, cosine)
    units = [one / np.linalg.norm(one, axis=-1, keepdims=True) for one in (a, b)]
    kept = [np.mean([one[layer] @ one[layer + 1] for one in units]) for layer in range(2)]
    assert_close(found.kept, np.array(kept))
    assert "any two words" in found._repr_svg_()


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda m: nearest_words(m, TEXTS[0], "cow", []), "choose one of: the, dog"),
        (lambda m: nearest_words(m, TEXTS[0], 9, []), "words 0 to 5"),
        (lambda m: nearest_words(m, "dog", "dog", []), "give more texts"),
        (lambda m: nearest_words(m, TEXTS[0], "dog", [], top=0), "1 or more"),
        (lambda m: self_similarity(m, "cat", TEXTS), "the texts have 1 of it"),
        (lambda m: representation_geometry(m, [""]), "not a single word"),
        (lambda m: geometry_of_layers([np.ones((1, 4))]), "at least two"),
        (lambda m: geometry_of_layers([np.ones((3, 4)), np.ones((2, 4))]), "the same ones"),
    ],
)
def test_what_cannot_be_placed_is_refused(tokenizer, ask, message):
    with pytest.raises(ValueError, match=message):
        ask(small_model(tokenizer))
