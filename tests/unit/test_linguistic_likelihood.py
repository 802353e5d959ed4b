"""How likely sentences are: by hand, however they are grouped, each question once, and clear refusals."""

from dataclasses import replace
from math import exp, log

import numpy as np
import pytest

from mini_bert.core.functions.softmax import log_softmax
from mini_bert.data.world import texts
from mini_bert.evaluation.exam import DoesNotApply
from mini_bert.evaluation.linguistic import hidden_words
from mini_bert.evaluation.linguistic.likelihood import pseudo_perplexity, sentence_scores
from mini_bert.evaluation.subject import Subject
from mini_bert.models.config import ModelConfig
from mini_bert.models.mini import MiniBERT
from mini_bert.tokenizers import ByteLevelBPETokenizer, WordPieceTokenizer
from mini_bert.tokenizers.frame import NO_FRAME
from mini_bert.tokenizers.special import MASK_ID

STORIES = list(texts(20))
SMALL = {"hidden_size": 32, "num_heads": 2, "intermediate_size": 48}
SENTENCES = ["The dog barks.", "The dogs bark.", "A cat sleeps near the door.", "The dog barks.", "Dogs!"]


def subject_with(tokenizer, preset="debug", **settings):
    config = ModelConfig.preset(preset, vocab_size=tokenizer.vocab_size, **settings)
    model = MiniBERT(config, seed=3, dtype=np.float64)
    model.arena.flat *= 5  # so that words differ in probability
    model.tokenizer = tokenizer
    return Subject(model)


def hidden_one_by_one(subject, text, within_word=False):
    ids = subject.tokenizer.encode(text)
    starts = subject.tokenizer.starts_word()
    total = 0.0
    for place in range(1, len(ids) - 1):
        row = list(ids)
        row[place] = MASK_ID
        after = place + 1
        while within_word and after < len(ids) - 1 and not starts[ids[after]]:
            row[after] = MASK_ID
            after += 1
        logits, _ = subject.model.forward([row])
        total += log_softmax(logits[0, place])[ids[place]]
    return total


@pytest.mark.parametrize(
    "settings", [{}, {"token_types": 2}, {"positions": "rotary"}, {"residual": "pre-norm"}]
)
@pytest.mark.parametrize("within_word", [False, True])
def test_a_sentence_is_the_sum_of_its_hidden_words(tokenizer, settings, within_word):
    with subject_with(tokenizer, **settings) as subject:
        scores = sentence_scores(subject, SENTENCES, within_word=within_word)
        expected = [hidden_one_by_one(subject, text, within_word) for text in SENTENCES]
    assert [score.total for score in scores] == pytest.approx(expected, rel=1e-9)
    assert [score.tokens for score in scores] == [len(tokenizer.encode(text)) - 2 for text in SENTENCES]


def test_hiding_the_rest_of_a_word_makes_it_less_certain_only_where_there_is_a_rest(tokenizer):
    long, short = "Velmora sleeps.", "The man."
    assert len(tokenizer.tokenize(long)) > 3
    assert len(tokenizer.tokenize(short)) == 3
    with subject_with(tokenizer) as subject:
        plain, within = (sentence_scores(subject, [long, short], within_word=flag) for flag in (False, True))
    assert plain[0].total != pytest.approx(within[0].total)
    assert plain[1].total == within[1].total


def test_a_model_that_knows_only_frequencies_gives_their_product(tokenizer):
    model = MiniBERT(ModelConfig.preset("debug", vocab_size=tokenizer.vocab_size), seed=None)
    bias = model.params["b_mlm"]
    man, old = (tokenizer.token_to_id[word] for word in ("man", "old"))
    bias[:] = -40
    bias[man], bias[old] = log(0.75), log(0.25)
    model.tokenizer = tokenizer
    with Subject(model) as subject:
        [score] = sentence_scores(subject, ["man old man"])
        assert score.total == pytest.approx(2 * log(0.75) + log(0.25), rel=1e-5)
        assert pseudo_perplexity(subject, ["man old", "man"]) == pytest.approx(
            exp(-(2 * log(0.75) + log(0.25)) / 3), rel=1e-5
        )


