"""How weights move: evolution against vectors laid out by hand, update sizes, spectra against drawn matrices."""

import json
from itertools import pairwise

import numpy as np
import pytest

from mini_bert.analysis.history import history_of
from mini_bert.analysis.lessons import gradient_at, lesson_of
from mini_bert.analysis.random_matrices import largest_of_random, random_effective_rank, random_quantiles
from mini_bert.analysis.spectra import spectra, spectra_over, spectrum_of
from mini_bert.analysis.update_sizes import logged_updates, update_of_step, updates_between
from mini_bert.analysis.weight_evolution import weight_evolution
from mini_bert.models.mini import MiniBERT
from mini_bert.training.config import TrainingConfig
from mini_bert.training.optimizers import SGD
from mini_bert.training.session import new_run
from tests.tolerances import assert_close
from tests.unit.analysed_models import member
from tests.unit.runs_by_hand import inspection, line, write_run


def moved_by(*moves):
    """Models that begin with the same random weights and go on by these moves."""
    models = [MiniBERT("debug", dtype=np.float64)]
    for move in moves:
        models.append(MiniBERT("debug", dtype=np.float64))
        models[-1].arena.flat[:] = models[-2].arena.flat + move
    return models


@pytest.fixture(scope="module")
def moves():
    size, rng = MiniBERT("debug").num_parameters, np.random.default_rng(0)
    one, other = rng.standard_normal((2, size))
    return [one, 2 * one, other, -other]


def test_evolution_by_weight(moves):
    models = moved_by(*moves)
    found = weight_evolution(models)
    at = found.names.index("W_Q_1")
    weights = [model.params["W_Q_1"] for model in models]
    assert_close(found.norms[at], np.array([np.sqrt((w**2).sum()) for w in weights]))
    assert_close(found.distances[at], np.array([np.sqrt(((w - weights[0]) ** 2).sum()) for w in weights]))
    expected = [0.0, *(np.sqrt(((b - a) ** 2).sum()) for a, b in pairwise(weights))]
    assert_close(found.move_lengths[at], np.array(expected))
    assert np.isnan(found.cosines[:, :2]).all()
    assert_close(found.cosines[:, 2], np.ones(len(found.names)))
    assert_close(found.cosines[:, 4], -np.ones(len(found.names)))


def test_cosines_of_layers_are_those_of_all_their_weights_side_by_side(moves):
    models = moved_by(*moves)
    found = weight_evolution(models).by_layer()
    assert found.names == ("embeddings", "encoder.layers.0", "encoder.layers.1", "final_norm", "head")

    def side_by_side(model):
        return np.concatenate(
            [w.reshape(-1) for n, w in model.arena.items() if n.startswith("encoder.layers.1.")]
        )

    a, b, c = (side_by_side(model) for model in models[1:4])
    turn = (b - a) @ (c - b) / np.linalg.norm(b - a) / np.linalg.norm(c - b)
    assert_close(found.cosines[2, 3], turn)
    assert_close(found.move_lengths[2, 3], np.linalg.norm(c - b))
    assert_close(weight_evolution(models).by_kind().squares.sum(0), found.squares.sum(0))


def test_steps_between_models_share_their_way():
    start, end = moved_by(np.full(MiniBERT("debug").num_parameters, 0.01))
    found = updates_between({10: start, 15: end})
    at = found.names.index("encoder.layers.0.attn.query.weight")
    weight = start.params["W_Q_0"]
    assert found.steps.tolist() == [15]
    assert_close(found.ratios[at, 0], 0.01 * np.sqrt(weight.size) / np.linalg.norm(weight) / 5)
    assert np.isnan(found.ratios[found.names.index("head.decoder.bias"), 0])  # it began as zeros


def test_models_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="compare models of one architecture"):
        weight_evolution([MiniBERT("debug"), MiniBERT("small")])
    with pytest.raises(ValueError, match="takes two at least"):
        weight_evolution([MiniBERT("debug")])


