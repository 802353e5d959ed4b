"""What decides an answer: the logit lens, patching and ablation, against passes with other weights and other hooks."""

import numpy as np
import pytest

from mini_bert import MiniBERT
from mini_bert.analysis.ablation import KINDS, ablation
from mini_bert.analysis.logit_lens import logit_lens
from mini_bert.analysis.patching import patching
from mini_bert.analysis.reading import read
from mini_bert.analysis.removal import without_heads
from mini_bert.analysis.without_positions import without_positions
from mini_bert.core.functions.softmax import log_softmax, softmax
from mini_bert.core.trace import Trace
from mini_bert.models.zoo import MEMBERS
from tests.tolerances import assert_close
from tests.unit.small_zoo import TELLING_WORDS, small_model
from tests.unit.variants import MODERN

TEXT, OTHER = "The dog saw the [MASK].", "The cat saw the [MASK]."


def log_p(model, ids, place, answer, **choices):
    return float(log_softmax(model.trace([ids], **choices).logits[0, place])[answer])


@pytest.mark.parametrize("member", TELLING_WORDS)
def test_the_last_layer_says_what_the_model_says(tokenizer, member):
    reading = read(small_model(tokenizer, member), TEXT)
    places = range(len(reading.pieces))
    found = logit_lens(reading, places=places, top=3)
    probs = softmax(reading.passed.logits[0])
    assert_close(found.probabilities[-1], np.sort(probs, axis=-1)[:, :-4:-1])
    assert_close(found.divergence[-1] + 1, np.ones(len(places)))
    assert (found.divergence >= -1e-12).all()
    assert found.divergence[0].max() > 1e-3


def test_of_a_pre_norm_model_the_residual_stream_is_normalized_and_read(tokenizer):
    reading = read(small_model(tokenizer, residual="pre-norm"), TEXT, target="cat")
    (place,), params = reading.masked, reading.model.params
    found = logit_lens(reading)
    for row, name in enumerate(["embeddings", "layer_output_0", "layer_output_1"]):
        x = reading.passed[name][0, place]
        normed = params["gamma_f"] * (x - x.mean()) / np.sqrt(x.var() + 1e-12) + params["beta_f"]
        probs = softmax(normed @ params["W_mlm"] + params["b_mlm"])
        answer = tokenizer.token_to_id["cat"]
        assert_close(found.answer_probability[row, 0], probs[answer])
        assert found.rank[row, 0] == (probs > probs[answer]).sum()
        assert found.words[row][0][0] == tokenizer.id_to_token[int(probs.argmax())]
    assert found.answers == ("cat",)
    assert found.places == (place,)


def test_the_lens_shows_its_words_and_refuses_other_models(tokenizer):
    found = logit_lens(small_model(tokenizer), TEXT)
    assert found.rank[-1, 0] == 0, "without a target, the answer is the model's own"
    assert "5 [MASK]" in found._repr_svg_()
    assert "layer 1" in found._repr_svg_()
    with pytest.raises(ValueError, match="no words"):
        logit_lens(small_model(tokenizer, "electra"), TEXT)
    with pytest.raises(ValueError, match="choose some from 0 to 7"):
        logit_lens(small_model(tokenizer), TEXT, places=[8])
    with pytest.raises(ValueError, match="top=0"):
        logit_lens(small_model(tokenizer), TEXT, top=0)


