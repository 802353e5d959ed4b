"""The common battery on every part there is."""

import inspect
import pkgutil
from importlib import import_module

import numpy as np
import pytest

import mini_bert.core
from mini_bert.core.layer import Part
from mini_bert.core.terms import Term
from tests.mathematical import battery, deberta_specimens, specimens, xl_specimens

SPECIMENS = specimens.SPECIMENS | xl_specimens.SPECIMENS | deberta_specimens.SPECIMENS
SMOOTH = {name: specimen for name, specimen in SPECIMENS.items() if specimen.smooth}

every_specimen = pytest.mark.parametrize("specimen", SPECIMENS.values(), ids=SPECIMENS)
every_smooth_specimen = pytest.mark.parametrize("specimen", SMOOTH.values(), ids=SMOOTH)


@every_specimen
def test_gradient_by_complex_step(specimen):
    deep = len(specimen.weights) > 12  # whole models are checked entry by entry in test_models.py
    battery.check_gradient(specimen, "complex", samples=12 if deep else None)


@every_smooth_specimen
def test_gradient_by_five_points(specimen):
    battery.check_gradient(specimen, "five-point", samples=3)


@every_specimen
def test_activation_gradients(specimen):
    battery.check_activation_gradients(specimen)


@pytest.mark.parametrize(
    ("name", "activations"),
    [
        ("Attention: content", "q k v scores probs mixed context out"),
        ("GatedAttention", "q k v scores probs mixed context opening out"),
        ("FeedForward", "pre hidden out"),
        ("GatedFeedForward, GeGLU", "pre opening content hidden out"),
        ("PostNorm", "residual normed"),
        ("PreNorm", "residual normed"),
        ("Stack, two layers for three calls", "layers.0.out layers.1.out layers.2.out"),
        ("MaskedWordHead", "transformed logits"),
        ("ClassifierHead", "pooled logits"),
        ("TaggerHead", "logits"),
        ("ReplacedTokenHead", "logits"),
        ("Embeddings", "tokens sum out"),
        ("Network", "hidden"),
    ],
)
def test_what_is_shown_has_a_gradient(name, activations):
    shown = {f"{battery.HOME}.{activation}" for activation in activations.split()}
    trace = battery.run(SPECIMENS[name]).trace
    assert shown <= trace.acts.keys()
    assert shown <= trace.act_grads.keys() <= trace.acts.keys()


@every_specimen
def test_no_gradient_vanishes(specimen):
    battery.check_no_gradient_vanishes(specimen)


@every_specimen
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_dtype_is_preserved(specimen, dtype):
    battery.check_dtype(specimen, dtype)


@every_specimen
def test_float32_follows_float64(specimen):
    battery.check_float32_follows_float64(specimen)


@pytest.mark.parametrize("name", ["EncoderLayer", "Stack, one layer called three times", "Checkpoint"])
def test_each_dropout_has_its_own_noise(name):
    battery.check_each_dropout_has_its_own_noise(SPECIMENS[name])


@every_specimen
def test_nothing_given_is_written_to(specimen):
    battery.check_nothing_given_is_written_to(specimen)


@every_specimen
def test_batch_order_does_not_matter(specimen):
    battery.check_batch_order_does_not_matter(specimen)


@every_specimen
def test_two_calls_at_one_home_add_up(specimen):
    battery.check_two_calls_add_up(specimen)


@every_specimen
def test_checkpointed_is_plain_bit_for_bit(specimen):
    battery.check_checkpointed_is_plain(specimen)


def test_every_part_of_the_core_is_in_the_battery():
    """Each layer as a specimen of its own; terms, which no one calls directly, inside an attention."""
    on_their_own = {type(specimen.part) for specimen in SPECIMENS.values()}
    inside = {type(part) for specimen in SPECIMENS.values() for part in specimen.part.walk()}
    parts = concrete_parts()
    assert {part for part in parts if not issubclass(part, Term)} <= on_their_own
    assert {part for part in parts if issubclass(part, Term)} <= inside


def concrete_parts() -> set[type[Part]]:
    for module in pkgutil.walk_packages(mini_bert.core.__path__, "mini_bert.core."):
        import_module(module.name)
    found, unseen = set(), [Part]
    while unseen:
        subclasses = unseen.pop().__subclasses__()
        unseen += subclasses
        found.update(subclasses)
    return {
        part
        for part in found
        if part.__module__.startswith("mini_bert.core") and not inspect.isabstract(part)
    }
