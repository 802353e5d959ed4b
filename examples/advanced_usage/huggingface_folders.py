"""Write a BERT that transformers can read, read it back, and see what its weights are called there."""

import argparse
import json
from pathlib import Path

import numpy as np
from safetensors import safe_open

import mini_bert
from mini_bert import MiniBERT, from_pretrained
from mini_bert.models.zoo import bert

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument(
    "folder", nargs="?", type=Path, help="a HuggingFace folder to read; without one, we write one"
)
parser.add_argument("--out", type=Path, default=Path("bert-from-mini-bert"), help="where to write ours")
args = parser.parse_args()

folder = args.folder
if folder is None:
    folder = args.out
    ours = MiniBERT(
        bert(
            vocab_size=8192,
            hidden_size=64,
            num_layers=2,
            num_heads=2,
            intermediate_size=256,
            max_seq_length=64,
        )
    )
    ours.tokenizer = mini_bert.load("mini").tokenizer
    ours.save_pretrained(folder)
    print(f"written: {', '.join(sorted(path.name for path in folder.iterdir()))}")

model = from_pretrained(folder)
print(model, model.architecture)
print("config.json:", ", ".join(json.loads((folder / "config.json").read_text("utf-8"))))
for path in sorted(folder.glob("*.safetensors")):
    with safe_open(path, "numpy") as file:
        for name in sorted(file.keys())[:8]:
            print(f"  {name:<62} {tuple(file.get_slice(name).get_shape())}")
if args.folder is None:
    ids = np.array([[2, 10, 20, 3]])
    print("the same logits:", np.array_equal(ours.forward(ids)[0], model.forward(ids)[0]))
