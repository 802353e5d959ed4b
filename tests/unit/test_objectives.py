"""Objectives other than filling gaps: their gradients, their scores, and that micro-batches add up to a batch."""

import numpy as np
import pytest

from mini_bert.core.functions.softmax import cross_entropy
from mini_bert.core.gradcheck import check_gradients
from mini_bert.core.trace import Trace
from mini_bert.models.build import build_network
from mini_bert.models.config import ModelConfig
from mini_bert.models.zoo import electra, gpt2, transformer_xl, xlnet
from mini_bert.training.next_words import NextWords
from mini_bert.training.objectives import MaskedWords
from mini_bert.training.objectives.distillation import Distillation, Teacher
from mini_bert.training.objectives.replaced_tokens import ReplacedTokens, area_under_curve
from mini_bert.training.objectives.segments import Segments, place
from mini_bert.training.parallel import Team
from mini_bert.training.step import TrainingStep
from mini_bert.training.verification import awkward_batch, gradient_checks, lively_weights
from tests.mathematical.promises import SIZES
from tests.tolerances import assert_close

SMALL = ModelConfig(**SIZES, activation="gelu")
ELECTRA = electra(
    **SIZES | {"vocab_size": 20},
    embedding_size=6,
    generator={"hidden_size": 2, "num_layers": 1, "num_heads": 1, "intermediate_size": 4},
)


def of(config, seed=0):
    network = build_network(config)
    return network, lively_weights(network, seed)


def distilling(cosine=0.5, **changes):
    teacher, weights = of(SMALL.changed(num_layers=3, **changes), 1)
    return Distillation(Teacher(teacher, weights), temperature=2.5, words=0.7, soft=1.5, cosine=cosine)


@pytest.mark.parametrize(
    ("config", "objective"),
    [
        (ELECTRA, ReplacedTokens()),
        (SMALL, distilling()),
        (SMALL, distilling(cosine=0.0, hidden_size=6, num_heads=3)),
    ],
    ids=["replaced tokens", "distillation", "distillation by a wider teacher"],
)
def test_every_entry_by_complex_step(config, objective):
    network, params = of(config)
    for check in gradient_checks(network, params, awkward_batch(config, 0), objective):
        assert check.worst <= 1e-9, check
        assert not check.all_zero or check.name.endswith("key.bias"), check.name


@pytest.mark.parametrize(
    ("config", "objective"), [(ELECTRA, ReplacedTokens()), (SMALL, distilling())], ids=["ELECTRA", "student"]
)
@pytest.mark.parametrize("workers", [1, 2])
def test_micro_batches_add_up(config, objective, workers):
    network, params = of(config)
    batch = awkward_batch(config, 0, B=4)
    losses, t = objective.loss(network, params, batch)
    grads = params.zeros_like()
    objective.backward(network, batch, t, grads)
    with Team(workers) as team:
        found = TrainingStep(network, params, team, objective).gradients(batch, 1)
    assert_close(found.grads.flat, grads.flat)
    assert_close((found.loss, found.accuracy, *found.second), objective.scores(losses, batch, t))


def test_the_generator_shares_tables_and_has_all_else_of_its_own():
    names = set(build_network(ELECTRA).all_weights())
    assert "embeddings.token.weight" in names
    assert not any(
        name.startswith(("generator.embeddings.token", "generator.embeddings.pos")) for name in names
    )
    assert "generator.embeddings.project.weight" in names
    assert "generator.head.transform.dense.weight" in names


def test_only_words_asked_for_are_replaced_and_a_right_guess_is_none():
    network, params = of(ELECTRA)
    batch = awkward_batch(ELECTRA, 0)
    batch.weights[0, 0] = 0
    text = batch.text()
    _, t = ReplacedTokens().loss(network, params, batch)
    asked = np.zeros(text.shape, bool)
    np.put_along_axis(asked, batch.positions, batch.weights > 0, 1)
    assert not t["replaced"][~asked].any()
    assert t["replaced"].any()
    again = awkward_batch(ELECTRA, 0)
    again.draws[...] = 0  # takes the first word with any probability; labels that agree are not replaced
    again.labels[...] = 0
    _, t = ReplacedTokens().loss(network, params, again)
    assert not t["replaced"].any()


def test_area_under_curve_counts_pairs():
    rng = np.random.default_rng(0)
    scores, labels = rng.integers(0, 6, 60) / 6, rng.integers(0, 2, 60)
    ones, zeros = scores[labels == 1], scores[labels == 0]
    pairs = [(one > zero) + 0.5 * (one == zero) for one in ones for zero in zeros]
    assert_close(area_under_curve(scores, labels), np.mean(pairs))
    assert area_under_curve(scores, np.zeros(60)) == 0.5


@pytest.mark.parametrize(
    "config", [SMALL, gpt2(**SIZES), xlnet(**SIZES)], ids=["hidden words", "next words", "any order"]
)
def test_a_teacher_that_is_the_student_leaves_only_the_words(config):
    config = config.changed(dropout=0.0, attention_dropout=0.0)
    network, params = of(config)
    batch = awkward_batch(config, 0)
    own = Distillation(Teacher(network, params), words=1.0)
    losses, t = own.loss(network, params, batch)
    plain, plain_t = MaskedWords().loss(network, params, batch)
    assert_close(float(losses.words), float(plain.words))
    assert abs(float(losses.second)) < 1e-12
    assert own.scores(losses, batch, t)[3] == pytest.approx(batch.weights.sum())
    grads, expected = params.zeros_like(), params.zeros_like()
    own.backward(network, batch, t, grads)
    MaskedWords().backward(network, batch, plain_t, expected)
    np.testing.assert_allclose(grads.flat, expected.flat, atol=1e-12)


XL = transformer_xl(**SIZES | {"max_seq_length": 3}, memory=4, dropout=0.0, attention_dropout=0.0)


def long_rows(T=8):
    rng = np.random.default_rng(3)
    return NextWords(np.ones(9, bool))(rng.integers(0, 9, (2, T)), 1, rng)


def test_segments_with_all_in_memory_are_the_text_at_once():
    network, params = of(XL)
    batch = long_rows()
    losses, t = Segments(3, 99).loss(network, params, batch)
    whole, whole_t = MaskedWords().loss(network, params, batch)
    assert_close(float(losses.words), float(whole.words))
    assert_close(t["word_probs"], whole_t["word_probs"])


def test_gradients_of_segments_take_the_memory_for_a_constant():
    """Complex step with the memory of the unmoved weights."""
    network, params = of(XL)
    batch, objective = long_rows(), Segments(3, 2)
    _, t = objective.loss(network, params, batch)
    grads = params.zeros_like()
    objective.backward(network, batch, t, grads)
    memory = dict(t.memory)
    assert memory

    def loss(moved):
        total = 0
        for number, segment in enumerate(objective.segments(batch)):
            logits = network.forward(segment.ids, place(Trace(moved, memory=memory), number, segment))
            total = total + cross_entropy(logits, segment.labels, segment.weights)[0]
        return total

    for check in check_gradients(loss, params, grads, "complex", 8, 0):
        assert check.worst <= 1e-9, check
