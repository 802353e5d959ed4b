"""The loss around a model: grids against losses computed one by one, curvature against the whole Hessian."""

import numpy as np
import pytest

from mini_bert.analysis.landscape import (
    LossLine,
    filter_normalized,
    loss_between,
    loss_line,
    loss_surface,
    losses_on,
)
from mini_bert.analysis.lessons import as_lesson, gradient_at, lesson_of, loss_at, twin_of
from mini_bert.analysis.rate_sensitivity import RateSensitivity, rate_sensitivity
from mini_bert.analysis.reading import read
from mini_bert.analysis.run_landscape import principal_plane, run_landscape
from mini_bert.analysis.sharpness import hessian_product, largest_eigenvalue, sharpness
from mini_bert.models.mini import MiniBERT
from mini_bert.training.objectives import MaskedBatch
from mini_bert.training.optimizers import SGD
from tests.tolerances import assert_close, assert_same_bits
from tests.unit.analysed_models import lively, member

TEXT = "The wolf and the [MASK] sleep."


@pytest.fixture(scope="module")
def model(tokenizer):
    return member("mini", tokenizer)


@pytest.fixture(scope="module")
def lesson(model):
    return lesson_of(model, ["The wolf sleeps.", "An owl hoots in the wood."], share=0.4)


def elsewhere(model, flat):
    twin = twin_of(model)
    twin.arena.flat[:] = flat
    return twin


def test_random_directions_are_as_long_as_the_weights_row_by_row(model):
    direction = filter_normalized(model, 3)
    for name, weight in model.arena.items():
        if weight.ndim == 2:
            assert_close(np.linalg.norm(direction[name], axis=1), np.linalg.norm(weight, axis=1))
        else:
            assert not direction[name].any()
    cosine = direction.flat @ filter_normalized(model, 4).flat / (direction.flat @ direction.flat)
    assert abs(cosine) < 0.05


def test_a_line_has_the_losses_of_its_weights_and_leaves_the_model_alone(model, lesson):
    before = model.arena.flat.copy()
    found = loss_line(model, lesson, points=5, reach=0.4, seed=3)
    assert_same_bits(model.arena.flat, before)
    assert found.x.tolist() == pytest.approx([-0.4, -0.2, 0, 0.2, 0.4])
    direction = filter_normalized(model, 3).flat
    expected = [loss_at(elsewhere(model, before + x * direction), lesson) for x in found.x]
    assert_close(found.losses, np.array(expected))
    assert_close(found.losses[2], loss_at(model, lesson))


def test_several_texts_are_one_batch(model):
    texts = ["The wolf sleeps.", "An owl hoots in the wood."]
    one = lesson_of(model, texts)
    for given in (texts, tuple(texts)):
        assert_same_bits(
            loss_line(model, given, points=3).losses,
            loss_line(model, one, points=3).losses,
        )
    assert_same_bits(
        rate_sensitivity(model, texts, rates=[1e-3], steps=1).losses,
        rate_sensitivity(model, [one], rates=[1e-3], steps=1).losses,
    )


def test_a_surface_has_x_across_and_y_up(model, lesson):
    found = loss_surface(model, lesson, points=3, reach=0.3, seed=3)
    first, second = filter_normalized(model, 3).flat, filter_normalized(model, 4).flat
    expected = loss_at(elsewhere(model, model.arena.flat + 0.3 * first - 0.3 * second), lesson)
    assert_close(found.losses[0, 2], expected)
    assert abs(found.losses[2, 0] - found.losses[0, 2]) > 1e-6


def test_between_two_models(model, lesson, tokenizer):
    other = lively(model.config, tokenizer, seed=1)
    found = loss_between(model, other, lesson, points=9)
    assert_close(found.losses[found.x == 0][0], loss_at(model, lesson))
    assert_close(found.losses[found.x == 1][0], loss_at(other, lesson))
    half = loss_at(elsewhere(model, (model.arena.flat + other.arena.flat) / 2), lesson)
    assert_close(np.interp(0.5, found.x, found.losses), half)
    with pytest.raises(ValueError, match="compare models of one architecture"):
        loss_between(model, MiniBERT("debug"), lesson)


