"""Why a word is cut as it is: the candidates that WordPiece tried, the pairs that BPE joined, the ways Unigram had."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from mini_bert.tokenizers.bpe import ByteLevelBPETokenizer
from mini_bert.tokenizers.byte_symbols import utf8
from mini_bert.tokenizers.gpt2_words import after_space
from mini_bert.tokenizers.gpt2_words import words as gpt2_words
from mini_bert.tokenizers.normal_steps import plain
from mini_bert.tokenizers.ranked_merges import NEVER
from mini_bert.tokenizers.tokenizer import Tokenizer
from mini_bert.tokenizers.training import CONTINUATION
from mini_bert.tokenizers.unigram import UnigramTokenizer
from mini_bert.tokenizers.wordpiece import WordPieceTokenizer
from mini_bert.tokenizers.wordpiece_files import LONGEST_WORD

LONGEST_STORY = 100
WAYS = 4


def kind_of(tokenizer: Tokenizer) -> str:
    """wordpiece, bpe or unigram; "other" is told without reasons."""
    for kind, name in (
        (WordPieceTokenizer, "wordpiece"),
        (ByteLevelBPETokenizer, "bpe"),
        (UnigramTokenizer, "unigram"),
    ):
        if isinstance(tokenizer, kind):
            return name
    return "other"


def normal_words(tokenizer: Tokenizer, text: str) -> Iterator[str | None]:
    """Each word in the form in which it is cut, numbered as `Encoding.word_ids`; None for an added token."""
    for part in tokenizer.added.split(text):
        if part.token is not None:
            yield None
        elif isinstance(tokenizer, WordPieceTokenizer):
            yield from tokenizer.normalizer.words(part.text)
        elif isinstance(tokenizer, ByteLevelBPETokenizer):
            normal = plain(tokenizer.steps, part.text)
            yield from gpt2_words(after_space(normal) if tokenizer.add_prefix_space else normal)
        elif isinstance(tokenizer, UnigramTokenizer):
            style = tokenizer.style
            yield from (word.text for word in style.marks.words(style.aligned(part.text), part.start))
        else:
            yield from (
                part.text[cuts[0][1] : cuts[-1][2]] for cuts in tokenizer.words(part.text, part.start) if cuts
            )


def story(tokenizer: Tokenizer, word: str) -> dict[str, Any] | None:
    """How a word in its normal form was cut; None if there is nothing to tell, or too much."""
    if isinstance(tokenizer, WordPieceTokenizer):
        return longest_matches(tokenizer, word)
    if len(word) > LONGEST_STORY:
        return None
    if isinstance(tokenizer, ByteLevelBPETokenizer):
        return merges(tokenizer, word)
    if isinstance(tokenizer, UnigramTokenizer):
        return best_ways(tokenizer, word)
    return None


def longest_matches(tokenizer: WordPieceTokenizer, word: str) -> dict[str, Any]:
    """The rest of the word at each step, how many of its beginnings were tried, longest first, and the one found.

    The last step finds none where the word is unknown.
    """
    if len(word) > LONGEST_WORD:
        return {"steps": [], "too_long": LONGEST_WORD}
    steps: list[dict[str, Any]] = []
    start, prefix = 0, ""
    while start < len(word):
        rest = word[start:]
        size = next((n for n in range(len(rest), 0, -1) if prefix + rest[:n] in tokenizer.token_to_id), 0)
        found = prefix + rest[:size] if size else None
        steps.append(
            {
                "prefix": prefix,
                "rest": rest,
                "tried": len(rest) - size + 1 if size else len(rest),
                "found": found,
                "id": None if found is None else tokenizer.token_to_id[found],
            }
        )
        if not size:
            break
        start, prefix = start + size, CONTINUATION
    return {"steps": steps, "too_long": None}


def merges(tokenizer: ByteLevelBPETokenizer, word: str) -> dict[str, Any]:
    """The bytes, as letters, and each joining of two neighbours: where, into what, and the how many-th pair learned."""
    ranked = tokenizer.ranked_merges
    ids = [tokenizer.byte_ids[byte] for byte in utf8(word)]
    letters = [tokenizer.id_to_token[index] for index in ids]
    joined: list[dict[str, Any]] = []
    while True:
        ranks = [ranked.ranks.get(pair, NEVER) for pair in pairwise(ids)]
        best = min(ranks, default=NEVER)
        if best == NEVER:
            return {"letters": letters, "merges": joined}
        place = ranks.index(best)
        ids[place : place + 2] = [ranked.results[best]]
        joined.append({"place": place, "made": tokenizer.id_to_token[ids[place]], "rank": best + 1})


def best_ways(tokenizer: UnigramTokenizer, word: str) -> dict[str, Any]:
    """The most probable ways to cut it, best first: the pieces, their scores (log-probabilities), and the sum."""
    segmenter = tokenizer.segmenter
    return {
        "ways": [
            {
                "pieces": pieces,
                "scores": [
                    segmenter.known[one][1] if one in segmenter.known else segmenter.unknown_score
                    for one in pieces
                ],
                "score": score,
            }
            for pieces, score in segmenter.best(word, WAYS)
        ]
    }


def changes(tokenizer: Tokenizer, written: str, normal: str) -> list[str]:
    """What normalization did to a word, in words."""
    if written == normal or not isinstance(tokenizer, WordPieceTokenizer):
        return []
    rules = tokenizer.normalizer
    told = []
    if rules.lowercase and written.lower() != written:
        told.append("capitals become small letters")
    strips = rules.lowercase if rules.strip_accents is None else rules.strip_accents
    if strips and any(unicodedata.combining(sign) for sign in unicodedata.normalize("NFD", written)):
        told.append("accents are dropped")
    return told or ["signs that cannot be seen are dropped"]