def test_thinning_keeps_both_ends():
    history = history_of({step: MiniBERT("debug") for step in range(0, 100, 10)})
    assert history.thinned(4).steps == (0, 30, 60, 90)
    assert history.thinned(50).steps == history.steps


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs") / "run"
    settings = {
        "corpus": ["world:60"],
        "budget": {"steps": 12},
        "saving": {"every": 4, "keep": 9},
        "logging": {"inspect_every": 6},
        "workers": 1,
    }
    with new_run(TrainingConfig.named("debugging", settings), folder) as trainer:
        trainer.run()
    return folder


def test_a_run_tells_its_whole_course(run):
    found = weight_evolution(run)
    assert found.steps.tolist() == [0, 4, 8, 12]
    last = MiniBERT.load(run / "checkpoints" / "last")
    assert_close(found.norms[:, -1], np.array([np.linalg.norm(w) for w in last.arena.values()]), rtol=1e-4)
    whole = found.grouped(["all"] * len(found.names))
    assert (
        whole.distances[0, -1] <= whole.move_lengths.sum() + 1e-9
    )  # a straight line is no longer than the way
    assert (np.diff(whole.distances[0]) > 0).all()


def test_what_was_logged_is_told_by_layer(run, tmp_path):
    found = logged_updates(run)
    metrics = [json.loads(told) for told in (run / "metrics.jsonl").read_text().splitlines()]
    inspected = [told for told in metrics if "inspection" in told]
    assert found.steps.tolist() == [told["step"] for told in inspected]
    at = found.names.index("encoder.layers.1")
    assert found.ratios[at, -1] == inspected[-1]["inspection"]["layers"]["encoder.layers.1"]["update_ratio"]
    with pytest.raises(ValueError, match="no step of it was inspected"):
        logged_updates(write_run(tmp_path / "blind", [line(10)]).path)


def test_a_logged_number_that_was_not_finite_is_nan(tmp_path):
    sick = inspection()
    sick["inspection"]["layers"] = {"head": {"gradient_norm": None, "weight_norm": 1.0, "update_ratio": None}}
    found = logged_updates(write_run(tmp_path / "run", [line(10, **sick)]).path)
    assert np.isnan(found.ratios).all()


def test_a_step_of_sgd_moves_each_weight_against_its_gradient(tokenizer):
    model = member("mini", tokenizer)
    before = model.arena.flat.copy()
    lesson = lesson_of(model, ["The wolf sleeps.", "An owl hoots."])
    found = update_of_step(model, lesson, 0.01, lambda weights: SGD(weights, momentum=0.0))
    np.testing.assert_array_equal(model.arena.flat, before)
    gradient = gradient_at(model, lesson)[1]
    expected = [0.01 * np.linalg.norm(gradient[n]) / np.linalg.norm(w) for n, w in model.arena.items()]
    assert_close(found.ratios[:, 0], np.array(expected))
    assert found.after < found.before
    assert found.kinds[found.names.index("W_Q_0")] == "attention"


def test_the_first_step_of_adam_moves_each_weight_by_the_rate(tokenizer):
    model = member("mini", tokenizer)
    found = update_of_step(model, "The wolf sleeps.", 1e-3)
    weight = model.params["W_O_0"]
    assert found.ratios[found.names.index("W_O_0"), 0] == pytest.approx(
        1e-3 * np.sqrt(weight.size) / np.linalg.norm(weight), rel=1e-3
    )


@pytest.mark.parametrize("shape", [(40, 40), (200, 30), (30, 200)])
def test_singular_values_by_either_way(shape):
    matrix = np.random.default_rng(0).standard_normal(shape)
    assert_close(spectrum_of(matrix).values, np.linalg.svd(matrix, compute_uv=False), rtol=1e-6)


def test_ranks_of_matrices_whose_ranks_are_known():
    rotated = np.linalg.qr(np.random.default_rng(0).standard_normal((20, 20)))[0]
    assert spectrum_of(rotated).effective_rank == pytest.approx(20)
    assert spectrum_of(rotated).stable_rank == pytest.approx(20)
    unequal = spectrum_of(np.diag([4.0, 2.0, 2.0, 0.0]))
    assert unequal.stable_rank == pytest.approx(1.5)
    p = np.array([0.5, 0.25, 0.25])
    assert unequal.effective_rank == pytest.approx(np.exp(-(p * np.log(p)).sum()))
    zeros = spectrum_of(np.zeros((3, 4)))
    assert (zeros.effective_rank, zeros.stable_rank, zeros.spikes) == (0, 0, 0)


