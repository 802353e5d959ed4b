"""Vectors of sentences: padding and batches change nothing, and a folder's own recipe is followed."""

import json

import numpy as np
import pytest

from mini_bert import from_pretrained
from mini_bert.data.world import texts
from mini_bert.inference import sentence_vectors as module
from mini_bert.inference.sentence_recipe import Recipe, recipe_in
from mini_bert.inference.sentence_vectors import batches, nearest, sentence_vectors
from mini_bert.models.config import ModelConfig
from mini_bert.models.mini import MiniBERT
from mini_bert.tokenizers import WordPieceTokenizer
from tests.tolerances import assert_close

STORIES = list(texts(60))
TEXTS = ["the dog", "", "a small dog sleeps in the warm house .", "snow", "the dog " * 9, "the dog"]


@pytest.fixture(scope="module")
def model():
    tokenizer = WordPieceTokenizer.train(STORIES, 300)
    made = MiniBERT(ModelConfig.preset("debug", vocab_size=tokenizer.vocab_size), seed=3, dtype=np.float64)
    made.tokenizer = tokenizer
    return made


@pytest.fixture
def folder(model, tmp_path):
    """The model as a folder, in which sentence-transformers may leave its files."""
    model.save(tmp_path)
    model.tokenizer.save(tmp_path)
    return tmp_path


def hidden(model, text, **what):
    ids = model.tokenizer.encode(text)
    return model.trace([ids], **what)["hidden"][0]


@pytest.mark.parametrize(
    ("pooling", "by_hand"),
    [("mean", lambda x: x.mean(0)), ("first", lambda x: x[0]), ("max", lambda x: x.max(0))],
)
@pytest.mark.parametrize("at_once", [1, 40, 10_000])
def test_each_text_has_the_vector_it_has_alone(model, monkeypatch, pooling, by_hand, at_once):
    monkeypatch.setattr(module, "TOKENS_AT_ONCE", at_once)
    vectors = sentence_vectors(model, TEXTS, pooling=pooling)
    assert vectors.dtype == np.float64
    assert_close(vectors, np.stack([by_hand(hidden(model, text)) for text in TEXTS]))


def test_the_states_of_any_layer(model):
    seen = [model.trace([model.tokenizer.encode(text)]) for text in TEXTS]
    depth = model.config.num_layers
    names = ["embeddings.out", *(f"encoder.layers.{i}.out" for i in range(depth - 1)), "hidden"]
    for layer, name in enumerate(names):
        vectors = sentence_vectors(model, TEXTS, layer=layer)
        assert_close(vectors, np.stack([one[name][0].mean(0) for one in seen]))
    with pytest.raises(ValueError, match=f"^layer 3: choose 0, the embeddings, to {depth}"):
        sentence_vectors(model, TEXTS, layer=depth + 1)
    with pytest.raises(
        ValueError, match=f"layer 1.5 is no whole number: choose 0, the embeddings, to {depth}"
    ):
        sentence_vectors(model, TEXTS, layer=1.5)


@pytest.mark.parametrize("length", [0, -1, 2.5])
def test_a_length_that_is_none_is_refused(model, length):
    with pytest.raises(ValueError, match=rf"max_length={length}: .* choose a whole number from 1 to 32"):
        sentence_vectors(model, TEXTS, max_length=length)


def test_long_texts_are_cut_and_keep_their_end_sign(model):
    ids = model.tokenizer.encode("the dog")
    [cut] = sentence_vectors(model, ["the dog sleeps ."], max_length=len(ids))
    assert_close(cut, model.trace([ids])["hidden"][0].mean(0))
    assert len(sentence_vectors(model, ["the dog " * 500])) == 1


def test_normalized_vectors_are_one_long_and_point_the_same_way(model):
    plain, unit = (sentence_vectors(model, TEXTS, normalize=wanted) for wanted in (False, True))
    assert_close((unit * unit).sum(1), np.ones(len(TEXTS)))
    assert_close(unit * np.sqrt((plain * plain).sum(1, keepdims=True)), plain)


def test_little_is_padded():
    lengths = list(np.random.default_rng(0).integers(3, 200, 1000))
    found = list(batches(lengths, module.TOKENS_AT_ONCE))
    assert sorted(i for batch in found for i in batch) == list(range(1000))
    filled = sum(len(batch) * max(lengths[i] for i in batch) for batch in found)
    assert filled < 1.02 * sum(lengths)
    assert max(len(batch) * max(lengths[i] for i in batch) for batch in found) <= module.TOKENS_AT_ONCE


def test_progress_is_told_to_the_end(model):
    told = []
    sentence_vectors(model, TEXTS, report=lambda done, note: told.append(done))
    assert told[-1] == 1
    assert told == sorted(told)


def test_no_texts_have_no_vectors(model):
    assert sentence_vectors(model, []).shape == (0, model.config.hidden_size)


