"""Activation patching by hand: which state carries the difference between two sentences?

A hook replaces an activation on its way forward. Into the second sentence, one state of the first is put at a time, and
the probability of the first one's answer is measured. `mini_bert.analysis.patching` does the same, batched.
"""

import argparse

import numpy as np

import mini_bert
from mini_bert.analysis import read

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--clean", default="The dogs [MASK] in the garden.")
parser.add_argument("--corrupted", default="The dog [MASK] in the garden.")
parser.add_argument("--answer", default="were", help="what the clean sentence asks for")
args = parser.parse_args()

model = mini_bert.load("mini")
clean, corrupted = (read(model, text, target=args.answer) for text in (args.clean, args.corrupted))
if len(clean.pieces) != len(corrupted.pieces):
    raise SystemExit(f"as many pieces in both, please: {clean.pieces} and {corrupted.pieces}")
print(f"ln p({args.answer}): clean {-clean.passed.loss:.2f}, corrupted {-corrupted.passed.loss:.2f}")


def put(name, place):
    """A hook that puts the clean state into one place."""

    def hook(x):
        changed = np.array(x)
        changed[:, place] = clean.passed[name][:, place]
        return changed

    return {name: hook}


for layer in range(model.config.num_layers):
    restored = []
    for place in range(len(clean.pieces)):
        patched = read(model, args.corrupted, target=args.answer, hooks=put(f"norm2_{layer}", place))
        gap = corrupted.passed.loss - clean.passed.loss
        restored.append((corrupted.passed.loss - patched.passed.loss) / gap)
    told = "  ".join(f"{piece} {share:+.2f}" for piece, share in zip(clean.pieces, restored, strict=True))
    print(f"layer {layer}, restored by the state of: {told}")
