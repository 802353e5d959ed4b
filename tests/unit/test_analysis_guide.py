"""The guide's names for analyses lead to them."""

import numpy as np
import pytest

import mini_bert.analysis
from mini_bert import MiniBERT, MiniBERTGradients, TrainingConfig, mask_tokens
from mini_bert.analysis import (
    MathematicalAnalyzer,
    MathematicalExplorer,
    RepresentationAnalyzer,
    TrainingAnalyzer,
    analyze_gradient_magnitudes_by_layer,
    analyze_learning_rate_sensitivity,
    analyze_loss_landscape,
    analyze_representation_geometry,
    analyze_weight_evolution,
    create_attention_heatmap,
    plot_gradient_flow,
    read,
    track_weight_changes,
    visualize_attention_patterns,
)
from mini_bert.analysis.given_arrays import lesson_from
from mini_bert.analysis.lessons import loss_at
from mini_bert.guide import mlm_cross_entropy
from mini_bert.training.session import new_run
from tests.tolerances import assert_close
from tests.unit.small_zoo import small_model

TEXT, OTHERS = "the dog saw the cat .", ["snow is cold .", "a cow saw the dog ."]


def test_every_name_is_found_when_it_is_asked_for():
    assert sorted(mini_bert.analysis.HOMES) == mini_bert.analysis.__all__
    for name in mini_bert.analysis.__all__:
        assert getattr(mini_bert.analysis, name).__name__ == name
    with pytest.raises(AttributeError, match="nothing"):
        _ = mini_bert.analysis.nothing


def test_attention_is_that_of_the_pass(tokenizer):
    model = small_model(tokenizer)
    reading = read(model, TEXT)
    weights = reading.passed["attention_weights_1"][0, 1]
    assert_close(create_attention_heatmap(model, TEXT, 1, 1).weights, weights)
    every = np.stack([reading.passed[f"attention_weights_{layer}"][0] for layer in range(2)])
    for given in (every, every[1], every[1, 1]):
        assert_close(visualize_attention_patterns(given, reading.pieces, 1, 1).weights, weights)
    with pytest.raises(ValueError, match="heads 0 to 1"):
        visualize_attention_patterns(every, reading.pieces, 0, 2)
    with pytest.raises(ValueError, match="for 2 tokens"):
        visualize_attention_patterns(every, ["a", "b"])


def test_attention_from_queries_keys_and_values_goes_as_in_the_model(tokenizer):
    passed = read(small_model(tokenizer), TEXT).passed
    found = MathematicalAnalyzer().analyze_attention_computation(passed["Q_0"], passed["K_0"], passed["V_0"])
    assert_close(found.scores, passed["scores_0"])
    assert_close(found.weights, passed["attention_weights_0"])
    assert_close(np.concatenate(list(found.context[0]), axis=-1), passed["context_0"][0])
    assert "query" in found._repr_svg_()
    with pytest.raises(ValueError, match="give Q"):
        MathematicalAnalyzer().analyze_attention_computation(
            np.ones((3, 4)), np.ones((3, 5)), np.ones((3, 5))
        )


def test_norms_and_units_of_arrays_are_those_of_the_pass(tokenizer):
    model = small_model(tokenizer)
    passed, analyzer = read(model, TEXT).passed, MathematicalAnalyzer(model)
    norm = analyzer.analyze_layer_norm_statistics(
        passed["residual1_0"], model.params["gamma1_0"], model.params["beta1_0"]
    )["layer norm"]
    assert_close(norm.std_after, passed["norm1_0"][0].std(-1))
    units = analyzer.analyze_ffn_activation_patterns(passed["norm1_1"], 1)
    assert_close(units[0].active, (passed["ffn_pre_1"][0] > 0).mean(0))
    assert analyzer.analyze_ffn_activation_patterns([TEXT, *OTHERS], 1)[0].layer == 1
    with pytest.raises(ValueError, match="which model"):
        MathematicalAnalyzer().analyze_ffn_activation_patterns(TEXT)
    with pytest.raises(ValueError, match="layers 0 to 1"):
        analyzer.analyze_ffn_activation_patterns(TEXT, 2)
    with pytest.raises(ValueError, match="H numbers in both"):
        analyzer.analyze_layer_norm_statistics(np.ones((2, 4)), np.ones(3), np.ones(3))


def test_the_explorer_sees_a_text_from_inside(tokenizer):
    explorer = MathematicalExplorer(small_model(tokenizer))
    assert explorer.explore_attention_heads(TEXT).weights.shape[:2] == (2, 2)
    assert explorer.step_through_forward_pass(TEXT)["Q_1"].shape == (1, 2, 8, 8)
    assert explorer.analyze_gradient_flow(TEXT).norm > 0
    assert explorer.compare_layer_representations(TEXT).names[1] == "dog"