@pytest.mark.parametrize(
    ("losses", "barrier"),
    [([9, 1, 2, 3, 9], 0.0), ([0, 1, 4, 3, 9], 2.0), ([9, 1, 0.5, 3, 9], 0.0), ([0, 3, 3, 1, 0], 1.0)],
)
def test_a_barrier_is_what_rises_above_the_straight_line(losses, barrier):
    line = LossLine(np.array([-0.5, 0, 0.5, 1, 1.5]), np.array(losses, float), "")
    assert line.barrier == pytest.approx(barrier)


def test_a_plane_keeps_the_distances_of_models_that_lie_in_it():
    rng = np.random.default_rng(0)
    basis = np.linalg.qr(rng.standard_normal((50, 2)))[0].T
    places = np.array([[3.0, 1], [2, -1], [1, 0.5], [0, 0]])
    directions, path, shown = principal_plane(places @ basis)
    assert_close(directions @ directions.T, np.eye(2))
    assert_close(path @ directions, places @ basis)
    assert shown.sum() == pytest.approx(1)
    assert shown[0] > shown[1]
    with pytest.raises(ValueError, match="lie on a line"):
        principal_plane(np.outer([2.0, 1, 0], basis[0]))


def test_the_way_of_a_run_ends_at_its_last_model(model, lesson):
    rng = np.random.default_rng(0)
    models = {
        step: elsewhere(
            model, model.arena.flat + (30 - step) / 200 * rng.standard_normal(model.num_parameters)
        )
        for step in (0, 10, 20, 30)
    }
    found = run_landscape(models, lesson, points=4)
    assert found.path_steps.tolist() == [0, 10, 20, 30]
    assert_close(found.path_losses, np.array([loss_at(one, lesson) for one in models.values()]))
    assert np.abs(found.path[-1]).max() < 1e-6
    assert found.losses.shape == (4, 4)
    assert found.x[0] < found.path[:, 0].min() < found.path[:, 0].max() < found.x[-1]
    away = np.stack([one.arena.flat - models[30].arena.flat for one in models.values()])
    directions, _, _ = principal_plane(away)
    corner = models[30].arena.flat + found.x[0] * directions[0] + found.y[-1] * directions[1]
    assert_close(found.losses[-1, 0], loss_at(elsewhere(model, corner), lesson))


@pytest.mark.parametrize("values", [(5.0, -3.0, 1.0), (-5.0, 2.0, 1.0), (-5.0, -2.0, -1.0)])
def test_the_largest_eigenvalue_is_found_whatever_the_sign_of_the_others(values):
    rotation = np.linalg.qr(np.random.default_rng(0).standard_normal((3, 3)))[0]
    matrix = rotation @ np.diag(values) @ rotation.T
    found = largest_eigenvalue(lambda v: matrix @ v, np.ones(3), 500, 1e-9)
    assert found.eigenvalue == pytest.approx(max(values), rel=1e-6)
    assert_close(
        matrix @ found.vector, max(values) * found.vector, rtol=1e-5
    )  # to the error it was asked for


@pytest.fixture(scope="module")
def tiniest():
    """So few weights that the whole Hessian can be had; GELU, for it must be smooth."""
    sizes = {"hidden_size": 4, "num_layers": 1, "num_heads": 1, "intermediate_size": 4, "max_seq_length": 3}
    config = MiniBERT("debug").config.changed(**sizes, vocab_size=6, activation="gelu")
    return lively(config, None), MaskedBatch(
        np.array([[1, 2, 3], [3, 4, 5]]), np.array([[1], [2]]), np.array([[3], [0]]), np.full((2, 1), 0.5)
    )


def test_sharpness_is_the_largest_eigenvalue_of_the_hessian(tiniest):
    model, batch = tiniest
    product = hessian_product(model, batch)
    hessian = np.stack([product(row) for row in np.eye(model.num_parameters)])
    assert np.abs(hessian - hessian.T).max() < 1e-7 * np.abs(hessian).max()
    found = sharpness(model, batch, most_products=400, tolerance=1e-5)
    assert found.eigenvalue == pytest.approx(np.linalg.eigvalsh((hessian + hessian.T) / 2)[-1], rel=1e-4)
    assert found.error <= 1e-5 * found.eigenvalue


