"""Gradient flow: sizes against differences of losses, the order of the pass, verdicts, and histograms."""

import doctest
import json
from math import sqrt

import numpy as np
import pytest
from click.testing import CliRunner

from mini_bert.analysis import places
from mini_bert.analysis.gradient_flow import gradient_flow
from mini_bert.analysis.gradient_histograms import gradient_histograms, histograms
from mini_bert.analysis.gradient_remarks import remarks
from mini_bert.analysis.lessons import as_lesson, every_word_of, gradient_at, lesson_of, loss_at
from mini_bert.analysis.reading import read
from mini_bert.analysis.sizes import norm_of
from mini_bert.cli import gradflow
from mini_bert.models.zoo import MEMBERS
from tests.tolerances import assert_close
from tests.unit.analysed_models import member

TEXT = "The wolf and the [MASK] sleep."


@pytest.fixture(scope="module")
def model(tokenizer):
    return member("mini", tokenizer)


@pytest.fixture(scope="module")
def reading(model):
    return read(model, TEXT, target="dog")


def test_names_of_places():
    assert not doctest.testmod(places).failed


@pytest.mark.parametrize(
    "name",
    ["logits", "layer_output_2", "residual1_2", "Q_1", "attention_weights_1", "ffn_pre_0", "embeddings"],
)
def test_a_norm_is_the_slope_of_the_loss_along_the_gradient(model, reading, name):
    flow = gradient_flow(model, reading)
    found = next(one for one in flow.activations if one.name == name)
    direction = reading.passed.activation_gradients[name] / found.norm
    step = 1e-6

    def loss(sign):
        hooks = {name: lambda x: x + sign * step * direction}
        return read(model, TEXT, target="dog", hooks=hooks).passed.loss

    assert_close((loss(1) - loss(-1)) / (2 * step), found.norm, rtol=1e-6)  # a difference of losses
    assert_close(found.rms * sqrt(direction.size), found.norm)
    assert found.activation_rms == pytest.approx(np.sqrt(np.mean(reading.passed[name] ** 2)))


@pytest.mark.parametrize("name", ["W_Q_2", "W2_0", "gamma1_1", "token_embeddings", "b_mlm"])
def test_so_is_that_of_a_weight(model, reading, name):
    found = next(one for one in gradient_flow(model, reading).weights if one.name == name)
    weight, start, step = model.params[name], model.params[name].copy(), 1e-6
    losses = []
    direction = reading.passed.gradients[name] / found.norm
    for sign in (1, -1):
        weight[...] = start + sign * step * direction
        losses.append(read(model, TEXT, target="dog").passed.loss)
    weight[...] = start
    assert_close((losses[0] - losses[1]) / (2 * step), found.norm, rtol=1e-6)
    assert found.ratio == pytest.approx(found.norm / np.sqrt((start**2).sum()))


def test_activations_come_in_the_order_of_the_backward_pass(model, reading):
    flow = gradient_flow(model, reading)
    forward = [name for name in model.activation_names if name in {one.dotted for one in flow.activations}]
    assert flow.activations[0].name == "logits"
    assert flow.activations[-1].name == "token_vectors"
    layers = [one.layer for one in flow.activations if one.layer is not None]
    assert layers == sorted(layers, reverse=True)
    assert sorted(one.dotted for one in flow.activations) == sorted(forward)
    assert [one.name for one in flow.stream] == [*(f"layer_output_{i}" for i in (2, 1, 0)), "embeddings"]
    norms = [one.norm for one in flow.stream]
    assert flow.passed_on == {2: norms[1] / norms[0], 1: norms[2] / norms[1], 0: norms[3] / norms[2]}


def test_magnitudes_add_up_to_the_whole(model, reading):
    flow = gradient_flow(model, reading)
    whole = np.sqrt(sum((gradient**2).sum() for gradient in reading.passed.gradients.values()))
    assert_close(np.sqrt(np.nansum(flow.magnitudes.norms**2)), whole)
    assert_close(flow.norm, whole)
    row, column = flow.magnitudes.layers.index("encoder.layers.1"), flow.magnitudes.kinds.index("attention")
    own = [f"{kind}_{part}_1" for kind in "Wb" for part in "QKVO"]
    expected = np.sqrt(sum((reading.passed.gradients[name] ** 2).sum() for name in own))
    assert_close(flow.magnitudes.norms[row, column], expected)
    assert np.isnan(flow.magnitudes.norms[row, flow.magnitudes.kinds.index("head")])


