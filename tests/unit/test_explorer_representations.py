"""The view of representations: words of several texts, where they stand, and which are near."""

import numpy as np
import pytest

from mini_bert.analysis.geometry import geometry_of_layers
from mini_bert.analysis.words_read import words_in
from mini_bert.explorer.desk import Desk
from mini_bert.explorer.question import Question
from mini_bert.explorer.views.representations import (
    MOST_TEXTS,
    RepresentationsAsked,
    give_representations,
)
from mini_bert.explorer.wire import pack, unpack
from tests.tolerances import assert_close
from tests.unit.small_zoo import small_model

OWN = "the dog saw the cat ."
OTHERS = ("snow is cold and white in the winter .", "a zzyzx cow saw the dog .")


@pytest.fixture(scope="module")
def desk(tokenizer):
    return Desk.of(small_model(tokenizer))


def ask(desk, text=OWN, texts=OTHERS, **question):
    asked = RepresentationsAsked(question=Question(text=text, **question), texts=texts)
    return unpack(pack(give_representations(desk, asked)))


def words_only(desk):
    """Their states in each layer, their names, and the numbers of their texts."""
    read = words_in(desk.model(""), [OWN, *OTHERS])
    kept = [number for number, name in enumerate(read.names) if name != "."]
    return read.layers[:, kept], [read.names[n] for n in kept], [read.words[n].text for n in kept]


def test_words_stand_where_the_analysis_places_them(desk):
    found = ask(desk)
    layers, names, texts = words_only(desk)
    shape = geometry_of_layers(layers, names, texts)
    assert found["texts"] == [OWN, *OTHERS]
    assert [word["spelled"] for word in found["words"]] == list(shape.names)
    assert [word["text"] for word in found["words"]] == list(shape.text)
    assert found["layers"] == ["embeddings", "layer 0", "layer 1"]
    assert_close(found["points"], shape.scaled.astype(np.float32))
    for name in ("explained", "similarity", "anisotropy", "effective_dimension"):
        assert_close(found[name], getattr(shape, name).astype(np.float32))


def test_each_word_has_its_nearest_in_each_layer(desk):
    found = ask(desk)
    states = words_only(desk)[0].astype(np.float64)
    for layer, x in enumerate(states - states.mean(1, keepdims=True)):
        for number in range(len(x)):
            cosines = x @ x[number] / (np.linalg.norm(x, axis=1) * np.linalg.norm(x[number]))
            told = found["nearest"][layer, number]
            assert number not in told
            assert_close(found["cosines"][layer, number], cosines[told].astype(np.float32))
            others = np.delete(cosines, [number, *told])
            assert others.max() <= cosines[told].min() + 1e-12


def test_nothing_is_hidden_and_a_text_counts_once(desk):
    plain, hidden = ask(desk), ask(desk, hidden=(2,), texts=(*OTHERS, OWN, " ", f"{OTHERS[0]}  "))
    assert hidden["texts"] == plain["texts"]
    assert_close(hidden["points"], plain["points"])
    blank = ask(desk, text=" ")
    assert (plain["own"], blank["own"]) == (0, None)
    assert blank["texts"] == list(OTHERS)


def test_what_cannot_be_placed_is_refused_with_a_remedy(desk):
    with pytest.raises(ValueError, match="write a sentence"):
        ask(desk, text="", texts=())
    with pytest.raises(ValueError, match="write more words"):
        ask(desk, text="snow", texts=())
    with pytest.raises(ValueError, match="text 1: 3000 letters; write 2000 or fewer"):
        ask(desk, texts=("snow", "x" * 3000))
    many = tuple(f"{'the dog saw the cat ' * 6}{n}" for n in range(MOST_TEXTS))
    with pytest.raises(ValueError, match="take some out"):
        ask(desk, texts=many)
    with pytest.raises(ValueError, match="at most 20"):
        ask(desk, texts=("snow",) * (MOST_TEXTS + 1))
