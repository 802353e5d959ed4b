"""The control task: how much of a probe's success is learned by heart?"""

import numpy as np

from mini_bert.evaluation.logistic_regression import LogisticRegression


def control_labels(words, labels, seed=0):
    """one random label for each word type, the same at all its places          words: N strings, labels (N,) → (N,)

    A label is as likely as it is among `labels`; “The” and “the” are one type. The seed decides the draw.
    """
    # gap: the types, in lower case and sorted; draw a label for each; then give every word that of its type
    types, which = np.unique([word.lower() for word in words], return_inverse=True)
    shares = np.bincount(labels) / len(labels)
    drawn = np.random.default_rng(seed).choice(len(shares), len(types), p=shares)
    return drawn[which]
    # end of gap


def selectivity(accuracy_of, X, words, labels, is_train, seed=0):
    """accuracy − accuracy on the control task, each of a probe that learns from train and is asked about the rest

    X (N, H), words: N strings, labels (N,), is_train (N,) of true and false; see `accuracy_of` below.
    """
    # gap: the same states twice, once with the real labels and once with the control labels
    control = control_labels(words, labels, seed)
    real_accuracy, control_accuracy = (
        accuracy_of(X[is_train], asked[is_train], X[~is_train], asked[~is_train])
        for asked in (labels, control)
    )
    return real_accuracy - control_accuracy
    # end of gap


def accuracy_of(X_train, labels_train, X_test, labels_test):
    """A linear probe learns from the first two, and is judged by the others: the share of right answers"""
    probe = LogisticRegression.fit(X_train, labels_train, classes=int(labels_train.max()) + 1)
    return float((probe.predict(X_test) == labels_test).mean())