@pytest.mark.parametrize("member", TELLING_WORDS)
def test_a_patch_restores_where_the_difference_passes(tokenizer, member):
    model = small_model(tokenizer, member)
    if member in ("gpt2", "transformer-xl"):
        found = patching(model, "the dog saw it", "the cat saw it", answer={4: "dog"})
        asked, differs = 4, 2
    else:
        found = patching(model, TEXT, OTHER)
        asked, differs = 5, 2
    assert found.restored[0, differs] == pytest.approx(1), "the embeddings differ there only"
    assert np.delete(found.restored[0], differs) == pytest.approx(0, abs=1e-9)
    assert found.restored[-1, asked] == pytest.approx(1), "the answer is read from there only"
    assert np.delete(found.restored[-1], asked) == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize(
    ("what", "name"),
    [
        ("attention", "attention_output_1"),
        ("feed-forward", "ffn_output_1"),
        ("V_*", "V_1"),
        ("residual", "layer_output_0"),
    ],
)
def test_each_patch_is_a_pass_of_its_own(tokenizer, what, name):
    model = small_model(tokenizer)
    clean, corrupted = read(model, TEXT), read(model, OTHER)
    found = patching(model, clean, corrupted, answer="cat", what=what)
    row, answer = found.rows.index(name), tokenizer.token_to_id["cat"]
    for place in range(len(clean.pieces)):

        def put(x, place=place):
            x[..., place, :] = clean.passed[name][..., place, :]
            return x

        assert_close(found.values[row, place], log_p(model, corrupted.ids, 5, answer, hooks={name: put}))
    assert_close(found.clean, log_p(model, clean.ids, 5, answer))


def test_heads_are_patched_one_by_one(tokenizer):
    model = small_model(tokenizer)
    clean, corrupted = read(model, TEXT), read(model, OTHER)
    found = patching(model, clean, corrupted, answer="cat", what="heads")
    assert found.restored.shape == (2, 2)

    def put(context):
        context[..., 8:] = clean.passed["context_0"][..., 8:]
        return context

    answer = tokenizer.token_to_id["cat"]
    assert_close(found.values[0, 1], log_p(model, corrupted.ids, 5, answer, hooks={"context_0": put}))
    assert "head 1" in found._repr_svg_()


def test_patching_refuses_texts_that_cannot_be_compared(tokenizer):
    model = small_model(tokenizer)
    with pytest.raises(ValueError, match="has 8 pieces"):
        patching(model, TEXT, "The big dog saw the [MASK].")
    with pytest.raises(ValueError, match="the same pieces"):
        patching(model, TEXT, TEXT)
    with pytest.raises(ValueError, match="unknown activation"):
        patching(model, TEXT, OTHER, what="nothing_like_it")
    with pytest.raises(ValueError, match="places 0 to 7"):
        patching(model, TEXT, OTHER, place=8)


def loss(model, reading, question="dog"):
    return -log_p(model, reading.ids, reading.masked[0], reading.model.tokenizer.token_to_id[question])


def with_weights(model, **changed):
    """A model of its own in which some weights are set to zero, wholly or in these columns of what is stored."""
    other = MiniBERT(model.config, dtype=model.dtype, seed=None)
    other.arena.flat[...] = model.arena.flat
    for name, columns in changed.items():
        other.arena[name.replace("__", ".")][..., columns] = 0
    return other


@pytest.mark.parametrize("settings", [{}, MODERN | {"bias": True}], ids=["post-norm", "modern"])
def test_a_part_that_is_taken_out_is_a_part_whose_weights_are_zero(tokenizer, settings):
    model = small_model(tokenizer, **settings)
    reading = read(model, TEXT, target="dog")
    found = ablation(reading)
    assert_close(found.whole, loss(model, reading))
    for layer in range(2):
        at = f"encoder.layers.{layer}"
        attn, ffn = f"{at}.attn.output".replace(".", "__"), f"{at}.ffn.down".replace(".", "__")
        every = slice(None)
        expected = {
            ("head", 0): {f"{attn}__weight": slice(0, 8)},
            ("head", 1): {f"{attn}__weight": slice(8, 16)},
            ("attention", None): {f"{attn}__weight": every, f"{attn}__bias": every},
            ("feed-forward", None): {f"{ffn}__weight": every, f"{ffn}__bias": every},
        }
        for (kind, head), zeros in expected.items():
            (part,) = [p for p in found.of_kind(kind) if (p.layer, p.head) == (layer, head)]
            assert_close(part.value, loss(with_weights(model, **zeros), reading))
            assert_close(part.change, part.value - found.whole)


@pytest.mark.parametrize("residual", ["post-norm", "pre-norm"])
def test_a_model_without_its_last_layer_is_a_smaller_model(tokenizer, residual):
    model = small_model(tokenizer, residual=residual)
    reading = read(model, TEXT, target="dog")
    smaller = MiniBERT(model.config.changed(num_layers=1), dtype=model.dtype, seed=None)
    for name, weight in smaller.arena.items():
        weight[...] = model.arena[name]
    (last,) = [part for part in ablation(reading).of_kind("layer") if part.layer == 1]
    assert_close(last.value, loss(smaller, reading))


