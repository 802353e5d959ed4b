"""Second tasks: reordered tokens, what the stream asks, and the gradients of both losses together."""

import numpy as np
import pytest

from mini_bert.core.gradcheck import check_gradients
from mini_bert.core.heads import TOKEN_ORDERS
from mini_bert.models.build import build_network
from mini_bert.models.config import ModelConfig
from mini_bert.training.draws import RowDraws
from mini_bert.training.masking import Masking
from mini_bert.training.objectives import (
    MaskedBatch,
    Question,
    masked_word_backward,
    masked_word_loss,
    pretraining_backward,
    pretraining_loss,
)
from mini_bert.training.parallel import Team
from mini_bert.training.step import TrainingStep
from mini_bert.training.token_order import ORDERS, TokenOrder
from mini_bert.training.verification import awkward_batch, lively_weights
from tests.tolerances import assert_close

V = 60
SMALL = ModelConfig.preset("debug", vocab_size=11, max_seq_length=6, hidden_size=8, num_heads=2)


def some_text(B=20, T=32):
    ids = np.random.default_rng(0).integers(5, V, (B, T))
    ids[:, 0], ids[:, -1] = 2, 3
    ids[0, :] = 7  # no three different words anywhere
    return ids


@pytest.fixture
def shuffled():
    task = TokenOrder(Masking(V).ordinary)
    ids = some_text()
    return ids, task(ids, RowDraws(1, range(len(ids)), "token order"))


def test_runs_are_reordered_as_the_label_says_and_nothing_else_moves(shuffled):
    ids, made = shuffled
    for row, new, positions, orders, asked, touched in zip(ids, *made, strict=True):
        expected, in_runs = row.copy(), np.zeros(len(row), bool)
        for middle, order, is_asked in zip(positions, orders, asked, strict=True):
            if is_asked:
                run = slice(middle - 1, middle + 2)
                expected[run] = row[run][ORDERS[order]]
                in_runs[run] = True
        assert new.tolist() == expected.tolist()
        assert touched.tolist() == in_runs.tolist()


def test_runs_are_three_different_words_in_all_six_orders(shuffled):
    ids, made = shuffled
    assert not made.asked[0].any()
    for row, positions, asked in zip(ids[1:], made.positions[1:], made.asked[1:], strict=True):
        for middle in positions[asked]:
            run = row[middle - 1 : middle + 2]
            assert len(set(run.tolist())) == 3
            assert run.min() >= 5
    many = TokenOrder(Masking(V).ordinary)(some_text(400), RowDraws(2, range(400), "token order"))
    shares = np.bincount(many.orders[many.asked], minlength=TOKEN_ORDERS) / many.asked.sum()
    assert shares.min() > 0.1
    assert shares.max() < 0.25


def questions(kind, B=2):
    if kind == "pairs":
        return Question(np.zeros((B, 1), int), np.array([1, 0]), np.array([0.3, 0.7]), importance=0.5)
    return Question(np.array([[1, 4], [2, 3]]), np.array([[0, 5], [3, 1]]), np.full((B, 2), 0.25), 2.0)


@pytest.mark.parametrize("kind", ["pairs", "order"])
def test_gradients_of_both_losses(kind):
    network = build_network(SMALL.changed(second_head=kind))
    params, grads = lively_weights(network, 0), None
    plain = awkward_batch(SMALL, 0)
    question = questions(kind)
    batch = MaskedBatch(plain.ids, plain.positions, plain.labels, plain.weights, plain.inputs, question)
    grads = params.zeros_like()
    _, t = pretraining_loss(network, params, batch)
    pretraining_backward(network, batch, t, grads)

    def loss(moved):
        losses, _ = pretraining_loss(network, moved, batch)
        return losses.words + question.importance * losses.second

    checks = list(check_gradients(loss, params, grads, "complex", samples=25))
    assert {check.name for check in checks} == set(params)
    assert max(check.worst for check in checks) < 1e-9
    assert all(np.abs(grads[name]).max() > 0 for name in params if name.startswith("second_head"))


def test_without_a_question_the_losses_are_those_of_masked_words():
    network = build_network(SMALL)
    params, batch = lively_weights(network, 0), awkward_batch(SMALL, 0)
    expected, t = masked_word_loss(network, params, batch)
    losses, same = pretraining_loss(network, params, batch)
    assert losses.second is None
    assert losses.words == expected
    mine, theirs = params.zeros_like(), params.zeros_like()
    masked_word_backward(network, batch, t, theirs)
    pretraining_backward(network, batch, same, mine)
    assert np.array_equal(mine.flat, theirs.flat)


@pytest.mark.parametrize("workers", [1, 2])
def test_a_team_adds_up_both_tasks(workers):
    config = SMALL.changed(second_head="pairs")
    network = build_network(config)
    params = lively_weights(network, 0)
    plain = awkward_batch(SMALL, 0, B=4)
    question = Question(np.zeros((4, 1), int), np.array([1, 0, 0, 1]), np.full(4, 0.25))
    batch = MaskedBatch(plain.ids, plain.positions, plain.labels, plain.weights, plain.inputs, question)
    losses, t = pretraining_loss(network, params, batch)
    with Team(workers) as team:
        result = TrainingStep(network, params, team).gradients(batch, 1)
    assert result.second is not None
    assert_close(result.second[0], float(losses.second), rtol=1e-12)
    assert_close(result.second[1], (t["answer_probs"].argmax(-1) == question.labels).mean())
    assert_close(result.loss, float(losses.words), rtol=1e-12)


def test_a_pass_that_keeps_nothing_gives_the_same_loss():
    config = SMALL.changed(second_head="order", checkpoint_activations=True)
    network = build_network(config)
    params, plain = lively_weights(network, 0), awkward_batch(SMALL, 0)
    batch = MaskedBatch(
        plain.ids, plain.positions, plain.labels, plain.weights, plain.inputs, questions("order")
    )
    kept, _ = pretraining_loss(network, params, batch)
    free, t = pretraining_loss(network, params, batch, keeps=False)
    assert kept == free
    assert set(t.kept) == {"word_probs", "answer_probs"}
