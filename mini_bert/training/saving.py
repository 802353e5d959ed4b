"""What a checkpoint is made of: a model that can be loaded on its own, and all that the run needs to go on."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from safetensors.numpy import load as read_tensors
from safetensors.numpy import save as tensor_bytes

from mini_bert.core.arena import Arena
from mini_bert.models.checkpoint import CONFIG, WEIGHTS, fill
from mini_bert.models.mini import MiniBERT
from mini_bert.tokenizers.tokenizer import Tokenizer
from mini_bert.training.checkpoints import Checkpoint

MOMENTS, STATE, TOKENIZER = "moments.safetensors", "state.json", "tokenizer.json"


def write_checkpoint(
    model: MiniBERT, tokenizer: Tokenizer, moments: Mapping[str, Arena], state: Mapping[str, Any]
) -> dict[str, bytes]:
    """The files of a checkpoint, by name."""
    config = json.dumps(model.config.model_dump(), indent=2)
    views = {f"{group}/{name}": view for group, arena in moments.items() for name, view in arena.items()}
    return {
        CONFIG: config.encode(),
        WEIGHTS: tensor_bytes(dict(model.arena), {"config": config}),
        MOMENTS: tensor_bytes(views),
        STATE: json.dumps(state, indent=1).encode(),
        TOKENIZER: json.dumps(tokenizer.to_json(), ensure_ascii=False).encode(),
    }


def read_checkpoint(checkpoint: Checkpoint, model: MiniBERT, moments: Mapping[str, Arena]) -> dict[str, Any]:
    """Fill the weights and the moments; returns the state."""
    saved = read_tensors(checkpoint.read(MOMENTS))
    groups = {name.partition("/")[0] for name in saved}
    if groups != moments.keys():
        raise ValueError(
            f"{checkpoint.folder / MOMENTS}: holds {told(groups)} of an optimizer and its averages, but the run's "
            f"config.yaml needs {told(moments)}; write optimizer.kind and averaging.kind there as they were"
        )
    fill(model.arena, read_tensors(checkpoint.read(WEIGHTS)), checkpoint.folder / WEIGHTS)
    for group, arena in moments.items():
        fill(arena, {name: saved[f"{group}/{name}"] for name in arena}, checkpoint.folder / MOMENTS)
    state: dict[str, Any] = json.loads(checkpoint.read(STATE))
    return state


def told(groups: Iterable[str]) -> str:
    return ", ".join(sorted(groups)) or "nothing"
