from collections.abc import Callable
from math import sqrt

import numpy as np

from mini_bert.core.array import Array
from mini_bert.course import judging as judge
from mini_bert.course.learner import Learner
from mini_bert.tokenizers.special import CLS_ID, MASK_ID, PAD_ID, SEP_ID, SPECIAL_TOKENS, UNK_ID

FIRST, IGNORED, V = len(SPECIAL_TOKENS), -100, 1000
DEVIATIONS = 5
"""Chance strays so many standard deviations from what is expected once in a million times."""
SMALL = np.array([[CLS_ID, 11, 5, 13, 14, SEP_ID], [CLS_ID, 15, UNK_ID, SEP_ID, PAD_ID, PAD_ID]])
BY_ROW = "one row of lots serves all texts: draw ids.shape of them"
FATES = {
    (
        1.0,
        0.0,
        0.0,
    ): "every chosen word is shown as [MASK]; draw the fate anew, since the lots that chose a place are all "
    "below the share",
    (
        0.8,
        0.2,
        0.0,
    ): "no word stays as it is: below 0.8 is [MASK], from there to 0.9 a random word, else the word itself",
    (0.8, 0.0, 0.2): "no word is replaced by a random one",
    (0.8, 0.02, 0.18): "the random words are 10 % of what [MASK] has left over; let one lot decide all three",
    (0.8, 0.18, 0.02): "the random words are 90 % of what [MASK] has left over; let one lot decide all three",
    (0.72, 0.1, 0.18): "random words are put over some of the [MASK]; let one lot decide all three",
    (0.1, 0.8, 0.1): "[MASK] and random words are exchanged: 80 % are [MASK]",
    (0.1, 0.1, 0.8): "[MASK] and words that stay are exchanged: 80 % are [MASK]",
}
"""How often [MASK], a random word and the word itself are shown, and what leads to it."""


def check(learner: Learner) -> None:
    texts = seeded(0).integers(FIRST, V, (200, 300))
    texts[:, 0], texts[:, -20:] = CLS_ID, PAD_ID
    is_word = texts >= FIRST
    learner.begin("choose: shape and dtype")
    judge.shape(learner.choose(SMALL, seeded(1)), SMALL.shape)
    judge.dtype(learner.choose(SMALL, seeded(1)), bool)
    learner.begin("choose: words, and never special tokens")
    judge.close(
        judge.array(learner.choose(SMALL, seeded(1), 1.0)).astype(int),
        (SMALL >= FIRST).astype(int),
        "choose(ids, rng, 1.0), in which every word is chosen,",
        {"ids": SMALL},
        {
            "special tokens are chosen too; words are the ids from FIRST_WORD_ID on": np.ones_like(SMALL),
            "padding is spared, but other special tokens are chosen": (SMALL != PAD_ID).astype(int),
            "FIRST_WORD_ID is a word too: >=, not >": (SMALL > FIRST).astype(int),
            "the comparison is the other way round: a lot below the share is chosen": np.zeros_like(SMALL),
        },
    )
    learner.begin("choose: every place draws its own lot")
    judge_rows_differ(judge.array(learner.choose(texts[:9], seeded(3), 0.5)), "chosen")
    learner.begin("choose: as many as the share says")
    for share in (0.15, 0.5, 0.02):
        chosen = judge.array(learner.choose(texts, seeded(2), share))
        judge_count(chosen[is_word], share, f"choose(ids, rng, {share})")
    learner.begin("choose: repeatable, and new each time")
    judge_chance(lambda rng: learner.choose(texts[:9], rng), "choose(ids, rng)")

    learner.begin("mask_words: shapes")
    got = learner.mask_words(SMALL, seeded(4), V)
    judge.several(got, 2)
    for array in got:
        judge.shape(array, SMALL.shape)
        judge.holds(judge.array(array).dtype.kind == "i", "ids and labels are whole numbers.", array)

    learner.begin("mask_words: labels")
    shown, labels = learner.mask_words(texts, seeded(5), V)
    asked = labels != IGNORED
    judge_labels(texts, shown, labels)
    judge_count(asked[is_word], 0.15, "mask_words(ids, rng, V)")
    learner.begin("mask_words: what is not chosen stays as it is")
    judge.holds(
        (shown == texts)[~asked].all(),
        "some places whose label is IGNORED show another token than the text has.",
        mistake="the disguise is put on everywhere; where nothing is chosen, show the ids",
    )
    learner.begin("mask_words: 80 % [MASK], 10 % a random word, 10 % as it was")
    judge_fates(texts[asked], shown[asked])
    judge_random_words(shown[asked & (shown != texts) & (shown != MASK_ID)])
    learner.begin("mask_words: a vocabulary of three words, all chosen")
    judge_three_words(learner)
    learner.begin("mask_words: repeatable, and new each time")
    judge_chance(lambda rng: learner.mask_words(texts[:9], rng, V)[0], "mask_words(ids, rng, V)")
    learner.begin("mask_words: another share, and a text without words")
    _, labels = learner.mask_words(texts, seeded(6), V, 0.5)
    judge_count((labels != IGNORED)[is_word], 0.5, "mask_words(ids, rng, V, 0.5)")
    empty = np.array([[CLS_ID, SEP_ID, PAD_ID]])
    shown, labels = learner.mask_words(empty, seeded(7), V)
    judge.close(shown, empty)
    judge.close(labels, np.full_like(empty, IGNORED))


def seeded(seed: int) -> np.random.Generator:
    return np.random.default_rng(seed)


