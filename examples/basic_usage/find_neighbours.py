"""Turn sentences into vectors, and find for each the one that is nearest."""

import argparse

import mini_bert
from mini_bert.inference.sentence_vectors import nearest, sentence_vectors

SENTENCES = [
    "The dog sleeps in the garden.",
    "A puppy is lying on the grass.",
    "Snow fell on the mountains.",
    "It was cold and the lake was frozen.",
    "She bought bread and milk.",
    "He went to the shop for some eggs.",
]

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("sentences", nargs="*", default=SENTENCES)
parser.add_argument("--model", default="mini-best", help="mini, mini-best, or a folder")
args = parser.parse_args()

vectors = sentence_vectors(mini_bert.load(args.model), args.sentences)
print(f"{vectors.shape[0]} vectors of {vectors.shape[1]} numbers")
places, cosines = nearest(vectors, 1)
for sentence, place, cosine in zip(args.sentences, places[:, 0], cosines[:, 0], strict=True):
    print(f"{sentence:<40} {cosine:.2f}  {args.sentences[place]}")