def test_gradients_are_summed_up_by_layer(tokenizer):
    model = small_model(tokenizer)
    gradients = MiniBERTGradients(model)
    ids = np.array([tokenizer.encode(TEXT)])
    shown, targets, masked = mask_tokens(ids, 1000, 4, 0.4, rng=1)
    logits, cache = model.forward(shown)
    _, slope = gradients.compute_mlm_loss_and_gradients(logits, targets, masked)
    gradients.backward_from_logits(slope, cache)
    found = plot_gradient_flow(gradients.gradients, 300)
    square = sum((gradients.gradients[name] ** 2).sum() for name in gradients.gradients)
    assert np.nansum(found.norms**2) == pytest.approx(square)
    assert "step 300" in found._repr_svg_()
    again = analyze_gradient_magnitudes_by_layer(dict(gradients.gradients.items()))
    assert_close(np.nan_to_num(again.norms), np.nan_to_num(found.norms))
    with pytest.raises(ValueError, match="there are none"):
        plot_gradient_flow({}, 1)


def test_what_mask_tokens_gives_is_a_batch(tokenizer):
    model = small_model(tokenizer)
    ids = np.array([tokenizer.encode("the dog saw the cat ."), tokenizer.encode("the cat saw the dog .")])
    shown, targets, masked = mask_tokens(ids, 1000, 4, 0.4, rng=2)
    assert len(set(masked.sum(1))) == 2  # rows of which one has fewer words to tell
    lesson = lesson_from(model, (shown, targets, masked))
    assert loss_at(model, lesson) == pytest.approx(
        mlm_cross_entropy(model.forward(shown)[0], targets, masked)
    )


def test_weights_by_name_have_a_history(tokenizer):
    model = small_model(tokenizer)
    moments = [{name: step + np.array(one) for name, one in model.params.items()} for step in range(3)]
    found = analyze_weight_evolution(moments, [0, 10, 20])
    assert found.steps.tolist() == [0, 10, 20]
    at = found.names.index("W1_0")
    assert_close(found.distances[at], np.arange(3) * np.sqrt(16 * 24))
    other = MiniBERT(model.config, dtype=np.float64, seed=4)
    models = track_weight_changes([model, other])
    assert models.distances[at, 1] == pytest.approx(
        np.linalg.norm(model.params["W1_0"] - other.params["W1_0"])
    )
    with pytest.raises(ValueError, match="a step for each"):
        analyze_weight_evolution(moments, [0, 10])


def test_the_landscape_of_one_weight_moves_that_weight_alone(tokenizer):
    model = small_model(tokenizer)
    lesson = lesson_from(model, [TEXT, *OTHERS])
    line = analyze_loss_landscape(model, lesson, "W_Q_0", reach=0.5)
    assert line.losses[len(line.x) // 2] == pytest.approx(loss_at(model, lesson))
    assert "W_Q_0" in line.label
    model.params["W_O_0"][...] = 0  # now nothing of what attention does in layer 0 can matter
    still = analyze_loss_landscape(model, lesson, "W_Q_0", reach=0.5)
    assert_close(still.losses, np.full(len(still.x), still.losses[0]))
    for name, message in (("W_X", "unknown weight 'W_X'"), ("b_Q_0", "choose a matrix or a table")):
        with pytest.raises(ValueError, match=message):
            analyze_loss_landscape(model, lesson, name)


def test_learning_rates_and_states_at_hand_lead_to_their_analyses(tokenizer):
    model = small_model(tokenizer)
    found = analyze_learning_rate_sensitivity(model, TEXT, [1e-4, 1e-2])
    assert found.rates.tolist() == [1e-4, 1e-2]
    assert found.after_one[1] < found.start
    passed = read(model, TEXT).passed
    one = analyze_representation_geometry(passed["hidden_states"])
    both = analyze_representation_geometry([passed["embeddings"], passed["hidden_states"]])
    assert_close(one.explained[0], both.explained[1])
    assert both.similarity.shape == (2, 2)


def test_representations_have_their_analyzer(tokenizer):
    analyzer = RepresentationAnalyzer(small_model(tokenizer, positions="rotary"))
    assert len(analyzer.analyze_representation_geometry([TEXT, *OTHERS]).figures) == 3
    assert analyzer.find_nearest_words(TEXT, "dog", OTHERS).layers[0][0].word.spelled == "dog"
    assert len(analyzer.compare_contexts("dog", [TEXT, *OTHERS]).places) == 2


def test_a_run_is_analyzed_by_its_folder(tmp_path):
    settings = {
        "corpus": ["world:60"],
        "budget": {"steps": 6},
        "saving": {"every": 2, "keep": 9},
        "workers": 1,
    }
    with new_run(TrainingConfig.named("debugging", settings), tmp_path / "run") as trainer:
        trainer.run()
    analyzer = TrainingAnalyzer(tmp_path / "run", ["The dog saw the cat.", "Snow is cold."])
    parts = analyzer.plot_loss_components()
    assert parts.guessing + sum(parts.by_kind.values()) == pytest.approx(parts.loss, abs=1e-4)
    updates = analyzer.analyze_parameter_updates()
    assert updates.ratios.shape[0] == len(updates.names)
    assert analyzer.detect_training_issues().case.steps == 6
    with pytest.raises(ValueError, match="no run here"):
        TrainingAnalyzer(tmp_path / "nothing").analyze_parameter_updates()
