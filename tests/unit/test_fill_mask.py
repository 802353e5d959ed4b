"""Filling in hidden words: the same answers as from all positions, for each sign of a mask, and clear refusals."""

import re

import numpy as np
import pytest

from mini_bert import from_pretrained
from mini_bert.core.functions.softmax import softmax
from mini_bert.data.world import texts
from mini_bert.inference.fill_mask import fill_mask, refuse_misspelt_mask
from mini_bert.inference.forward import Predictor
from mini_bert.models.config import ModelConfig
from mini_bert.models.electra import generator_of
from mini_bert.models.mini import MiniBERT
from mini_bert.tokenizers import ByteLevelBPETokenizer, WordPieceTokenizer
from mini_bert.tokenizers.special import MASK_ID, Roles

STORIES = list(texts(60))


def model_with(tokenizer, **settings):
    model = MiniBERT(ModelConfig.preset("debug", vocab_size=tokenizer.vocab_size, **settings), seed=3)
    model.arena.flat *= 5  # so that no two words are nearly as probable
    model.tokenizer = tokenizer
    return model


@pytest.fixture(scope="module")
def wordpiece():
    return WordPieceTokenizer.train(STORIES, 300)


@pytest.fixture(scope="module")
def model(wordpiece):
    return model_with(wordpiece)


@pytest.mark.parametrize(
    "settings", [{}, {"positions": "rotary"}, {"token_types": 2}, {"residual": "pre-norm"}]
)
def test_the_hidden_positions_alone_are_answered_as_all_positions_would_be(wordpiece, settings):
    model = model_with(wordpiece, **settings)
    text = "the [MASK] sleeps in the [MASK] ."
    ids = wordpiece.encode(text)
    logits, _ = model.forward([ids])
    blanks = fill_mask(model, text, top=7)
    assert [blank.place for blank in blanks] == [place for place, i in enumerate(ids) if i == MASK_ID]
    assert len(blanks) == 2
    for blank in blanks:
        probs = softmax(logits[0, blank.place])
        best = np.argsort(-probs)[:7]
        assert [guess.token for guess in blank.guesses] == [wordpiece.id_to_token[i] for i in best]
        assert np.allclose([guess.probability for guess in blank.guesses], probs[best], rtol=1e-4)


def test_a_model_of_two_streams_does_not_look_at_what_stands_in_a_gap(wordpiece):
    model = MiniBERT(
        ModelConfig.preset("xlnet-mini", vocab_size=wordpiece.vocab_size), seed=3, dtype=np.float64
    )
    model.tokenizer = wordpiece

    def odds():
        """How much more probable one word is than another, for each gap."""
        blanks = fill_mask(model, "the [MASK] sleeps in the [MASK] .", top=wordpiece.vocab_size)
        found = [{guess.token: guess.probability for guess in blank.guesses} for blank in blanks]
        return [one["the"] / one["."] for one in found]

    before = odds()
    assert abs(before[0] / before[1] - 1) > 1e-6  # the gaps are told apart by their places
    model.params["token_embeddings"][MASK_ID] += 1
    assert odds() == pytest.approx(before, rel=1e-9)


def test_many_rows_of_two_streams_are_asked_as_one_is(wordpiece):
    sizes = {"vocab_size": wordpiece.vocab_size, "hidden_size": 16, "num_heads": 2, "num_layers": 2}
    model = MiniBERT(ModelConfig.preset("xlnet-mini", **sizes), seed=3, dtype=np.float64)
    rng = np.random.default_rng(0)
    ids = rng.integers(5, wordpiece.vocab_size, (5, 8))
    places = rng.permuted(np.tile(np.arange(8), (5, 1)), axis=1)[:, :3]
    order = np.zeros(ids.shape, int)
    np.put_along_axis(order, places, 1, axis=1)
    everywhere = model.trace(ids, order=order).logits
    with Predictor(model, 2) as predictor:
        found = predictor.logits(ids, positions=places)
    expected = np.take_along_axis(everywhere, places[..., None], 1)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)
    assert not np.allclose(expected, np.take_along_axis(model.forward(ids)[0], places[..., None], 1))


