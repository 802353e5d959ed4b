"""Where a loss comes from: parts whose sum is exact, charged nats, and kinds of words."""

import numpy as np
import pytest

from mini_bert.analysis.direct_paths import CONSTANT, direct_paths
from mini_bert.analysis.lessons import lesson_of, loss_at
from mini_bert.analysis.loss_components import loss_components
from mini_bert.analysis.reading import read
from mini_bert.analysis.word_losses import (
    FREQUENCY,
    PART_OF_SPEECH,
    PIECE,
    PLACE,
    SHOWN,
    losses_of,
    word_losses,
)
from mini_bert.data.world import story
from mini_bert.evaluation.intrinsic.exam_text import Tagged
from mini_bert.models.config import ModelConfig
from mini_bert.models.zoo import MEMBERS
from mini_bert.training.masking import Disguise
from tests.tolerances import assert_close
from tests.unit.analysed_models import SIZES, lively, member
from tests.unit.variants import MODERN

TEXT = "The wolf and the [MASK] sleep."
TEXTS = [story(number, 5).sentences[0].text for number in range(12)]


@pytest.mark.parametrize("name", [name for name in MEMBERS if name != "electra"])
def test_the_parts_of_every_member_add_up_to_its_logits(tokenizer, name):
    model = member(name, tokenizer)
    reading = read(model, "The wolf and the dog sleep.")
    paths = direct_paths(model, reading)
    assert_close(paths.logits, reading.passed.logits[0, reading.asked])
    assert paths.residue < 1e-12
    asked = reading.passed.logits[0, reading.asked]
    own = np.take_along_axis(asked, paths.words[:, None], 1)[:, 0] - asked.mean(1)
    assert_close(paths.of_words.sum(0), own)


def test_a_part_goes_through_the_final_norm_with_its_scale_held(tokenizer):
    """By hand, of a pre-norm model: γ (c − mean c) / σ, with σ of the whole stream."""
    config = ModelConfig.preset("debug", **SIZES, vocab_size=tokenizer.vocab_size, residual="pre-norm")
    model = lively(config, tokenizer)
    reading = read(model, TEXT, target="dog")
    paths = direct_paths(model, reading)
    place = reading.asked[0]
    stream, wrote = (reading.passed[name][0, place] for name in ("layer_output_2", "ffn_output_1"))
    by_hand = model.params["gamma_f"] * (wrote - wrote.mean()) / np.std(stream)
    assert_close(paths.parts[paths.names.index("feed-forward 1"), 0], by_hand)


def test_a_part_of_a_post_norm_model_passes_every_norm_above_it(tokenizer):
    model = member("mini", tokenizer)
    reading = read(model, TEXT, target="dog")
    place, paths = reading.asked[0], direct_paths(model, read(model, TEXT, target="dog"))

    def normed(part, whole, gain):
        return model.params[gain] * (part - part.mean()) / np.std(reading.passed[whole][0, place])

    part = reading.passed["attention_output_2"][0, place]
    for whole, gain in (
        ("residual1_2", "gamma1_2"),
        ("residual2_2", "gamma2_2"),
        ("layer_output_2", "gamma_f"),
    ):
        part = normed(part, whole, gain)
    assert_close(paths.parts[paths.names.index("attention 2"), 0], part)


def test_modern_parts_and_models_without_a_norm_at_the_end(tokenizer):
    sizes = SIZES | {"vocab_size": tokenizer.vocab_size}
    for changes in (MODERN, {"residual": "pre-norm", "final_norm": False}, {"checkpoint_activations": True}):
        model = lively(ModelConfig.preset("debug", **sizes | changes), tokenizer)
        assert direct_paths(model, read(model, TEXT, target="dog")).residue < 1e-12


def test_nats_lead_from_guessing_to_the_loss(tokenizer):
    model = member("bert", tokenizer)
    reading = read(model, TEXT, target="dog")
    found = loss_components(model, reading)
    assert_close(found.loss, reading.passed.loss)
    assert found.guessing == pytest.approx(np.log(tokenizer.vocab_size))
    assert_close(found.guessing + sum(found.by_part.values()), found.loss)
    assert_close(sum(found.by_kind.values()), sum(found.by_part.values()))
    assert found.residue < 1e-9
    assert set(found.kinds) == {"embeddings", "attention", "feed-forward", "constant"}


def test_a_part_that_says_nothing_is_charged_nothing(tokenizer):
    model = member("mini", tokenizer)
    for name in ("W_O_1", "b_O_1"):
        model.params[name] *= 0
    found = loss_components(model, read(model, TEXT, target="dog"))
    assert found.by_part["attention 1"] == 0
    assert found.by_part["attention 2"] != 0


def test_only_a_part_that_tells_words_apart_is_charged(tokenizer):
    """With a decoder of zeros, all there is to know is in its bias."""
    model = member("mini", tokenizer)
    model.params["W_mlm"] *= 0
    found = loss_components(model, read(model, TEXT, target="dog"))
    assert {name for name, nats in found.by_part.items() if nats} == {CONSTANT}
    assert_close(found.guessing + found.by_part[CONSTANT], found.loss)


