"""HuggingFace folders that are refused, each with what is wrong, where, and the remedy; and names on the hub."""

import json
import re
import sys
from itertools import product

import numpy as np
import pytest

from mini_bert.models.config import ModelConfig
from mini_bert.models.huggingface import reading
from mini_bert.models.huggingface.families import FAMILIES
from mini_bert.models.huggingface.reading import from_pretrained
from mini_bert.models.mini import MiniBERT
from mini_bert.models.vocabulary import check_vocabulary
from mini_bert.tokenizers import WordPieceTokenizer
from tests.unit.huggingface_folders import (
    AS_BERT,
    CONFIG,
    SIZES,
    WEIGHTS,
    assert_same_model,
    bert,
    model_of,
    rewritten,
    told,
)


@pytest.fixture
def folder(tmp_path):
    """Of a small BERT that fills gaps."""
    bert().save_pretrained(tmp_path)
    return tmp_path


def without(name):
    return lambda held: {key: x for key, x in held.items() if key != name}


WORDS, KEY = "bert.embeddings.word_embeddings.weight", "bert.encoder.layer.1.attention.self.key.weight"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (without(KEY), rf"{KEY} is missing; does config\.json belong to it\? It says BertForMaskedLM"),
        (
            lambda held: held | {"adapter.weight": np.ones(3, np.float32)},
            r"1 tensor unknown to BertForMaskedLM, first adapter\.weight; does config\.json name the right",
        ),
        (
            lambda held: held | {KEY.replace("1", "2"): held[KEY]},
            r"1 tensor unknown to BertForMaskedLM, first encoder\.layer\.2",
        ),
        (
            lambda held: held | {WORDS: held[WORDS][:39]},
            rf"{WORDS} has shape \(39, 8\), config\.json says \(40, 8\)",
        ),
        (
            lambda held: held | {WORDS: held[WORDS].T.copy()},
            rf"{WORDS} has shape \(8, 40\), config\.json says \(40, 8\)",
        ),
        (
            lambda held: held | {KEY: held[KEY] * np.nan},
            rf"{KEY} holds NaN or infinity in float32; copy or train",
        ),
        (
            lambda held: held | {KEY: np.ones((8, 8), np.int64)},
            rf"{KEY} holds I64, but weights are F64, F32, F16, BF16",
        ),
    ],
    ids=["missing", "unknown", "too many layers", "too short", "turned", "NaN", "integers"],
)
def test_tensors_that_do_not_fit(change, message, folder):
    rewritten(folder, change)
    with pytest.raises(ValueError, match=message):
        from_pretrained(folder)


def test_what_is_too_large_for_the_dtype(folder):
    rewritten(folder, lambda held: held | {KEY: np.full((8, 8), 1e300)})
    assert from_pretrained(folder).dtype == np.float64
    with pytest.raises(ValueError, match=rf"{KEY} holds NaN or infinity in float32"):
        from_pretrained(folder, dtype=np.float32)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"model_type": "t5"}, r"config\.json: model_type 't5' is none of ours: bert, roberta"),
        (
            {"architectures": ["BertLMHeadModel"]},
            "architecture BertLMHeadModel is none of ours: BertForPreTraining",
        ),
        ({"hidden_act": "mish"}, "hidden_act='mish' is not among what we have: gelu, relu.*; choose another"),
        (
            {"model_type": ["bert"]},
            r"config\.json: model_type=\['bert'\]: expected a name.*copy the file again",
        ),
        ({"architectures": [["A"]]}, r"config\.json: architectures=\[\['A'\]\]: expected a list of classes"),
        ({"architectures": 3}, r"config\.json: architectures=3: expected a list of classes"),
        (
            {"num_hidden_layers": 10**13},
            r"config\.json: 10000000000000 layers, but there are only 43 tensors",
        ),
        ({"hidden_size": 10**13 + 1}, r"H=10000000000001 is not divisible by A=2"),
        ({"is_decoder": True}, "is_decoder=True is not among what we have: False"),
        ({"position_embedding_type": "relative_key"}, "position_embedding_type='relative_key' is not among"),
        ({"num_attention_heads": 3}, r"config\.json: H=8 is not divisible by A=3; choose num_heads"),
        ({"hidden_size": "8"}, r"config\.json: hidden_size: .*integer \(got '8'\)"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_descriptions_that_are_not_ours(changes, message, folder):
    told(folder, **changes)
    with pytest.raises(ValueError, match=message):
        from_pretrained(folder)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", r"config\.json: not valid JSON .*; copy the file again"),
        ("[1]", r"config\.json: expected settings by name, got \[1\]"),
        (
            None,
            r"config\.json: no such file or directory; name the folder of a model, with config\.json in it",
        ),
    ],
    ids=["broken", "a list", "absent"],
)
def test_config_json_that_cannot_be_read(text, message, folder):
    (folder / CONFIG).unlink()
    if text is not None:
        (folder / CONFIG).write_text(text)
    with pytest.raises(ValueError, match=message):
        from_pretrained(folder)