def test_no_other_position_is_projected_to_the_vocabulary(model, monkeypatch):
    seen = []
    forward = type(model.network.head).forward

    def watched(head, x, t):
        seen.append(x.shape[1])
        return forward(head, x, t)

    monkeypatch.setattr(type(model.network.head), "forward", watched)
    fill_mask(model, "the [MASK] sleeps in the [MASK] .")
    assert seen == [2]


def test_the_usual_sign_stands_for_the_tokenizers_own():
    tokenizer = ByteLevelBPETokenizer.train(STORIES, 400, special_tokens=["<mask>"])
    tokenizer.roles = Roles(mask="<mask>")
    model = model_with(tokenizer)
    assert fill_mask(model, "the dog is [MASK].") == fill_mask(model, "the dog is <mask>.")
    [blank] = fill_mask(model, "the dog is <mask>.", top=50)
    assert not any(guess.word.startswith((" ", "Ġ")) for guess in blank.guesses if guess.word != guess.token)
    assert any(guess.token == f"Ġ{guess.word}" for guess in blank.guesses)


def test_asks_for_no_more_words_than_there_are(model):
    [blank] = fill_mask(model, "a [MASK]", top=10_000)
    assert len(blank.guesses) == model.config.vocab_size
    assert sum(guess.probability for guess in blank.guesses) == pytest.approx(1, rel=1e-4)


class TestRefuses:
    def test_a_text_without_a_mask(self, model):
        with pytest.raises(ValueError, match=r'no \[MASK\] in the text; write one for each .* "The cat'):
            fill_mask(model, "the dog sleeps")

    def test_the_tokenizers_own_sign_in_other_letters(self):
        with pytest.raises(ValueError, match="<Mask> hides no word; write it as the vocabulary does: <mask>"):
            refuse_misspelt_mask("the <Mask> sat", "<mask>")

    def test_a_text_that_is_too_long(self, model):
        with pytest.raises(
            ValueError, match="the text has 103 tokens, but the model reads at most 32; shorten it"
        ):
            fill_mask(model, "the " * 100 + "[MASK]")

    @pytest.mark.parametrize("head", ["classes", "tags", "replaced", "none"])
    def test_a_model_that_tells_no_words(self, wordpiece, head):
        with pytest.raises(ValueError, match="and no words; load one with head=words"):
            fill_mask(model_with(wordpiece, head=head), "a [MASK]")

    def test_an_electra_whose_generator_could(self, wordpiece, tmp_path):
        model = MiniBERT(
            ModelConfig.preset("electra-mini", positions="learned", vocab_size=wordpiece.vocab_size)
        )
        model.tokenizer = wordpiece
        with pytest.raises(ValueError, match=r"its generator fills in hidden words: .*save_pretrained"):
            fill_mask(model, "a [MASK]")
        assert len(fill_mask(generator_of(model), "a [MASK]")) == 1
        model.save_pretrained(tmp_path)
        with pytest.raises(ValueError, match=rf"load {re.escape(str(tmp_path / 'generator'))}$"):
            fill_mask(from_pretrained(tmp_path), "a [MASK]")
        assert len(fill_mask(from_pretrained(tmp_path / "generator"), "a [MASK]")) == 1

    def test_a_model_that_cannot_see_what_follows(self, wordpiece):
        with pytest.raises(ValueError, match="mini-bert generate"):
            fill_mask(model_with(wordpiece, causal=True), "a [MASK] b")

    def test_a_model_without_a_tokenizer(self):
        with pytest.raises(ValueError, match=r"no tokenizer beside this model.* copy its tokenizer.json"):
            fill_mask(MiniBERT("debug"), "a [MASK]")

    def test_a_vocabulary_without_a_mask(self):
        tokenizer = ByteLevelBPETokenizer.train(STORIES, 300)
        tokenizer.roles = Roles()
        with pytest.raises(ValueError, match="no sign for a hidden word"):
            fill_mask(model_with(tokenizer), "a [MASK]")

    def test_no_words(self, model):
        with pytest.raises(ValueError, match="choose 1 or more"):
            fill_mask(model, "a [MASK]", top=0)

    def test_weights_that_are_not_numbers(self, wordpiece):
        model = model_with(wordpiece)
        model.params["W1_0"][0, 0] = np.nan
        with pytest.raises(ValueError, match=r"ffn.up.weight: 1 of .* not finite"):
            fill_mask(model, "a [MASK]")
