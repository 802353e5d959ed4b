"""Bytes as characters that can be seen: GPT-2 writes each of the 256 as one printable character.

>>> symbols("the café".encode())
'theĠcafÃ©'
>>> raw_bytes("theĠcafÃ©").decode()
'the café'

So every text can be spelled with 256 letters, and a file of pieces holds no blank. Radford et al. 2019.
"""

import re
from collections.abc import Sequence

from mini_bert.tokenizers.characters import CodePoints

SEEN_AS_THEMSELVES = CodePoints("21-7E A1-AC AE-FF")
HALF_PAIRS, LOST = re.compile("[\ud800-\udfff]"), "\N{REPLACEMENT CHARACTER}"


def _alphabet() -> str:
    """The character of each byte: itself if it can be seen, else the next one from U+0100 on."""
    others = iter(range(0x100, 0x200))
    return "".join(
        char if char in SEEN_AS_THEMSELVES else chr(next(others)) for char in map(chr, range(0x100))
    )


BYTE_SYMBOLS = _alphabet()
SPACE_MARK = BYTE_SYMBOLS[ord(" ")]
BYTE_OF = {symbol: byte for byte, symbol in enumerate(BYTE_SYMBOLS)}


def utf8(text: str) -> bytes:
    """The bytes of a text. Half a surrogate pair, which has none, becomes the sign of lost text."""
    try:
        return text.encode()
    except UnicodeEncodeError:
        return HALF_PAIRS.sub(LOST, text).encode()


def symbols(content: bytes) -> str:
    """What bytes are written as."""
    return "".join(map(BYTE_SYMBOLS.__getitem__, content))


def raw_bytes(piece: str) -> bytes:
    """The bytes that a piece stands for. One that is not written in symbols stands for itself."""
    try:
        return bytes(map(BYTE_OF.__getitem__, piece))
    except KeyError:
        return utf8(piece)


def places_of_bytes(word: str) -> Sequence[int]:
    """The place of the character that each byte belongs to."""
    if word.isascii():
        return range(len(word))
    return [place for place, char in enumerate(word) for _ in utf8(char)]
