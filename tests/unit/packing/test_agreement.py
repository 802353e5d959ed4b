"""Two models that are not alike: what they agree on is counted, and too little of it is told."""

from pathlib import Path

import numpy as np
import pytest

from mini_bert import MiniBERT, from_pretrained
from mini_bert.core.functions.softmax import log_softmax
from mini_bert.pretrained.agreement import agreement_of
from mini_bert.pretrained.hidden_words import ROWS_AT_ONCE, exam_on, text_of
from mini_bert.pretrained.packing import Packed
from mini_bert.pretrained.places import model_folder
from mini_bert.reports import silent

ROWS = ROWS_AT_ONCE + 8


@pytest.fixture(scope="module")
def original(run):
    """Its weights are as they were drawn: after so few steps a model says one word everywhere."""
    trained = from_pretrained(model_folder(run))
    model = MiniBERT(trained.config, seed=1)
    model.tokenizer = trained.tokenizer
    return model


@pytest.fixture(scope="module")
def shaken(original):
    model = MiniBERT(original.config, seed=1)
    model.arena.flat[:] += np.random.default_rng(0).normal(0, 0.005, model.arena.flat.size)
    return model


def test_agreement_is_what_the_logits_say(original, shaken):
    text = text_of(["world:60"])
    exam = exam_on(original, text, ROWS, silent)
    assert len(exam.ids) > ROWS_AT_ONCE
    first, loss = [], []
    for model in (original, shaken):
        logits, _ = model.forward(exam.ids)
        at_hidden = np.take_along_axis(logits, exam.positions[..., None], 1)[exam.weights > 0]
        first.append(at_hidden.argmax(-1))
        loss.append(-log_softmax(at_hidden)[np.arange(len(at_hidden)), exam.labels[exam.weights > 0]].mean())
    found = agreement_of(original, shaken, text, ROWS)
    assert found.positions == (exam.weights > 0).sum()
    assert found.same_first_guess.value == np.mean(first[0] == first[1])
    assert 0.05 < found.same_first_guess.value < 0.95
    assert (found.loss_before, found.loss_after) == pytest.approx(loss, rel=1e-5)
    assert abs(loss[0] - loss[1]) > 1e-4


def test_rows_without_a_word_to_hide_are_passed_over(original, shaken, tmp_path):
    file = tmp_path / "strange.txt"
    strange = "☃ " * (ROWS_AT_ONCE * original.config.max_seq_length)
    file.write_text(f"{strange}\n\n{'the dog is in the garden . ' * 40}", "utf-8")
    found = agreement_of(original, shaken, text_of([file]), 1000)
    assert 0 < found.positions < 100


@pytest.mark.parametrize(("same", "is_faithful"), [(0.9949, False), (0.995, True)])
def test_the_share_itself_must_be_enough_and_not_the_end_of_its_interval(same, is_faithful):
    storage = {"same_first_guess": {"value": same, "low": 0.993, "high": 0.997}}
    assert Packed(Path("tiny"), "tiny", {}, "", storage).is_faithful is is_faithful
