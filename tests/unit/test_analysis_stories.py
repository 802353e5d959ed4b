"""Which sum made a number, which sum made its gradient, and the steps of a pass."""

import numpy as np
import pytest

from mini_bert import MiniBERT, ModelConfig
from mini_bert.analysis import explain_cell, explain_gradient, read
from mini_bert.analysis.forward_steps import forward_steps
from mini_bert.analysis.numeric_slope import NumericSlope, numeric_slope
from mini_bert.analysis.sums import cell_label
from mini_bert.models.zoo import MEMBERS
from mini_bert.training.verification import lively_weights
from tests.tolerances import assert_close
from tests.unit.small_zoo import small_model
from tests.unit.variants import MODERN

TEXT = "the dog is [MASK] ."
GIVEN = (".ids", ".places")
OF_DISTANCES = ("to_position", "to_content", "positions.r")
"""Parts of names of Transformer-XL's and DeBERTa's activations: what they make of distances is told as a whole."""
UNUSED = ("second_head", "generator", "blank", "segments")
"""Parts of names of weights that a plain reading does not use."""


def lively(tokenizer, preset, dtype=np.float64, **settings):
    """A model whose numbers are all of the size of one."""
    model = MiniBERT(ModelConfig.preset(preset, **settings), dtype=dtype)
    model.arena.flat[:] = lively_weights(model.network, 1).flat
    model.tokenizer = tokenizer
    return model


def cells(rng, shape, count):
    return [tuple(int(rng.integers(size)) for size in shape) for _ in range(count)]


def check_cells(reading, count, rtol):
    rng = np.random.default_rng(0)
    told = 0
    for name, values in reading.passed.trace.acts.items():
        if name.endswith(GIVEN) or any(part in name for part in OF_DISTANCES):
            continue
        for index in cells(rng, values.shape, count):
            story = explain_cell(reading, name, index, most=5)
            assert story.value == values[index]
            scale = max([abs(story.value), *(abs(term.value) for term in story.terms)])
            total = sum(term.value for term in story.terms) + story.rest
            assert abs(total - story.value) <= rtol * scale, (name, index)
            check_factors(reading, story)
            told += 1
    return told


def check_factors(reading, story):
    """Terms are the products of their factors, the largest first, and a factor that is a cell has its number."""
    sizes = [abs(term.value) for term in story.terms]
    assert sizes == sorted(sizes, reverse=True)
    for term in story.terms:
        assert term.value == pytest.approx(np.prod([factor.value for factor in term.factors]), rel=1e-12)
        for factor in term.factors:
            if factor.name is not None and factor.label == cell_label(factor.name, factor.index):
                assert factor.value == reading.graph.numbers[factor.name][factor.index]
    for aside in story.asides:
        whole = aside.largest(3)
        total = sum(term.value for term in whole.terms) + whole.rest
        if aside.equation != "Σ":
            total = np.sqrt(total + reading.model.config.norm_eps)
        assert aside.value == pytest.approx(total)


@pytest.mark.parametrize("preset", ["debug", "modern"])
def test_the_terms_of_every_activation_add_up_to_it(tokenizer, preset):
    reading = read(lively(tokenizer, preset, vocab_size=1000), TEXT)
    assert check_cells(reading, 3, 1e-12) > 150


def test_the_terms_add_up_in_mini_bert_itself_in_float32(tokenizer):
    assert check_cells(read(lively(tokenizer, "mini", np.float32), TEXT), 2, 1e-5) > 150


@pytest.mark.parametrize("member", MEMBERS)
def test_the_terms_add_up_in_every_member_of_the_family(tokenizer, member):
    reading = read(small_model(tokenizer, member), TEXT)
    assert check_cells(reading, 1, 1e-11) > 50


def test_a_cell_of_a_linear_map_is_what_the_loop_makes_it(tokenizer):
    reading = read(lively(tokenizer, "debug", vocab_size=1000), TEXT)
    x, p = reading.passed["embeddings"], reading.model.params
    products = [x[0, 2, j] * p["W_Q_0"][j, 8 + 5] for j in range(32)]
    story = explain_cell(reading, "Q_0", (0, 1, 2, 5), most=4)
    assert story.value == pytest.approx(sum(products) + p["b_Q_0"][13])
    labels = {f"embeddings[0, 2, {j}] · W_Q_0[{j}, 13]": one for j, one in enumerate(products)}
    labels["b_Q_0[13]"] = p["b_Q_0"][13]
    assert [term.label for term in story.terms] == sorted(labels, key=lambda label: -abs(labels[label]))[:4]
    assert (len(story.terms), story.others) == (4, 29)
    assert story.rest == pytest.approx(story.value - sum(term.value for term in story.terms))
    assert story.equation == "Q_0 = embeddings W_Q_0 + b_Q_0"