@pytest.mark.parametrize(
    ("pieces", "rows"),
    [(40, 40), (39, 167), (41, 40), (30_522, 30_528), (50_265, 50_304), (250_102, 251_000)],
)
def test_a_table_may_be_filled_up_to_a_round_number(tmp_path, pieces, rows):
    check_vocabulary(pieces, rows, tmp_path)


@pytest.mark.parametrize(("pieces", "rows"), [(169, 40), (100, 8192), (8192, 30_522), (39, 168)])
def test_a_vocabulary_of_another_model(tmp_path, pieces, rows):
    with pytest.raises(
        ValueError, match=f"has {pieces:,} pieces, but the model has rows for {rows:,}; copy the"
    ):
        check_vocabulary(pieces, rows, tmp_path)


def test_a_vocabulary_with_far_more_pieces_than_the_model_has_rows(folder):
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *(chr(0x4E00 + i) for i in range(196))]
    WordPieceTokenizer(words).save(folder)
    with pytest.raises(ValueError, match="has 201 pieces, but the model has rows for 40") as caught:
        from_pretrained(folder)
    assert str(folder) in str(caught.value)


def test_a_pointer_of_git_lfs(folder):
    (folder / WEIGHTS).write_text("version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n")
    with pytest.raises(ValueError, match=r"model\.safetensors: a git-lfs pointer .*: git lfs pull"):
        from_pretrained(folder)


def test_a_truncated_file(folder):
    (folder / WEIGHTS).write_bytes((folder / WEIGHTS).read_bytes()[:-9])
    with pytest.raises(ValueError, match=r"model\.safetensors: truncated or not a safetensors file"):
        from_pretrained(folder)


@pytest.mark.parametrize(
    "sizes", [{"vocab_size": 10**13}, {"hidden_size": 10**13}, {"intermediate_size": 10**13}]
)
def test_sizes_by_mistake_are_refused_before_there_is_room_for_them(sizes, folder, monkeypatch):
    monkeypatch.setattr(reading, "MiniBERT", lambda *_, **__: pytest.fail("room was made"))
    told(folder, **sizes)
    with pytest.raises(
        ValueError, match=r"has shape .*, config\.json says .*10000000000000.*; do they belong"
    ):
        from_pretrained(folder)


MALFORMED = ("x", [["x"]], {"x": 1}, None, -1, 1.5, True, 10**13)


@pytest.mark.parametrize("family", FAMILIES)
def test_whatever_a_setting_is_there_is_a_clear_answer(family, tmp_path):
    """A folder is read, or refused with a ValueError that names it."""
    made = FAMILIES[family]
    architecture = next(name for name, one in made.architectures.items() if one.counts_classes)
    model_of(family, architecture).save_pretrained(tmp_path)
    described = (tmp_path / CONFIG).read_text()
    names = {*json.loads(described), *made.assumed, "num_labels"} - {"dtype", "label2id"}
    for name, value in product(sorted(names), MALFORMED):
        settings = json.loads(described) | {name: value}
        if name == "num_labels":
            del settings["id2label"]
        (tmp_path / CONFIG).write_text(json.dumps(settings))
        assert complaint_about(tmp_path).startswith(str(tmp_path)), (name, value)


def complaint_about(folder):
    """What a ValueError says; the folder's name if there is none."""
    try:
        from_pretrained(folder)
    except ValueError as error:
        return str(error)
    return str(folder)


@pytest.mark.parametrize(
    ("family", "setting"),
    [
        ("roberta", "max_position_embeddings"),
        ("roberta", "pad_token_id"),
        ("deberta", "max_relative_positions"),
        ("deberta-v2", "norm_rel_ebd"),
        ("deberta-v2", "position_buckets"),
    ],
)
def test_a_setting_that_others_are_computed_from_is_named(family, setting, tmp_path):
    model_of(family, next(iter(FAMILIES[family].architectures))).save_pretrained(tmp_path)
    told(tmp_path, **{setting: [7], "relative_attention": True, "pos_att_type": ["c2p", "p2c"]})
    with pytest.raises(ValueError, match=rf"config\.json: {setting}=\[7\] is not of the kind it should be"):
        from_pretrained(tmp_path)


