"""Loss, logits and the gradient of every weight against BertForMaskedLM of `transformers`."""

from __future__ import annotations

import pytest

from tests.parity.batches import labels_everywhere, padded_batch
from tests.parity.compare import largest, largest_gap, normwise, worst
from tests.parity.conftest import Measured
from tests.parity.huggingface import ACTIVATIONS, SIZES, by_our_names, read, twins
from tests.parity.reference import gradients

TOLERANCE = {"float32": 1e-5, "float64": 1e-9}


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("hidden_act", ACTIVATIONS)
@pytest.mark.parametrize("size", SIZES)
def test_bert_for_masked_lm(size: str, hidden_act: str, dtype: str, measured: Measured) -> None:
    ours, theirs = twins(size, hidden_act, dtype)
    batch = padded_batch(ours.config)
    cache = ours.trace(batch.ids, labels_everywhere(batch), **batch.inputs)
    grads = {name: cache.gradients[name] for name in ours.arena}

    expected = read(theirs, batch)
    expected.loss.backward()
    expected_grads = gradients(by_our_names(theirs))

    real = batch.inputs["attention_mask"]
    logits, expected_logits = cache.logits[real], expected.logits.detach().numpy()[real]
    errors = {
        "loss": normwise(cache.loss, expected.loss.item()),
        "logits": normwise(logits, expected_logits),
        "gradient": worst(normwise, grads, expected_grads),
    }
    measured(f"BertForMaskedLM {size} {hidden_act} {dtype}", **errors)
    assert largest(errors.values()) <= TOLERANCE[dtype], errors
    assert largest_gap(logits, expected_logits) <= TOLERANCE[dtype]
    assert largest(largest_gap(grads[name], expected_grads[name]) for name in grads) <= TOLERANCE[dtype]
