"""Let a model fill a gap, and look at how it came to its answer."""

import argparse

import numpy as np

import mini_bert
from mini_bert.analysis import read
from mini_bert.analysis.attention import attention
from mini_bert.analysis.logit_lens import logit_lens
from mini_bert.inference.fill_mask import fill_mask

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("text", nargs="?", default="The cat is sleeping on the [MASK].", help="with one [MASK]")
parser.add_argument("--model", default="mini", help="mini, mini-best, or a folder")
args = parser.parse_args()

model = mini_bert.load(args.model)
[hidden] = fill_mask(model, args.text)
for guess in hidden.guesses:
    print(f"{guess.word:<14} {guess.probability:.3f}")

reading = read(model, args.text, target=hidden.guesses[0].word)
lens = logit_lens(reading)
for layer, words in enumerate(lens.words):
    print(f"after layer {layer}: {', '.join(words[0])}")

heads = attention(reading)
layer, head = np.unravel_index(heads.relative_entropy.argmin(), heads.relative_entropy.shape)
looks_at = heads.weights[layer, head, hidden.place].argmax()
print(f"the sharpest head (layer {layer}, head {head}) looks from the gap at {heads.pieces[looks_at]!r}")
