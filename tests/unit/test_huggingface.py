"""HuggingFace folders in and out, without torch: what goes out comes back, however it is stored."""

import json
import struct
import tracemalloc

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from mini_bert.models import zoo
from mini_bert.models.config import ModelConfig
from mini_bert.models.electra import discriminator_of, generator_of
from mini_bert.models.huggingface.families import FAMILIES
from mini_bert.models.huggingface.matching import places
from mini_bert.models.huggingface.reading import from_pretrained
from mini_bert.models.mini import MiniBERT
from mini_bert.tokenizers.wordpiece import WordPieceTokenizer
from tests.tolerances import assert_same_bits
from tests.unit.huggingface_folders import (
    AS_BERT,
    CONFIG,
    IDS,
    SIZES,
    WEIGHTS,
    assert_same_model,
    bert,
    model_of,
    rewritten,
    told,
)

EVERY = [(family, name) for family, made in FAMILIES.items() for name in made.architectures]


@pytest.fixture
def folder(tmp_path):
    """Of a small BERT that fills gaps."""
    bert().save_pretrained(tmp_path)
    return tmp_path


@pytest.mark.parametrize(("family", "architecture"), EVERY, ids=[name for _, name in EVERY])
def test_every_architecture_comes_back(family, architecture, tmp_path):
    model = model_of(family, architecture)
    if FAMILIES[family].architectures[architecture].counts_classes:
        model.label_names = ("good", "bad", "ugly")
    model.save_pretrained(tmp_path)
    found = from_pretrained(tmp_path)
    assert_same_model(found, model)
    assert found.architecture == architecture
    assert found.label_names == model.label_names


@pytest.mark.parametrize(("family", "architecture"), EVERY, ids=[name for _, name in EVERY])
def test_the_class_is_found_by_its_heads(family, architecture):
    """Of two with the same heads it is the first, and more general."""
    made = FAMILIES[family]
    found = made.architecture_of(model_of(family, architecture).config)
    same = [made.build(**made.architectures[name].settings) for name in (found, architecture)]
    assert same[0].head == same[1].head
    assert same[0].second_head == same[1].second_head


@pytest.mark.parametrize("family", FAMILIES)
def test_without_architectures_the_one_that_fits_best(family, tmp_path):
    for architecture in FAMILIES[family].architectures:
        model = model_of(family, architecture)
        model.save_pretrained(tmp_path / architecture)
        told(tmp_path / architecture, architectures=None)
        found = from_pretrained(tmp_path / architecture)
        assert found.architecture == architecture
        assert_same_model(found, model)


@pytest.mark.parametrize("family", FAMILIES)
def test_names_with_and_without_the_family_s_prefix(family, tmp_path):
    made = FAMILIES[family]
    model = model_of(family, next(iter(made.architectures)))
    model.save_pretrained(tmp_path)
    rewritten(tmp_path, lambda held: {name.removeprefix(made.prefix): x for name, x in held.items()})
    assert_same_model(from_pretrained(tmp_path), model)


def test_the_tokenizer_comes_with_the_model(folder):
    assert from_pretrained(folder).tokenizer is None
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *(chr(97 + i) for i in range(26))]
    model = from_pretrained(folder)
    model.tokenizer = WordPieceTokenizer(words)
    model.save_pretrained(folder)
    found = from_pretrained(folder).tokenizer
    assert found.fingerprint() == model.tokenizer.fingerprint()


def test_old_names_of_norms(folder):
    model = from_pretrained(folder)

    def aged(name):
        return name.replace("LayerNorm.weight", "LayerNorm.gamma").replace("LayerNorm.bias", "LayerNorm.beta")

    rewritten(folder, lambda held: {aged(name): x for name, x in held.items()})
    assert "bert.embeddings.LayerNorm.gamma" in load_file(folder / WEIGHTS)
    assert_same_model(from_pretrained(folder), model)


def test_before_there_were_model_types_all_was_bert(folder):
    model = from_pretrained(folder)
    told(folder, model_type=None, architectures=None)
    assert_same_model(from_pretrained(folder), model)


def test_a_bare_trunk_may_be_without_its_pooler(tmp_path):
    bert("BertModel").save_pretrained(tmp_path)
    rewritten(tmp_path, lambda held: {name: x for name, x in held.items() if "pooler" not in name})
    found = from_pretrained(tmp_path)
    assert (found.config.second_head, found.architecture) == ("none", "BertModel")
    found.save_pretrained(tmp_path / "again")
    assert_same_model(from_pretrained(tmp_path / "again"), found)