def test_scores_do_not_depend_on_how_rows_are_grouped(tokenizer, monkeypatch):
    with subject_with(tokenizer) as subject:
        together = sentence_scores(subject, SENTENCES)
        monkeypatch.setattr(hidden_words, "LOGITS_AT_ONCE", 1)
        apart = sentence_scores(subject, SENTENCES[::-1])[::-1]
    assert [one.total for one in together] == pytest.approx([one.total for one in apart], rel=1e-9)


def test_what_two_sentences_share_is_asked_once(tokenizer, monkeypatch):
    good, bad = "the man was old .", "the man were old ."
    assert len(tokenizer.encode(good)) == len(tokenizer.encode(bad)) == 7
    rows = []
    with subject_with(tokenizer) as subject:
        run = subject.predictor.run
        monkeypatch.setattr(
            subject.predictor,
            "run",
            lambda forward, ids, *more: (rows.extend(ids.tolist()), run(forward, ids, *more))[1],
        )
        sentence_scores(subject, [good, bad, good])
    assert len(rows) == 9  # five words of each, of which the one that differs is hidden in the same row
    assert len({tuple(row) for row in rows}) == 9


def test_progress_ends_at_one(tokenizer):
    told = []
    with subject_with(tokenizer) as subject:
        sentence_scores(subject, SENTENCES, lambda done, note: told.append(done))
    assert told == sorted(told)
    assert told[-1] == 1.0


@pytest.mark.parametrize("preset", ["gpt2-mini", "transformer-xl-mini"])
def test_a_causal_model_is_asked_for_the_next_word(preset):
    tokenizer = ByteLevelBPETokenizer.train(STORIES, 300)
    start = tokenizer.encode("")[:1]
    with subject_with(tokenizer, preset, **SMALL) as subject:
        scores = sentence_scores(subject, SENTENCES)
        for text, score in zip(SENTENCES, scores, strict=True):
            row = [*start, *tokenizer.encode(text, add_special_tokens=False)]
            log_p = log_softmax(subject.model.forward([row])[0][0])
            expected = sum(log_p[place - 1, row[place]] for place in range(1, len(row)))
            assert score.total == pytest.approx(expected, rel=1e-9)
            assert score.tokens == len(row) - 1


def test_a_causal_model_without_a_first_token_is_not_asked_for_the_first_word(tokenizer):
    bare = WordPieceTokenizer(tokenizer.id_to_token)
    bare.frame = NO_FRAME
    bare.roles = replace(bare.roles, end=None)
    with subject_with(bare, causal=True) as subject:
        [score] = sentence_scores(subject, ["the man was old"])
    assert score.tokens == 3


def test_a_model_of_two_streams_does_not_see_the_word_it_is_asked_for(tokenizer):
    with subject_with(tokenizer, "xlnet-mini", **SMALL) as subject:
        [score] = sentence_scores(subject, ["The dog barks."])
        expected = 0.0
        ids = tokenizer.encode("The dog barks.")
        for place in range(1, len(ids) - 1):
            order = np.zeros((1, len(ids)), int)
            order[0, place] = 1
            logits = subject.model.trace([ids], order=order).logits
            expected += log_softmax(logits[0, place])[ids[place]]
    assert score.total == pytest.approx(expected, rel=1e-9)


def test_a_long_sentence_is_cut_and_says_so(tokenizer):
    with subject_with(tokenizer, max_seq_length=8) as subject:
        long, cut, fits = sentence_scores(
            subject, ["the man was old . " * 5, "the man was old . the", "the man ."]
        )
    assert long.is_cut
    assert not cut.is_cut
    assert not fits.is_cut
    assert long.tokens == 6
    assert long.total == cut.total


def test_text_without_words_has_no_perplexity(tokenizer):
    with subject_with(tokenizer) as subject, pytest.raises(ValueError, match="no word in these texts"):
        pseudo_perplexity(subject, ["", "  "])


@pytest.mark.parametrize("head", ["classes", "tags", "none"])
def test_a_model_without_words_is_refused(tokenizer, head):
    with subject_with(tokenizer, head=head) as subject, pytest.raises(DoesNotApply, match="no words"):
        sentence_scores(subject, SENTENCES)


def test_a_causal_model_that_tells_classes_is_refused(tokenizer):
    with subject_with(tokenizer, causal=True, head="classes") as subject, pytest.raises(DoesNotApply):
        sentence_scores(subject, SENTENCES)
