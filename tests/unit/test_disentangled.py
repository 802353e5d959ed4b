"""DeBERTa's parts against their equations, written as loops; and settings that do not fit."""

from dataclasses import replace
from math import sqrt

import numpy as np
import pytest

from mini_bert.core.encoder import Stack
from mini_bert.core.enhanced_mask_decoder import EnhancedMaskDecoder
from mini_bert.core.past import Past
from mini_bert.core.trace import Trace
from mini_bert.models.config import ModelConfig
from mini_bert.models.huggingface.deberta import DEBERTA
from mini_bert.models.huggingface.deberta_v2 import DEBERTA_V2
from mini_bert.models.huggingface.settings import read_config
from mini_bert.models.mini import MiniBERT
from tests.tolerances import assert_close

IDS = np.array([[5, 6, 7, 8, 9, 10, 11], [11, 5, 5, 8, 6, 7, 9]])


def debug(**settings):
    return ModelConfig.preset("debug", positions="disentangled", **settings)


def lively(config):
    model = MiniBERT(config, dtype=np.float64)
    model.arena.flat[:] = 0.3 * np.random.default_rng(0).standard_normal(model.arena.flat.size)
    return model


def in_heads(rows, A):
    """(n, H) → (A, n, D)"""
    return rows.reshape(len(rows), A, -1).swapaxes(0, 1)


@pytest.mark.parametrize("kinds", ["both", "c2p", "p2c"])
@pytest.mark.parametrize("reach", [2, 7, 20])
def test_scores_are_those_of_the_equation(reach, kinds):
    model = lively(debug(reach=reach, disentangled=kinds))
    _, seen = model.forward(IDS)
    A, R, n = model.config.num_heads, model.params["relative_embeddings"], 3 if kinds == "both" else 2
    q, k, expected = seen["Q_1"], seen["K_1"], np.zeros(seen["scores_1"].shape)
    for i in range(7):
        for j in range(7):
            row = R[[min(max(i - j, -reach), reach - 1) + reach]]
            expected[:, :, i, j] = (q[:, :, i] * k[:, :, j]).sum(-1)
            if kinds != "p2c":
                k_r = in_heads(row @ model.params["W_KR_1"], A)[:, 0]
                expected[:, :, i, j] += (q[:, :, i] * k_r).sum(-1)
            if kinds != "c2p":
                q_r = in_heads(row @ model.params["W_QR_1"] + model.params["b_QR_1"], A)[:, 0]
                expected[:, :, i, j] += (q_r * k[:, :, j]).sum(-1)
    assert_close(seen["scores_1"], expected / sqrt(n * model.config.head_size), rtol=1e-10)


def test_only_rows_within_the_text_have_a_gradient():
    model = lively(debug(reach=20))
    grads = model.trace(IDS).gradients["relative_embeddings"]
    assert np.flatnonzero(grads.any(-1)).tolist() == list(range(20 - 6, 20 + 7))


def test_what_came_before_is_seen_at_its_distance():
    """A text read in pieces, with the keys of earlier pieces kept, is the text read at once."""
    model = lively(debug(reach=3, causal=True))
    whole, _ = model.forward(IDS)
    past, pieces = Past(), []
    for start, stop in ((0, 3), (3, 4), (4, 7)):
        t = Trace(model.arena, keeps=False, past=past, offset=start)
        pieces.append(model.network.forward(IDS[:, start:stop], t))
    assert_close(np.concatenate(pieces, axis=1), whole, rtol=1e-10)


class TestEnhancedMaskDecoder:
    def test_without_places_and_called_once_it_is_the_stack(self):
        model = lively(debug(mask_decoder="enhanced"))
        model.params["decoder_positions"][...] = 0
        decoder = model.network.encoder
        assert isinstance(decoder, EnhancedMaskDecoder)
        plain = replace(model.network, encoder=Stack(decoder.layers, decoder.depth, decoder.relative))
        once = replace(model.network, encoder=replace(decoder, answers=1))
        asked = np.array([[1, 4], [6, 0]])
        for queries in (None, asked):
            one, two = (net.forward(IDS, Trace(model.arena, queries=queries)) for net in (plain, once))
            assert_close(one, two, rtol=1e-12)

    def test_the_last_layer_answers_twice_from_the_same_source(self):
        model = lively(debug(mask_decoder="enhanced", num_layers=2))
        _, seen = model.forward(IDS)
        read = seen["layer_output_0"]
        assert_close(seen["encoder.questions"], read + model.params["decoder_positions"][:7], rtol=1e-12)
        for call in ("1", "2"):
            assert_close(seen[f"encoder.layers.{call}.attn.key.x"], read, rtol=0)
        assert_close(seen["encoder.layers.1.attn.query.x"], seen["encoder.questions"], rtol=0)
        assert_close(seen["encoder.layers.2.attn.query.x"], seen["layer_output_1"], rtol=0)
        assert "encoder.layers.2.attn.query.weight" not in model.arena

    def test_equal_words_are_told_apart_by_their_place_only_with_it(self):
        """Between equal words distances mean nothing: each mixes the same vectors."""
        same = np.full((1, 6), 7)
        for decoder, differs in (("none", False), ("enhanced", True)):
            logits, _ = lively(debug(mask_decoder=decoder)).forward(same)
            assert (np.ptp(logits, axis=1).max() > 1e-6) == differs


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (
            {"mask_decoder": "enhanced", "head": "classes"},
            "mask_decoder=enhanced is for a head that tells words",
        ),
        (
            {"positions": "disentangled", "head": "replaced", "generator": {}},
            "generator: it cannot share positions=disentangled",
        ),
        ({"positions": "disentangled", "buckets": 8, "reach": 5}, "reach=5 must be more than 5"),
        ({"positions": "disentangled", "disentangled": "p2p"}, "disentangled: Input should be"),
    ],
)
def test_settings_that_do_not_fit_are_refused(settings, message):
    with pytest.raises(ValueError, match=message):
        ModelConfig.preset("debug", **settings)


