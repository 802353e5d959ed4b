"""How often units are active, on which words, and what they say."""

import numpy as np
import pytest

from mini_bert.analysis import feed_forward_patterns, promoted_words, read
from mini_bert.analysis.activity import Activity
from mini_bert.analysis.feed_forward import patterns_of_states
from mini_bert.models.zoo import MEMBERS
from tests.tolerances import assert_close
from tests.unit.small_zoo import small_model

TEXTS = [
    "the dog saw the cat .",
    "snow is cold and white in the winter , says the old man .",
    "a cow says [MASK] .",
]


def all_tokens(model, name):
    """What each text's own pass says, without special tokens: text, place, and the numbers."""
    rows = []
    for number, text in enumerate(TEXTS):
        reading = read(model, text)
        special = np.array(reading.encoding.special_tokens_mask, bool)
        rows += [
            (number, place, reading.passed[name][0, place]) for place in np.flatnonzero(~special).tolist()
        ]
    return rows


@pytest.mark.parametrize(
    "settings",
    [{}, {"activation": "gelu"}, {"feed_forward": "gated", "activation": "silu"}],
    ids=["relu", "gelu", "gated"],
)
def test_patterns_are_those_of_each_text_read_alone(tokenizer, settings):
    model = small_model(tokenizer, **settings)
    found = feed_forward_patterns(model, TEXTS, top=3)
    pre, hidden = all_tokens(model, "ffn_pre_1"), all_tokens(model, "ffn_hidden_1")
    h = np.stack([numbers for *_, numbers in hidden])
    assert found.tokens == len(h)
    layer = found[1]
    assert_close(layer.active, np.mean([numbers > 0 for *_, numbers in pre], axis=0))
    away = h - h.mean(0)
    assert_close(layer.std, np.sqrt((away**2).mean(0)))
    with np.errstate(invalid="ignore"):
        kurtosis = (away**4).mean(0) / (away**2).mean(0) ** 2
    moves = layer.std > 1e-6
    assert_close(layer.kurtosis[moves], kurtosis[moves], rtol=1e-6)
    assert_close(layer.largest, np.abs(h).max(0))
    for unit in range(24):
        best = sorted(hidden, key=lambda row: -row[2][unit])[:3]
        contexts = layer.contexts(unit)
        expected = [(text, place) for text, place, numbers in best if numbers[unit] > 0]
        assert [(one.text, one.place) for one in contexts] == expected
        for one in contexts:
            assert one.piece == read(model, TEXTS[one.text]).pieces[one.place]


def test_dead_units_are_those_that_nothing_wakes(tokenizer):
    model = small_model(tokenizer)
    model.params["b1_0"][[3, 17]] = -1e3
    found = feed_forward_patterns(model, TEXTS)
    assert {3, 17} <= set(found[0].dead)
    assert found[0].contexts(3) == []
    assert np.isnan(found[0].kurtosis[3])
    model.params["b1_0"][3] = 1e3
    assert 3 not in feed_forward_patterns(model, TEXTS)[0].dead


def test_any_number_of_batches_counts_the_same():
    rng = np.random.default_rng(0)
    pre = rng.normal(size=(50, 6))
    hidden = np.maximum(pre, 0)
    whole, parts = Activity(4), Activity(4)
    whole.add(pre, hidden)
    for start, stop in ((0, 1), (1, 3), (3, 3), (3, 40), (40, 50)):
        parts.add(pre[start:stop], hidden[start:stop])
    assert parts.tokens == 50
    for name in ("active", "mean", "std", "kurtosis", "largest", "top_values"):
        assert_close(getattr(parts, name), getattr(whole, name))
    assert np.array_equal(parts.top_tokens, whole.top_tokens)


def test_states_at_hand_have_the_patterns_of_the_pass(tokenizer):
    model = small_model(tokenizer)
    passed = read(model, TEXTS[0]).passed
    found = patterns_of_states(model, passed["norm1_1"], 1)
    assert_close(found.active, (passed["ffn_pre_1"][0] > 0).mean(0))
    with pytest.raises(ValueError, match="the model has layers 0 to 1"):
        patterns_of_states(model, passed["norm1_1"], 5)


@pytest.mark.parametrize("settings", [{"tied": True}, {"tied": True, "final_norm": False}, {}], ids=str)
def test_a_unit_that_writes_a_word_promotes_it(tokenizer, settings):
    model = small_model(tokenizer, **settings)
    word = tokenizer.token_to_id["dog"]
    row = model.params["token_embeddings"][word] if settings else model.params["W_mlm"][:, word]
    row *= 4  # no longer one comes near it
    model.params["W2_1"][7] = 3 * row
    found = promoted_words(model, 1, 7, top=4)
    assert found.promoted[0].word == "dog"
    scores = [one.score for one in found.promoted]
    assert scores == sorted(scores, reverse=True)
    model.params["W2_1"][7] *= -1
    assert promoted_words(model, 1, 7, top=4).suppressed[0].word == "dog"
    assert "dog" in found._repr_svg_()


@pytest.mark.parametrize("member", MEMBERS)
def test_every_member_of_the_family_has_patterns(tokenizer, member):
    model = small_model(tokenizer, member)
    found = feed_forward_patterns(model, TEXTS[:2])
    assert len(found) >= 2
    assert found.tokens == sum(len(tokenizer.encode(text)) - 2 for text in TEXTS[:2])
    assert all(one.active.shape == (24,) for one in found)
    if model.config.head == "words":
        assert len(promoted_words(model, 1, 3).promoted) == 10
    else:
        with pytest.raises(ValueError, match="not words"):
            promoted_words(model, 1, 3)


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda m: feed_forward_patterns(m, []), "at least one text"),
        (lambda m: feed_forward_patterns(m, "the dog"), "give a list"),
        (lambda m: feed_forward_patterns(m, ["", " "]), "not a single word"),
        (lambda m: feed_forward_patterns(m, TEXTS, top=0), "1 or more"),
        (lambda m: feed_forward_patterns(m, TEXTS)[0].contexts(24), "units 0 to 23"),
        (lambda m: promoted_words(m, 0, 24), "units 0 to 23"),
        (lambda m: promoted_words(m, 2, 0), "layers 0 to 1"),
    ],
)
def test_what_is_not_there_is_refused(tokenizer, ask, message):
    with pytest.raises(ValueError, match=message):
        ask(small_model(tokenizer))


def test_the_figure_says_how_much_was_read(tokenizer):
    found = feed_forward_patterns(small_model(tokenizer), TEXTS)
    assert f"{found.tokens} tokens" in found._repr_svg_()
