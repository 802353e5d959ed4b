"""What the table of members does not show of DeBERTa: other names of its head, and folders as they are published."""

import json
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers.models.deberta_v2.modeling_deberta_v2 import make_log_bucket_position

from mini_bert.core.disentangled import InBuckets
from mini_bert.models.huggingface.reading import from_pretrained
from tests.parity.compare import largest_gap
from tests.parity.members.case import enlivened, unlabelled
from tests.parity.members.deberta import SIZES, DebertaForMaskedLM

SMALL = SIZES[0].to_dict()


def folder_of(model: torch.nn.Module, folder: Path) -> Path:
    model.save_pretrained(folder)
    return folder


def gap(model: torch.nn.Module, folder: Path) -> float:
    batch = unlabelled(model.config, np.random.default_rng(0))
    real = batch["attention_mask"].astype(bool)
    theirs = model(**{name: torch.tensor(array) for name, array in batch.items()}).logits.detach().numpy()
    ours, _ = from_pretrained(folder).forward(batch["input_ids"], batch["attention_mask"])
    return largest_gap(ours[real], theirs[real])


def test_the_newer_head_is_the_same_under_other_names(tmp_path: Path) -> None:
    config = type(SIZES[0]).from_dict({**SMALL, "legacy": False})
    model = enlivened(DebertaForMaskedLM(config)).eval()
    assert any(name.startswith("lm_predictions.lm_head") for name in model.state_dict())
    assert gap(model, folder_of(model, tmp_path)) <= 1e-5


def test_a_folder_as_published(tmp_path: Path) -> None:
    """It does not name its class, and holds the positions of a mask decoder that transformers has not."""
    config = type(SIZES[0]).from_dict({**SMALL, "legacy": False})
    model = enlivened(DebertaForMaskedLM(config)).eval()
    folder = folder_of(model, tmp_path)
    tensors = load_file(folder / "model.safetensors")
    tensors["deberta.embeddings.position_embeddings.weight"] = torch.ones(16, config.hidden_size)
    save_file(tensors, folder / "model.safetensors", {"format": "pt"})
    told = json.loads((folder / "config.json").read_text("utf-8"))
    del told["architectures"]
    (folder / "config.json").write_text(json.dumps(told), "utf-8")
    assert gap(model, folder) <= 1e-5


@pytest.mark.parametrize(("buckets", "farthest"), [(256, 512), (6, 16), (7, 40), (32, 1024)])
def test_buckets(buckets: int, farthest: int) -> None:
    distances = np.arange(1 - farthest, farthest)
    theirs = make_log_bucket_position(torch.tensor(distances), buckets, farthest).long() + buckets
    assert InBuckets(buckets, farthest).rows(distances).tolist() == theirs.clamp(0, 2 * buckets - 1).tolist()