def likely(count: int, of: int, share: float) -> bool:
    """Could so many of so many have come by chance?"""
    return bool(abs(count - of * share) <= DEVIATIONS * sqrt(of * share * (1 - share)) + 1e-6)


def judge_count(chosen: Array, share: float, of: str) -> None:
    count, total = int(chosen.sum()), chosen.size
    known = {
        1 - share: "the comparison is the other way round: a lot below the share is chosen",
        0.15: "share is not used",
    }
    if of.startswith("mask_words"):
        known[0.9 * share] = "words that stay as they are have been chosen too, and have a label"
    mistake = next((told for wrong, told in known.items() if likely(count, total, wrong)), None)
    judge.holds(
        likely(count, total, share),
        f"{of} chose {count / total:.1%} of {total:,} words, expected about {share:.0%}.",
        mistake=mistake,
    )


def judge_rows_differ(lots: Array, what: str) -> None:
    words = lots[:, 1:-20]
    judge.holds(
        np.unique(words).size > 1,
        f"either all words of the batch are {what}, or none.",
        mistake="one lot serves all places: draw ids.shape of them",
    )
    judge.holds(
        not (words == words[0]).all(),
        f"the same places are {what} in every text of the batch.",
        mistake=BY_ROW,
    )
    judge.holds(
        not (words == words[:, :1]).all(),
        f"either all words of a text are {what}, or none.",
        mistake="one lot serves all places of a text: draw ids.shape of them",
    )


def judge_chance(draw: Callable[[np.random.Generator], Array], of: str) -> None:
    """The generator that is handed in decides all, and goes on."""
    rng = seeded(8)
    first, second = draw(rng), draw(rng)
    judge.holds(
        not np.array_equal(first, second),
        f"{of} gives the same twice, with a generator that goes on.",
        mistake="a generator is made inside, with a seed of its own: draw from rng",
    )
    judge.holds(
        np.array_equal(first, draw(seeded(8))),
        f"{of} gives something else with a generator of the same seed.",
        mistake="np.random draws from somewhere else: draw from rng",
    )


def judge_labels(texts: Array, shown: Array, labels: Array) -> None:
    asked = labels != IGNORED
    wrong = asked & (labels != texts)
    mistake = None
    if (labels == texts).all():
        mistake = "every place has a label; those that are not chosen get IGNORED"
    elif (labels == shown)[asked].all():
        mistake = "the labels are what is shown; they are the words that were there"
    elif np.isin(labels[wrong], (0, 1)).all():
        mistake = "places that are not chosen get the label IGNORED, not 0 or 1"
    judge.holds(
        not wrong.any() and not asked.all(),
        "the labels are wrong: expected the token itself where it is chosen, and −100 elsewhere.\n"
        "The first ten places of the first text:",
        labels[0, :10],
        {"ids": texts[0, :10], "shown": shown[0, :10]},
        mistake,
    )


def judge_fates(words: Array, shown: Array) -> None:
    masked, kept = int((shown == MASK_ID).sum()), int((shown == words).sum())
    found = masked, words.size - masked - kept, kept

    def fits(fates: tuple[float, float, float]) -> bool:
        masked, random, kept = fates
        same = random / (V - FIRST)  # a random word may be the one that was there
        shares = masked, random - same, kept + same
        return all(likely(count, words.size, share) for count, share in zip(found, shares, strict=True))

    told = ", ".join(f"{count / words.size:.1%}" for count in found)
    judge.holds(
        fits((0.8, 0.1, 0.1)),
        f"of {words.size:,} chosen words these shares became [MASK], became another word, and stayed: {told}; expected "
        "about 80 %, 10 % and 10 %.",
        mistake=next((told for fates, told in FATES.items() if fits(fates)), None),
    )


def judge_random_words(words: Array) -> None:
    different = np.unique(words).size
    judge.holds(
        different > words.size / 2,
        f"{words.size} random words are only {different} different ones, of a vocabulary of {V}.",
        mistake="one random word serves many places: draw ids.shape of them",
    )


def judge_three_words(learner: Learner) -> None:
    """Words 5, 6 and 7; the text has nothing but 5."""
    last = FIRST + 2
    texts = np.full((200, 300), FIRST)
    shown = judge.array(learner.mask_words(texts, seeded(9), last + 1, 1.0)[0])
    judge_rows_differ((shown == MASK_ID).astype(int), "masked")
    count = np.bincount(shown.reshape(-1), minlength=last + 2)
    given = {"V": last + 1, "count of ids 0, 1, 2 …": count}
    judge.holds(
        not count[:MASK_ID].any(),
        "special tokens are shown as random words.",
        input=given,
        mistake="draw random words from FIRST_WORD_ID on",
    )
    judge.holds(
        not count[last + 1 :].any(),
        "an id is shown that the vocabulary has not: ids go up to V − 1.",
        input=given,
        mistake="rng.integers(low, high) leaves high out already: take V",
    )
    judge.holds(
        count[last] > 0,
        "the last word, V − 1, is never shown.",
        input=given,
        mistake="rng.integers(low, high) leaves high out already: take V",
    )
    judge.holds(
        all(likely(int(count[i]), texts.size, 0.1 / 3) for i in (last - 1, last)),
        f"words 6 and 7 are shown at {count[6] / texts.size:.1%} and {count[7] / texts.size:.1%} of the places, "
        "expected a third of 10 % each: all three words are as likely, and no other token is.",
        input=given,
    )