@pytest.mark.parametrize("shape", [(96, 96), (256, 64), (64, 256)])
def test_random_matrices_are_as_the_law_says(shape):
    rng = np.random.default_rng(1)
    drawn = [spectrum_of(rng.standard_normal(shape)) for _ in range(40)]
    means = np.mean([one.values for one in drawn], axis=0)
    wanted = random_quantiles(*shape)
    assert np.abs(means - wanted).max() < 0.02 * wanted[0]
    assert np.mean([one.effective_rank for one in drawn]) == pytest.approx(
        random_effective_rank(*shape), rel=0.01
    )


@pytest.mark.parametrize("shape", [(64, 64), (128, 32), (32, 128)])
def test_the_edge_is_where_the_law_of_tracy_and_widom_has_its_99th_percentile(shape):
    """That law has the mean −1.2065, the deviation 1.268 and this percentile at 2.0234: 2.547 deviations above."""
    rng = np.random.default_rng(3)
    largest = np.array([np.linalg.norm(rng.standard_normal(shape), 2) for _ in range(200)]) ** 2
    above = (largest_of_random(*shape) ** 2 - largest.mean()) / largest.std()
    assert above == pytest.approx(2.547, abs=0.5)  # three errors of a deviation and a mean from 200 draws
    assert (largest > largest_of_random(*shape) ** 2).mean() < 0.03


def test_planted_directions_stand_out():
    rng = np.random.default_rng(2)
    noise = rng.standard_normal((120, 60))
    left, right = (
        np.linalg.qr(rng.standard_normal((120, 3)))[0],
        np.linalg.qr(rng.standard_normal((60, 3)))[0],
    )
    assert spectrum_of(noise).spikes == 0
    assert spectrum_of(noise + left @ np.diag([60.0, 45.0, 35.0]) @ right.T).spikes == 3


def test_spectra_have_every_matrix_by_either_name(tokenizer):
    model = member("albert", tokenizer)
    found = spectra(model)
    matrices = [name for name, weight in model.arena.items() if weight.ndim == 2]
    assert len(found) == len(matrices)
    assert found["W_Q_0"] is found["encoder.layers.0.attn.query.weight"]
    assert set(spectra(model, "W_[QK]_*")) == {"W_Q_0", "W_K_0"}
    with pytest.raises(ValueError, match="unknown matrix 'W_X_0'; did you mean"):
        spectra(model, "W_X_0")
    with pytest.raises(KeyError, match="unknown matrix"):
        found["W_X_0"]


def test_spectra_over_a_run(run):
    found = spectra_over(run, "W_Q_*")
    assert found.names == ("W_Q_0", "W_Q_1")
    last = MiniBERT.load(run / "checkpoints" / "last")
    assert found.largest[1, -1] == pytest.approx(np.linalg.norm(last.params["W_Q_1"], 2), rel=1e-5)
    assert found.effective_ranks.shape == (2, 4)


def test_figures_are_drawn(run, moves, tokenizer):
    models = moved_by(*moves)
    for what in ("norm", "distance", "move", "cosine"):
        assert weight_evolution(models).figure(what).axes
    with pytest.raises(ValueError, match="unknown measure 'speed'"):
        weight_evolution(models).figure("speed")
    assert ">layer 1<" in logged_updates(run)._repr_svg_()
    assert "W_Q_0" in [text.get_text() for text in updates_between(models).figure().axes[0].get_yticklabels()]
    assert update_of_step(member("mini", tokenizer), "The wolf sleeps.").figure().axes
    assert spectra(models[0]).figure().axes
    assert ">edge of random values<" in spectra(models[0])["W_Q_0"]._repr_svg_()
    assert spectra_over(models).figure("stable rank").axes
