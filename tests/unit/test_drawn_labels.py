"""Sophia's labels come from the model's own softmax, the same for every team."""

from dataclasses import replace
from math import sqrt

import numpy as np

from mini_bert.models.build import build_network
from mini_bert.models.config import ModelConfig
from mini_bert.training.drawn_labels import curvature_batch, drawn, drawn_labels
from mini_bert.training.objectives import Question, masked_word_backward, masked_word_loss, pretraining_loss
from mini_bert.training.parallel import Team
from mini_bert.training.step import TrainingStep
from mini_bert.training.verification import awkward_batch, lively_weights
from tests.tolerances import assert_close

CONFIG = ModelConfig.preset("debug", vocab_size=11, max_seq_length=6)


def test_classes_are_drawn_as_often_as_they_are_probable():
    probs = np.array([0.1, 0.0, 0.6, 0.3], np.float32)
    draws = (np.arange(1000) + 0.5) / 1000
    found = drawn(np.tile(probs, (1000, 1)), draws)
    assert np.bincount(found, minlength=4).tolist() == [100, 0, 600, 300]


def test_a_draw_at_the_very_end_is_the_last_class_that_can_occur():
    assert drawn(np.array([0.5, 0.5, 0.0]), np.array(1 - 1e-16)) == 1


def test_the_gradient_is_that_of_the_drawn_labels_for_any_team():
    network = build_network(CONFIG)
    params, batch = lively_weights(network, 0), awkward_batch(CONFIG, 0, B=4)
    relabel = drawn_labels(seed=2, step=7)
    _, t = masked_word_loss(network, params, batch)
    other = relabel(batch, t, 0)
    assert (other.labels != batch.labels).any()
    expected = params.zeros_like()
    masked_word_backward(network, other, t, expected)
    for workers, micro in [(1, 4), (2, 1), (2, 2)]:
        with Team(workers) as team:
            found = TrainingStep(network, params, team).gradients(batch, micro, relabel=relabel)
        assert_close(found.grads.flat, expected.flat, rtol=1e-12)


def test_a_question_is_drawn_too_and_weighted_so_that_one_factor_suits_both():
    config = CONFIG.changed(second_head="pairs")
    network = build_network(config)
    params, plain = lively_weights(network, 0), awkward_batch(CONFIG, 0, B=4)
    question = Question(np.zeros((4, 1), int), np.array([0, 1, 0, 1]), np.full(4, 0.25), importance=3.0)
    N = plain.labels.size
    batch = curvature_batch(replace(plain, question=question), N, 4)
    assert batch.question is not None
    assert batch.question.importance == sqrt(3.0 * 4 / N)
    _, t = pretraining_loss(network, params, batch)
    labels = {tuple(drawn_labels(0, step)(batch, t, 0).question.labels) for step in range(20)}
    assert len(labels) > 1
    one, two = (drawn_labels(0, 5)(batch.rows(i, i + 1), slice_of(t, i), i) for i in (2, 3))
    whole = drawn_labels(0, 5)(batch, t, 0)
    assert [*one.question.labels, *two.question.labels] == whole.question.labels[2:].tolist()


def slice_of(t, i):
    return {name: t[name][i : i + 1] for name in ("word_probs", "answer_probs")}
