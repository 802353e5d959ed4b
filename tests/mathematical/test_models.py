"""Whole models, every entry of every weight; and the gradient of every activation."""

import pytest

from mini_bert.models.build import build_network
from mini_bert.models.names import ACTIVATIONS, find, rows, short
from mini_bert.training.verification import verify_gradients
from tests.mathematical import promises
from tests.mathematical.promises import TINY, lively_model

ALL_TOGETHER = {
    "residual": "pre-norm",
    "feed_forward": "gated",
    "activation": "silu",
    "positions": "rotary",
    "norm": "rms",
    "tied": True,
    "bias": False,
    "head_transform": True,
    "token_types": 2,
    "embedding_norm": True,
    "dropout": 0.2,
    "attention_dropout": 0.2,
    "checkpoint_activations": True,
    "layer_groups": 1,
}
VARIANTS = {
    "Mini-BERT": {},
    "GELU": {"activation": "gelu"},
    "GELU by tanh": {"activation": "gelu-tanh"},
    "pre-norm": {"residual": "pre-norm"},
    "GeGLU": {"feed_forward": "gated", "activation": "gelu"},
    "SwiGLU": {"feed_forward": "gated", "activation": "silu"},
    "RoPE": {"positions": "rotary"},
    "relative positions": {"positions": "relative"},
    "disentangled positions": {"positions": "disentangled", "reach": 3, "activation": "gelu"},
    "places look for words": {"positions": "learned-and-disentangled", "disentangled": "p2c"},
    "distances in buckets": {
        "positions": "disentangled",
        "buckets": 4,
        "relative_norm": True,
        "relative_projection": "shared",
    },
    "enhanced mask decoder": {"positions": "disentangled", "mask_decoder": "enhanced", "activation": "gelu"},
    "RMS norm": {"norm": "rms"},
    "tied": {"tied": True},
    "no biases": {"bias": False},
    "BERT's extras": {
        "activation": "gelu",  # after ReLU, a norm over four numbers may meet four zeros
        "head_transform": True,
        "token_types": 2,
        "embedding_norm": True,
        "final_norm": False,
    },
    "GPT-2's extras": {
        "causal": True,
        "residual": "pre-norm",
        "activation": "gelu-tanh",
        "tied": True,
        "decoder_bias": False,
    },
    "dropout": {"dropout": 0.3, "attention_dropout": 0.2},
    "checkpointed": {"checkpoint_activations": True},
    "one layer called three times": {"num_layers": 3, "layer_groups": 1},
    "all together": ALL_TOGETHER,
    "all together, post-norm with biases": ALL_TOGETHER
    | {"residual": "post-norm", "norm": "layer", "bias": True, "activation": "gelu", "positions": "relative"},
}
ONE_LAYER = {"num_layers": 1}
HOOKED = {
    "Mini-BERT": ONE_LAYER,
    "pre-norm, GeGLU, RoPE": ONE_LAYER | VARIANTS["pre-norm"] | VARIANTS["GeGLU"] | VARIANTS["RoPE"],
    "BERT's extras, GELU by tanh": ONE_LAYER | VARIANTS["BERT's extras"] | VARIANTS["GELU by tanh"],
    "all together": ALL_TOGETHER,
}
"""Every kind of activation that a model has; in the last, two calls of one layer."""
HEADS = {
    "a class, by the first token": {"head": "classes", "classes": 3},
    "a class, by the last token": {"head": "classes", "pooled": "last", "causal": True},
    "a class, by all tokens": {"head": "classes", "pooled": "mean", "pooler": "none"},
    "a tag": {"head": "tags", "classes": 3},
    "replaced, without a generator": {"head": "replaced"},
    "no head": {"head": "none"},
    "no head but a pooler": {"head": "none", "second_head": "pooler"},
    "a pooler beside words": {"second_head": "pooler"},
    "the order of tokens beside words": {"second_head": "order"},
}
TWIN = {"hidden_size": 4, "num_layers": 1, "num_heads": 2, "intermediate_size": 6}
SMOOTH = [name for name, settings in VARIANTS.items() if settings.get("activation", "relu") != "relu"]