RELATIVE = {"relative_attention": True, "pos_att_type": "c2p|p2c", "position_biased_input": False}


@pytest.mark.parametrize(
    ("told", "positions", "disentangled", "reach"),
    [
        (RELATIVE, "disentangled", "both", None),
        (RELATIVE | {"pos_att_type": ["p2c", "c2p"], "max_relative_positions": 9}, "disentangled", "both", 9),
        (RELATIVE | {"pos_att_type": "P2C", "max_relative_positions": -1}, "disentangled", "p2c", None),
        (RELATIVE | {"position_biased_input": True}, "learned-and-disentangled", "both", None),
        ({}, "learned", "both", None),
    ],
)
def test_settings_of_transformers(told, positions, disentangled, reach):
    config = read_config(DEBERTA, "DebertaForMaskedLM", told)
    assert (config.positions, config.disentangled, config.reach) == (positions, disentangled, reach)
    assert config.mask_decoder == "none"


@pytest.mark.parametrize(
    ("told", "message"),
    [
        ({"position_biased_input": False}, "a model without positions is not among what we have"),
        (RELATIVE | {"pos_att_type": "c2p|p2p"}, "pos_att_type='c2p|p2p' .* c2p|p2c or c2p or p2c"),
        (RELATIVE | {"pos_att_type": None}, "pos_att_type=None with relative_attention=True"),
        ({"pos_att_type": ["c2p"]}, r"pos_att_type=\['c2p'\] with relative_attention=False .* none"),
        (RELATIVE | {"talking_head": True}, "talking_head=True"),
        (RELATIVE | {"pooler_dropout": 0.1}, "pooler_dropout=0.1"),
        (RELATIVE | {"embedding_size": 128}, "embedding_size=128 .* hidden_size=768"),
    ],
)
def test_what_we_have_not_is_refused_by_name(told, message):
    with pytest.raises(ValueError, match=message):
        read_config(DEBERTA, "DebertaForMaskedLM", told)


V2 = RELATIVE | {"share_att_key": True, "position_buckets": 256, "norm_rel_ebd": "layer_norm"}


def test_settings_of_transformers_v2():
    config = read_config(DEBERTA_V2, "DebertaV2ForMaskedLM", V2)
    assert (config.buckets, config.relative_norm, config.relative_projection) == (256, True, "shared")
    plain = read_config(DEBERTA_V2, "DebertaV2ForMaskedLM", RELATIVE | {"share_att_key": True})
    assert (plain.buckets, plain.relative_norm, plain.num_layers) == (None, False, 24)


@pytest.mark.parametrize(
    ("told", "message"),
    [
        ({"conv_kernel_size": 3}, "conv_kernel_size=3"),
        ({"share_att_key": False}, "share_att_key=False"),
        ({"relative_attention": False}, "a model without positions"),
        ({"norm_rel_ebd": "batch_norm"}, "norm_rel_ebd='batch_norm' .* layer_norm, none"),
        ({"attention_head_size": 32}, "attention_head_size=32 .* = 64"),
    ],
)
def test_what_we_have_not_of_v2_is_refused_by_name(told, message):
    with pytest.raises(ValueError, match=message):
        read_config(DEBERTA_V2, "DebertaV2ForMaskedLM", V2 | told)


def test_the_enhanced_mask_decoder_is_not_saved_as_what_it_is_not(tmp_path):
    small = {"vocab_size": 32, "hidden_size": 8, "intermediate_size": 8, "num_layers": 2}
    model = MiniBERT(ModelConfig.preset("deberta-mini", **small))
    with pytest.raises(ValueError, match="transformers has no deberta with mask_decoder=enhanced"):
        model.save_pretrained(tmp_path)