@pytest.mark.parametrize("name", [name for name in MEMBERS if name != "electra"])
def test_a_reading_and_the_same_as_a_batch_agree(tokenizer, name):
    """The batch computes the places asked for alone, the reading all."""
    model = member(name, tokenizer)
    one = read(model, "The wolf and the owl sleep.")
    lesson = as_lesson(model, one)
    assert_close(loss_at(model, lesson), one.passed.loss)
    assert_close(gradient_at(model, lesson)[1].flat, flat_gradient(model, one))
    flow = gradient_flow(model, lesson)
    assert_close(flow.norm, gradient_flow(model, one).norm)
    assert not flow.verdict


def flat_gradient(model, reading):
    gradient = model.arena.zeros_like()
    for name in gradient:
        gradient[name][...] = reading.passed.gradients.arrays[name]
    return gradient.flat


def test_a_model_that_finds_replaced_tokens_has_a_flow_on_a_batch_alone(tokenizer):
    model = member("electra", tokenizer)
    flow = gradient_flow(model, lesson_of(model, ["The wolf sleeps.", "An owl hoots."]))
    assert any(weight.dotted.startswith("generator.") for weight in flow.weights)
    with pytest.raises(ValueError, match="no labels, and without a loss there is no gradient"):
        gradient_flow(model, "The wolf sleeps.")


def test_a_pass_with_labels_of_classes_has_a_flow(tokenizer):
    model = member("bert", tokenizer, head="classes", classes=3, second_head="none")
    flow = gradient_flow(model, model.trace([[5, 6, 7]], [2]))
    assert flow.activations[0].shape == (1, 3)


def test_a_gradient_that_a_norm_cuts_off_is_told(tokenizer):
    model = member("mini", tokenizer)
    sound = gradient_flow(model, read(model, TEXT, target="dog"))
    assert sound.verdict == ()
    model.params["gamma1_1"] *= 1e-9
    flow = gradient_flow(model, read(model, TEXT, target="dog"))
    assert flow.verdict[0].startswith("vanishing: the first layer's gradient is")
    assert flow.passed_on[1] < 1e-4 < 1e-2 < min(flow.passed_on[0], flow.passed_on[2])


def test_shared_layers_are_judged_by_what_they_hand_on(tokenizer):
    model = member("albert", tokenizer, num_layers=6)
    assert gradient_flow(model, read(model, TEXT, target="dog")).verdict == ()
    model.params["gamma1_0"] *= 1e-3
    flow = gradient_flow(model, read(model, TEXT, target="dog"))
    assert any("reaches the embeddings" in told for told in flow.verdict), flow.passed_on


def test_numbers_that_are_no_longer_finite_are_told(tokenizer):
    model = member("mini", tokenizer)
    seen = read(model, TEXT, target="dog").passed
    seen.gradients.arrays["encoder.layers.0.ffn.up.weight"][0, 0] = np.inf
    assert gradient_flow(model, seen).verdict[0].startswith("exploding")


def test_norms_of_numbers_whose_squares_vanish():
    assert norm_of(np.full(4, 3e-30, np.float32)) == pytest.approx(6e-30)
    assert norm_of(np.full(4, 1e30, np.float32)) == pytest.approx(2e30)
    assert norm_of(np.zeros(3, np.float32)) == 0


def test_every_word_is_hidden_in_turn(model, tokenizer):
    text = "The wolf and the owl sleep."
    lesson = every_word_of(model, text)
    encoding = tokenizer.encoding(text)
    inner = range(1, len(encoding) - 1)
    losses = [read(model, text, hidden=[place], watch=()).passed.loss for place in inner]
    assert_close(loss_at(model, lesson), np.mean(losses))


def test_remarks_tell_of_attention_that_is_sure_and_of_key_biases(tokenizer):
    model = member("mini", tokenizer)
    quiet = remarks(gradient_flow(model, read(model, TEXT, target="dog")))
    assert any("b_K_0 and its like" in told for told in quiet)
    assert not any("is sure where to look" in told for told in quiet)
    model.params["W_Q_1"] *= 1000
    told = remarks(gradient_flow(model, read(model, TEXT, target="dog")))
    assert any(one.startswith("Attention in layer 1 is sure where to look") for one in told)


