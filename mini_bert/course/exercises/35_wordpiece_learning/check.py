from typing import Any

from mini_bert.course import judging as judge
from mini_bert.course.learner import Learner
from mini_bert.tokenizers.merging import merges
from mini_bert.tokenizers.training import joined

WORDS = {("h", "##e", "##n"): 5, ("h", "##e", "##n", "##s"): 1, ("t", "##e", "##n"): 4}


def check(learner: Learner) -> None:
    learner.begin("count_pairs")
    want = {("h", "##e"): 6, ("##e", "##n"): 10, ("##n", "##s"): 1, ("t", "##e"): 4}
    judge.equal(
        plain(learner.count_pairs(WORDS)),
        want,
        "count_pairs(words)",
        {"words": WORDS},
        {
            "every word is counted once; it counts as often as it is seen": {
                ("h", "##e"): 2,
                ("##e", "##n"): 3,
                ("##n", "##s"): 1,
                ("t", "##e"): 1,
            },
            "the last pair of every word is missing": {("h", "##e"): 6, ("##e", "##n"): 1, ("t", "##e"): 4},
            "the first pair of every word is missing": {("##e", "##n"): 10, ("##n", "##s"): 1},
            "the count of the last word is kept, not the sum: `=` where `+=` is meant": {
                ("h", "##e"): 1,
                ("##e", "##n"): 4,
                ("##n", "##s"): 1,
                ("t", "##e"): 4,
            },
            "symbols are counted; count pairs of neighbours": {
                "h": 6,
                "##e": 10,
                "##n": 10,
                "##s": 1,
                "t": 4,
            },
        },
    )
    learner.begin("count_pairs: the same pair twice in a word, and words of one letter")
    given = {("a", "##b", "##a", "##b", "##a"): 3, ("a",): 7}
    judge.equal(
        plain(learner.count_pairs(given)),
        {("a", "##b"): 3, ("##b", "##a"): 6, ("##a", "##b"): 3},
        "count_pairs(words)",
        {"words": given},
        {
            "a pair that is in a word twice is counted once; count every place": {
                ("a", "##b"): 3,
                ("##b", "##a"): 3,
                ("##a", "##b"): 3,
            }
        },
    )
    judge.equal(plain(learner.count_pairs({("a",): 7})), {}, "count_pairs(words)", {"words": {("a",): 7}})

    learner.begin("best_pair")
    judge.equal(
        learner.best_pair(want),
        ("##e", "##n"),
        mistakes={
            "this is the rarest pair": ("##n", "##s"),
            "this is the last pair of the alphabet; the count decides": ("t", "##e"),
            "this is the pair that was seen first; the count decides": ("h", "##e"),
        },
    )
    learner.begin("best_pair: of equals the first in the alphabet")
    for pairs in (
        {("b", "##c"): 2, ("a", "##d"): 2, ("x", "##y"): 1},
        {("b", "##c"): 2, ("a", "##d"): 2, ("b", "##a"): 2},
    ):
        judge.equal(
            learner.best_pair(pairs),
            ("a", "##d"),
            mistakes={
                "of equals the one that was seen first is taken; take the first in the alphabet": (
                    "b",
                    "##c",
                ),
                "of equals the last in the alphabet is taken; take the first": max(
                    pair for pair, count in pairs.items() if count == 2
                ),
            },
        )

    learner.begin("merge: what becomes of a pair")
    judge.equal(
        learner.merge(("h", "##e", "##n", "##s"), ("##e", "##n")),
        ("h", "##en", "##s"),
        mistakes={
            "the mark of the second symbol is still inside: leave its ## out": ("h", "##e##n", "##s"),
            "the new symbol has lost its mark: only that of the second one goes": ("h", "en", "##s"),
            "the rest of the word is lost": ("h", "##en"),
            "nothing is merged": ("h", "##e", "##n", "##s"),
            "the second symbol is still there: go on behind it": ("h", "##en", "##n", "##s"),
        },
    )
    judge.equal(
        learner.merge(("h", "##en"), ("h", "##en")),
        ("hen",),
        mistakes={
            "the mark of the second symbol is still inside: leave its ## out": ("h##en",),
            "every merged symbol gets a mark; the beginning of a word has none": ("##hen",),
        },
    )
    learner.begin("merge: every place, from left to right")
    twice = ("a", "##b", "##c", "##b", "##c")
    judge.equal(
        learner.merge(twice, ("##b", "##c")),
        ("a", "##bc", "##bc"),
        mistakes={"only the first place is merged; go on to the end": ("a", "##bc", "##b", "##c")},
    )
    row = ("x", "##a", "##a", "##a")
    judge.equal(
        learner.merge(row, ("##a", "##a")),
        ("x", "##aa", "##a"),
        mistakes={
            "a symbol is used twice: after a merge go on two places further": ("x", "##aa", "##aa", "##a"),
            "places overlap: after a merge go on two places further": ("x", "##aa", "##aa"),
            "this goes from right to left": ("x", "##a", "##aa"),
        },
    )
    learner.begin("merge: whole symbols only")
    for symbols, pair, as_text in (
        (("h", "##e", "##ns"), ("##e", "##n"), ("h", "##ens")),
        (("h", "##e", "##n"), ("e", "##n"), ("h", "##en")),
        (("h",), ("h", "##e"), ("he",)),
    ):
        judge.equal(
            learner.merge(symbols, pair),
            symbols,
            mistakes={
                "a part of a longer symbol was taken for the symbol: compare symbols, not text": as_text
            },
        )

    learner.begin("learn, with your three functions")
    counts = {"hen": 5, "hens": 1, "ten": 4}
    judge.equal(
        learner.learn(counts, 10),
        ["##en", "hen", "ten", "hens"],
    )
    learner.begin("learn: as the package does")
    counts = {"lower": 17, "low": 29, "slow": 3, "newest": 12, "new": 31, "widest": 7}
    words = [(("".join(w[0]), *("##" + c for c in w[1:])), n) for w, n in counts.items()]
    best = [merge.piece for merge, _ in zip(merges(words, joined=joined), range(4), strict=False)]
    judge.equal(learner.learn(counts, 4), best)


def plain(got: Any) -> Any:
    """A Counter and a defaultdict are as good as a dict."""
    return dict(got) if isinstance(got, dict) else got
