"""Masking: some words are hidden, and the model is asked for them."""

import numpy as np

MASK_ID = 4
FIRST_WORD_ID = 5  # before it: [PAD], [UNK], [CLS], [SEP], [MASK]
IGNORED = -100  # the label of a place that is not asked for


def choose(ids, rng, share=0.15):
    """Where words are asked for: each with probability `share`, special tokens never          (B, T) → (B, T), bool"""
    # gap: draw a number between 0 and 1 for each place; a place is chosen if it is below the share, and a word is there
    return (rng.random(ids.shape) < share) & (ids >= FIRST_WORD_ID)
    # end of gap


def mask_words(ids, rng, V, share=0.15):
    """What the model is shown, and what it is asked for          ids (B, T) → shown (B, T), labels (B, T)

    Of the chosen words 80 % are shown as [MASK], 10 % as a random word, 10 % as they are. Labels are the chosen words,
    and IGNORED everywhere else.
    """
    chosen = choose(ids, rng, share)
    # gap: draw the fate of each place anew, and a random word for each; then put shown and labels together
    fate = rng.random(ids.shape)
    random_words = rng.integers(FIRST_WORD_ID, V, ids.shape)
    disguised = np.where(fate < 0.8, MASK_ID, np.where(fate < 0.9, random_words, ids))
    return np.where(chosen, disguised, ids), np.where(chosen, ids, IGNORED)
    # end of gap