def test_histograms_count_every_number_once(model, reading):
    found = gradient_histograms(model, reading, ["ffn_hidden_*", "embeddings"], "activations")
    assert found.names == ("embeddings", "ffn_hidden_0", "ffn_hidden_1", "ffn_hidden_2")
    assert_close(found.shares.sum(1) + found.zeros, np.ones(4))
    hidden = reading.passed["ffn_hidden_1"]
    assert found.zeros[2] == (hidden <= 0).mean() > 0.2  # ReLU
    assert found.negative[2] == 0 < found.negative[0]


def test_a_histogram_has_numbers_where_they_are():
    numbers = np.concatenate([np.full(30, 1e-3), np.full(10, -1.0), np.zeros(60)])
    found = histograms({"x": numbers}, "weights", bins=6)
    assert found.edges[0] == pytest.approx(-3)
    assert found.edges[-1] == pytest.approx(0)
    assert_close(found.shares[0], np.array([0.3, 0, 0, 0, 0, 0.1]))
    assert (found.zeros[0], found.negative[0]) == (0.6, 0.1)


@pytest.mark.parametrize(
    ("patterns", "of", "said"),
    [
        ("W_Z_0", "weight gradients", "unknown name among the weight gradients 'W_Z_0'; did you mean"),
        ("*", "gradient", "unknown kind of numbers 'gradient'"),
    ],
)
def test_unknown_numbers_are_refused(model, reading, patterns, of, said):
    with pytest.raises(ValueError, match=said):
        gradient_histograms(model, reading, patterns, of)


def test_figures_are_drawn(model, reading, tmp_path):
    flow = gradient_flow(model, reading)
    assert flow._repr_png_().startswith(b"\x89PNG")
    assert ">layer 2<" in flow._repr_svg_()
    assert ">feed-forward<" in flow.magnitudes._repr_svg_()
    assert ">W_Q_0<" in gradient_histograms(model, reading, "W_*")._repr_svg_()
    flow.save(tmp_path / "flow.png")
    assert (tmp_path / "flow.png").read_bytes().startswith(b"\x89PNG")


@pytest.fixture(scope="module")
def folder(tokenizer, tmp_path_factory):
    place = tmp_path_factory.mktemp("model")
    model = member("mini", tokenizer)
    model.save(place)
    tokenizer.save(place)
    return place


@pytest.mark.parametrize(
    ("arguments", "asked"),
    [
        ([TEXT, "--target", "dog"], "“dog” is asked for behind [MASK]"),
        ([TEXT], "the model's own first guess"),
        (["The wolf sleeps.", "--mask", "WOLF"], "“WOLF” is hidden and asked for"),
        (["The wolf sleeps."], "each word is hidden in turn and asked for"),
        ([], "16 stories of the embedded world"),
    ],
)
def test_the_command_says_what_it_asked(folder, arguments, asked):
    result = CliRunner().invoke(gradflow.command, [*arguments, "--model", str(folder), "--json"])
    assert result.exit_code == 0, result.output
    told = json.loads(result.stdout)
    assert asked in told["asked"]
    assert told["loss"] > 0
    assert told["activations"][0]["name"] == "logits"
    assert set(told["passed_on"]) == {"0", "1", "2"}


def test_the_command_shows_tables_and_draws(folder, tmp_path):
    drawn = tmp_path / "flow.svg"
    result = CliRunner().invoke(
        gradflow.command,
        [TEXT, "--target", "dog", "--model", str(folder), "--figure", str(drawn), "--all"],
        env={"COLUMNS": "120"},
    )
    assert result.exit_code == 0, result.output
    assert "attention_weights_2" in result.stdout
    assert "sound: the gradient reaches every layer" in result.stdout
    assert "<svg" in drawn.read_text("utf-8")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([" "], "the text is empty"),
        (["a [MASK]", "--mask", "a"], "the text has \\[MASK\\] already"),
        (["a", "--target", "b"], "the text has no \\[MASK\\] for it"),
        (["a", "--mask", "b"], "the text has no such word"),
        (["--mask", "b"], "speak of a text"),
        (["a", "--preset", "debug"], "two models"),
        (["a", "--figure", "x.gif"], "a plot is a .png or an .svg"),
    ],
)
def test_the_command_refuses_what_cannot_be(folder, arguments, said):
    with pytest.raises(ValueError, match=said):
        CliRunner().invoke(gradflow.command, [*arguments, "--model", str(folder)], catch_exceptions=False)