def test_the_loss_is_told_word_by_word(tokenizer):
    reading = read(lively(tokenizer, "debug", vocab_size=1000), "the dog is here .", hidden=[1, 2])
    story = explain_cell(reading, "loss")
    logits = reading.passed["logits"][0]
    p = [np.exp(logits[i][reading.labels[i]]) / np.exp(logits[i]).sum() for i in (1, 2)]
    assert sorted(term.value for term in story.terms) == pytest.approx(sorted(-np.log(p) / 2))
    assert story.value == pytest.approx(-np.log(p).mean())


def test_what_a_hook_changed_is_a_term_of_its_own(tokenizer):
    model = lively(tokenizer, "debug", vocab_size=1000)
    reading = read(model, TEXT, hooks={"Q_0": lambda q: q + 1.5})
    story = explain_cell(reading, "Q_0", (0, 1, 2, 5), most=None)
    assert [term.value for term in story.terms if "hook" in term.label] == [pytest.approx(1.5)]
    assert sum(term.value for term in story.terms) == pytest.approx(story.value)


def some_gradients(reading, rng, count):
    """Every weight and activation that has a gradient, and cells of it that are not zero if there are any."""
    passed = reading.exact.passed
    for name, values in [*passed.gradients.arrays.items(), *passed.activation_gradients.arrays.items()]:
        alive = np.argwhere(values)
        for _ in range(count):
            index = alive[rng.integers(len(alive))] if len(alive) else [0] * values.ndim
            yield name, tuple(int(one) for one in index)


@pytest.mark.parametrize("settings", [{}, MODERN], ids=["plain", "modern"])
def test_every_gradient_is_told_by_terms_and_agrees_with_finite_differences(tokenizer, settings):
    reading = read(lively(tokenizer, "debug", vocab_size=1000, **settings), TEXT, target="the")
    rng = np.random.default_rng(0)
    for name, index in some_gradients(reading, rng, 1):
        story = explain_gradient(reading, name, index, most=None)
        scale = max([abs(story.value), *(abs(term.value) for term in story.terms)])
        assert abs(sum(term.value for term in story.terms) - story.value) <= 1e-12 * scale, (name, index)
        assert sum(part.value for part in story.parts) == pytest.approx(story.value, rel=1e-9, abs=1e-15)
        assert story.agrees, (name, index, story.value, story.check)


@pytest.mark.parametrize("member", [*MEMBERS, "gated"])
def test_the_terms_of_gradients_add_up_in_every_member_of_the_family(tokenizer, member):
    model = (
        small_model(tokenizer, attention="gated", positions="relative", activation="silu")
        if member == "gated"
        else small_model(tokenizer, member)
    )
    reading = read(model, TEXT)
    if model.config.head != "words":
        labels = (np.arange(len(reading.ids)) % 2)[None]
        reading = type(reading)(
            model,
            reading.encoding,
            reading.pieces,
            reading.ids,
            labels[0],
            model.trace(reading.ids[None], labels),
        )
    for name, index in some_gradients(reading, np.random.default_rng(1), 1):
        story = explain_gradient(reading, name, index, most=None, check=False)
        if any(part in name for part in (*OF_DISTANCES, *UNUSED)) and not story.parts:
            assert story.rest == story.value
            continue
        assert story.parts, name
        scale = max([abs(story.value), *(abs(term.value) for term in story.terms)])
        assert abs(sum(term.value for term in story.terms) - story.value) <= 1e-11 * scale, (name, index)


@pytest.mark.parametrize(
    ("head", "pooled"), [("classes", "first"), ("classes", "last"), ("classes", "mean"), ("tags", "first")]
)
def test_heads_that_tell_classes_are_told_too(tokenizer, head, pooled):
    model = small_model(tokenizer, head=head, pooled=pooled, classes=3, second_head="none")
    first = read(model, "the dog is here .")
    labels = np.array([1]) if head == "classes" else np.ones((1, len(first.ids)), int)
    passed = model.trace(first.ids[None], labels)
    reading = type(first)(model, first.encoding, first.pieces, first.ids, first.labels, passed)
    check_cells(reading, 1, 1e-12)
    for name, index in some_gradients(reading, np.random.default_rng(1), 1):
        story = explain_gradient(reading, name, index, most=None, check=name.startswith("head."))
        assert sum(term.value for term in story.terms) == pytest.approx(story.value, rel=1e-9, abs=1e-15)
        assert story.check is None or story.agrees


def test_short_names_see_weights_the_other_way_round(tokenizer):
    reading = read(lively(tokenizer, "debug", vocab_size=1000), TEXT, target="the")
    by_short = explain_gradient(reading, "W1_0", (3, 50), check=False)
    stored = explain_gradient(reading, "encoder.layers.0.ffn.up.weight", (50, 3), check=False)
    assert by_short.value == stored.value == reading.passed.gradients["W1_0"][3, 50]
    assert by_short.label == "d W1_0[3, 50]"
    assert by_short.parts[0].equation == "Σ over tokens of norm1_0 · d ffn_pre_0"