def test_a_batch_is_charged_as_its_words_are(tokenizer):
    model = member("roberta", tokenizer, positions="learned")
    lesson = lesson_of(model, TEXTS)
    found = loss_components(model, lesson)
    assert_close(found.loss, loss_at(model, lesson))
    assert len(found.losses) == (lesson.batch.weights > 0).sum()


@pytest.mark.parametrize(
    ("name", "given", "said"),
    [
        ("electra", "text", "only the logits of words are divided among the parts"),
        ("xlnet", "batch", "a batch with an order of words"),
        ("mini", "unwatched", "has not watched everything"),
    ],
)
def test_what_cannot_be_divided_is_refused(tokenizer, name, given, said):
    model = member(name, tokenizer)
    what = {
        "text": lambda: TEXT.replace("[MASK]", "dog"),
        "batch": lambda: lesson_of(model, TEXTS),
        "unwatched": lambda: read(model, TEXT, target="dog", watch=()),
    }[given]()
    with pytest.raises(ValueError, match=said):
        loss_components(model, what)


@pytest.fixture(scope="module")
def words(tokenizer):
    return word_losses(member("mini", tokenizer), TEXTS, share=0.4)


def test_the_words_of_all_groups_are_all_words(tokenizer, words):
    model = member("mini", tokenizer)
    lesson = lesson_of(model, TEXTS, share=0.4, disguise=Disguise())
    assert_close(words.loss, loss_at(model, lesson))
    for grouping in words.groupings:
        groups = words.by(grouping)
        assert sum(group.words for group in groups) == len(words.losses)
        assert sum(group.share for group in groups) == pytest.approx(1)
        assert sum(group.loss * group.words for group in groups) == pytest.approx(words.losses.sum())
    with pytest.raises(ValueError, match="unknown grouping 'colour'"):
        words.by("colour")


def test_a_word_is_where_it_was_hidden(tokenizer, words):
    for word, row, place in zip(words.words, words.rows, words.places, strict=True):
        assert tokenizer.encode(TEXTS[row])[place] == word


def test_what_is_shown_follows_the_disguise(tokenizer):
    model = member("mini", tokenizer)
    for disguise, expected in (
        (Disguise(1, 0), {"behind [MASK]"}),
        (Disguise(0, 0), {"left as it is"}),
        (Disguise(0.5, 0), {"behind [MASK]", "left as it is"}),
    ):
        found = word_losses(model, TEXTS, disguise=disguise)
        assert {group.name for group in found.by(SHOWN)} == expected


def test_pieces_places_and_counts(tokenizer, words):
    starts = tokenizer.starts_word()
    _, pieces = words.groupings[PIECE]
    assert {bool(starts[word]) for word in words.words[pieces == "later pieces"]} == {False}
    assert all(starts[word] for word in words.words[pieces != "later pieces"])
    _, fifth = words.groupings[PLACE]
    assert fifth[words.places == words.places.min()][0].endswith("1 of 5")
    counts = np.zeros(tokenizer.vocab_size, int)
    counts[words.words[0]] = 500
    model = member("mini", tokenizer)
    found = losses_of(model, lesson_of(model, TEXTS, share=0.4), counts)
    _, bands = found.groupings[FREQUENCY]
    assert set(bands[found.words == words.words[0]]) == {"occurs 100–999"}
    assert set(bands[found.words != words.words[0]]) == {"occurs never"}


def test_parts_of_speech_come_from_gold(tokenizer):
    model = member("mini", tokenizer)
    text, tags = (
        "The wolf sleeps.",
        [Tagged(0, 3, "DET"), Tagged(4, 8, "NOUN"), Tagged(9, 15, "VERB"), Tagged(15, 16, "PUNCT")],
    )
    found = word_losses(model, [text], tags=[tags], share=1.0)
    _, parts = found.groupings[PART_OF_SPEECH]
    offsets = tokenizer.encoding(text).offsets
    for part, place in zip(parts, found.places, strict=True):
        assert part == next(tag.tag for tag in tags if tag.start <= offsets[place][0] < tag.end)
    with pytest.raises(ValueError, match="tags: of 0 texts, but there are 1"):
        word_losses(model, [text], tags=[])


def test_a_causal_model_is_asked_for_every_next_word(tokenizer):
    model = member("gpt2", tokenizer)
    found = word_losses(model, TEXTS)
    assert SHOWN not in found.groupings
    assert all(
        tokenizer.encode(TEXTS[r])[p] == w
        for w, r, p in zip(found.words, found.rows, found.places, strict=True)
    )


@pytest.mark.parametrize("texts", [[], [" "], ["The wolf.", ""]])
def test_texts_without_words_are_refused(tokenizer, texts):
    with pytest.raises(ValueError, match="texts: some are empty, or there are none"):
        lesson_of(member("mini", tokenizer), texts)


def test_figures_are_drawn(tokenizer, words):
    found = loss_components(member("mini", tokenizer), TEXT.replace("[MASK]", "dog"))
    assert ">attention 0<" in found._repr_svg_()
    assert words.figure().axes
    assert words.figure(SHOWN).axes
