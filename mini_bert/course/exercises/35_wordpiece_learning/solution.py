"""Learning WordPiece: letters grow together, the most frequent neighbours first."""

from itertools import pairwise

CONTINUATION = "##"


def letters(word):
    """ "hen" → ("h", "##e", "##n"): what does not begin a word is marked"""
    return (word[0], *(CONTINUATION + letter for letter in word[1:]))


def count_pairs(words):
    """how often each two symbols stand side by side          words: symbols → count of the word; {(a, b): count}"""
    # gap: every pair of neighbours in every word, as often as the word itself is seen; `pairwise` may help
    pairs = {}
    for symbols, count in words.items():
        for pair in pairwise(symbols):
            pairs[pair] = pairs.get(pair, 0) + count
    return pairs
    # end of gap


def best_pair(pairs):
    """argmax count(a, b); of equals the first in the order of the alphabet          pairs: (a, b) → count"""
    # gap: the pair with the highest count; Python compares tuples of strings by the alphabet
    return min(pairs, key=lambda pair: (-pairs[pair], pair))
    # end of gap


def merge(symbols, pair):
    """("h", "##e", "##n"), ("##e", "##n") → ("h", "##en")          a tuple of symbols → a tuple, not longer"""
    # gap: from left to right, wherever both stand side by side they become one symbol, with one mark at most
    merged, i = [], 0
    while i < len(symbols):
        if symbols[i : i + 2] == pair:
            merged.append(pair[0] + pair[1].removeprefix(CONTINUATION))
            i += 2
        else:
            merged.append(symbols[i])
            i += 1
    return tuple(merged)
    # end of gap


def learn(word_counts, merges):
    """The pieces that so many merges make, in their order          word_counts: word → count"""
    words = {letters(word): count for word, count in word_counts.items()}
    learned = []
    while len(learned) < merges and (pairs := count_pairs(words)):
        pair = best_pair(pairs)
        words = {merge(symbols, pair): count for symbols, count in words.items()}
        learned += merge(pair, pair)
    return learned