@pytest.mark.parametrize("name", VARIANTS)
def test_every_entry_by_complex_step(name):
    promises.check_gradients_of(TINY.changed(**VARIANTS[name]))


@pytest.mark.parametrize("name", SMOOTH)
def test_by_five_points(name):
    promises.check_gradients_of(TINY.changed(**VARIANTS[name]), "five-point", samples=2)


@pytest.mark.parametrize("name", HEADS)
def test_every_head_is_asked_what_it_tells(name):
    report = verify_gradients(TINY.changed(**HEADS[name]), samples=8)
    assert report.passed, report
    assert {name for name in report.out_of_reach if not name.endswith("key.bias")} == set()


@pytest.mark.parametrize("positions", ["learned", "rotary", "disentangled"])
def test_a_token_that_sees_itself_alone_has_nothing_to_choose_from(positions):
    """So nothing moves its choice, and that is right."""
    config = TINY.changed(num_layers=1, max_seq_length=1, positions=positions, activation="gelu")
    report = verify_gradients(config)
    assert report.passed, report
    choosing = {
        f"encoder.layers.0.attn.{part}.{kind}" for part in ("query", "key") for kind in ("weight", "bias")
    }
    assert choosing <= set(report.out_of_reach)
    told = [line.split()[0] for line in str(report).splitlines() if line.endswith("out of reach")]
    assert told == [short(name) for name in report.out_of_reach]


@pytest.mark.parametrize(
    ("changes", "idle"),
    [
        ({"head": "replaced", "generator": TWIN, "second_head": "pairs"}, "second_head."),
        ({"positions": "transformer-xl", "streams": 2, "head": "classes"}, "encoder.blank"),
    ],
    ids=["ELECTRA with a second head", "a class told by two streams"],
)
def test_what_no_objective_asks_for_is_out_of_reach(changes, idle):
    report = verify_gradients(TINY.changed(activation="gelu", **changes), samples=4)
    assert report.passed, report
    unasked = {name for name in report.out_of_reach if not name.endswith("key.bias")}
    assert unasked == {check.name for check in report.checks if idle in check.name}


def test_one_answer_alone_has_no_gradient():
    with pytest.raises(ValueError, match=r"head=tags: of one answer the probability is 1.*classes=2 or more"):
        verify_gradients(TINY.changed(head="tags", classes=1))


def test_relative_positions_have_one_number_for_each_head_and_distance():
    weights = build_network(TINY.changed(positions="relative")).all_weights()
    A, T = TINY.num_heads, TINY.max_seq_length
    assert weights["encoder.layers.0.attn.relative.table"].shape == (A, 2 * T - 1)


@pytest.mark.parametrize("name", VARIANTS)
def test_every_activation_gradient(name):
    promises.check_activation_gradients(TINY.changed(**VARIANTS[name]))


@pytest.mark.parametrize("name", HOOKED)
def test_hooks_add_constants(name):
    promises.check_hooks_add_constants(TINY.changed(**HOOKED[name]))


@pytest.mark.parametrize("name", ["pre-norm, GeGLU, RoPE", "BERT's extras, GELU by tanh"])
def test_hooks_add_constants_by_five_points(name):
    promises.check_hooks_add_constants(TINY.changed(**HOOKED[name]), "five-point")


def test_unheard_hooks_are_refused():
    found = set()
    for settings in HOOKED.values():
        config = TINY.changed(**settings)
        promises.check_unheard_hooks_are_refused(config)
        found |= {name.rpartition(".")[2] for name in lively_model(config).activation_names}
    assert found >= promises.BACKWARD_ONLY


@pytest.mark.parametrize("name", VARIANTS)
def test_every_activation_with_a_short_name_has_a_gradient(name):
    seen = lively_model(TINY.changed(**VARIANTS[name])).trace([[5, 6, 7]])
    named = {activation for activation in seen.arrays if find(activation, "dotted")}
    assert len({find(activation, "dotted")[0] for activation in named}) == len(rows(ACTIVATIONS))
    assert named <= seen.activation_gradients.arrays.keys() <= seen.arrays.keys()
