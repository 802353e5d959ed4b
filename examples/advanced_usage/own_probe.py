"""A probe of your own: can one read from a noun's state whether it is singular or plural?

Labels come from the embedded world; those of your own come from files, with `mini-bert probe custom`.
"""

import argparse
from itertools import islice

import numpy as np

import mini_bert
from mini_bert.data.world import stories
from mini_bert.evaluation.probing.runner import probe
from mini_bert.evaluation.probing.settings import Settings
from mini_bert.evaluation.probing.task import Annotated, Given, task_of
from mini_bert.evaluation.subject import Subject
from mini_bert.reports import silent


def number_of_nouns(sentence):
    """The sentence with the label of each noun that has a number."""
    nouns = [
        (place, "plural" if "Number=Plur" in token.feats else "singular")
        for place, token in enumerate(sentence.tokens)
        if token.upos == "NOUN" and "Number=" in token.feats
    ]
    words = tuple(token.text for token in sentence.tokens)
    return Annotated(words, np.array([[place] for place, _ in nouns]), tuple(label for _, label in nouns))


def some(seed, count):
    told = (number_of_nouns(one) for story in stories(seed) for one in story.sentences)
    return list(islice((one for one in told if one.labels), count))


parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--sentences", type=int, default=300, help="to learn from")
parser.add_argument("--smoke", action="store_true", help="forty sentences")
args = parser.parse_args()

count = 40 if args.smoke else args.sentences
given = Given("the embedded world", some(31, count), some(32, count // 3), some(33, count // 2))
with Subject(mini_bert.load("mini")) as subject:
    [found] = probe(subject, [task_of("custom", given)], Settings(seeds=1, mdl=False), silent)

print(f"most frequent label {found.told(found.most_frequent).value:.2f}")
print(f"each word's usual label {found.told(found.majority).value:.2f}")
for layer in sorted(found.speaking):
    own, random = found.accuracy(found.speaking[layer]), found.accuracy(found.random[layer])
    print(
        f"layer {layer}: {own.value:.2f} ({own.low:.2f} to {own.high:.2f}), random weights {random.value:.2f}, "
        f"control task {found.control_accuracy(layer, 'linear').value:.2f}"
    )
