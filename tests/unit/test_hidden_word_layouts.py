"""Hidden words in rows of single documents, and under another disguise."""

import numpy as np
import pytest

from mini_bert.data.world import texts
from mini_bert.evaluation.estimate import Estimate, share
from mini_bert.evaluation.intrinsic.answers import judged
from mini_bert.evaluation.intrinsic.counted_words import by_counts, counted_text
from mini_bert.evaluation.intrinsic.exam_text import ExamText, Texts
from mini_bert.evaluation.intrinsic.hidden_word_scores import Score
from mini_bert.evaluation.intrinsic.questions import answers_of, questions_for
from mini_bert.evaluation.intrinsic.several_texts import summed
from mini_bert.evaluation.subject import Subject
from mini_bert.models.config import ModelConfig
from mini_bert.models.mini import MiniBERT
from mini_bert.training.masking import BERTS_DISGUISE
from tests.tolerances import assert_close

SENTENCES = [sentence for text in texts(30) for sentence in text.split(". ")]


@pytest.fixture(scope="module")
def subject(tokenizer):
    model = MiniBERT(ModelConfig.preset("debug", vocab_size=tokenizer.vocab_size))
    model.tokenizer = tokenizer
    with Subject(model) as made:
        yield made


@pytest.fixture(scope="module")
def text():
    return ExamText("sentences", Texts("sentences", SENTENCES))


def test_each_document_is_asked_about_as_if_it_were_alone(subject, text):
    asked = questions_for(subject, text, 20, seed=0, layout="documents")
    found = answers_of(subject, asked)
    batch, alone = asked.batch, []
    for row in range(20):
        n = int(batch.inputs["attention_mask"][row].sum())
        here = batch.weights[row] > 0
        assert 1 <= here.sum() == max(1, round(5 * n / 32))
        logits = subject.model.forward(batch.ids[row : row + 1, :n])[0][0]
        alone.append(judged(logits[batch.positions[row, here]], batch.labels[row, here]).log_prob)
    assert_close(found.log_prob, np.concatenate(alone))


def test_long_documents_are_cut_and_counted(subject):
    long = ExamText("long", Texts("long", ["the dog sleeps . " * 40, "a cat .", "the dog ."]))
    asked = questions_for(subject, long, 10, seed=0, layout="documents")
    assert (len(asked.batch.ids), asked.cut, asked.layout) == (3, 1, "documents")
    with pytest.raises(ValueError, match="1 document, and the exam needs 2 at least"):
        questions_for(subject, ExamText("one", Texts("one", ["a cat ."])), 10, seed=0, layout="documents")


def test_another_disguise_asks_for_the_same_words(subject, text):
    plain = questions_for(subject, text, 200, seed=0)
    disguised = questions_for(subject, text, 200, seed=0, disguise=BERTS_DISGUISE)
    assert (plain.batch.positions == disguised.batch.positions).all()
    assert (plain.labels == disguised.labels).all()
    shown = disguised.batch.ids[disguised.row, disguised.place]
    mask = subject.tokenizer.token_to_id["[MASK]"]
    assert (shown == mask).mean() == pytest.approx(0.8, abs=0.05)
    assert (shown == disguised.labels).mean() == pytest.approx(0.1, abs=0.04)


def test_what_begins_a_document_is_known_to_counts_in_packed_text(subject, text):
    counted = ExamText("sentences", text.corpus, text.corpus, "the same")
    asked = questions_for(subject, counted, 50, seed=0, layout="documents")
    left, _ = asked.neighbours
    first = asked.place == 1
    assert first.any()
    assert (left[first] == subject.tokenizer.token_to_id["[SEP]"]).all()
    once = counted_text(counted, subject.tokenizer, asked.rows.T, 0)
    assert once is not None
    again = by_counts(asked, subject.tokenizer, 0, counted=once)
    assert np.array_equal(again.neighbours.rank, by_counts(asked, subject.tokenizer, 0).neighbours.rank)
    some = counted_text(counted, subject.tokenizer, asked.rows.T, 0, most_tokens=320)
    assert some is not None
    assert some.tokens == 320
    assert some.told == f"the same, 320 of {once.tokens:,} tokens with [CLS] and [SEP]"


def test_texts_count_by_their_lengths():
    def score(value, half):
        return Score(*(Estimate(value, value - half, value + half) for _ in range(4)))

    found = summed([score(0.2, 0.03), score(0.6, 0.04)], [0.75, 0.25]).accuracy
    assert found.value == pytest.approx(0.3)
    assert found.high - found.value == pytest.approx(((0.75 * 0.03) ** 2 + (0.25 * 0.04) ** 2) ** 0.5)
    unsure = Score(*(Estimate(0.2) for _ in range(4)))
    assert summed([unsure, score(0.6, 0.04)], [0.5, 0.5]).loss == Estimate(0.4)


@pytest.mark.parametrize("right", [0, 1, 99, 100])
def test_a_share_of_several_texts_stays_between_none_and_all(right):
    one, other = (Score(*[share(right, 100)] * 4), Score(*[share(round(right / 100) * 50, 50)] * 4))
    found = summed([one, other], [0.2, 0.8]).accuracy
    assert 0 <= found.low <= found.value <= found.high <= 1
    assert found.high - found.low > 0.01