def test_sharpness_is_how_the_loss_itself_curves(tiniest):
    """A second difference of losses, which knows nothing of gradients."""
    model, batch = tiniest
    found = sharpness(model, batch, most_products=400, tolerance=1e-5)
    step = 1e-3
    before, here, after = losses_on(
        model, as_lesson(model, batch), np.array([[-step], [0], [step]]), [found.vector]
    )
    assert (before - 2 * here + after) / step**2 == pytest.approx(found.eigenvalue, rel=1e-4)
    assert found.stable_rate == pytest.approx(2 / found.eigenvalue)


def test_a_float32_model_curves_as_in_float64(tokenizer):
    wide = member("mini", tokenizer)
    narrow = MiniBERT(wide.config, seed=None)
    narrow.arena.flat[:] = wide.arena.flat
    narrow.tokenizer = tokenizer
    lesson = lesson_of(wide, ["The wolf sleeps."])
    a, b = (sharpness(one, lesson, most_products=3).eigenvalue for one in (wide, narrow))
    assert a == pytest.approx(b, rel=1e-4)  # the weights themselves were rounded
    assert narrow.dtype == np.float32


def test_a_small_step_of_descent_gains_the_square_of_the_gradient(model, lesson):
    before = model.arena.flat.copy()
    rates = [1e-6, 1e-5]
    found = rate_sensitivity(model, lesson, rates=rates, steps=1, optimizer=lambda w: SGD(w, momentum=0.0))
    assert_same_bits(model.arena.flat, before)
    loss, gradient = gradient_at(model, lesson)
    assert found.start == pytest.approx(loss)
    gains = (found.start - found.after_one) / np.array(rates)
    assert gains == pytest.approx(float(gradient.flat @ gradient.flat), rel=1e-3)  # but for curvature


def test_steps_take_the_batches_in_turn(model, lesson, tokenizer):
    other = lesson_of(model, ["The dog barks."], share=0.4)
    found = rate_sensitivity(
        model,
        [lesson, other],
        rates=[0.02],
        steps=3,
        optimizer=lambda w: SGD(w, momentum=0.0),
        judged_by=other,
    )
    twin, expected = twin_of(model), [loss_at(model, other)]
    for one in (lesson, other, lesson):
        twin.arena.flat[:] -= 0.02 * gradient_at(twin, one)[1].flat
        expected.append(loss_at(twin, other))
    assert_close(found.losses[0], np.array(expected))


def test_rates_that_burst_are_told(model, lesson):
    found = rate_sensitivity(model, lesson, rates=[1e-3, 1e-2, 1e2, 1e30], steps=3)
    assert found.best in (1e-3, 1e-2)
    assert found.bursts_from == 1e2
    by_hand = RateSensitivity(np.array([1.0, 2, 3]), np.array([[5.0, 4, 3], [5, 9, 2], [5, 6, np.inf]]))
    assert (by_hand.best, by_hand.bursts_from) == (2, 3)
    assert RateSensitivity(np.ones(1), np.array([[5.0, 4]])).bursts_from is None


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda m, les: loss_line(m, les, points=2), "3 points or more"),
        (lambda m, les: loss_surface(m, les, reach=0), "a reach above 0"),
        (lambda m, les: loss_between(m, m, les, beyond=-1), "0 or more beyond the ends"),
        (lambda m, les: run_landscape([m, m], les), "a plane takes three at least"),
        (lambda m, les: sharpness(m, les, epsilon=0), "the others above 0"),
        (lambda m, les: rate_sensitivity(m, les, rates=[0.0]), "choose rates above 0"),
        (lambda m, les: loss_line(m, read(m, TEXT, hooks={"embeddings": np.copy})), "a reading with hooks"),
    ],
)
def test_what_makes_no_sense_is_refused(model, lesson, call, said):
    with pytest.raises(ValueError, match=said):
        call(model, lesson)


def test_figures_are_drawn(model, lesson):
    assert ">model<" in loss_line(model, lesson, points=3)._repr_svg_()
    assert loss_surface(model, lesson, points=4).figure().axes
    far = [elsewhere(model, model.arena.flat * factor) for factor in (1.0, 1.1)]
    bent = elsewhere(model, model.arena.flat + 0.1)
    drawn = run_landscape([*far, bent], lesson, points=4).figure()
    assert {"step 0", "step 2"} <= {text.get_text() for text in drawn.axes[0].texts}
    assert ">after one step<" in rate_sensitivity(model, lesson, rates=[1e-3, 1e3], steps=2)._repr_svg_()
