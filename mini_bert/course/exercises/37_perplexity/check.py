from math import exp, log

import numpy as np

from mini_bert.course import judging as judge
from mini_bert.course.learner import Learner
from mini_bert.evaluation.intrinsic.metrics import compute_perplexity, masked_accuracy

LOSSES, COUNTS = np.array([1.0, 2.0, 4.0]), np.array([6, 1, 3])


def check(learner: Learner) -> None:
    learner.begin("over_words")
    judge.shape(learner.over_words(LOSSES, COUNTS), ())
    judge.close(
        learner.over_words(LOSSES, COUNTS),
        2.0,
        mistakes={
            "every batch counts alike; one with more words counts more": 7 / 3,
            "the sum is not divided by the number of words": 20.0,
            "it is divided by the number of batches; divide by that of words": 20 / 3,
        },
    )
    learner.begin("over_words: one batch, and one without a word")
    judge.close(learner.over_words(np.array([3.0]), np.array([5])), 3.0)
    judge.close(learner.over_words(np.array([3.0, 0.0]), np.array([5, 0])), 3.0)

    learner.begin("perplexity")
    judge.shape(learner.perplexity(LOSSES, COUNTS), ())
    judge.close(
        learner.perplexity(LOSSES, COUNTS),
        compute_perplexity(LOSSES, COUNTS),
        mistakes={
            "every batch counts alike; one with more words counts more": exp(7 / 3),
            "this is the mean of the batches' perplexities; take the mean of the losses first, then exp": (
                6 * exp(1) + exp(2) + 3 * exp(4)
            )
            / 10,
            "this is the unweighted mean of the batches' perplexities; first the mean of the losses, then exp": (
                exp(1) + exp(2) + exp(4)
            )
            / 3,
            "this is the mean loss; exp is missing": 2.0,
            "this is 2 to the loss; the loss was taken with ln, so it is e": 4.0,
            "this is a probability, exp(−loss); perplexity is exp(+loss)": exp(-2),
        },
    )
    learner.begin("perplexity: who knows nothing hesitates between all words")
    for V in (2, 50, 8192):
        losses = np.full(3, log(V))
        judge.close(learner.perplexity(losses, COUNTS), float(V), input={"losses": losses, "counts": COUNTS})
    learner.begin("perplexity: who is always sure and right has 1")
    judge.close(learner.perplexity(np.zeros(2), np.array([4, 2])), 1.0)
    learner.begin("perplexity: cutting the text into other batches changes nothing")
    of_words = abs(judge.example(12, seed=1))
    whole = learner.perplexity(np.array([of_words.mean()]), np.array([12]))
    parts = np.array([of_words[:7].mean(), of_words[7:].mean()]), np.array([7, 5])
    judge.close(learner.perplexity(*parts), whole, "perplexity of two batches, expected to be that of one,")

    logits = np.array(
        [
            [1.0, 9.0, 2.0, 4.0, 0.0],
            [7.0, 6.0, 0.0, 2.0, 1.0],
            [0.0, 1.0, 3.0, 5.0, 2.0],
            [8.0, 2.0, 5.0, 0.0, 6.0],
        ]
    )
    labels = np.array([1, 1, 2, 1])  # of rank 1, 2, 2 and 4
    learner.begin("top_k_accuracy: the first guess")
    judge.shape(learner.top_k_accuracy(logits, labels), ())
    judge.close(
        learner.top_k_accuracy(logits, labels),
        0.25,
        mistakes={
            "this is a number of words; divide by N": 1.0,
            "two guesses are looked at, where k is 1": 0.75,
            "the least probable words are looked at: sort from the highest down": 0.0,
        },
    )
    learner.begin("top_k_accuracy: the first k guesses")
    for k, told in ((2, 0.75), (3, 0.75), (4, 1.0), (5, 1.0)):
        judge.close(
            learner.top_k_accuracy(logits, labels, k),
            told,
            mistakes={
                "only guess number k is looked at; any of the first k will do": {2: 0.5, 4: 0.25}.get(k, 0.0),
                "only the first guess is looked at: k is not used": 0.25,
            }
            if k != 4
            else {"one guess too few is looked at": 0.75},
        )
    learner.begin("top_k_accuracy: equal logits")
    flat, firsts = np.zeros((4, 5)), np.array([0, 1, 2, 3])
    for k in (1, 3):
        judge.close(
            learner.top_k_accuracy(flat, firsts, k),
            {1: 0.25, 3: 0.75}[k],
            mistakes={
                "who gives every word the same score would always be right: of equals, the lower id comes first": 1.0,
                "of equals the higher id comes first; it should be the lower": {1: 0.0, 3: 0.5}[k],
            },
        )
    learner.begin("top_k_accuracy: as the package measures it, and input with gaps in memory")
    logits, labels = judge.example(40, 7, seed=2), np.arange(40) % 7
    for k in (1, 2, 5, 7):
        want = masked_accuracy(logits[None], labels[None], np.ones((1, 40), int), top=k)
        judge.close(learner.top_k_accuracy(judge.not_contiguous(logits), labels, k), want)
