"""Models by their name on the hub; only where the extra `hf` is installed, and never unless a name is given."""

from __future__ import annotations

import re
from pathlib import Path

from mini_bert.data.optional import optional

WANTED = (
    "config.json",
    "*.safetensors",
    "*.safetensors.index.json",
    "tokenizer*.json",
    "vocab.*",
    "merges.txt",
    "modules.json",
    "sentence_bert_config.json",
    "config_sentence_transformers.json",
    "*_Pooling/config.json",
    "*.model",
)


def downloaded(name: str) -> Path:
    """The folder into which a model of the hub was fetched; one fetched before is found again without a network."""
    if not re.fullmatch(r"[\w.-]+(/[\w.-]+)?", name):
        raise ValueError(f"{name}: no such folder; name one that holds config.json and model.safetensors")
    hub = optional(
        "huggingface_hub",
        f"{name}: no such folder; to fetch the model of that name from the hub",
        extra="hf",
        otherwise="name a folder, or mini or mini-best, which come with the package",
    )
    try:
        return Path(hub.snapshot_download(name, allow_patterns=list(WANTED)))
    except Exception as error:
        reason = str(error).splitlines()[0]
        raise ValueError(
            f"{name}: no such folder, and the hub did not answer with such a model ({type(error).__name__}: {reason}); "
            "check the name and the connection, or download it elsewhere and name the folder"
        ) from error