@pytest.mark.parametrize("member", [name for name in MEMBERS if not MEMBERS[name].build().causal])
def test_without_positions_the_order_of_pieces_means_nothing(tokenizer, member):
    model = small_model(tokenizer, member)
    ids = np.array([tokenizer.encode("the dog saw the big cat .")])
    shuffled = ids.copy()
    shuffled[0, 1:-1] = ids[0, 1:-1][::-1]
    bare = without_positions(model.network)

    def first_state(network, row):
        return network.encode(row, Trace(model.arena, keeps=False))[0, 0]

    assert_close(first_state(bare, shuffled), first_state(bare, ids))
    difference = abs(first_state(model.network, shuffled) - first_state(model.network, ids)).max()
    assert difference > 1e-3, "with them it does"


def test_without_learned_positions_is_a_table_of_zeros(tokenizer):
    model = small_model(tokenizer)
    reading = read(model, TEXT, target="dog")
    (positions,) = ablation(reading).of_kind("positions")
    assert_close(
        positions.value, loss(with_weights(model, embeddings__position__weight=slice(None)), reading)
    )


@pytest.mark.parametrize("by", ["zero", "mean"])
def test_hooks_take_heads_out_for_good(tokenizer, by):
    model = small_model(tokenizer)
    reading = read(model, TEXT, target="dog")
    (part,) = [p for p in ablation(reading, by=by).of_kind("head") if (p.layer, p.head) == (1, 0)]
    hooks = without_heads(model, [(1, 0)], reading if by == "mean" else None)
    again = read(model, TEXT, target="dog", hooks=hooks)
    assert_close(part.value, again.passed.loss)
    if by == "mean":
        context = again.passed["context_1"][0]
        assert_close(
            context[:, :8], np.tile(reading.passed["context_1"][0, :, :8].mean(0), (len(context), 1))
        )
    with pytest.raises(ValueError, match="layers 0 to 1 with heads 0 to 1"):
        without_heads(model, [(0, 2)])


def test_over_several_readings_it_is_the_mean_over_all_that_is_asked(tokenizer):
    model = small_model(tokenizer)
    readings = [read(model, TEXT, target="dog"), read(model, "the cat saw a dog .", hidden=[1, 2, 5])]
    both = ablation(readings, kinds=["attention"])
    apart = [ablation(reading, kinds=["attention"]) for reading in readings]
    assert_close(both.whole, (apart[0].whole + 3 * apart[1].whole) / 4)
    for part in both.parts:
        values = [next(p for p in one.parts if p.layer == part.layer).value for one in apart]
        assert_close(part.value, (values[0] + 3 * values[1]) / 4)


@pytest.mark.parametrize("member", [*TELLING_WORDS, "electra"])
def test_the_most_missed_comes_first_for_every_member(tokenizer, member):
    text = "the dog saw it ." if member in ("electra", "gpt2", "transformer-xl") else TEXT
    reading = read(small_model(tokenizer, member), text)
    for measure, sign in (("loss", 1), ("probability", -1)):
        found = ablation(reading, measure=measure)
        changes = [sign * part.change for part in found.parts]
        assert changes == sorted(changes, reverse=True)
        assert {part.kind for part in found.parts} == set(KINDS)
        assert np.isfinite(changes).all()


def test_ablation_says_what_is_wrong(tokenizer):
    model = small_model(tokenizer)
    with pytest.raises(ValueError, match="unknown kind"):
        ablation(model, TEXT, kinds=["heads"])
    with pytest.raises(ValueError, match="unknown by"):
        ablation(model, TEXT, by="noise")
    with pytest.raises(ValueError, match="at least one"):
        ablation([])
    with pytest.raises(ValueError, match="different models"):
        ablation([read(model, TEXT), read(small_model(tokenizer), TEXT)])
    assert "positions" in ablation(model, TEXT)._repr_svg_()
