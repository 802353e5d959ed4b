"""Words to pieces: how the vocabulary of a model cuts a text, and why."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from mini_bert.explorer.answers import Answer
from mini_bert.explorer.cut_stories import changes, kind_of, normal_words, story
from mini_bert.explorer.desk import Desk, check_length
from mini_bert.explorer.question import Asked
from mini_bert.inference.reading import tokenizer_of
from mini_bert.tokenizers.encoding import Encoding
from mini_bert.tokenizers.special import MASK
from mini_bert.tokenizers.tokenizer import Tokenizer
from mini_bert.tokenizers.wordpiece import WordPieceTokenizer


class WordsAsked(Asked):
    """Nothing more than the question, of which only model and text matter."""


def give_words(desk: Desk, asked: WordsAsked) -> dict[str, Any]:
    """`pieces` in order, with the text that each stands for; `words` with their normal form and the story of the cut.

    Places in `text` count characters. What is hidden is not looked at: these are the pieces that could be.
    """
    question = asked.question
    model = desk.model(question.model)
    tokenizer = tokenizer_of(model)
    check_length(question.text, desk.limits)
    text = question.text.replace(MASK, tokenizer.roles.mask or MASK)
    encoding = tokenizer.encoding(text)
    return {
        "text": text,
        "kind": kind_of(tokenizer),
        "vocabulary": tokenizer.vocab_size,
        "mask": tokenizer.roles.mask,
        "longest": model.config.max_seq_length,
        "rules": rules(tokenizer),
        "pieces": pieces(tokenizer, encoding, text),
        "words": words(tokenizer, encoding, text),
    }


def pieces(tokenizer: Tokenizer, encoding: Encoding, text: str) -> list[dict[str, Any]]:
    special = set(tokenizer.special_ids)
    return [
        {
            "place": place,
            "piece": piece,
            "id": index,
            "word": word,
            "start": start,
            "end": end,
            "written": "" if word is None else text[start:end],
            "special": index in special,
        }
        for place, (piece, index, word, (start, end)) in enumerate(
            zip(encoding.tokens, encoding.ids, encoding.word_ids, encoding.offsets, strict=True)
        )
    ]


def words(tokenizer: Tokenizer, encoding: Encoding, text: str) -> list[dict[str, Any]]:
    places: dict[int, list[int]] = defaultdict(list)
    for place, word in enumerate(encoding.word_ids):
        if word is not None:
            places[word].append(place)
    told = []
    for number, normal in enumerate(normal_words(tokenizer, text)):
        if number not in places:
            continue
        start = min(encoding.offsets[place][0] for place in places[number])
        end = max(encoding.offsets[place][1] for place in places[number])
        written = text[start:end]
        told.append(
            {
                "word": number,
                "written": written,
                "start": start,
                "end": end,
                "normal": written if normal is None else normal,
                "changes": [] if normal is None else changes(tokenizer, written, normal),
                "added": normal is None,
                "places": places[number],
                "unknown": any(encoding.tokens[place] == tokenizer.roles.unk for place in places[number]),
                "story": None if normal is None else story(tokenizer, normal),
            }
        )
    return told


def rules(tokenizer: Tokenizer) -> list[str]:
    """What is done to a text before it is cut, in words."""
    if not isinstance(tokenizer, WordPieceTokenizer):
        return []
    normalizer = tokenizer.normalizer
    strips = normalizer.lowercase if normalizer.strip_accents is None else normalizer.strip_accents
    told = ["capitals become small letters"] if normalizer.lowercase else ["capitals stay"]
    told.append("accents are dropped" if strips else "accents stay")
    told.append("spaces and punctuation marks end a word")
    return told


ANSWERS = (Answer("words", WordsAsked, give_words),)
