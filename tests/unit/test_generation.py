"""The loop of generation, and its front door."""

from dataclasses import dataclass

import numpy as np
import pytest

import mini_bert
from mini_bert.generation.continuing import continued, padded_left
from mini_bert.generation.decoder import decoder_of
from mini_bert.generation.generate import streamed
from mini_bert.generation.sampling import Sampling
from mini_bert.tokenizers.bpe import ByteLevelBPETokenizer
from mini_bert.tokenizers.frame import NO_FRAME
from mini_bert.tokenizers.wordpiece import WordPieceTokenizer
from tests.unit.causal_models import TEXT, VARIANTS, T, V, lively

WRITERS = VARIANTS | {"a memory": {"positions": "transformer-xl", "memory": 7}}
PROMPTS = [[5, 6, 7], [9], [3, 4, 13, 14, 23, 24, 33, 34]]


@pytest.mark.parametrize("settings", WRITERS.values(), ids=WRITERS)
def test_each_of_several_texts_is_what_it_is_alone(settings):
    """Beyond the window too, and whoever ends first."""
    model = lively(**settings)
    choices = {"max_new_tokens": 40, "top_k": 10, "stop": [6, 11]}
    together = model.generate([PROMPTS[0], *PROMPTS], **choices)
    assert len({len(text) for text in together}) > 2
    for number, prompt in enumerate([PROMPTS[0], *PROMPTS]):
        alone = continued([prompt], lambda: decoder_of(model), Numbered(number), limit=40, stops=[6, 11])
        assert together[number] == [*prompt, *(tokens[0] for tokens in alone)]


@dataclass(frozen=True)
class Numbered:
    """The choice of a text that is number `number` among others."""

    number: int

    def __call__(self, logits, texts, step):
        return Sampling(top_k=10)(logits, texts + self.number, step)


def test_greedy_is_the_likeliest_at_each_place():
    model = lively()
    text = model.generate(PROMPTS[2], greedy=True, max_new_tokens=T - 8)
    assert len(text) == T
    logits, _ = model.forward([text])
    assert logits[0, 7:-1].argmax(-1).tolist() == text[8:]
    assert len(set(text[8:])) > 2


def test_the_window_moves_by_half():
    """A full model reads the last half of the window again, and goes on to the end of it."""
    model = lively()
    text = model.generate(PROMPTS[0], greedy=True, max_new_tokens=60)
    for place in range(3, 63):
        begin = 0 if place <= T else place - T // 2 - (place - T - 1) % (T // 2 + 1)
        window = text[begin:place]
        assert T // 2 <= len(window) <= T or place <= T
        assert int(model.forward([window])[0][0, -1].argmax()) == text[place], place


