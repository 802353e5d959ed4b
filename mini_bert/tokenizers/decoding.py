"""The text of word pieces.

>>> decoded(["snow", "##fall", ",", "isn", "'", "t", "it", "?"])
"snowfall , isn ' t it ?"
>>> decoded(["snow", "##fall", ",", "isn", "'", "t", "it", "?"], clean_up=True)
"snowfall, isn ' t it?"
"""

from collections.abc import Iterable

from mini_bert.tokenizers.training import CONTINUATION

CLOSER = {
    " .": ".",
    " ?": "?",
    " !": "!",
    " ,": ",",
    " ' ": "'",
    " n't": "n't",
    " 'm": "'m",
    " do not": " don't",
    " 's": "'s",
    " 've": "'ve",
    " 're": "'re",
}
"""What moves closer to the word before, in HuggingFace's order. It looks at one piece at a time, so that an
apostrophe between spaces, three pieces, stays where it is."""


def decoded(pieces: Iterable[str], clean_up: bool = False) -> str:
    """The words, one space apart; without those before signs if they are to be cleaned up."""
    parts: list[str] = []
    for number, piece in enumerate(pieces):
        continues = number and piece.startswith(CONTINUATION)
        part = piece.removeprefix(CONTINUATION) if continues else f" {piece}" if number else piece
        for wide, close in CLOSER.items() if clean_up else ():
            part = part.replace(wide, close)
        parts.append(part)
    return "".join(parts)
