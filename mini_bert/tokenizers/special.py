"""The special tokens: the first five entries of every vocabulary, in this order, always."""

import re

PAD, UNK, CLS, SEP, MASK = SPECIAL_TOKENS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
PAD_ID, UNK_ID, CLS_ID, SEP_ID, MASK_ID = range(5)

_ANY_SPECIAL = re.compile("(" + "|".join(map(re.escape, SPECIAL_TOKENS)) + ")")


def split_special(text: str) -> list[str]:
    """The text cut around the special tokens written in it, which are kept whole.

    >>> split_special("snow is [MASK] .")
    ['snow is ', '[MASK]', ' .']
    """
    return [part for part in _ANY_SPECIAL.split(text) if part]