def test_a_prompt_longer_than_the_model_is_read_from_its_end():
    model = lively()
    long = TEXT.reshape(-1).tolist()
    found = model.generate(long, greedy=True, max_new_tokens=1)
    assert found[-1] == model.generate(long[-(T // 2) :], greedy=True, max_new_tokens=1)[-1]


def test_the_same_seed_says_the_same():
    model = lively()
    first, again, other = (model.generate(PROMPTS, seed=seed) for seed in (1, 1, 2))
    assert first == again != other
    assert mini_bert.generate(model, PROMPTS, seed=1) == first


def test_it_ends_with_the_token_that_ends_it():
    model = lively()
    text = model.generate([5], seed=3)
    end = text[4]
    assert model.generate([5], seed=3, stop=[end]) == text[: text.index(end, 1) + 1]


def test_a_row_or_a_list_comes_back_as_it_came():
    model = lively()
    assert model.generate(np.array([5, 6]), seed=1) == model.generate([5, 6], seed=1)
    assert model.generate(np.array([[5, 6]]), seed=1) == [model.generate([5, 6], seed=1)]


def test_padding_on_the_left():
    ids, is_real = padded_left([[1, 2, 3], [4]], 9)
    assert ids.tolist() == [[1, 2, 3], [9, 9, 4]]
    assert is_real.tolist() == [[True] * 3, [False, False, True]]


@pytest.fixture
def writer():
    """A model with a byte-level vocabulary, in which é takes two tokens."""
    model = lively(vocab_size=300)
    model.tokenizer = ByteLevelBPETokenizer.train(["a b c"], 263)
    return model


def test_text_for_text(writer):
    one = writer.generate("a b", seed=2)
    assert one.startswith("a b")
    assert writer.generate(["a b", "c"], seed=2)[0] == one
    assert len(writer.tokenizer.encode(one, add_special_tokens=False)) > 10


def test_only_what_the_vocabulary_has_is_said(writer):
    known = writer.tokenizer.vocab_size
    assert known < writer.config.vocab_size
    assert max(writer.generate([[5]] * 20, max_new_tokens=20)[0]) < known


@pytest.mark.parametrize("seed", range(5))
def test_pieces_of_a_stream_are_the_text(writer, seed):
    pieces = list(streamed(writer, "a b", Sampling(seed=seed), max_new_tokens=30))
    assert "".join(pieces) == writer.generate("a b", seed=seed, max_new_tokens=30)
    assert pieces[0] == "a b"
    assert len(pieces) > 10


def test_a_character_of_two_tokens_is_shown_when_it_is_whole(writer):
    é = writer.tokenizer.encode("é", add_special_tokens=False)
    assert len(é) == 2
    said = iter([*é, *é])
    pieces = list(streamed(writer, "a", lambda logits, texts, step: np.array([next(said)]), max_new_tokens=3))
    assert pieces == ["a", "é", "\ufffd"]


def test_a_text_begins_as_in_training_and_ends_at_a_separator():
    model = lively()
    model.tokenizer = WordPieceTokenizer.train(["the cat sat on the mat"], 26)
    cls, sep = (model.tokenizer.token_to_id[token] for token in ("[CLS]", "[SEP]"))
    read = []

    def say(logits, texts, step):
        read.append(logits.shape)
        return np.array([sep if step == 2 else model.tokenizer.token_to_id["cat"]])

    assert "".join(streamed(model, "the", say)) == "the cat cat"
    assert len(read) == 3
    assert model.generate("the", greedy=True, max_new_tokens=1) == model.tokenizer.decode(
        model.generate(
            [cls, *model.tokenizer.encode("the", add_special_tokens=False)], greedy=True, max_new_tokens=1
        ),
        skip_special_tokens=True,
    )


def test_without_a_word_a_text_begins_where_another_ended(writer):
    writer.tokenizer.frame = NO_FRAME  # as GPT-2's
    end = writer.tokenizer.token_to_id[writer.tokenizer.roles.end]
    expected = writer.tokenizer.decode(writer.generate([end], seed=4), skip_special_tokens=True)
    assert writer.generate("", seed=4) == expected


@pytest.mark.parametrize(
    ("prompt", "choices", "message"),
    [
        ("the", {}, "no tokenizer beside this model"),
        ([5], {"max_new_tokens": 0}, "max_new_tokens 0: ask for at least 1 token"),
        ([5], {"greedy": True, "top_k": 3}, "greedy takes the likeliest token"),
        ([5], {"top_p": 2}, "top_p 2"),
        ([], {}, "no prompt is given"),
        ([[5], []], {}, r"prompt 1: expected some ids in a row, got shape \(0,\)"),
        ([5, V], {}, rf"prompt 0\[1\] = {V} is outside 0..{V - 1}"),
        ([0.5], {}, "prompt 0: expected integers"),
        (5, {}, "prompt 5: give a text, ids, or a list of them"),
    ],
)
def test_what_cannot_be_continued(prompt, choices, message):
    with pytest.raises(ValueError, match=message):
        lively().generate(prompt, **choices)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"causal": False}, "sees the whole text at once"),
        ({"head": "tags"}, "tells tags, not words"),
    ],
)
def test_models_that_cannot_continue(settings, message):
    with pytest.raises(ValueError, match=message):
        lively(**settings).generate([5])


def test_weights_that_are_no_numbers_are_refused():
    model = lively()
    model.arena.flat[3] = np.nan
    with pytest.raises(ValueError, match="not finite"):
        model.generate([5])
