"""Forward passes by a team: the numbers of one pass, whoever computes them and however many rows there are."""

import numpy as np
import pytest

from mini_bert.core.network import Network
from mini_bert.inference import forward
from mini_bert.inference.forward import Predictor, predict, shares
from mini_bert.models.config import ModelConfig
from mini_bert.models.mini import MiniBERT
from mini_bert.models.zoo import MEMBERS, bert

SMALL = {
    "vocab_size": 50,
    "hidden_size": 16,
    "num_layers": 2,
    "num_heads": 2,
    "intermediate_size": 32,
    "max_seq_length": 12,
}
T = 9


@pytest.fixture(scope="module")
def model():
    return MiniBERT(bert(**SMALL), dtype=np.float64)


def batch(B):
    rng = np.random.default_rng(B)
    mask = np.arange(T) < rng.integers(4, T + 1, (B, 1))
    return rng.integers(5, 50, (B, T)), mask, rng.integers(0, 2, (B, T))


@pytest.mark.parametrize("workers", [1, 2, 3])
@pytest.mark.parametrize("B", [1, 2, 7])
def test_logits_are_those_of_a_plain_pass(model, workers, B):
    ids, mask, types = batch(B)
    expected, cache = model.forward(ids, mask, types)
    with Predictor(model, workers) as predictor:
        np.testing.assert_allclose(predictor.logits(ids, mask, types), expected, rtol=1e-12, atol=1e-12)
        hidden = predictor.hidden_states(ids, mask, types)
    np.testing.assert_allclose(hidden, cache["hidden"], rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("member", MEMBERS)
def test_every_member_of_the_family_can_be_shared_out(member):
    model = MiniBERT(MEMBERS[member].build(**SMALL), dtype=np.float64)
    ids, mask, _ = batch(5)
    expected, _ = model.forward(ids, mask)
    with Predictor(model, 2) as predictor:
        found = predictor.logits(ids, mask)
    np.testing.assert_allclose(found[mask], expected[mask], rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("B", [1, 4, 5])
def test_positions_are_answered_as_if_all_were_asked(model, B):
    ids, mask, types = batch(B)
    places = np.stack([np.arange(B) % 4, (np.arange(B) + 1) % 4, np.zeros(B, int)], axis=1)
    everywhere, _ = model.forward(ids, mask, types)
    expected = np.take_along_axis(everywhere, places[..., None], 1)
    np.testing.assert_allclose(predict(model, ids, mask, types, places), expected, rtol=1e-12, atol=1e-12)


def test_only_the_asked_positions_reach_the_head(model):
    ids, mask, types = batch(4)
    assert predict(model, ids, mask, types, np.zeros((4, 1), int)).shape == (4, 1, 50)


def test_a_large_batch_goes_in_pieces(model, monkeypatch):
    monkeypatch.setattr(forward, "TOKENS_AT_ONCE", 2 * T)
    ids, mask, types = batch(11)
    sizes = []
    encode = Network.encode
    monkeypatch.setattr(
        Network, "encode", lambda self, ids, t: sizes.append(len(ids)) or encode(self, ids, t)
    )
    with Predictor(model, 2) as predictor:
        found = predictor.hidden_states(ids, mask, types)
    assert sorted(sizes) == [1, 1, 1, 2, 2, 2, 2]
    np.testing.assert_allclose(found, model.forward(ids, mask, types)[1]["hidden"], rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(
    ("B", "at_once", "workers"), [(1, 4, 2), (8, 4, 2), (9, 2, 2), (13, 100, 4), (6, 1, 1)]
)
def test_every_row_is_dealt_once_and_in_order(B, at_once, workers):
    hands, remaining = shares(B, at_once, workers)
    dealt = [row for hand in hands for rows in hand for row in range(B)[rows]]
    assert dealt + list(range(B)[remaining]) == list(range(B))
    assert len({sum(len(range(B)[rows]) for rows in hand) for hand in hands}) == 1
    assert len(range(B)[remaining]) < workers
    assert all(len(range(B)[rows]) <= at_once for hand in hands for rows in hand)


def test_what_does_not_fit_is_refused(model):
    ids, _, _ = batch(2)
    with Predictor(model, 1) as predictor:
        with pytest.raises(ValueError, match=r"positions: shape \(1, 1\) does not fit ids \(2, 9\)"):
            predictor.logits(ids, positions=[[0]])
        with pytest.raises(ValueError, match=r"positions\[1, 0\] = 9 is outside 0..8; each row has 9 tokens"):
            predictor.logits(ids, positions=[[0], [9]])
        with pytest.raises(ValueError, match=r"ids\[0, 0\] = 50 is outside"):
            predictor.logits([[50]])


def test_a_class_of_the_text_has_no_position():
    classes = MiniBERT(ModelConfig(**SMALL, head="classes"))
    ids, mask, _ = batch(3)
    np.testing.assert_allclose(
        predict(classes, ids, mask), classes.forward(ids, mask)[0], rtol=1e-4, atol=1e-6
    )
    with pytest.raises(ValueError, match="a class of the whole text"):
        predict(classes, ids, mask, positions=[[0]] * 3)


def test_weights_that_are_not_numbers_are_named():
    broken = MiniBERT(ModelConfig(**SMALL))
    broken.params["final_norm.weight"][3] = np.nan
    with pytest.raises(ValueError, match=r"final_norm\.weight: 1 of 16 weights are not finite"):
        predict(broken, [[5, 6]])
