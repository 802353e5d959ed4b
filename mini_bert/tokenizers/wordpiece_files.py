"""WordPiece in files: the parts of a tokenizer.json, or a vocab.txt and what the config beside it says."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from mini_bert.tokenizers.description import Description, read_text
from mini_bert.tokenizers.normalize import Normalizer
from mini_bert.tokenizers.special import SPECIAL_TOKENS, UNK
from mini_bert.tokenizers.training import CONTINUATION
from mini_bert.tokenizers.vocabulary import joined_vocabulary

LONGEST_WORD = 100
SEPARATORS = frozenset(" \t\r\n")
"""No piece of a vocab.txt holds them; other white space may be one, as in Chinese BERT's."""


def read_pieces(path: Path) -> list[str]:
    """One piece a line."""
    text = read_text(path)
    # Not splitlines(), which also cuts at characters that a foreign vocabulary may hold as pieces.
    return text.removesuffix("\n").split("\n") if text else []


def vocabulary_of(description: Description) -> list[str]:
    """The pieces of a tokenizer.json."""
    model = description.needed_part("model")
    for name, ours in (
        ("unk_token", UNK),
        ("continuing_subword_prefix", CONTINUATION),
        ("max_input_chars_per_word", LONGEST_WORD),
    ):
        if (theirs := model.content.get(name, ours)) != ours:
            raise model.unsupported(name, theirs, [str(ours)])
    return joined_vocabulary(model.mapping("vocab"), description.parts("added_tokens"), model)


def normalizer_in(config: Description) -> Normalizer:
    """As a tokenizer_config.json says."""
    return Normalizer(
        lowercase=config.flag("do_lower_case", True),
        strip_accents=_strip_accents(config),
        handle_chinese_chars=config.flag("tokenize_chinese_chars", True),
        clean_text=config.flag("clean_text", True),
    )


def _strip_accents(part: Description) -> bool | None:
    return None if part.content.get("strip_accents") is None else part.flag("strip_accents")


def normalizer_of(description: Description) -> Normalizer:
    """BERT's own, with its four choices."""
    part = description.part_of_type("normalizer", "BertNormalizer")
    description.part_of_type("pre_tokenizer", "BertPreTokenizer")
    return Normalizer(
        clean_text=part.flag("clean_text", True),
        handle_chinese_chars=part.flag("handle_chinese_chars", True),
        strip_accents=_strip_accents(part),
        lowercase=part.flag("lowercase", True),
    )


def cleans_up(description: Description) -> bool:
    """Whether the decoder of a tokenizer.json takes spaces before signs away."""
    decoder = description.part("decoder")
    return decoder is not None and decoder.text("type") == "WordPiece" and decoder.flag("cleanup", True)


def check_vocabulary(tokens: Sequence[str], origin: str) -> None:
    """Raise ValueError unless the special tokens are there and every piece is one word, written once."""
    if not tokens:
        raise ValueError(
            f"{origin}: the vocabulary is empty; train one with WordPieceTokenizer.train(texts) or"
            " `mini-bert tokenizer train`"
        )
    for token in SPECIAL_TOKENS:
        if token not in tokens:
            raise ValueError(
                f"{origin}: special token {token} is missing; a vocabulary needs {', '.join(SPECIAL_TOKENS)}"
            )
    lines: dict[str, int] = {}
    for line, token in enumerate(tokens, start=1):
        if not token or not SEPARATORS.isdisjoint(token):
            raise ValueError(f"{origin}, line {line}: {token!r} is blank or holds white space; remove it")
        if token in lines:
            raise ValueError(
                f"{origin}, line {line}: {token!r} is a duplicate of line {lines[token]}; remove one of them"
            )
        lines[token] = line