def test_other_heads_of_the_family_are_left_alone(tmp_path):
    """The first BERT of the hub names one head, and holds two."""
    whole = bert("BertForPreTraining")
    whole.save_pretrained(tmp_path)
    told(tmp_path, architectures=["BertForMaskedLM"])
    found = from_pretrained(tmp_path)
    assert found.network.second_head is None
    assert_same_bits(found.forward(IDS)[0], whole.forward(IDS)[0])


def test_a_sharded_folder(folder):
    model, tensors = from_pretrained(folder), load_file(folder / WEIGHTS)
    files = {name: f"model-{i % 3}.safetensors" for i, name in enumerate(tensors)}
    for file in set(files.values()):
        save_file({name: x for name, x in tensors.items() if files[name] == file}, folder / file)
    (folder / WEIGHTS).unlink()
    index = folder / "model.safetensors.index.json"
    index.write_text(json.dumps({"weight_map": files}))
    assert_same_model(from_pretrained(folder), model)

    (folder / "model-1.safetensors").unlink()
    with pytest.raises(ValueError, match=r"index\.json: model-1\.safetensors is not beside it"):
        from_pretrained(folder)
    index.write_text(json.dumps({"weight_map": {"a": "../model-0.safetensors"}}))
    with pytest.raises(ValueError, match="is not beside it"):
        from_pretrained(folder)
    index.write_text("[]")
    with pytest.raises(ValueError, match="not an index of safetensors files"):
        from_pretrained(folder)


@pytest.mark.parametrize(("stored", "read"), [("float16", "float32"), ("float64", "float64")])
def test_other_precisions(stored, read, folder):
    model = from_pretrained(folder)
    rewritten(folder, lambda held: {name: x.astype(stored) for name, x in held.items()})
    found = from_pretrained(folder)
    assert found.dtype == read
    np.testing.assert_array_equal(found.arena.flat, model.arena.flat.astype(stored).astype(read))
    assert from_pretrained(folder, dtype="float64").dtype == np.float64


def test_bfloat16(folder):
    """The upper half of a float32; NumPy has no such numbers, so the file is written by hand."""
    model, tensors, header, body = from_pretrained(folder), load_file(folder / WEIGHTS), {}, b""
    for name, x in tensors.items():
        half = (x.view(np.uint32) >> 16).astype("<u2").tobytes()
        places = [len(body), len(body) + len(half)]
        header[name] = {"dtype": "BF16", "shape": x.shape, "data_offsets": places}
        body += half
    head = json.dumps(header).encode()
    (folder / WEIGHTS).write_bytes(struct.pack("<Q", len(head)) + head + body)
    found = from_pretrained(folder)
    assert found.dtype == np.float32
    cut = (model.arena.flat.view(np.uint32) >> 16 << 16).view(np.float32)
    np.testing.assert_array_equal(found.arena.flat, cut)


def test_reading_holds_the_weights_once(tmp_path):
    bert(vocab_size=4000, hidden_size=64).save_pretrained(tmp_path)
    from_pretrained(tmp_path)
    tracemalloc.start()
    model = from_pretrained(tmp_path)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    largest = max(weight.nbytes for weight in model.arena.values())
    assert peak < model.arena.flat.nbytes + 1.5 * largest


def test_our_own_folders_are_read_too(tmp_path):
    model = MiniBERT("debug")
    model.save(tmp_path)
    assert_same_model(from_pretrained(tmp_path), model)


@pytest.mark.parametrize("tied", [True, False])
def test_a_mini_bert_that_bert_can_express_is_saved_as_one(tied, tmp_path):
    model = MiniBERT(ModelConfig(**SIZES, **AS_BERT, tied=tied), seed=3)
    model.save_pretrained(tmp_path)
    found = from_pretrained(tmp_path)
    assert found.config.family == "bert"
    assert_same_bits(found.forward(IDS)[0], model.forward(IDS)[0])


@pytest.fixture
def electra():
    """With the initializer of its family: no folder tells it."""
    changes = {"vocab_size": 40, "max_seq_length": 10, "initializer": zoo.electra().initializer.model_dump()}
    return MiniBERT(ModelConfig.preset("electra-mini", positions="learned", **changes), seed=3)


