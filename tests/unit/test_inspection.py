"""What an inspection tells is what the step really did."""

from math import log

import numpy as np
import pytest

from mini_bert.core.trace import Trace
from mini_bert.data.world import texts
from mini_bert.models.config import ModelConfig
from mini_bert.models.mini import MiniBERT
from mini_bert.tokenizers import WordPieceTokenizer
from mini_bert.tokenizers.special import MASK_ID, UNK_ID
from mini_bert.training.inspection import Inspector, entropies, layer_of
from mini_bert.training.memory import peak_resident_bytes, resident_bytes
from mini_bert.training.objectives import MaskedBatch, masked_word_backward, masked_word_loss

B, T, K = 6, 16, 4


@pytest.fixture(scope="module")
def tokenizer():
    return WordPieceTokenizer.train(list(texts(100)), 500)


@pytest.fixture
def model(tokenizer):
    config = ModelConfig.preset("debug", vocab_size=tokenizer.vocab_size, max_seq_length=T)
    return MiniBERT(config, seed=1, dtype=np.float64)


def batch_of(V):
    rng = np.random.default_rng(0)
    ids = rng.integers(5, V, (B, T))
    positions = np.tile(np.arange(1, K + 1), (B, 1))
    labels = np.take_along_axis(ids, positions, 1)
    ids[:, 1:3] = MASK_ID
    ids[0, 3] = labels[0, 2] % (V - 6) + 6
    ids[1, -1] = UNK_ID
    return MaskedBatch(ids, positions, labels, np.full(labels.shape, 1 / labels.size))


@pytest.fixture
def inspected(model, tokenizer):
    batch = batch_of(tokenizer.vocab_size)
    inspector, grads = Inspector(model, tokenizer), model.arena.zeros_like()
    _, t = masked_word_loss(model.network, model.arena, batch)
    masked_word_backward(model.network, batch, t, grads)
    before = inspector.before(grads)
    old = model.arena.copy()
    model.arena.flat -= 0.1 * grads.flat
    return inspector.after(before, batch), old, grads


def test_norms_and_updates_by_layer(inspected, model):
    found, old, grads = inspected
    layers = found["layers"]
    assert list(layers) == ["embeddings", "encoder.layers.0", "encoder.layers.1", "final_norm", "head"]
    for layer, told in layers.items():
        names = [name for name in model.arena if name.startswith(f"{layer}.")]
        g = np.concatenate([grads[name].ravel() for name in names])
        w = np.concatenate([model.arena[name].ravel() for name in names])
        change = w - np.concatenate([old[name].ravel() for name in names])
        assert told["gradient_norm"] == pytest.approx(np.linalg.norm(g))
        assert told["weight_norm"] == pytest.approx(np.linalg.norm(w))
        assert told["update_ratio"] == pytest.approx(np.linalg.norm(change) / np.linalg.norm(w))


def test_activity_is_that_of_the_model_as_it_is_now(inspected, model, tokenizer):
    found, _, _ = inspected
    _, cache = model.forward(batch_of(tokenizer.vocab_size).ids)
    probs = cache["attention_weights_1"]
    assert found["attention_entropy"][1] == pytest.approx(
        [float(-(p * np.log(p)).sum(-1).mean()) for p in probs.swapaxes(0, 1)]
    )
    assert found["most_entropy"] == log(T)
    hidden = cache["ffn_hidden_0"].reshape(-1, model.config.intermediate_size)
    assert found["dead_units"][0] == (hidden <= 0).all(0).mean()
    assert found["activations"]["hidden"]["std"] == pytest.approx(cache["hidden_states"].std())


def test_nothing_is_kept_for_a_backward_pass(model, tokenizer, monkeypatch):
    traces = []

    def noted(*arguments, **options):
        traces.append(Trace(*arguments, **options))
        return traces[-1]

    monkeypatch.setattr("mini_bert.training.inspection.Trace", noted)
    Inspector(model, tokenizer).activity(batch_of(tokenizer.vocab_size))
    assert [trace.kept for trace in traces] == [{}]


def test_padding_is_left_out_of_the_entropies():
    probs = np.zeros((1, 1, 2, 2))
    probs[0, 0, 0] = 0.5, 0.5
    probs[0, 0, 1] = 1, 0
    assert entropies(probs, np.array([[True, False]])) == [pytest.approx(log(2))]


def test_only_relu_can_be_dead(tokenizer):
    config = ModelConfig.preset("modern", vocab_size=tokenizer.vocab_size, max_seq_length=T)
    model = MiniBERT(config)
    inspector = Inspector(model, tokenizer)
    found = inspector.after(inspector.before(model.arena.zeros_like()), batch_of(tokenizer.vocab_size))
    assert found["dead_units"] is None


def test_the_data_is_told(inspected, model, tokenizer):
    data = inspected[0]["data"]
    assert data["asked"] == B * K / (B * T)
    assert data["hidden"] == 0.5
    assert data["kept"] == pytest.approx((2 * B - 1) / (4 * B))
    assert data["unknown"] > 0
    assert data["padding"] == 0
    assert data["repeated"] == 0


def test_a_text_whose_next_words_are_asked_for_hides_none(tokenizer):
    config = ModelConfig.preset(
        "gpt2", vocab_size=tokenizer.vocab_size, hidden_size=16, num_heads=2, num_layers=1
    )
    ids = np.array([[2, 11, 12, 12, 3]])
    batch = MaskedBatch(ids, np.arange(4)[None], ids[:, 1:], np.full((1, 4), 0.25))
    one = Inspector(MiniBERT(config), tokenizer)
    assert one.data(batch) == {"asked": 0.8, "unknown": 0.0, "padding": 0.0, "repeated": 0.0}
    other = MaskedBatch(ids + np.eye(5, dtype=int)[1], batch.positions, batch.labels, batch.weights)
    assert one.data(other)["repeated"] == 0


def test_rows_that_come_again_are_noticed_also_after_a_resume(model, tokenizer):
    one, two = Inspector(model, tokenizer), Inspector(model, tokenizer)
    batch = batch_of(tokenizer.vocab_size)
    assert one.data(batch)["repeated"] == 0
    two.load_state(one.state())
    assert one.data(batch)["repeated"] == 1
    assert two.data(batch)["repeated"] == 1


def test_layers_by_name():
    assert layer_of("encoder.layers.11.attn.query.weight") == "encoder.layers.11"
    assert layer_of("head.decoder.bias") == "head"
    assert layer_of("alone") == "alone"


def test_memory_is_told_in_bytes():
    now, most = resident_bytes(), peak_resident_bytes()
    if now is None or most is None:
        pytest.skip("this system does not tell the memory of a process")
    assert 10e6 < now < 1.2 * most