@pytest.mark.parametrize("labels", [["a", "b"], "ab", {"first": "a"}, {"0": "a", "-1": "b"}, 2])
def test_labels_without_numbers(labels, tmp_path):
    bert("BertForSequenceClassification").save_pretrained(tmp_path)
    told(tmp_path, id2label=labels)
    with pytest.raises(
        ValueError, match=r"config\.json: id2label=.*: expected names by number, like .*; correct"
    ):
        from_pretrained(tmp_path)


def test_one_class_may_be_named_without_a_list(folder):
    model = from_pretrained(folder)
    told(folder, architectures="BertForMaskedLM")
    assert_same_model(from_pretrained(folder), model)


@pytest.mark.parametrize("checkpoint", ["best", "last"])
def test_a_run_is_told_from_a_model(checkpoint, tmp_path):
    inside = tmp_path / "checkpoints" / checkpoint
    MiniBERT("debug").save(inside)
    with pytest.raises(ValueError, match=rf"a run, not a model; .* such as {re.escape(str(inside))}"):
        from_pretrained(tmp_path)


def test_a_pickle_is_never_read(folder):
    (folder / WEIGHTS).rename(folder / "pytorch_model.bin")
    with pytest.raises(ValueError, match=r"pytorch_model\.bin: not read, .* can run code") as told_class:
        from_pretrained(folder)
    call = f'transformers.BertForMaskedLM.from_pretrained("{folder.as_posix()}").save_pretrained("'
    assert call in str(told_class.value)
    assert f'save_pretrained("{folder.name}-safetensors")' in str(told_class.value)
    told(folder, architectures=None)
    with pytest.raises(ValueError, match="with the class that the model has in place of this one"):
        from_pretrained(folder)
    (folder / "pytorch_model.bin").rename(folder / "tf_model.h5")
    with pytest.raises(ValueError, match=r"tf_model\.h5: not read, for it needs another framework; look for"):
        from_pretrained(folder)
    (folder / "tf_model.h5").unlink()
    with pytest.raises(ValueError, match=r"no model\.safetensors here"):
        from_pretrained(folder)


class Hub:
    """What stands in for huggingface_hub."""

    def __init__(self, answer):
        self.answer = answer

    def snapshot_download(self, name, allow_patterns):
        assert not any(pattern.endswith(".bin") for pattern in allow_patterns)
        if isinstance(self.answer, Exception):
            raise self.answer
        return str(self.answer)


def test_a_name_of_the_hub(folder, monkeypatch):
    monkeypatch.setitem(sys.modules, "huggingface_hub", Hub(folder))
    assert_same_model(from_pretrained("someone/small-bert"), from_pretrained(folder))


def test_a_name_without_a_network(monkeypatch):
    gone = ConnectionError("no route to host\nand more")
    monkeypatch.setitem(sys.modules, "huggingface_hub", Hub(gone))
    with pytest.raises(
        ValueError, match=r"x/y: no such folder, .* \(ConnectionError: no route to host\); check"
    ):
        from_pretrained("x/y")


def test_a_name_without_the_package(monkeypatch):
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(ValueError, match=r"x/y: no such folder; .* needs huggingface_hub; .*mini-bert\[hf\]"):
        from_pretrained("x/y")


def test_a_path_is_never_looked_for_on_the_hub(monkeypatch):
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    for path in ("./x/y", "a/b/c", "/nowhere"):
        with pytest.raises(ValueError, match="no such folder; name one that holds"):
            from_pretrained(path)


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ({}, "token_types=0"),
        (AS_BERT | {"final_norm": True}, "final_norm=True"),
        (AS_BERT | {"residual": "pre-norm"}, "residual=pre-norm"),
        (AS_BERT | {"positions": "rotary"}, "positions=rotary"),
        (AS_BERT | {"attention": "gated"}, "attention=gated"),
        (AS_BERT | {"bias": False}, "bias=False"),
        (AS_BERT | {"layer_groups": 1}, "layer_groups=1"),
        (AS_BERT | {"second_head": "order"}, "head=words and second_head=order"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_mini_bert_that_bert_cannot_express_is_refused(settings, named, tmp_path):
    with pytest.raises(ValueError, match=rf"transformers has no bert with {named}.*model\.save\(folder\)"):
        MiniBERT(ModelConfig(**SIZES, **settings)).save_pretrained(tmp_path / "new")
    assert not (tmp_path / "new").exists()