def test_a_model_in_float32_is_checked_in_float64(tokenizer):
    reading = read(lively(tokenizer, "debug", np.float32, vocab_size=1000), TEXT, target="the")
    story = explain_gradient(reading, "W2_1", (5, 6))
    assert story.value == pytest.approx(float(reading.passed.gradients["W2_1"][5, 6]), rel=1e-3)
    assert story.numeric == pytest.approx(story.value, rel=1e-7)
    assert reading.passed.trace.params["head.decoder.weight"].dtype == np.float32


def test_the_numeric_slope_would_notice_a_wrong_gradient(tokenizer):
    reading = read(lively(tokenizer, "debug", vocab_size=1000), TEXT, target="the")
    name, index = "encoder.layers.0.ffn.down.weight", (4, 9)
    before = reading.model.arena[name].copy()
    found = numeric_slope(reading.passed, name, index)
    right = reading.passed.gradients.arrays[name][index]
    assert found.agrees_with(right)
    assert not found.agrees_with(right * 1.001)
    assert np.array_equal(reading.model.arena[name], before)
    assert not NumericSlope(0.0, 1e-2, 1e-12).agrees_with(1e-6)


def test_weights_that_moved_since_are_refused(tokenizer):
    reading = read(lively(tokenizer, "debug", np.float32, vocab_size=1000), TEXT, target="the")
    reading.model.params["W_Q_0"][0, 0] += 1
    with pytest.raises(ValueError, match="the weights have changed"):
        explain_gradient(reading, "W_Q_0", (0, 0))


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda r: explain_cell(r, "Q_0", (0, 9, 9, 9)), r"choose from \[0, 0, 0, 0\] to \[0, 3, 6, 7\]"),
        (lambda r: explain_cell(r, "Q_0", ()), "no such number"),
        (lambda r: explain_cell(r, "Q_7", (0,)), "unknown activation 'Q_7'; did you mean"),
        (lambda r: explain_cell(r, "W_Q_0", (0, 0)), "made by training"),
        (lambda r: explain_cell(r, "embeddings.token.ids", (0, 0)), "this is given"),
        (lambda r: explain_gradient(r, "W_Q_0", (32, 0)), "no such number"),
        (lambda r: explain_gradient(r, "encoder.layers.0.attn.query.x", (0, 0, 0)), "made of: embeddings"),
        (lambda r: explain_gradient(r, "W_X", (0, 0)), "unknown weight or activation"),
        (lambda r: read(r.model, TEXT, watch=["Q_0"]).graph, "did not watch everything"),
    ],
)
def test_what_cannot_be_told_is_refused(tokenizer, ask, message):
    with pytest.raises(ValueError, match=message):
        ask(read(lively(tokenizer, "debug", vocab_size=1000), TEXT, target="the"))


@pytest.mark.parametrize("member", MEMBERS)
def test_steps_are_made_of_steps_before_and_have_the_numbers_of_the_pass(tokenizer, member):
    reading = read(small_model(tokenizer, member), TEXT)
    steps = forward_steps(reading)
    known = set()
    for step in steps:
        assert known.issuperset(step.inputs)
        assert all(name in reading.model.arena for name in step.weights)
        known.add(step.dotted)
        if step.dotted in reading.passed.arrays:
            values = reading.passed.arrays[step.dotted]
            assert (step.shape, step.max) == (values.shape, values.max())
            assert_close(np.array(step.std), np.sqrt(((values - values.mean()) ** 2).mean()))
    assert list(steps)[-1].name == "logits"
    weights = {name for step in steps for name in step.weights}
    untold = [name for name in reading.model.arena if name not in weights]
    assert all(any(part in name for part in UNUSED) for name in untold)


def test_a_step_has_the_equation_of_its_own_model(tokenizer):
    steps = forward_steps(read(lively(tokenizer, "modern", vocab_size=1000), TEXT))
    assert steps["logits"].equation == "logits = head_transformed token_embeddingsᵀ"
    assert steps["ffn_hidden_0"].equation == "ffn_hidden_0 = ffn_opening_0 · ffn_content_0"
    assert steps["logits"].in_guide == "x W_mlm + b_mlm"
    assert steps["attention_weights_1"].entropy is not None
    with pytest.raises(KeyError, match="unknown step"):
        steps["nothing"]


def test_stories_and_steps_draw_themselves(tokenizer, tmp_path):
    reading = read(lively(tokenizer, "debug", vocab_size=1000), TEXT, target="the")
    shown = [
        explain_cell(reading, "Q_0", (0, 1, 2, 5)),
        explain_gradient(reading, "W_Q_0", (3, 4), check=False),
        forward_steps(reading),
    ]
    drawn = [one._repr_svg_() for one in shown]
    assert "W_Q_0[" in drawn[0]
    assert "d Q_0[" in drawn[1]
    assert "scores_1" in drawn[2]
    shown[0].save(tmp_path / "cell.png")
    assert (tmp_path / "cell.png").read_bytes().startswith(b"\x89PNG")
