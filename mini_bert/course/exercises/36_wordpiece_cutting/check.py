import numpy as np

from mini_bert.course import judging as judge
from mini_bert.course.learner import Learner
from mini_bert.tokenizers.special import SPECIAL_TOKENS
from mini_bert.tokenizers.wordpiece import WordPieceTokenizer


def check(learner: Learner) -> None:
    vocabulary = {"u", "un", "##h", "##ha", "##happy", "##a", "##p", "##y", "happy", "play", "##ing", "##s"}
    learner.begin("a word that is in the vocabulary")
    judge.equal(
        learner.cut("play", vocabulary),
        ["play"],
        mistakes={
            "the word was not found: try the whole of it first, without a mark": ["[UNK]"],
            "it was looked up with a mark; the beginning of a word has none": ["##play"],
        },
    )
    learner.begin("the longest piece first")
    judge.equal(
        learner.cut("unhappy", vocabulary),
        ["un", "##happy"],
        mistakes={
            "the shortest piece is taken; try the longest first": ["[UNK]"],
            "the shortest piece is taken where the longest fits": ["un", "##h", "##a", "##p", "##p", "##y"],
            "the rest is without its mark: pieces inside a word begin with ##": ["un", "happy"],
            "the rest of the word is lost: go on after the first piece": ["un"],
        },
    )
    short = {"a", "ab", "##a", "##b", "##bc", "##c"}
    judge.equal(
        learner.cut("abbc", short),
        ["ab", "##bc"],
        mistakes={
            "the shortest piece is taken; try the longest first": ["a", "##b", "##b", "##c"],
            "the last letter is never tried with the others": ["ab", "##b", "##c"],
            "the longest piece is looked for everywhere in the word; it must be where the last one ended": [
                "a",
                "##b",
                "##bc",
            ],
        },
    )
    learner.begin("a letter that no piece has: the whole word is unknown")
    judge.equal(
        learner.cut("playxs", vocabulary),
        ["[UNK]"],
        mistakes={
            "only the rest is told as unknown; the whole word is": ["play", "[UNK]"],
            "what was found before is kept; without the rest it is worth nothing": ["play"],
            "the letter is left out, as if it were not in the word": ["play", "##s"],
            "[UNK] stands for the letter alone; the whole word is unknown": ["play", "[UNK]", "##s"],
            "it is a list with [UNK] in it twice": ["[UNK]", "[UNK]"],
        },
    )
    learner.begin("the mark: inside a word only, and always there")
    judge.equal(
        learner.cut("playhappy", {"play", "happy"}),
        ["[UNK]"],
        mistakes={
            "the rest is looked up without its mark: pieces inside a word begin with ##": ["play", "happy"]
        },
    )
    judge.equal(
        learner.cut("ings", vocabulary),
        ["[UNK]"],
        mistakes={
            "the beginning of the word is looked up with a mark": ["##ing", "##s"],
            "##ing cannot begin a word: look it up without a mark first": ["ing", "##s"],
        },
    )
    learner.begin("it never goes back")
    judge.equal(
        learner.cut("unable", {"un", "una", "##able", "##b"}),
        ["[UNK]"],
        mistakes={
            "a shorter first piece was tried when the rest did not fit; greedy cutting never goes back": [
                "un",
                "##able",
            ]
        },
    )
    learner.begin("one letter")
    judge.equal(learner.cut("u", vocabulary), ["u"])
    judge.equal(learner.cut("s", vocabulary), ["[UNK]"], mistakes={"##s cannot begin a word": ["##s"]})
    learner.begin("300 words, as the package cuts them")
    rng = np.random.default_rng(0)
    pieces = {"a", "b", "c"} | {
        mark + "".join(rng.choice(list("abc"), size)) for mark in ("", "##") for size in (1, 2, 2, 3, 3, 4)
    }
    tokenizer = WordPieceTokenizer([*SPECIAL_TOKENS, *sorted(pieces)])
    for _ in range(300):
        word = "".join(rng.choice(list("abc"), rng.integers(1, 9)))
        judge.equal(learner.cut(word, pieces), tokenizer.tokenize(word))
