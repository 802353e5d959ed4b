"""What each score term promises, seen from outside."""

import numpy as np
import pytest

from mini_bert.core.terms import Causal, Content, Padding, RelativeBias, Rotary
from mini_bert.core.trace import Trace
from tests.mathematical.battery import HOME, Specimen, run
from tests.mathematical.specimens import MASK, PADDED, SOME, A, B, T, X, attention
from tests.tolerances import assert_close, assert_same_bits

D = 4
q, k = np.random.default_rng(0).standard_normal((2, B, A, T, D))
i, j = np.indices((T, T))


def probabilities(*terms, x=X, **more):
    return run(Specimen(attention(*terms), x, **more)).trace.kept[f"{HOME}.softmax"]


def test_content_is_the_scaled_dot_product():
    scores = Content().forward(q, k, Trace({}))
    for place in np.ndindex(scores.shape):
        b, a, query, key = place
        assert scores[place] == pytest.approx(sum(q[b, a, query] * k[b, a, key]) / D**0.5, rel=1e-14)


@pytest.mark.parametrize("others", [(), (Causal(),), (RelativeBias(A, 2), Rotary(Content()))], ids=str)
def test_nobody_looks_at_padding(others):
    probs = probabilities(Content(), *others, Padding(), inputs=PADDED)
    looked_at = probs.transpose(0, 3, 1, 2)  # (B, Tk, A, Tq)
    assert not looked_at[~MASK].any()
    assert (looked_at[MASK].max((1, 2)) > 0).all()


def test_a_row_that_is_all_padding_is_no_nan():
    probs = probabilities(Content(), Padding(), inputs={"attention_mask": np.zeros((B, T), bool)})
    assert_close(probs.sum(-1), np.ones((B, A, T)))


def test_nobody_looks_ahead():
    probs = probabilities(Content(), Causal())
    assert not probs[..., j > i].any()
    assert (probs[..., j <= i] > 0).all()


def test_what_follows_never_shows():
    """Changing the last tokens leaves the output before them alone, bit for bit."""
    other = X.copy()
    other[:, 3:] += 1
    plain, changed = (run(Specimen(attention(Content(), Causal()), x)).y for x in (X, other))
    assert_same_bits(changed[:, :3], plain[:, :3])
    assert (changed[:, 3:] != plain[:, 3:]).all()


def test_rotated_scores_depend_on_distance_alone():
    """The same query and key everywhere: scores are constant along diagonals, and differ between them."""
    same_q, same_k = (np.broadcast_to(x[:, :, :1], x.shape) for x in (q, k))
    scores = Rotary(Content()).forward(same_q, same_k, Trace({}))
    assert_close(scores[..., 1:, 1:], scores[..., :-1, :-1])
    assert (abs(np.diff(scores, axis=-1)) > 1e-3).any()


def test_rotation_leaves_a_token_and_itself_alone():
    turned = Rotary(Content()).forward(q, k, Trace({}))
    assert_close(turned[..., i == j], Content().forward(q, k, Trace({}))[..., i == j])


@pytest.mark.parametrize("reach", [T - 1, 2])
def test_relative_bias_is_looked_up_by_clipped_distance(reach):
    table = np.random.default_rng(0).standard_normal((A, 2 * reach + 1))
    scores = RelativeBias(A, reach).forward(q, k, Trace({"table": table}))
    for a, query, key in np.ndindex(A, T, T):
        distance = max(-reach, min(reach, query - key))
        assert scores[a, query, key] == table[a, distance + reach]


@pytest.mark.parametrize(
    "terms",
    [
        (Content(), Padding(), Causal()),
        (Rotary(Content()), Padding()),
        (Content(), RelativeBias(A, 2), Padding()),
    ],
    ids=["causal", "rotary", "relative"],
)
def test_asked_positions_look_where_they_would(terms):
    every = probabilities(*terms, inputs=PADDED)
    asked = probabilities(*terms, inputs=PADDED, queries=SOME)
    assert_close(asked, np.take_along_axis(every, SOME[:, None, :, None], 2))