def test_one_string_is_not_several_texts(model):
    with pytest.raises(ValueError, match="pass a list"):
        sentence_vectors(model, "the dog")


def test_the_nearest_are_those_with_the_largest_cosine(monkeypatch):
    monkeypatch.setattr(module, "ROWS_AT_ONCE", 2)
    vectors = np.array([[1.0, 0], [5, 0.1], [0, 2], [-1, 0.1], [0, 0]])
    near, cosines = nearest(vectors, 2)
    assert near[0].tolist() == [1, 2]
    assert near[2].tolist() == [3, 1]
    assert cosines[0, 0] == pytest.approx(5 / np.sqrt(25.01))
    assert (near != np.arange(5)[:, None]).all()
    assert nearest(vectors[:2], 9)[0].tolist() == [[1], [0]]


class TestRecipe:
    def write(self, folder, pooling, modules=("Transformer", "Pooling", "Normalize"), **reading):
        paths = {"Transformer": "", "Pooling": "1_Pooling"}
        entries = [
            {"idx": i, "path": paths.get(kind, f"{i}_{kind}"), "type": f"sentence_transformers.models.{kind}"}
            for i, kind in enumerate(modules)
        ]
        (folder / "modules.json").write_text(json.dumps(entries))
        (folder / "1_Pooling").mkdir(exist_ok=True)
        (folder / "1_Pooling" / "config.json").write_text(json.dumps(pooling))
        (folder / "sentence_bert_config.json").write_text(json.dumps(reading))

    def test_a_folder_that_says_nothing(self, folder):
        assert recipe_in(folder) == recipe_in(None) == Recipe("mean", normalize=False, max_length=None)

    @pytest.mark.parametrize(
        ("described", "pooling"),
        [
            ({"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False}, "first"),
            ({"pooling_mode_cls_token": False, "pooling_mode_mean_tokens": True}, "mean"),
            ({"pooling_mode": "max"}, "max"),
            ({"pooling_mode": ["cls"]}, "first"),
            ({}, "mean"),
        ],
    )
    def test_old_and_new_spellings(self, folder, described, pooling):
        self.write(folder, described, max_seq_length=20)
        assert recipe_in(folder) == Recipe(pooling, normalize=True, max_length=20)

    def test_it_is_followed_unless_the_caller_says_otherwise(self, folder):
        self.write(folder, {"pooling_mode": "cls"}, max_seq_length=5)
        model = from_pretrained(folder)
        text = "a small dog sleeps in the warm house ."
        found = sentence_vectors(model, [text])
        assert_close(found, sentence_vectors(model, [text], pooling="first", normalize=True, max_length=5))
        assert not np.allclose(found, sentence_vectors(model, [text], pooling="mean"))
        assert not np.allclose(found, sentence_vectors(model, [text], max_length=9))

    def test_capital_letters_are_lowered_where_the_folder_says_so(self, model, folder):
        self.write(folder, {}, do_lower_case=True)
        seen = []
        loaded = from_pretrained(folder)
        encoding = loaded.tokenizer.encoding
        loaded.tokenizer.encoding = lambda text, **what: seen.append(text) or encoding(text, **what)
        sentence_vectors(loaded, ["The DOG"])
        assert seen == ["the dog"]

    @pytest.mark.parametrize(
        ("pooling", "modules", "reason"),
        [
            ({"pooling_mode_lasttoken": True}, ("Transformer", "Pooling"), "pooling by lasttoken"),
            ({"pooling_mode": ["mean", "max"]}, ("Transformer", "Pooling"), "pooling by mean and max"),
            ({}, ("Transformer", "Pooling", "Dense"), "Dense"),
        ],
    )
    def test_what_we_have_not_is_refused_and_can_be_overruled(self, folder, pooling, modules, reason):
        self.write(folder, pooling, modules)
        model = from_pretrained(folder)
        with pytest.raises(ValueError, match=f"was taught with {reason}, which we have not; say what"):
            sentence_vectors(model, ["the dog"])
        assert len(sentence_vectors(model, ["the dog"], pooling="mean")) == 1

    def test_a_prompt_that_would_be_left_out_is_refused(self, folder):
        self.write(folder, {})
        (folder / "config_sentence_transformers.json").write_text('{"default_prompt_name": "query"}')
        with pytest.raises(ValueError, match="the prompt 'query' before each text"):
            sentence_vectors(from_pretrained(folder), ["the dog"])

    def test_a_damaged_file_is_named(self, folder):
        (folder / "modules.json").write_text("[{")
        with pytest.raises(ValueError, match=r"modules.json: not valid JSON .* copy the file again"):
            recipe_in(folder)

    def test_an_unknown_pooling_is_refused(self, model):
        with pytest.raises(ValueError, match="did you mean 'mean'"):
            sentence_vectors(model, ["the dog"], pooling="meen")