def test_an_electra_becomes_two_folders_and_comes_back_as_one(electra, tmp_path):
    electra.save_pretrained(tmp_path)
    told_words = from_pretrained(tmp_path / "generator")
    assert_same_model(told_words, generator_of(electra))
    assert told_words.config.head == "words"
    whole = from_pretrained(tmp_path)
    assert_same_model(whole, electra)
    assert whole.config.generator == electra.config.generator
    assert whole.architecture == "ElectraForPreTraining"
    whole.save_pretrained(tmp_path / "again")
    assert_same_model(from_pretrained(tmp_path / "again"), electra)


def test_an_electra_without_its_generator_is_the_discriminator(electra, tmp_path):
    electra.save_pretrained(tmp_path)
    (tmp_path / "generator").rename(tmp_path / "elsewhere")
    assert_same_model(from_pretrained(tmp_path), discriminator_of(electra))


def other_tables(folder):
    rewritten(folder, lambda held: held | {TABLE: held[TABLE] + 1})


def other_settings(folder):
    told(folder, layer_norm_eps=1e-3)


def another_family(folder):
    bert().save_pretrained(folder)


TABLE = "electra.embeddings.word_embeddings.weight"


@pytest.mark.parametrize("change", [other_tables, other_settings, another_family])
def test_a_generator_that_is_not_its_own_is_left_out(change, electra, tmp_path):
    electra.save_pretrained(tmp_path)
    change(tmp_path / "generator")
    assert_same_model(from_pretrained(tmp_path), discriminator_of(electra))


LETTERS = [chr(97 + i) for i in range(26)]
BERT_WORDS = WordPieceTokenizer(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *LETTERS])


@pytest.mark.parametrize("family", FAMILIES)
def test_the_tokens_that_begin_and_end_a_text_are_told(family, tmp_path):
    model = model_of(family, next(iter(FAMILIES[family].architectures)), padding_id=0)
    model.tokenizer = BERT_WORDS
    model.save_pretrained(tmp_path)
    described = json.loads((tmp_path / CONFIG).read_text())
    assert [described[f"{role}_token_id"] for role in ("bos", "eos", "pad")] == [2, 3, 0]
    assert json.loads((tmp_path / "tokenizer_config.json").read_text())["model_max_length"] == 10
    assert_same_model(from_pretrained(tmp_path), model)


def test_a_token_that_the_model_has_no_row_for_is_not_told(tmp_path):
    model = model_of("gpt2", "GPT2LMHeadModel")
    model.tokenizer = WordPieceTokenizer(
        ["[PAD]", "[UNK]", *(f"w{i}" for i in range(50)), "[CLS]", "[SEP]", "[MASK]"]
    )
    model.save_pretrained(tmp_path)
    described = json.loads((tmp_path / CONFIG).read_text())
    assert (described["eos_token_id"], described["bos_token_id"], described["pad_token_id"]) == (
        None,
        None,
        0,
    )


def test_padding_that_the_model_has_settled_is_not_the_tokenizer_s(tmp_path):
    model = model_of("roberta", "RobertaForMaskedLM", padding_id=1)
    model.tokenizer = BERT_WORDS
    model.save_pretrained(tmp_path)
    assert json.loads((tmp_path / CONFIG).read_text())["pad_token_id"] == 1


@pytest.mark.parametrize("save", ["save", "save_pretrained"])
def test_a_place_that_cannot_be_a_folder(save, tmp_path):
    (tmp_path / "taken.json").write_text("mine")
    with pytest.raises(ValueError, match=r"taken\.json: is a file, not a folder; choose another place"):
        getattr(bert(), save)(tmp_path / "taken.json")
    with pytest.raises(ValueError, match=r"below: cannot be made \(.*\); choose another place"):
        getattr(bert(), save)(tmp_path / "taken.json" / "below")
    assert (tmp_path / "taken.json").read_text() == "mine"


@pytest.mark.parametrize(("family", "architecture"), EVERY, ids=[name for _, name in EVERY])
def test_no_two_weights_go_to_one_place(family, architecture):
    """Each number of theirs is one of ours: written as ones, none is left zero, and all together are as many."""
    made, model = FAMILIES[family], model_of(family, architecture)
    taken = {}
    for ours, several in places(made, architecture, model.arena).items():
        weight = model.arena[ours]
        for name, turn in several:
            theirs = taken.setdefault(name, np.zeros(turn.shape(weight.shape, model.config)))
            view = turn.view(theirs, model.config)
            view += np.ones(view.shape)
            assert view.size == weight.size
    assert all((theirs == 1).all() for theirs in taken.values())
